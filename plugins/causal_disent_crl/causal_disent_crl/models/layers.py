"""Causal layers: what the causes of each concept say of it, and codes that follow from noise."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from causal_disent.checks import check_choice, check_whole
from causal_disent_crl.models.images import check_sizes

#: How a layer's weights start.
SMALL = 0.1


class CausalLayer(nn.Module):
    r"""Codes are what their causes say and a noise of their own, for each concept:

    .. math:: z_i = F_i(z) + \epsilon_i

    Args:
        concepts: k.
        free_diagonal: whether a concept may cause itself, as in the published program of CausalVAE.

    Attributes:
        weights: (k, k); entry (i, j) belongs to i -> j.
    """

    def __init__(self, concepts: int, *, free_diagonal: bool = False) -> None:
        super().__init__()
        self.concepts, self.free_diagonal = concepts, free_diagonal
        self.weights = nn.Parameter(torch.empty(concepts, concepts).uniform_(-SMALL, SMALL))
        with torch.no_grad():
            self.weights.copy_(self.adjacency)

    @property
    def adjacency(self) -> Tensor:
        """(k, k): the weights that count."""
        return self.weights if self.free_diagonal else self.weights - self.weights.diag().diag()

    def expected(self, codes: Tensor) -> Tensor:
        """(n, k, d): F, what codes (n, k, d) say of their effects."""
        raise NotImplementedError

    def noise(self, codes: Tensor) -> Tensor:
        """(n, k, d): what codes have of their own."""
        return codes - self.expected(codes)

    def forward(self, noise: Tensor) -> Tensor:
        """Codes (n, k, d) of this noise.

        As many passes as there are concepts reach every descendant in a graph without cycles.
        """
        codes = noise
        for _ in range(self.concepts):
            codes = self.expected(codes) + noise
        return codes

    def follow(self, codes: Tensor, held: Tensor, is_held: Tensor) -> Tensor:
        """What becomes of codes where some are held, whatever their causes say.

        Args:
            codes: (n, k, d), whose noise is kept.
            held: (n, k, d) values.
            is_held: (1, k, 1), where they count.
        """
        noise = self.noise(codes)
        for _ in range(self.concepts + 1):
            codes = torch.where(is_held, held, self.expected(codes) + noise)
        return codes

    def acyclicity(self) -> Tensor:
        """A scalar that is 0 for a graph without cycles, and else above."""
        raise NotImplementedError


class LinearLayer(CausalLayer):
    r"""CausalVAE's: :math:`z = A^T z + \epsilon`, in each dimension of the concepts alike (Yang et al. 2021).

    Example:
        >>> layer = LinearLayer(2)
        >>> layer.weights.data = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
        >>> layer(torch.tensor([[[1.0], [0.5]]])).flatten()
        tensor([1.0000, 2.5000], grad_fn=<ViewBackward0>)
    """

    def expected(self, codes: Tensor) -> Tensor:
        """(n, k, d)."""
        return self.adjacency.T @ codes

    def forward(self, noise: Tensor) -> Tensor:
        """(n, k, d), also where the graph has cycles."""
        unit = torch.eye(self.concepts, device=noise.device)
        return torch.inverse(unit - self.adjacency.T) @ noise

    def follow(self, codes: Tensor, held: Tensor, is_held: Tensor) -> Tensor:
        """(n, k, d), also where the graph has cycles."""
        unit = torch.eye(self.concepts, device=codes.device)
        cut = torch.where(is_held[0], 0.0, self.adjacency.T)
        solved = torch.linalg.solve(unit - cut, torch.where(is_held, held, self.noise(codes)))
        return torch.where(is_held, held, solved)  # to the last bit

    def acyclicity(self) -> Tensor:
        r""":math:`\operatorname{tr}(I + A \circ A / k)^k - k` (Yu et al. 2019)."""
        k, adjacency = self.concepts, self.adjacency
        matrix = torch.eye(k, device=adjacency.device) + adjacency.square() / k
        return torch.linalg.matrix_power(matrix, k).trace() - k


class GaeLayer(CausalLayer):
    r"""The graph autoencoder: :math:`F(z) = g_2(W^T g_1(z))`, both shared by all concepts (Ng et al. 2019).

    A concept without causes is expected to be a constant; what it is comes from its noise. The core's
    ``gae_discovery`` fits the same formula to columns in numpy; here gradients of a model's loss must reach it.

    Args:
        concepts: k.
        dims: d, of a concept.
        hidden: units of the hidden layers of both networks; published are two of 16.
        latent: dimensions in which causes are added up, 1 as published; `dims` if not given.
        free_diagonal: as for `CausalLayer`.
    """

    def __init__(
        self,
        concepts: int,
        dims: int,
        *,
        hidden: Sequence[int] = (16, 16),
        latent: int | None = None,
        free_diagonal: bool = False,
    ) -> None:
        super().__init__(concepts, free_diagonal=free_diagonal)
        inner = dims if latent is None else latent
        self.inward, self.outward = _leaky([dims, *hidden, inner]), _leaky([inner, *hidden, dims])

    def expected(self, codes: Tensor) -> Tensor:
        """(n, k, d)."""
        return self.outward(self.adjacency.T @ self.inward(codes))

    def acyclicity(self) -> Tensor:
        r""":math:`\operatorname{tr} e^{W \circ W} - k` (Zheng et al. 2018)."""
        return torch.matrix_exp(self.adjacency.square()).trace() - self.concepts


def _leaky(sizes: list[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for given, made in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.Linear(given, made), nn.LeakyReLU(0.05)]
    return nn.Sequential(*layers[:-1])


#: What configs call the layers.
LAYERS = ("linear", "gae")


def make_layer(
    name: str, concepts: int, dims: int, *, hidden: Sequence[int], latent: int | None, free_diagonal: bool
) -> CausalLayer:
    """The layer of this name; `hidden` and `latent` are those of ``gae``."""
    sizes = check_sizes("causal_decoder.layer_hidden", hidden)
    if latent is not None:
        check_whole("causal_decoder.layer_latent", latent, 1)
    if check_choice("causal_decoder.layer", name, LAYERS) == "gae":
        return GaeLayer(concepts, dims, hidden=sizes, latent=latent, free_diagonal=free_diagonal)
    return LinearLayer(concepts, free_diagonal=free_diagonal)
