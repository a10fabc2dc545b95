"""SS-FVAE-BB's term: the squared error inside the bounding box of the object (equation 6 of the CANDLE paper)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def box_masks(boxes: Tensor, image_shape: Sequence[int], *, from_bottom: bool = False) -> Tensor:
    """1 inside the box of each image, 0 outside.

    Args:
        boxes: (n, 4) xmin, ymin, xmax, ymax in pixels, half-open.
        image_shape: (h, w, c).
        from_bottom: y is counted from the bottom row, as CANDLE's files count it: a box covers the rows
            ``h - ymax`` to ``h - ymin``. Otherwise from the top row, as data sets here count it.

    Returns:
        (n, h, w, 1), float32.

    Example:
        >>> box = torch.tensor([[0, 0, 2, 1]])
        >>> box_masks(box, (2, 2, 1))[0, :, :, 0].tolist()
        [[1.0, 1.0], [0.0, 0.0]]
        >>> box_masks(box, (2, 2, 1), from_bottom=True)[0, :, :, 0].tolist()
        [[0.0, 0.0], [1.0, 1.0]]
    """
    height, width = image_shape[:2]
    left, low, right, high = boxes.T[:, :, None]
    top, bottom = (height - high, height - low) if from_bottom else (low, high)
    rows = torch.arange(height, device=boxes.device)
    columns = torch.arange(width, device=boxes.device)
    inside = ((top <= rows) & (rows < bottom))[:, :, None] & ((left <= columns) & (columns < right))[:, None]
    return inside[..., None].float()


def box_loss(images: Tensor, reconstructed: Tensor, masks: Tensor) -> Tensor:
    r"""Squared error inside the boxes, summed over the pixels and averaged over the batch.

    .. math:: \frac1n \sum_i \| x_i \odot w_i - \hat x_i \odot w_i \|_2^2

    Args:
        images: (n, h, w, c) in [0, 1].
        reconstructed: (n, h, w, c) in [0, 1].
        masks: (n, h, w, 1) of `box_masks`.
    """
    return ((images - reconstructed) * masks).square().flatten(1).sum(1).mean()
