"""What decides how a classifier is made."""

from __future__ import annotations

from dataclasses import dataclass

from causal_disent import errors
from causal_disent.checks import check_number, check_seed, check_whole, is_whole
from causal_disent.text import shown_value


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
        counts = isinstance(self.channels, tuple) and len(self.channels) == 3
        if not counts or not all(is_whole(number) and number >= 1 for number in self.channels):
            raise errors.InvalidInput(
                "conv_classifier.channels must be three whole numbers, at least 1, one for each convolution; "
                f"given: {shown_value(self.channels)}."
            )
        for name, least in (("num_steps", 1), ("batch_size", 2), ("max_images", 3), ("max_shift", 0)):
            check_whole(f"conv_classifier.{name}", getattr(self, name), least)
        check_seed("conv_classifier.seed", self.seed)
        check_number("conv_classifier.learning_rate", self.learning_rate, above=0, at_most=1)
        check_number("conv_classifier.held_out", self.held_out, above=0, below=1)
