"""``postprocess.*``: make a representation folder of a model folder, as ``dlib_postprocess`` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_seed, checked
from causal_disent.config import REQUIRED, entry_of, gin_config, operative_bindings, operative_config
from causal_disent.files import check_free, new_folder
from causal_disent.registry import part
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.representation import check_folder, load_folder, read_folder, training_backend
from causal_disent.runs.results import check_apart, read_results, write_results
from causal_disent.training.saved import REPRESENTATION
from causal_disent.training.settings import as_bound


def mean_representation() -> str:
    """Codes are the means of the encoder's Gaussians."""
    return "mean"


def sampled_representation() -> str:
    """Codes are drawn from the encoder's Gaussians."""
    return "sampled"


@part("postprocess")
def settings(
    postprocess_fn: Callable[[], str] = REQUIRED, random_seed: int = REQUIRED, name: str = ""
) -> tuple[str, int]:
    """``postprocess.*``: what the codes are, and the seed of the draws."""
    check_seed("postprocess.random_seed", random_seed)
    entry = entry_of(postprocess_fn)
    if entry is None or entry.plain() not in (mean_representation, sampled_representation):
        raise errors.InvalidInput(
            "postprocess.postprocess_fn must be @mean_representation or @sampled_representation, without "
            f"brackets; given: {as_bound('postprocess.postprocess_fn', postprocess_fn)}."
        )
    return postprocess_fn(), random_seed


@checked
def postprocess_with_gin(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    backend: str | None = None,
) -> dict[str, Any]:
    """`postprocess` under a config that is cleared afterwards, also when the run fails."""
    with gin_config(gin_config_files, gin_bindings):
        return postprocess(model_dir, output_dir, overwrite, backend)


def postprocess(
    model_dir: str | Path, output_dir: str | Path, overwrite: bool = False, backend: str | None = None
) -> dict[str, Any]:
    """Write a representation folder that stands by itself, its decoder and earlier results included.

    Args:
        model_dir: the folder of a model: one that ``dlib_train`` wrote, or one that another backend reads.
        output_dir: the folder to write.
        overwrite: replace it if it exists.
        backend: what writes; by default the first that can.
    """
    started = time.perf_counter()
    source, target = Path(model_dir), Path(output_dir)
    check_apart([target], [source])
    check_free(target, overwrite=overwrite)
    codes, seed = settings()
    check_folder(source, "--model_dir")
    writer = training_backend(backend).load()()
    bind_dataset(source, read_folder(source))
    earlier = read_results(source)
    # Another backend that reads the folder as well would be tried first, whose models are not this one's to write.
    read = writer.read if backend is not None and writer.recognises(source) else load_folder
    model = read(source, dataset())
    with new_folder(target, overwrite=overwrite) as folder:
        writer.write(folder / REPRESENTATION, model, codes, seed)
        scores = {"elapsed_time": time.perf_counter() - started}
        write_results(folder, "postprocess", scores, operative_config(), operative_bindings(), earlier)
    return scores
