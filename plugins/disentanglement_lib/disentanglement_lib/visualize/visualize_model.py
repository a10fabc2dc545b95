"""Pictures of what a model has learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from causal_disent.config import rebind
from causal_disent.runs import visualise
from disentanglement_lib._core import gin_run


def visualize(
    model_dir: str,
    output_dir: str,
    overwrite: bool = False,
    num_animations: int = 5,
    num_frames: int = 20,
    fps: int = 10,
    num_points_irs: int = 10000,
) -> None:
    """Write reconstructions, samples and traversals, as ``dlib_visualize_model`` does.

    Args:
        model_dir: folder of the model.
        output_dir: folder to write.
        overwrite: replace it if it exists.
        num_animations: how many images of the data set are shown.
        num_frames: steps of a traversal.
        fps: frames are shown for 0.12 s whatever is given.
        num_points_irs: points by which codes are attributed to factors.
    """
    with gin_run(None, None):
        rebind("visualize_model.num_train", num_points_irs)
        rebind("visualize_model.num_steps", num_frames)
        visualise.visualize(model_dir, output_dir, overwrite, max(1, num_animations), counterfactuals=False)


def latent_traversal_1d_multi_dim(
    generator_fn: Callable[[Any], Any],
    latent_vector: Any,
    dimensions: Sequence[int] | int | None = None,
    values: Any = None,
    transpose: bool = False,
) -> Any:
    """A grid of images: in each column one code takes the values, one in each row.

    Args:
        generator_fn: codes (n, codes) to images (n, h, w, c).
        latent_vector: (codes,).
        dimensions: the codes, or how many of the first; by default all.
        values: by default eleven from -1 to 1 are added to the code.
        transpose: one code in each row instead.
    """
    latent = np.asarray(latent_vector)
    chosen = np.arange(len(latent)) if dimensions is None else dimensions
    if not isinstance(chosen, (Sequence, np.ndarray)):
        chosen = np.arange(int(chosen))
    columns = []
    for code in chosen:
        given = np.linspace(-1.0, 1.0, 11) + latent[code] if values is None else np.ravel(values)
        codes = np.repeat(latent[None], len(given), axis=0)
        codes[:, code] = given
        columns.append(np.concatenate(list(generator_fn(codes)), axis=1 if transpose else 0))
    return np.concatenate(columns, axis=0 if transpose else 1)


def sigmoid(x: Any) -> Any:
    """Logits to pixels."""
    from scipy.special import expit

    return expit(x)


def tanh(x: Any) -> Any:
    """Pixels of a decoder with the activation "tanh"."""
    return np.tanh(x) / 2.0 + 0.5
