"""``model.json``: what a saved model is, whichever framework wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import is_finite_number
from causal_disent.files import read_bounded, unusable
from causal_disent.registry import NETWORKS
from causal_disent.text import shown_value
from causal_disent.training.networks import networks

#: Where in a folder the model is, and where the representation that was made of it.
MODEL, REPRESENTATION = "model", "representation"
#: What each of these holds.
DESCRIPTION, WEIGHTS = "model.json", "weights.safetensors"
#: Of the plugin that wrote it first.
FORMAT = "causal_disent_torch 1"
#: What turns the output of a decoder into pixels in [0, 1].
ACTIVATIONS = ("logits", "tanh", "none")
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
    """The description of two registered networks; an error where one of them is not."""
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
    """The part of `folder` that holds a saved model: a representation before the model it was made of."""
    return next((part for part in (REPRESENTATION, MODEL) if (folder / part / DESCRIPTION).is_file()), None)


def write_description(folder: Path, description: Description) -> None:
    """Write ``model.json`` into `folder`."""
    content = {"format": FORMAT, **asdict(description)}
    (folder / DESCRIPTION).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_description(path: Path) -> Description:
    """What the file `path` says, checked: a stranger may have written it."""
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
    _check(path, content)
    return Description(**{**content, "image_shape": tuple(content["image_shape"])})


def _check(path: Path, content: Mapping[str, Any]) -> None:
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
        "options": _per_network(
            content.get("options"), lambda value: isinstance(value, dict) and all(map(is_plain, value.values()))
        ),
        "owners": _per_network(content.get("owners"), lambda owner: isinstance(owner, str)),
    }
    if valid["image_shape"]:
        valid["image_shape"] = shape[0] * shape[1] * shape[2] <= MOST_PIXELS
    for name, is_valid in valid.items():
        if not is_valid:
            raise unusable(path, f"'{name}' cannot be {shown_value(content[name])}")


def _per_network(value: Any, check: Callable[[Any], bool]) -> bool:
    """Whether it is not there, or has a value for each network that passes the check."""
    return value is None or (
        isinstance(value, dict) and value.keys() == set(SAVED) and all(map(check, value.values()))
    )


def is_plain(value: Any) -> bool:
    """Whether ``model.json`` can hold it: a finite number, a text, a truth value, None or a list of these."""
    if isinstance(value, list):
        return all(is_plain(part) and not isinstance(part, list) for part in value)
    if type(value) in (int, float):
        return is_finite_number(value)
    return value is None or isinstance(value, (str, bool))


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
