"""A model of ``dlib_train`` from its folder, perhaps with the decoder of another, whichever framework reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import unusable
from causal_disent.training.description import DESCRIPTION, MODEL, REPRESENTATION, SAVED, Description, part_of
from causal_disent.training.networks import make_saved


def read_saved(
    folder: Path,
    data: Any,
    model_dir: Path | None,
    read: Callable[[Path, str], Any],
    mixed: Callable[[Any, Any], Any],
) -> Any:
    """The representation in `folder`, with its decoder, and its ``folders``.

    Args:
        folder: of a representation, or of a model, whose codes are then the means.
        data: if given, its images must be of the shape that the model takes.
        model_dir: take the decoder from the model in this folder.
        read: a folder and a part of it -> the model there, with its ``encoder`` and ``num_codes``.
        mixed: two models -> the encoder of one with the decoder of the other.
    """
    model = _read(folder, read)
    shape = tuple(model.encoder.image_shape)
    check_images_fit(folder, shape, data)
    if model_dir is None:
        model.folders = {"representation": folder, "decoder": folder}
        return model
    other = _read(model_dir, read)
    if (tuple(other.encoder.image_shape), other.num_codes) != (shape, model.num_codes):
        raise errors.InvalidInput(
            f"The decoder in {model_dir} takes {other.num_codes} codes and gives images of shape "
            f"{tuple(other.encoder.image_shape)}; {folder} has {model.num_codes} codes and images of shape "
            f"{shape}."
        )
    both = mixed(model, other)
    both.folders = {"representation": folder, "decoder": model_dir}
    return both


def check_images_fit(folder: Path, shape: tuple[int | None, ...], data: Any) -> None:
    """Raise unless the images of `data`, if given, have the shape that a model takes, as far as it is known."""
    given = tuple(getattr(data, "observation_shape", shape))
    if shape and (
        len(given) != len(shape) or any(own not in (None, a) for own, a in zip(shape, given, strict=True))
    ):
        raise errors.InvalidInput(
            f"The model in {folder} takes images of shape {shape}, and those of the data set have shape {given}. "
            "Name the data set that the model was trained on with dataset.name."
        )


def _read(folder: Path, read: Callable[[Path, str], Any]) -> Any:
    part = part_of(folder)
    if part is None:
        raise errors.InvalidInput(
            f"{folder} has no model: there is no {DESCRIPTION} in {MODEL} or {REPRESENTATION} below it."
        )
    return read(folder, part)


def make_described(description: Description, path: Path, backend: str) -> dict[str, Any]:
    """The encoder and the decoder that the description in `path` names, with initial weights."""
    sizes = {"image_shape": description.image_shape, "num_latent": description.num_latent, "generator": None}
    made = {}
    for role in SAVED:
        name, options = getattr(description, role), (description.options or {}).get(role)
        owner = (description.owners or {}).get(role, "")
        try:
            made[role] = make_saved(role, name, backend, options, owner, **sizes)
        except errors.NotForThisBackend as error:
            raise errors.NotForThisBackend(unusable(path, error.message).message) from None
        except errors.CausalDisentError as error:
            raise unusable(path, error.message) from None
        except (TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise unusable(path, f"the {role} '{name}' cannot be made with {options}: {error}") from error
    return made
