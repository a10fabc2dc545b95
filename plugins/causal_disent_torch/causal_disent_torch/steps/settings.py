"""``model.*``: what configs bind for a run of training."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.registry import part, registry
from causal_disent_torch.architectures.names import architecture_names
from causal_disent_torch.bound import as_bound, check_no_brackets, check_number, check_seed, check_whole, takes
from causal_disent_torch.models.objective import Objective

__all__ = ["ModelSettings", "model_settings", "objective_of", "require", "require_seed"]

#: More labels than this are a slip, and would not fit into memory.
MOST_LABELLED = 10_000_000


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


@part("model")
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
        check_whole(f"model.{parameter}", value, least)
    if num_labelled_samples is not None:
        check_whole("model.num_labelled_samples", num_labelled_samples, 1)
        if num_labelled_samples > MOST_LABELLED:
            raise errors.InvalidInput(
                f"model.num_labelled_samples must be at most {MOST_LABELLED:,}; given: {num_labelled_samples!r}."
            )
    for parameter, fraction in (("labelled_fraction", labelled_fraction), ("train_percentage", train_percentage)):
        if fraction is not None:
            check_number(f"model.{parameter}", fraction, above=0, at_most=1)
    check_no_brackets([*registry.in_configs(), *architecture_names()])
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
    check_seed(f"model.{name}", require(name, value))
    return value


def objective_of(model: Any, factor_sizes: Sequence[int] | None = None) -> Objective:
    """The objective that ``model.model`` stands for.

    Args:
        model: an objective, as ``@vae()`` is, or what makes one, as ``@vae`` is.
        factor_sizes: number of values of each label, if there are labels.
    """
    given = model
    if not isinstance(model, Objective) and takes(model, 0):
        takes_sizes = "factor_sizes" in inspect.signature(model).parameters
        model = model(factor_sizes) if takes_sizes and factor_sizes is not None else model()
    if not isinstance(model, Objective):
        raise errors.InvalidInput(
            f"model.model must be a model, such as @vae(); given: {as_bound('model.model', given)}."
        )
    return model
