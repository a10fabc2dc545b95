"""Readers of models, given files with bytes changed, cut or doubled: an error in words, or the same numbers."""

import os

import numpy as np
import pytest
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.networks import LinearDecoder, LinearEncoder
from causal_disent_torch.saved import save_model
from causal_disent_torch.tf1.backend import Tf1Backend, tf_variables
from causal_disent_torch.tf1.wire import Bundle
from google_crc32c import value as crc32c
from tf1_writer import Folder, write_bundle

from causal_disent.errors import CausalDisentError
from causal_disent.training.networks import make_saved

#: ``make fuzz`` asks for many.
FILES = int(os.environ.get("CAUSAL_DISENT_FUZZ_FILES", 60))
SEED = int(os.environ.get("CAUSAL_DISENT_FUZZ_SEED", 0))
SHAPE, NUM_LATENT = (16, 16, 1), 2


def mutated(data, random):
    """`data` with one to four small changes, most of them near its ends, where formats keep their tables."""
    data = bytearray(data)
    for _ in range(random.randint(1, 5)):
        near = min(len(data), 400)
        place = [random.randint(near), len(data) - 1 - random.randint(near), random.randint(len(data))][
            random.randint(3)
        ]
        how = random.randint(6)
        if how == 0:
            data[place] ^= 1 << random.randint(8)
        elif how == 1:
            data[place] = random.randint(256)
        elif how == 2:
            del data[place : place + random.randint(1, 20)]
        elif how == 3:
            data[place:place] = data[place : place + random.randint(1, 20)]
        elif how == 4:
            data[place : place + 8] = (2 ** random.randint(64, dtype=np.uint64).astype(object) - 1).to_bytes(
                8, "little"
            )
        else:
            del data[place:]
        if not data:
            return b""
    return bytes(data)


def torch_folder(path):
    save_model(path / "model", LinearEncoder(SHAPE, NUM_LATENT), LinearDecoder(SHAPE, NUM_LATENT), "logits")
    return path, lambda: TorchBackend(device="cpu").read(path)(np.ones((1, *SHAPE), np.float32))


def tf1_folder(path):
    modules = [
        make_saved(part, name, "torch", image_shape=SHAPE, num_latent=NUM_LATENT, generator=None)
        for part, name in (("encoder", "test_encoder"), ("decoder", "test_decoder"))
    ]
    arrays = {name: array for module in modules for name, array in tf_variables(module).items()}
    folder = Folder("test_encoder", "test_decoder", SHAPE, NUM_LATENT, arrays, "model")
    written = folder.write(path, crc=crc32c)
    return written, lambda: Tf1Backend(device="cpu").read(written)(np.ones((1, *SHAPE), np.float32))


def bundle_folder(path):
    write_bundle(path / "v", {"a": np.arange(6.0, dtype=np.float32).reshape(2, 3), "b/c": np.float32(1)})

    def read():
        bundle = Bundle(path, "v/variables")
        found = bundle.read(bundle.variables)
        return np.concatenate([np.ravel(found[name]) for name in sorted(found)])

    return path, read


@pytest.mark.parametrize("make", [torch_folder, tf1_folder, bundle_folder])
def test_damaged_files(make, tmp_path):
    folder, read = make(tmp_path / "model")
    expected = read()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    refused = 0
    for number in range(FILES):
        random = np.random.RandomState([SEED, number])
        file = files[random.randint(len(files))]
        content = file.read_bytes()
        file.write_bytes(mutated(content, random))
        try:
            found = read()
        except CausalDisentError as error:
            refused += 1
            assert error.message.strip() and all(c.isprintable() or c == "\n" for c in error.message)
        else:
            # Other files have no checksum: other weights are other weights.
            assert "variables" not in file.name or np.array_equal(found, expected), (file, number)
        finally:
            file.write_bytes(content)
    assert refused > FILES / 4
    assert np.array_equal(read(), expected)
