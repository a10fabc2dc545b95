"""The capacity that AnnealedVAE raises step by step (arXiv:1804.03599, equation 8)."""

from __future__ import annotations

__all__ = ["capacity"]


def capacity(c_max: float, step: int, iteration_threshold: int) -> float:
    """From 0 at step 0 in a straight line to `c_max` at `iteration_threshold`, and `c_max` from there on.

    Example:
        >>> capacity(25.0, 50, 100), capacity(25.0, 200, 100)
        (12.5, 25.0)
    """
    return min(float(c_max), c_max * step / iteration_threshold)
