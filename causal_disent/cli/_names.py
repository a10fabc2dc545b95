"""Arguments that are names of registered things, which a shell can complete."""

from __future__ import annotations

import argparse


def names_of(action: argparse.Action, *kinds: str) -> None:
    """Say that an argument's values are names of these kinds, or ``configs``."""
    action.names_of = kinds  # type: ignore[attr-defined]


def completed_by(action: argparse.Action) -> tuple[str, ...]:
    """What `names_of` was told; nothing for any other argument."""
    return getattr(action, "names_of", ())
