"""What decides how a classifier is made."""

from __future__ import annotations

from dataclasses import dataclass

from causal_disent import errors

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The options of `conv_classifier` that its weights depend on; see there."""

    channels: tuple[int, int, int]
    num_steps: int
    batch_size: int
    learning_rate: float
    held_out: float
    max_images: int
    seed: int
    max_shift: int = 0

    def __post_init__(self) -> None:
        if not _three_counts(self.channels):
            raise _invalid("channels", self.channels, "three whole numbers from 1, one for each convolution")
        for name, least in (("num_steps", 1), ("batch_size", 2), ("max_images", 3), ("seed", 0), ("max_shift", 0)):
            value = getattr(self, name)
            if not (_whole(value) and value >= least):
                raise _invalid(name, value, f"a whole number from {least}")
        if self.seed >= 2**32:
            raise _invalid("seed", self.seed, "below 2**32")
        if not (_number(self.learning_rate) and 0 < self.learning_rate <= 1):
            raise _invalid("learning_rate", self.learning_rate, "a number above 0 and at most 1")
        if not (_number(self.held_out) and 0 < self.held_out < 1):
            raise _invalid("held_out", self.held_out, "a part of the images, between 0 and 1")


def _three_counts(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(_whole(number) and number >= 1 for number in value)


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _invalid(name: str, value: object, allowed: str) -> errors.InvalidInput:
    return errors.InvalidInput(f"conv_classifier.{name} must be {allowed}; given: {value!r}.")
