"""``dlib_udr``: rank models by how alike they are. Configs bind ``evaluation.*``, as for `evaluate`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.config import gin_config, operative_bindings, operative_config
from causal_disent.files import check_free, new_folder
from causal_disent.metrics.udr import gaussian_kl
from causal_disent.protocols import FloatArray
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.evaluate import settings
from causal_disent.runs.representation import load_folder, read_folder
from causal_disent.runs.results import check_apart, write_results

#: The divergence of codes whose variance is not known: above any threshold, so that all of them count.
UNKNOWN_DIVERGENCE = 1.0


@checked
def rank_with_gin(
    model_dirs: Sequence[str | Path],
    output_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`rank` under a config that is cleared afterwards, also when the run fails."""
    with gin_config(gin_config_files, gin_bindings):
        return rank(model_dirs, output_dir, overwrite)


@checked
def rank(
    model_dirs: Sequence[str | Path], output_dir: str | Path, overwrite: bool = False, **bound: Any
) -> dict[str, Any]:
    """Compare the models of several folders and write a result folder.

    Args:
        model_dirs: at least two folders.
        output_dir: the folder to write.
        overwrite: replace `output_dir` if it exists.
        bound: what the config leaves open of ``evaluation_fn`` (``@udr_sklearn``), ``random_seed`` and ``name``.

    Returns:
        The scores; ``model_scores`` in the order of `model_dirs`.
    """
    started = time.perf_counter()
    folders = [Path(folder) for folder in model_dirs]
    if len(folders) < 2:
        raise errors.InvalidInput(
            f"Models are compared with each other: name at least two; given: {len(folders)}."
        )
    check_apart([Path(output_dir)], folders)
    check_free(Path(output_dir), overwrite=overwrite)
    chosen = settings(**bound)
    bind_dataset(folders[0], read_folder(folders[0]))
    data = dataset()
    encoders = [_with_divergence(load_folder(folder, data)) for folder in folders]
    with new_folder(Path(output_dir), overwrite=overwrite) as target:
        scores = dict(chosen.evaluation_fn(data, encoders, np.random.RandomState(chosen.random_seed)))
        scores["model_dirs"] = [str(folder) for folder in folders]
        scores["elapsed_time"] = time.perf_counter() - started
        write_results(target, "udr", scores, operative_config(), operative_bindings())
    return scores


def _with_divergence(representation: Any) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Observations -> codes, and the divergence of each code from the prior."""

    def encode(observations: FloatArray) -> tuple[FloatArray, FloatArray]:
        gaussian = getattr(representation, "gaussian_encoder", None)
        if gaussian is None:
            codes = representation(observations)
            return codes, np.full(codes.shape[1], UNKNOWN_DIVERGENCE)
        means, log_variances = gaussian(observations)
        return means, gaussian_kl(means, log_variances)

    return encode
