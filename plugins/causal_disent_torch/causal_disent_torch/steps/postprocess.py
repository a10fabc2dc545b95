"""``dlib_postprocess``: make a representation folder of a model folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import (
    REQUIRED,
    gin_config,
    operative_bindings,
    operative_config,
)
from causal_disent.files import check_free, new_folder
from causal_disent.registry import part
from causal_disent.representation.folder import check_folder
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.representation import load_folder, read_folder
from causal_disent.runs.results import check_apart, read_results, write_results
from causal_disent_torch.backend import REPRESENTATION
from causal_disent_torch.bound import as_bound, check_seed, part_of

if TYPE_CHECKING:
    from causal_disent_torch.representation import TorchRepresentation

__all__ = ["mean_representation", "postprocess", "postprocess_with_gin", "sampled_representation"]


@part("mean_representation")
def mean_representation() -> str:
    """Codes are the means of the encoder's Gaussians."""
    return "mean"


@part("sampled_representation")
def sampled_representation() -> str:
    """Codes are drawn from the encoder's Gaussians."""
    return "sampled"


@part("postprocess")
def settings(
    postprocess_fn: Callable[[], str] = REQUIRED, random_seed: int = REQUIRED, name: str = ""
) -> tuple[str, int]:
    """``postprocess.*``: what the codes are, and the seed of the draws."""
    check_seed("postprocess.random_seed", random_seed)
    if part_of(postprocess_fn) not in (mean_representation, sampled_representation):
        raise errors.InvalidInput(
            "postprocess.postprocess_fn must be @mean_representation or @sampled_representation, without "
            f"brackets; given: {as_bound('postprocess.postprocess_fn', postprocess_fn)}."
        )
    return postprocess_fn(), random_seed


def postprocess_with_gin(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`postprocess` under a config that is cleared afterwards, also when the run fails."""
    with gin_config(gin_config_files, gin_bindings):
        return postprocess(model_dir, output_dir, overwrite)


def postprocess(model_dir: str | Path, output_dir: str | Path, overwrite: bool = False) -> dict[str, Any]:
    """Write a representation folder that stands by itself, its decoder and earlier results included.

    Args:
        model_dir: the folder of a model: one that ``dlib_train`` wrote, or one that another backend reads.
        output_dir: the folder to write.
        overwrite: replace it if it exists.
    """
    started = time.perf_counter()
    source, target = Path(model_dir), Path(output_dir)
    check_apart([target], [source])
    check_free(target, overwrite=overwrite)
    codes, seed = settings()
    check_folder(source, "--model_dir")
    bind_dataset(source, read_folder(source))
    earlier = read_results(source)
    model = _read(source, dataset())
    from causal_disent_torch.saved_model import describe, save_model

    with new_folder(target, overwrite=overwrite) as folder:
        description = describe(model.encoder, model.decoder, model.activation, codes, seed)
        save_model(folder / REPRESENTATION, model.encoder, model.decoder, description)
        scores = {"elapsed_time": time.perf_counter() - started}
        write_results(folder, "postprocess", scores, operative_config(), operative_bindings(), earlier)
    return scores


def _read(source: Path, data: Any) -> TorchRepresentation:
    """The model in `source`, whatever backend reads it, if it is made of architectures that can be saved."""
    from causal_disent_torch.architectures.names import is_architecture
    from causal_disent_torch.representation import TorchRepresentation

    model = load_folder(source, data)
    if not (
        isinstance(model, TorchRepresentation)
        and is_architecture("encoder", model.encoder)
        and is_architecture("decoder", model.decoder)
    ):
        raise errors.InvalidInput(f"The model in {source} is not one that dlib_train could have written.")
    return model
