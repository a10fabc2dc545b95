"""``model.*``: what configs bind for a run of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_choice, check_number, check_seed, check_whole
from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent.text import shown_value
from causal_disent.training.bound import check_no_brackets

#: In which numbers networks are trained: as they are stored, or in half as many bits.
PRECISIONS = ("float32", "bfloat16")
#: More labels than this are a slip, and would not fit into memory.
MOST_LABELLED = 10_000_000


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
    training_steps: int = REQUIRED
    batch_size: int = REQUIRED
    random_seed: int | None = None
    eval_steps: int | None = None
    precision: str = PRECISIONS[0]
    name: str = ""
    model_num: int | None = None
    model_seed: int | None = None
    unsupervised_data_seed: int | None = None
    supervised_data_seed: int | None = None
    num_labelled_samples: int | None = None
    labelled_fraction: float | None = None
    train_percentage: float | None = None

    def __post_init__(self) -> None:
        for parameter, least in (("training_steps", 0), ("batch_size", 1)):
            check_whole(f"model.{parameter}", getattr(self, parameter), least)
        check_choice("model.precision", self.precision, PRECISIONS)
        if self.eval_steps is not None:
            check_whole("model.eval_steps", self.eval_steps, 1)
        if self.num_labelled_samples is not None:
            check_whole("model.num_labelled_samples", self.num_labelled_samples, 1)
            if self.num_labelled_samples > MOST_LABELLED:
                raise errors.InvalidInput(
                    f"model.num_labelled_samples must be at most {MOST_LABELLED:,}; given: "
                    f"{shown_value(self.num_labelled_samples)}."
                )
        for parameter in ("labelled_fraction", "train_percentage"):
            if getattr(self, parameter) is not None:
                check_number(f"model.{parameter}", getattr(self, parameter), above=0, at_most=1)
        check_no_brackets()

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
    """The seed that the config binds as ``model.name``."""
    check_seed(f"model.{name}", require(name, value))
    return value
