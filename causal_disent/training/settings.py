"""``model.*``: what a config binds for a training run; and checks of the functions that it binds."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated, Any

from causal_disent import errors
from causal_disent.checks import (
    check_arguments,
    check_choice,
    check_seed,
    number,
    parameters_of,
    whole,
)
from causal_disent.config import REQUIRED, bindings_of, entry_of
from causal_disent.registry import ROLES, part


def check_function(name: str, value: Any, role: str) -> None:
    """Raise unless `value` is a function of this role, written ``@its_name`` in a config.

    Args:
        name: of the parameter, as configs call it.
        value: what is bound. A function that is not registered will do if it takes what the program gives.
        role: a key of `causal_disent.registry.ROLES`.
    """
    known = entry_of(value)
    fits = can_take(value, len(ROLES[role])) if known is None else known.facts.get("role") == role
    if not fits:
        raise errors.InvalidInput(
            f"{name} must be a function of {errors.listing(ROLES[role])}, written @its_name without brackets; "
            f"given: {as_bound(name, value)}."
        )


def as_bound(name: str, value: Any) -> str:
    """`value` as the config that binds it to `name` writes it."""
    return dict(bindings_of(name.rpartition(".")[0])).get(name, repr(value))


def can_take(value: Any, number: int) -> bool:
    """Tell whether `value` can be called with so many arguments."""
    try:
        inspect.signature(value).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # a built-in that does not tell
        return True
    return True


#: In which numbers networks are trained: as they are stored, or in half as many bits.
PRECISIONS = ("float32", "bfloat16")
#: More labels than the last number are a slip, and would not fit into memory.
Labelled = Annotated[int, whole(at_least=1, at_most=10_000_000)]
Fraction = Annotated[float, number(above=0, at_most=1)]


@dataclass(frozen=True)
class ModelSettings:
    """The bindings of ``dlib_train`` and of ``dlib_train_semi_supervised``; what a command does not use is None.

    Attributes:
        model: ``@vae()``, say; semi-supervised ones without brackets.
        training_steps: how many batches are trained on.
        batch_size: images in a batch.
        random_seed: of everything, for ``dlib_train``.
        eval_steps: batches over which the loss is averaged at the end; by default 1,000, or a tenth of
            `training_steps` if that is less, so that a short run is not spent on them.
        precision: what the networks compute in while they learn: ``"float32"``, or ``"bfloat16"``, which is faster
            where the device has it and gives slightly other weights. These, and the losses, are float32.
        name: of the model; part of the saved config.
        model_num: of the model; part of the saved config.
        model_seed: of weights and noise.
        unsupervised_data_seed: of the images without labels.
        supervised_data_seed: of the images with labels.
        num_labelled_samples: how many images have labels.
        labelled_fraction: the same, as a fraction of the images of a finite data set.
        train_percentage: the fraction of the labelled images that is trained on; the supervised loss is evaluated
            on the rest.
    """

    model: Any = REQUIRED
    training_steps: Annotated[int, whole(at_least=0)] = REQUIRED
    batch_size: Annotated[int, whole(at_least=1)] = REQUIRED
    random_seed: int | None = None
    eval_steps: Annotated[int, whole(at_least=1)] | None = None
    precision: str = PRECISIONS[0]
    name: str = ""
    model_num: int | None = None
    model_seed: int | None = None
    unsupervised_data_seed: int | None = None
    supervised_data_seed: int | None = None
    num_labelled_samples: Labelled | None = None
    labelled_fraction: Fraction | None = None
    train_percentage: Fraction | None = None

    def __post_init__(self) -> None:
        check_arguments(parameters_of(type(self)).values(), vars(self), "model")  # type: ignore[arg-type]
        check_choice("model.precision", self.precision, PRECISIONS)

    @property
    def evaluated_batches(self) -> int:
        """`eval_steps`, or what it is by default."""
        return min(1000, max(1, self.training_steps // 10)) if self.eval_steps is None else self.eval_steps


#: What the config binds.
model_settings = part("model")(ModelSettings)


def require(name: str, value: Any) -> Any:
    """`value`, if the config binds ``model.name``."""
    if value is None:
        raise errors.ConfigError(f"The config must bind model.{name}. Add a line such as `model.{name} = ...`.")
    return value


def require_seed(name: str, value: Any) -> int:
    """Return the seed that the config binds as ``model.name``."""
    check_seed(f"model.{name}", require(name, value))
    return value
