"""``convert``: what a folder holds in another format, with its results; it scores the same."""

from __future__ import annotations

import time
from pathlib import Path

from causal_disent import errors
from causal_disent.config import recorded_bindings
from causal_disent.files import check_free, new_folder
from causal_disent.protocols import Backend
from causal_disent.registry import how_to_install, registry
from causal_disent.runs.representation import check_folder
from causal_disent.runs.results import Earlier, check_apart, read_results, write_earlier, write_results

DLIB = "dlib"
#: Format -> the plugin of this repository that writes it, and what is converted to it.
FORMATS = {
    "safetensors": ("causal_disent_torch", "a folder of disentanglement_lib: there is no tfhub in it"),
    "onnx": ("causal_disent_torch", "a folder of disentanglement_lib, dlib_train or dlib_postprocess"),
    DLIB: ("causal_disent_tf", "a folder of dlib_train or dlib_postprocess"),
}
#: The step that turns a model into a representation, and those after it.
LATER = ("postprocess", "evaluation")


def formats() -> list[str]:
    """What a folder can be converted to."""
    found = (entry.facts.get("converts", ()) for entry in registry.entries("backends"))
    return list(dict.fromkeys([*FORMATS, *(name for names in found for name in names)]))


def convert(
    source: Path, target: Path, *, to: str = "safetensors", model_dir: Path | None = None, overwrite: bool = False
) -> list[Path]:
    """Write what `source` holds in another format, with its results and configs.

    Args:
        source: the folder of a model, or of a representation that was made of one.
        target: the folder to write.
        to: one of `formats`. For ``"dlib"`` it gets the folders ``model`` and ``postprocessed/mean`` (or
            ``sampled``), as disentanglement_lib's studies have them.
        model_dir: the folder of the model with the decoder, if `source` has none.
        overwrite: replace `target` if it exists.

    Returns:
        The files that were written, results aside.
    """
    started = time.perf_counter()
    check_folder(source, "IN")
    check_apart([target], [source, *([model_dir] if model_dir else [])])
    check_free(target, overwrite=overwrite)
    earlier = read_results(source)
    backend = _converter(source, to)
    with new_folder(target, overwrite=overwrite) as folder:
        backend.convert(source, folder, to, model_dir=model_dir)
        written = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        if to == DLIB:
            _write_dlib_results(folder, earlier, started)
        else:
            write_earlier(folder, earlier)
    return sorted(target / path for path in written)


def _converter(source: Path, to: str) -> Backend:
    """The backend that converts this folder."""
    if to not in formats():
        raise errors.unknown("format", to, formats())
    able = [entry for entry in registry.ranked("backends") if to in entry.facts.get("converts", ())]
    if not able:
        raise errors.InvalidInput(
            f"Nothing that is installed here writes '{to}'. {how_to_install(FORMATS[to][0])}"
        )
    for backend in (entry.load()() for entry in able):
        if backend.recognises(source):
            return backend
    wanted = FORMATS[to][1] if to in FORMATS else "a folder that can be converted"
    raise errors.InvalidInput(f"{source} is not {wanted}.")


def _write_dlib_results(folder: Path, earlier: Earlier, started: float) -> None:
    """Results beside each module: of the training, and of the step that made the representation."""
    trained = {name: data for name, data in earlier.items() if not Path(name).name.startswith(LATER)}
    write_earlier(folder / "model", trained)
    for place in (folder / "postprocessed").iterdir():
        if "gin/postprocess.gin" in earlier:
            write_earlier(place, earlier)
            continue
        bindings = {"postprocess.postprocess_fn": f"@{place.name}_representation", "postprocess.random_seed": "0"}
        train = folder / "model/results/gin/train.gin"
        recorded = recorded_bindings(train) if train.is_file() else {}
        bindings |= {name: value for name, value in recorded.items() if name.startswith("dataset.")}
        config = "".join(f"{name} = {value}\n" for name, value in sorted(bindings.items()))
        spent = {"elapsed_time": time.perf_counter() - started}
        write_results(place, "postprocess", spent, config, bindings, trained)
