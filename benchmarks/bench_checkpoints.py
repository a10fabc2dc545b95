"""Reading a convolutional checkpoint of disentanglement_lib without TensorFlow, and encoding with what was read.

    python benchmarks/bench_checkpoints.py [--repeats 7]

The checkpoint (64x64x1 images, 10 codes, 2.8 MB) is written by the tests' writer. Encoding is timed beside the
same torch module called directly, in turns, by the fastest turn of each, in processor time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from _timing import pin_threads, processor_time

pin_threads()
sys.path.insert(0, str(Path(__file__).parents[1] / "plugins/causal_disent_torch/tests"))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from causal_disent_torch.networks import ConvEncoder, DeconvDecoder  # noqa: E402
from causal_disent_torch.tf1.backend import Tf1Backend, tf_variables  # noqa: E402
from google_crc32c import value as crc32c  # noqa: E402
from tf1_writer import Folder  # noqa: E402

from causal_disent.report.table import text_table  # noqa: E402

SHAPE, NUM_LATENT, NUM_IMAGES, BATCH = (64, 64, 1), 10, 2048, 256
#: What is promised: seconds to read, and encoding over the bare module.
MOST_SECONDS, MOST_OVER_BARE = 1.0, 1.1


def main() -> int:
    """Time both, print the table; 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=7, help="turns of each (%(default)s)")
    repeats = parser.parse_args().repeats
    torch.set_num_threads(1)
    encoder, decoder = ConvEncoder(SHAPE, NUM_LATENT), DeconvDecoder(SHAPE, NUM_LATENT)
    with tempfile.TemporaryDirectory() as temporary:
        arrays = {**tf_variables(encoder), **tf_variables(decoder)}
        names = ("conv_encoder", "deconv_decoder")
        folder = Folder(*names, SHAPE, NUM_LATENT, arrays).write(Path(temporary) / "model", crc=crc32c)
        first = processor_time(lambda: Tf1Backend(device="cpu").read(folder))
        model = Tf1Backend(device="cpu").read(folder)
    images = np.random.RandomState(0).uniform(size=(NUM_IMAGES, *SHAPE)).astype(np.float32)
    tensor = torch.from_numpy(images)

    @torch.inference_mode()
    def bare() -> None:
        for start in range(0, NUM_IMAGES, BATCH):
            encoder(tensor[start : start + BATCH])

    turns = [(processor_time(lambda: model(images)), processor_time(bare)) for _ in range(repeats)]
    ours, theirs = map(min, zip(*turns, strict=True))
    rows = [
        ["reading, the first time in a process", f"{first:.2f} s", f"{MOST_SECONDS:.2f} s"],
        ["encoding over the bare module", f"{ours / theirs:.2f}", f"{MOST_OVER_BARE:.2f}"],
    ]
    print(text_table(["conv checkpoint", "measured", "at most"], rows))
    return int(first > MOST_SECONDS or ours / theirs > MOST_OVER_BARE)


if __name__ == "__main__":
    sys.exit(main())
