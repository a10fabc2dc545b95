"""Small networks, one for each concept, side by side in one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import elu


class ConceptMlps(nn.Module):
    """An MLP for each concept: (n, concepts, first size) to (n, concepts, last size), ELU between the layers.

    Args:
        concepts: how many.
        sizes: of the layers, the first and the last included.
        active: ELU after the last layer, too.

    Example:
        >>> ConceptMlps(3, (4, 32, 2))(torch.zeros(5, 3, 4)).shape
        torch.Size([5, 3, 2])
    """

    def __init__(self, concepts: int, sizes: Sequence[int], *, active: bool = False) -> None:
        super().__init__()
        self.active = active
        pairs = list(zip(sizes[:-1], sizes[1:], strict=True))
        # Drawn as torch draws those of a dense layer.
        self.weights = nn.ParameterList(_uniform(given, concepts, given, made) for given, made in pairs)
        self.biases = nn.ParameterList(_uniform(given, concepts, 1, made) for given, made in pairs)

    def forward(self, given: Tensor) -> Tensor:
        """(n, concepts, last size)."""
        hidden = given.transpose(0, 1)
        last = len(self.weights) - 1
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            hidden = torch.baddbmm(bias, hidden, weight)
            hidden = elu(hidden) if number < last or self.active else hidden
        return hidden.transpose(0, 1)


def _uniform(fan_in: int, *shape: int) -> nn.Parameter:
    bound = fan_in**-0.5
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


def mlp(sizes: Sequence[int], activation: type[nn.Module] = nn.ELU, *, active: bool = False) -> nn.Sequential:
    """One MLP; `active` has the activation after the last layer, too."""
    layers: list[nn.Module] = []
    for given, made in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.Linear(given, made), activation()]
    return nn.Sequential(*(layers if active else layers[:-1]))
