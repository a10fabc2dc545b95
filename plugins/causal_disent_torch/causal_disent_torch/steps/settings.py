"""``model.*``: what configs bind for a run of training."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from causal_disent import errors
from causal_disent.config import REQUIRED, configurable
from causal_disent_torch.models.objective import Objective

__all__ = ["ModelSettings", "model_settings", "objective_of", "require", "require_seed"]


@dataclass(frozen=True)
class ModelSettings:
    """What a config binds under ``model``; what a command does not use is None."""

    model: Any
    training_steps: int
    batch_size: int
    random_seed: int | None
    eval_steps: int
    model_seed: int | None
    unsupervised_data_seed: int | None
    supervised_data_seed: int | None
    num_labelled_samples: int | None
    labelled_fraction: float | None
    train_percentage: float | None


@configurable("model", supplied=())
def model_settings(
    model: Any = REQUIRED,
    training_steps: int = REQUIRED,
    batch_size: int = REQUIRED,
    random_seed: int | None = None,
    eval_steps: int = 1000,
    name: str = "",
    model_num: int | None = None,
    model_seed: int | None = None,
    unsupervised_data_seed: int | None = None,
    supervised_data_seed: int | None = None,
    num_labelled_samples: int | None = None,
    labelled_fraction: float | None = None,
    train_percentage: float | None = None,
) -> ModelSettings:
    """The bindings of ``dlib_train`` and of ``dlib_train_semi_supervised``.

    Args:
        model: ``@vae()``, say; semi-supervised ones without brackets.
        training_steps: how many batches are trained on.
        batch_size: images in a batch.
        random_seed: of everything, for ``dlib_train``.
        eval_steps: batches over which the loss is averaged at the end.
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
    for parameter, value, least in (
        ("training_steps", training_steps, 0),
        ("batch_size", batch_size, 1),
        ("eval_steps", eval_steps, 1),
    ):
        if not isinstance(value, int) or value < least:
            raise errors.InvalidInput(
                f"model.{parameter} must be a whole number of at least {least}; given: {value!r}."
            )
    return ModelSettings(
        model,
        training_steps,
        batch_size,
        random_seed,
        eval_steps,
        model_seed,
        unsupervised_data_seed,
        supervised_data_seed,
        num_labelled_samples,
        labelled_fraction,
        train_percentage,
    )


def require(name: str, value: Any) -> Any:
    """`value`, if the config binds ``model.name``."""
    if value is None:
        raise errors.ConfigError(f"The config must bind model.{name}. Add a line such as `model.{name} = ...`.")
    return value


def require_seed(name: str, value: Any) -> int:
    """The seed that the config binds as ``model.name``."""
    if not isinstance(require(name, value), int) or not 0 <= value < 2**32:
        raise errors.InvalidInput(f"model.{name} must be a whole number from 0 to 2**32 - 1; given: {value!r}.")
    return value


def objective_of(model: Any, factor_sizes: Sequence[int] | None = None) -> Objective:
    """The objective that ``model.model`` stands for.

    Args:
        model: an objective, as ``@vae()`` is, or what makes one, as ``@vae`` is.
        factor_sizes: number of values of each label, if there are labels.
    """
    if callable(model) and not isinstance(model, Objective):
        takes_sizes = "factor_sizes" in inspect.signature(model).parameters
        model = model(factor_sizes) if takes_sizes and factor_sizes is not None else model()
    if not isinstance(model, Objective):
        raise errors.InvalidInput(f"model.model must be a model, such as @vae(); given: {model!r}.")
    return model
