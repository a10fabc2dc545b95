"""Saved models: ``model.json``, which says what a model is, and reading a folder, whichever framework wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent.registry import NETWORKS
from causal_disent.text import shown_value
from causal_disent.training.checkpoint import read_tensors, write_packed
from causal_disent.training.networks import ACTIVATIONS, is_plain, make_saved, networks

#: Where in a folder the model is, and where the representation that was made of it.
MODEL, REPRESENTATION = "model", "representation"
#: What each of these holds.
DESCRIPTION, WEIGHTS = "model.json", "weights.safetensors"
#: Of the plugin that wrote it first.
FORMAT = "causal_disent_torch 1"
#: What the codes are: the mean of the encoder's Gaussian, or a draw from it.
CODES = ("mean", "sampled")
#: The networks that are saved.
SAVED = NETWORKS[:2]
#: No description of a model is longer, and no image or code is larger.
MOST_BYTES, MOST_PIXELS, MOST_CODES = 2**16, 2**26, 2**20


@dataclass(frozen=True)
class Description:
    """What ``model.json`` says.

    Attributes:
        encoder: name of the network, as configs say it.
        decoder: name of the network.
        image_shape: (h, w, c).
        num_latent: number of codes.
        activation: of the decoder's output.
        codes: one of `CODES`.
        random_seed: of the draws, where codes are drawn.
        options: what was bound for each of `SAVED`; None in descriptions that do not tell.
        owners: the plugin or module that each of `SAVED` comes from; None in descriptions that do not tell.
    """

    encoder: str
    decoder: str
    image_shape: tuple[int, int, int]
    num_latent: int
    activation: str
    codes: str = CODES[0]
    random_seed: int = 0
    options: Mapping[str, Mapping[str, Any]] | None = None
    owners: Mapping[str, str] | None = None

    @property
    def sample_seed(self) -> int | None:
        """The seed of the draws; None where the codes are the means."""
        return None if self.codes == CODES[0] else self.random_seed


#: What older descriptions lack.
OPTIONAL = {"options", "owners"}


def describe(
    encoder: Any, decoder: Any, backend: str, activation: str, codes: str = CODES[0], seed: int = 0
) -> Description:
    """Describe two registered networks; an error where one of them is not.

    Args:
        encoder: a registered network.
        decoder: a registered network.
        backend: whose networks they are.
        activation: of the decoder's output.
        codes: ``"mean"`` or ``"sampled"``.
        seed: of the draws.
    """
    owners, options = {}, {}
    for role, network in zip(SAVED, (encoder, decoder), strict=True):
        known, name = networks(role, backend), getattr(network, "name", None)
        if name not in known:
            raise errors.InvalidInput(
                f"A model is saved with the name of its {role}, which must be a registered one: "
                f"{errors.listing(known)}; given: {shown_value(name or network)}."
            )
        owners[role], options[role] = known[name].owner, dict(getattr(network, "bound_options", {}))
    height, width, channels = (int(side) for side in encoder.image_shape)
    sizes = ((height, width, channels), int(encoder.num_latent))
    return Description(encoder.name, decoder.name, *sizes, activation, codes, seed, options, owners)


def part_of(folder: Path) -> str | None:
    """Return the part of `folder` that holds a saved model: a representation before the model it was made of."""
    return next((part for part in (REPRESENTATION, MODEL) if (folder / part / DESCRIPTION).is_file()), None)


def write_description(folder: Path, description: Description) -> None:
    """Write ``model.json`` into `folder`."""
    content = {"format": FORMAT, **asdict(description)}
    (folder / DESCRIPTION).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_description(path: Path) -> Description:
    """Return what the file `path` says, checked: a stranger may have written it."""
    text = read_bounded(path, MOST_BYTES)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unusable(path, f"it is not JSON: {error}") from None
    names = [field.name for field in fields(Description) if field.name not in OPTIONAL]
    if (
        not isinstance(content, dict)
        or content.pop("format", None) != FORMAT
        or sorted(content.keys() - OPTIONAL) != sorted(names)
    ):
        raise unusable(path, f"it must hold a JSON object with 'format': '{FORMAT}' and {errors.listing(names)}")
    _check_content(path, content)
    return Description(**{**content, "image_shape": tuple(content["image_shape"])})


def _check_content(path: Path, content: Mapping[str, Any]) -> None:
    """Raise unless every value is of its type and within bounds."""
    shape = content["image_shape"]
    valid = {
        "encoder": isinstance(content["encoder"], str),
        "decoder": isinstance(content["decoder"], str),
        "image_shape": isinstance(shape, list) and len(shape) == 3 and all(_is_count(side) for side in shape),
        "num_latent": _is_count(content["num_latent"]) and content["num_latent"] <= MOST_CODES,
        "activation": content["activation"] in ACTIVATIONS,
        "codes": content["codes"] in CODES,
        "random_seed": type(content["random_seed"]) is int and 0 <= content["random_seed"] < 2**32,
        "options": _is_per_network(
            content.get("options"), lambda value: isinstance(value, dict) and all(map(is_plain, value.values()))
        ),
        "owners": _is_per_network(content.get("owners"), lambda owner: isinstance(owner, str)),
    }
    if valid["image_shape"]:
        valid["image_shape"] = shape[0] * shape[1] * shape[2] <= MOST_PIXELS
    for name, is_valid in valid.items():
        if not is_valid:
            raise unusable(path, f"'{name}' cannot be {shown_value(content[name])}")


def _is_per_network(value: Any, check: Callable[[Any], bool]) -> bool:
    """Tell whether it is not there, or has a value for each network that passes the check."""
    return value is None or (
        isinstance(value, dict) and value.keys() == set(SAVED) and all(map(check, value.values()))
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def read_saved(
    folder: Path,
    data: Any,
    model_dir: Path | None,
    read: Callable[[Path, str], Any],
    mixed: Callable[[Any, Any], Any],
) -> Any:
    """Return the representation in `folder`, with its decoder, and its ``folders``.

    Args:
        folder: of a representation, or of a model, whose codes are then the means.
        data: if given, its images must be of the shape that the model takes.
        model_dir: take the decoder from the model in this folder.
        read: a folder and a part of it -> the model there, with its ``encoder`` and ``num_codes``.
        mixed: two models -> the encoder of one with the decoder of the other.
    """
    model = _read_part(folder, read)
    shape = tuple(model.encoder.image_shape)
    check_images_fit(folder, shape, data)
    if model_dir is None:
        model.folders = {"representation": folder, "decoder": folder}
        return model
    other = _read_part(model_dir, read)
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


def _read_part(folder: Path, read: Callable[[Path, str], Any]) -> Any:
    """Read the model in a folder, or say that there is none."""
    part = part_of(folder)
    if part is None:
        raise errors.InvalidInput(
            f"{folder} has no model: there is no {DESCRIPTION} in {MODEL} or {REPRESENTATION} below it."
        )
    return read(folder, part)


def make_described(description: Description, path: Path, backend: str) -> dict[str, Any]:
    """Return the encoder and the decoder that the description in `path` names, with initial weights."""
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


def write_model(folder: Path, description: Description, weights: bytes) -> None:
    """Write ``model.json`` and a packed file of weights into `folder`, which is made."""
    folder.mkdir(parents=True)
    write_description(folder, description)
    write_packed(folder / WEIGHTS, weights)


def read_model(
    folder: Path,
    part: str,
    backend: str,
    framework: str,
    shapes_of: Callable[[Callable[[], dict[str, Any]]], Mapping[str, tuple[tuple[int, ...], Any]]],
    is_finite: Callable[[Any], bool],
) -> tuple[Description, dict[str, Any], dict[str, Any]]:
    """Read the description of a model, its networks with initial weights, and the weights that are stored.

    The description is checked, then the shapes in the file of weights; only then is memory taken.

    Args:
        folder: of the model.
        part: of the folder: `MODEL` or `REPRESENTATION`.
        backend: whose networks are made.
        framework: what safetensors calls it.
        shapes_of: what makes the networks -> name -> shape and type of each weight; it takes no memory.
        is_finite: whether all numbers of a tensor are.
    """
    path, weights_path = inside(folder, f"{part}/{DESCRIPTION}"), inside(folder, f"{part}/{WEIGHTS}")
    description = read_description(path)
    make = partial(make_described, description, path, backend)
    needed = shapes_of(make)
    what = f"the architectures that {path} names"
    weights = read_tensors(weights_path, framework, needed, what, is_finite)
    return description, make(), weights
