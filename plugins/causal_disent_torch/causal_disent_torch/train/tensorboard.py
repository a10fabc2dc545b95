"""Curves for TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def tensorboard(folder: Path, first_step: int = 0) -> Any:
    """The tracker ``tensorboard``: what writes curves into `folder`, from this step on."""
    from torch.utils.tensorboard import SummaryWriter  # needs tensorboard, which need not be there

    return SummaryWriter(str(folder), purge_step=first_step)
