"""Which backend does the work: of reading saved models, and of training them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import literal
from causal_disent.config import bind_missing, literal_bindings, recorded_bindings
from causal_disent.files import inside
from causal_disent.plugins import explain_missing
from causal_disent.registry import Entry, how_to_install, part, registry

#: The backend to install where there is none that trains.
FIRST = "torch"


def backends(name: str | None = None) -> list[Entry]:
    """The one of that name, or all in the order in which they are tried."""
    return registry.ranked("backends") if name is None else [registry.get("backends", name)]


def training_backend(name: str | None = None) -> Entry:
    """The backend of that name, or the first of those that train models and write their folders."""
    found = [entry for entry in backends(name) if entry.facts.get("trains")]
    if found:
        return found[0]
    others = [entry.name for entry in backends() if entry.facts.get("trains")]
    refused = f"The backend '{name}' reads models and does not train them." if name else ""
    if others:
        raise errors.InvalidInput(f"{refused} Those that do: {errors.listing(others)}.")
    missing = explain_missing("backend", FIRST, [], ["backends"]).message.partition("'. ")[2]
    raise errors.InvalidInput(f"{refused or 'There is no backend that trains models.'} {missing}")


#: What disentanglement_lib can apply to a decoder's output, its default first.
DECODER_ACTIVATIONS = ("logits", "tanh")
#: Where disentanglement_lib's studies put the model that representations were made of, and how far above them.
MODEL, LEVELS = "model", 3


def recorded_values(folder: Path, step: str) -> dict[str, Any]:
    """The values that a step's config recorded; nothing if there is no such config.

    Args:
        folder: of the saved model.
        step: ``"train"`` or ``"postprocess"``.

    Returns:
        ``name.parameter`` -> the value, or its text where it is not a plain one, such as ``@conv_encoder``.
    """
    path = inside(folder, f"results/gin/{step}.gin")
    if not path.exists():
        return {}
    return {name: literal(text) for name, text in recorded_bindings(path).items()}


def decoder_activation(folder: Path) -> str:
    """What turns the output of the folder's decoder into pixels: ``"logits"`` or ``"tanh"``."""
    found = recorded_values(folder, "train").get("reconstruction_loss.activation", DECODER_ACTIVATIONS[0])
    if found not in DECODER_ACTIVATIONS:
        raise errors.unknown("activation", found, DECODER_ACTIVATIONS)
    return found


def sampling_seed(folder: Path) -> int:
    """The seed of a representation that draws its codes."""
    seed = recorded_values(folder, "postprocess").get("postprocess.random_seed", 0)
    return seed % 2**32 if isinstance(seed, int) else 0


def model_folders(folder: Path) -> Iterator[Path]:
    """Where the model may be that a representation was made of: in a ``model`` beside the folder, or above it."""
    own = folder.resolve()
    for above in own.parents[:LEVELS]:
        if (above / MODEL).is_dir() and above / MODEL != own:
            yield above / MODEL


#: The device that leaves the choice to the backend.
AUTO = "auto"
#: What names a registered representation in an input folder; without it the folder holds a saved model.
REPRESENTATION_FILE = "representation.gin"


@dataclass(frozen=True)
class Reading:
    """How to read input folders.

    Attributes:
        decoder_dir: the folder with the decoder, where the input folder has none.
        backend: the one to read with; by default the first that can.
        trust: let a model run operations that reach files or the network.
        device: where the model runs.
    """

    decoder_dir: Path | None = None
    backend: str | None = None
    trust: bool = False
    device: str = AUTO

    def folders(self, folder: Path) -> list[Path]:
        """The folders that are named for reading `folder`."""
        return [folder] if self.decoder_dir is None else [folder, self.decoder_dir]


#: The decoder where the folder has it, any backend, nothing trusted.
AS_FOUND = Reading()


def names_representation(folder: Path) -> bool:
    """Whether a file in the folder names a registered representation."""
    return (folder / REPRESENTATION_FILE).is_file()


def check_folder(folder: Path, flag: str = "--input_dir", *, or_file: bool = False) -> None:
    """An error that says what to give, unless `folder` is one, or is a file where that will do."""
    if not (folder.is_dir() or (or_file and folder.is_file())):
        raise errors.missing_input(folder, flag)


def read_folder(folder: Path) -> dict[str, Any]:
    """What the folder's file binds: a representation, its options, perhaps its data set; nothing if a backend
    reads the folder."""
    check_folder(folder, or_file=True)
    if not names_representation(folder):
        if not any(True for _ in _recognising(folder, AS_FOUND)):
            raise _no_model_in(folder, None)
        return {}
    file = inside(folder, REPRESENTATION_FILE)
    bindings = literal_bindings(file)
    name = bindings.get("representation.name")
    if not isinstance(name, str):
        raise errors.ConfigError(
            f"{file} must name a representation: representation.name = 'perfect_oracle', say."
        )
    registry.get("representations", name)
    allowed = ("representation.", "dataset.", f"{name}.")
    for parameter in bindings:
        if not parameter.startswith(allowed):
            raise errors.ConfigError(
                f"{file}: '{parameter}' cannot be bound here, only {errors.listing(f'{a}*' for a in allowed)}."
            )
        if parameter.endswith(".trust"):  # what came with a model does not vouch for it
            raise errors.ConfigError(
                f"{file}: '{parameter}' cannot be bound here. If you trust whoever made the model, bind it "
                f'yourself: --gin_bindings "{parameter} = True".'
            )
    return bindings


def bind_folder(folder: Path) -> dict[str, Any]:
    """Bind what the folder's file says and the config leaves open, the data set aside; all of it is returned."""
    bindings = read_folder(folder)
    described = {key: value for key, value in bindings.items() if not key.startswith("dataset.")}
    bind_missing(described, str(folder))
    return bindings


def load_model(folder: Path, data: Any, reading: Reading = AS_FOUND) -> tuple[Any, dict[str, Any]]:
    """What the one input folder stands for, as the config has it, and what to record of how it was read."""
    if names_representation(folder) and reading.backend is None:
        if reading.decoder_dir is not None:
            raise errors.InvalidInput(
                f"--model_dir is for saved models. {folder / REPRESENTATION_FILE} names a registered "
                "representation, which has a decoder of its own or none: leave --model_dir out."
            )
        return representation(data), {}
    return _read(folder, data, reading)


def load_folder(folder: Path, data: Any) -> Any:
    """What one folder of several stands for, with its own options instead of the config's."""
    bindings = read_folder(folder)
    if not bindings:
        return _read(folder, data, AS_FOUND)[0]
    name = bindings["representation.name"]
    options = {key.rpartition(".")[2]: value for key, value in bindings.items() if key.startswith(f"{name}.")}
    return registry.function("representations", name)(data, **options)


@part("representation", supplied=("data",))
def representation(data: Any, name: str) -> Any:
    """The registered representation `name` for `data`."""
    return registry.function("representations", name)(data)


def _read(folder: Path, data: Any, reading: Reading) -> tuple[Any, dict[str, Any]]:
    """What the first backend that can makes of a folder."""
    check_reading(reading)
    refusals: list[errors.NotForThisBackend] = []
    for entry, backend in _recognising(folder, reading):
        try:
            model = backend.read(folder, data, model_dir=reading.decoder_dir)
        except errors.NotForThisBackend as refusal:
            refusals.append(refusal)
            continue
        folders = getattr(model, "folders", {"representation": folder})
        return model, {"backend": entry.name, **{f"folder_of_{part}": str(at) for part, at in folders.items()}}
    if refusals:
        raise refusals[0]
    raise _no_model_in(folder, reading.backend)


def _recognising(folder: Path, reading: Reading) -> Iterator[tuple[Entry, Any]]:
    """The backends that take a folder for theirs; one that fails in looking is named, unless it was asked for."""
    chosen = {} if reading.device == AUTO else {"device": reading.device}
    for entry in backends(reading.backend):
        try:
            with entry.isolated():
                backend = entry.load()(trust=reading.trust, **chosen)
                recognised = backend.recognises(folder)
        except errors.BrokenPlugin as broken:
            if reading.backend is not None:
                raise
            warnings.warn(broken.message, stacklevel=2)
            continue
        if recognised:
            yield entry, backend


def check_reading(reading: Reading) -> None:
    """Raise if the backend or the decoder's folder is not there."""
    backends(reading.backend)
    if reading.decoder_dir is not None:
        check_folder(reading.decoder_dir, "--model_dir", or_file=True)


def _no_model_in(folder: Path, backend: str | None) -> errors.InvalidInput:
    names = errors.listing(entry.name for entry in backends(backend))
    if folder.is_file():
        return errors.InvalidInput(
            f"The file {folder} holds no model: none of the backends ({names}) recognises it. Keras files "
            f"(.keras, .h5) are read by the plugin causal_disent_tf. {how_to_install('causal_disent_tf')}"
        )
    return errors.InvalidInput(
        f"The folder {folder} holds no model: none of the backends ({names}) recognises it, and there is no "
        f"{REPRESENTATION_FILE} in it. Saved models are read by plugins (in a checkout of this repository: pip "
        f"install plugins/causal_disent_torch). A {REPRESENTATION_FILE} names what is registered (`causal-disent "
        "representations` lists it), for instance:\n"
        "    representation.name = 'perfect_oracle'\n    dataset.name = 'candle_mini'"
    )
