"""A SavedModel on disk to TensorFlow functions, after a look at what it would run."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent_tf._tensorflow import quiet, tensorflow
from causal_disent_tf.graph_check import refused_operations

SAVED_MODEL = "saved_model.pb"
#: Where disentanglement_lib puts it; a SavedModel may also be the folder itself.
PLACES = ("tfhub", ".")
PARTS = ("variables", "assets")
#: What protocol buffers allow.
MAX_GRAPH_BYTES = 2**31 - 1
#: The operation that reads the variables.
RESTORE = "RestoreV2"
#: Random operations that may be given a seed.
SEEDED = (
    "Multinomial",
    "ParameterizedTruncatedNormal",
    "RandomGamma",
    "RandomPoissonV2",
    "RandomShuffle",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "TruncatedNormal",
)


def locate(folder: Path) -> str | None:
    """Where in `folder` a SavedModel is."""
    return next((place for place in PLACES if (folder / place / SAVED_MODEL).exists()), None)


#: The shape of a tensor: None where a length is open, empty if any shape will do.
Shape = tuple[int | None, ...]


@dataclass(frozen=True)
class Signature:
    """A function of a model.

    Attributes:
        function: named tensors to named tensors.
        model: what the function belongs to, and lives as long as.
    """

    function: Any
    model: Any = field(repr=False)

    def __call__(self, **tensors: Any) -> Mapping[str, Any]:
        return self.function(**tensors)

    @property
    def inputs(self) -> dict[str, Shape]:
        """Name -> shape of what it takes."""
        return _shapes(self.function.structured_input_signature[1])

    @property
    def outputs(self) -> dict[str, Shape]:
        """Name -> shape of what it gives."""
        return _shapes(self.function.structured_outputs)


def _shapes(tensors: Mapping[str, Any]) -> dict[str, Shape]:
    return {
        name: tuple(tensor.shape) if tensor.shape.rank is not None else ()
        for name, tensor in sorted(tensors.items())
    }


def signature_names(folder: Path) -> set[str]:
    """The signatures of the SavedModel in `folder`, which is not loaded."""
    model = _parse(_graph_file(folder))
    return {name for meta in model.meta_graphs for name in meta.signature_def}


def load_saved_model(folder: Path, *, trust: bool, seed: int) -> dict[str, Signature]:
    """The signatures of the SavedModel in `folder`.

    TensorFlow is given a copy of what was checked, in a folder of its own: nothing can be exchanged in between,
    and files that are not part of the model are not there.

    Args:
        folder: of the model.
        trust: load graphs with operations that are not allowed otherwise.
        seed: of the graph's random operations.
    """
    path = _graph_file(folder)
    place = path.parent.relative_to(folder)
    model = _parse(path)
    if not trust:
        _check(path, model)
    _set_seeds(model, seed)
    with ExitStack() as cleanup:
        target = Path(tempfile.mkdtemp(prefix="causal_disent_tf."))
        cleanup.callback(shutil.rmtree, target, ignore_errors=True)
        (target / SAVED_MODEL).write_bytes(model.SerializeToString())
        for part in PARTS:
            _copy(folder, f"{place}/{part}", target / part)
        signatures = _load(path, target, None if _is_tf2(model) else [])
        if trust:
            # Its operations may read assets whenever they run.
            atexit.register(cleanup.pop_all().close)
        return signatures


def _graph_file(folder: Path) -> Path:
    place = locate(folder)
    if place is None:
        raise errors.InvalidInput(
            f"The folder {folder} holds no model: there is no {SAVED_MODEL} in it or in {folder / PLACES[0]}."
        )
    return inside(folder, f"{place}/{SAVED_MODEL}")


def _parse(path: Path) -> Any:
    data = read_bounded(path, MAX_GRAPH_BYTES)
    tensorflow()
    from google.protobuf.message import DecodeError
    from tensorflow.core.protobuf import saved_model_pb2

    # TensorFlow's own parser, so that what is checked and what is run cannot be understood differently.
    try:
        model = saved_model_pb2.SavedModel.FromString(data)
    except DecodeError as error:
        raise unusable(path, f"it is damaged ({error})") from None
    if not model.meta_graphs:
        raise unusable(path, "it holds no graph")
    if not _is_tf2(model) and all(list(meta.meta_info_def.tags) for meta in model.meta_graphs):
        tags = [sorted(meta.meta_info_def.tags) for meta in model.meta_graphs]
        raise unusable(path, f"it has no graph without tags; those that there are have {errors.listing(tags)}")
    return model


def _is_tf2(model: Any) -> bool:
    """Whether TensorFlow reads it as a model of version 2."""
    return len(model.meta_graphs) == 1 and model.meta_graphs[0].HasField("object_graph_def")


def _check(path: Path, model: Any) -> None:
    refused = refused_operations(model)
    if refused:
        raise errors.InvalidInput(
            f"The graph in {path} runs operations that are not known to be harmless: {errors.listing(refused)}. "
            "They could reach files, the network or programs (docs/security.md). If you trust whoever made it, "
            "load it with --trust."
        )


def _set_seeds(model: Any, seed: int) -> None:
    """Seed the random operations that leave it open: the same seed, the same numbers."""
    for meta in model.meta_graphs:
        bodies = [meta.graph_def.node, *(function.node_def for function in meta.graph_def.library.function)]
        for number, node in enumerate(node for body in bodies for node in body):
            if node.op in SEEDED and not node.attr["seed"].i and not node.attr["seed2"].i:
                node.attr["seed"].i, node.attr["seed2"].i = seed, number + 1


def _copy(folder: Path, name: str, target: Path) -> None:
    """Copy a folder of plain files, if it is there."""
    source = inside(folder, name)
    if not source.is_dir():
        return
    target.mkdir()
    for entry in sorted(source.iterdir()):
        path = inside(folder, f"{name}/{entry.name}")
        if path.is_dir() and not path.is_symlink():  # a link to a folder above would be copied without end
            _copy(folder, f"{name}/{entry.name}", target / entry.name)
        elif path.is_file():
            shutil.copyfile(path, target / entry.name)
        else:
            raise unusable(path, "it is no regular file")


def _load(path: Path, target: Path, tags: list[str] | None) -> dict[str, Signature]:
    try:
        with quiet():  # it warns of every variable of the older kind that it cannot be trained
            loaded = tensorflow().saved_model.load(str(target), tags=tags)
    except Exception as error:  # a damaged graph makes TensorFlow raise errors of many kinds
        text = str(error).replace(str(target), str(path.parent))
        damaged = path.parent / "variables" if RESTORE in text else path
        raise unusable(
            damaged, f"TensorFlow cannot load it: {type(error).__name__}: {_informative_line(text)}"
        ) from None
    return {name: Signature(function, loaded) for name, function in loaded.signatures.items()}


def _informative_line(text: str) -> str:
    """What went wrong, without the places in the graph where it did."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("[[")]
    if not lines:
        return "it says nothing more"
    return (lines[-1] if lines[0].startswith("Graph execution error") else lines[0]).rstrip(".")
