"""What comes out of a metric: a number within its range, or a word about it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from causal_disent import errors


class NotDefined(UserWarning):
    """A score is no number on these points."""


#: By how much rounding may take a score out of its range.
ROUNDING = 1e-6


def told(name: str, bounds: tuple[float, float], function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which warns of a score that is no number, infinite, or not within `bounds`.

    What makes its arithmetic fail (numbers of very different sizes, say, or too many) is an error in words.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except MemoryError as error:
            raise errors.InvalidInput(f"{name} needs more memory than there is for this: {error}.") from error
        except (ArithmeticError, np.linalg.LinAlgError) as error:  # scipy's is numpy's
            raise errors.InvalidInput(f"{name} cannot be calculated on these points: {error}.") from error
        score = getattr(result, "score", 0.0)
        if isinstance(score, float) and not (bounds[0] - ROUNDING <= score <= bounds[1] + ROUNDING):
            undefined = math.isnan(score)
            reason = "it is not defined on these points" if undefined else "rounding has spoiled it"
            kind = NotDefined if undefined else UserWarning
            warnings.warn(f"{name}: the score is {score}: {reason}. Do not use it.", kind, stacklevel=3)
        elif isinstance(score, float) and math.isinf(score):
            warnings.warn(f"{name}: the score is infinite on these points.", stacklevel=3)
        return result

    return call
