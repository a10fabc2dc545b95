"""Layers and networks of the models: dense stacks, image networks, and the causal layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from causal_disent import errors
from causal_disent.checks import check_choice, check_whole
from causal_disent.text import shown_value


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


#: Slope of the convolutional networks' activation below 0.
SLOPE = 0.2
#: A convolutional decoder begins with an image of at most this side.
SMALLEST = 4


class MlpEncoder(nn.Module):
    """``crl_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes.
        generator: not used: torch's own, which a run seeds, draws the weights.
        hidden: units of the hidden layers, each followed by an ELU.

    Example:
        >>> import torch
        >>> mean, log_var = MlpEncoder((8, 8, 4), 16)(torch.zeros(2, 8, 8, 4))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 16]), torch.Size([2, 16]))
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        hidden: Sequence[int] = (900, 300),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        sizes = check_sizes("crl_encoder.hidden", hidden)
        self.body = mlp([math.prod(image_shape), *sizes, 2 * num_latent])

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance."""
        mean, log_var = self.body(images.flatten(1)).chunk(2, dim=1)
        return mean, log_var


class ConvEncoder(nn.Module):
    """``crl_conv_encoder``: four convolutions that halve the image, as for CelebA; sides divisible by 16.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes.
        generator: not used: torch's own, which a run seeds, draws the weights.
        channels: of the convolutions; the published ones have 32, 64, 1 and 1.
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        channels: Sequence[int] = (32, 64, 1, 1),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        height, width, given = image_shape
        sizes = check_sizes("crl_conv_encoder.channels", channels)
        factor = 2 ** len(sizes)
        if height % factor or width % factor:
            raise errors.InvalidInput(
                f"'crl_conv_encoder' halves images {len(sizes)} times, so that their sides must be divisible by "
                f"{factor}; these are {height}x{width}. Resize them, or take @crl_encoder."
            )
        layers: list[nn.Module] = []
        for before, after in zip([given, *sizes[:-1]], sizes, strict=True):
            layers += [nn.Conv2d(before, after, 4, stride=2, padding=1), nn.LeakyReLU(SLOPE)]
        self.body = nn.Sequential(*layers, nn.Flatten())
        self.heads = nn.Linear(sizes[-1] * (height // factor) * (width // factor), 2 * num_latent)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance."""
        mean, log_var = self.heads(self.body(images.permute(0, 3, 1, 2))).chunk(2, dim=1)
        return mean, log_var


class MlpImages(nn.Module):
    """Blocks of codes (n, k, d) to the average of what an MLP makes of each: (n, h, w, c), not activated."""

    def __init__(self, image_shape: Sequence[int], blocks: int, dims: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.image_shape, self.blocks = tuple(image_shape), blocks
        self.hidden = ConceptMlps(blocks, (dims, *hidden), active=True)
        # The average of last layers is one layer of all their inputs.
        self.last = nn.Linear(blocks * hidden[-1], math.prod(image_shape))
        bound = hidden[-1] ** -0.5
        nn.init.uniform_(self.last.weight, -bound, bound)

    def forward(self, codes: Tensor) -> Tensor:
        """Return images before the activation."""
        return (self.last(self.hidden(codes).flatten(1)) / self.blocks).unflatten(1, self.image_shape)


class ConvImages(nn.Module):
    """The same with transposed convolutions that double the image, as for CelebA."""

    def __init__(self, image_shape: Sequence[int], blocks: int, dims: int, hidden: Sequence[int]) -> None:
        super().__init__()
        height, width, channels = image_shape
        doublings = 0
        while height % 2 == width % 2 == 0 and max(height, width) > SMALLEST:
            height, width, doublings = height // 2, width // 2, doublings + 1
        sizes = [64, 64, *[32] * max(0, doublings - 2)][:doublings] + [channels]
        self.nets = nn.ModuleList(_doubling(dims, (height, width), sizes) for _ in range(blocks))

    def forward(self, codes: Tensor) -> Tensor:
        """Return images before the activation."""
        images = sum(net(block[:, :, None, None]) for net, block in zip(self.nets, codes.unbind(1), strict=True))
        return (images / len(self.nets)).permute(0, 2, 3, 1)


def _doubling(dims: int, smallest: tuple[int, int], sizes: Sequence[int]) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(dims, 128, 1), nn.LeakyReLU(SLOPE)]
    layers.append(nn.ConvTranspose2d(128, sizes[0], smallest))
    for before, after in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.LeakyReLU(SLOPE), nn.ConvTranspose2d(before, after, 4, stride=2, padding=1)]
    return nn.Sequential(*layers)


def check_sizes(name: str, sizes: Any) -> list[int]:
    """Return a list of whole numbers of at least 1."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise errors.InvalidInput(
            f"{name} must be a list of whole numbers, such as [900, 300]; given: {shown_value(sizes)}."
        )
    for size in sizes:
        check_whole(f"each of {name}", size, 1)
    return list(sizes)


#: What configs call the networks that draw images.
IMAGES = {"mlp": MlpImages, "conv": ConvImages}


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
        """Return codes (n, k, d) of this noise.

        As many passes as there are concepts reach every descendant in a graph without cycles.
        """
        codes = noise
        for _ in range(self.concepts):
            codes = self.expected(codes) + noise
        return codes

    def follow(self, codes: Tensor, held: Tensor, is_held: Tensor) -> Tensor:
        """Return what becomes of codes where some are held, whatever their causes say.

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
        """Return a scalar that is 0 for a graph without cycles, and else above."""
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
    """Return the layer of this name; `hidden` and `latent` are those of ``gae``."""
    sizes = check_sizes("causal_decoder.layer_hidden", hidden)
    if latent is not None:
        check_whole("causal_decoder.layer_latent", latent, 1)
    if check_choice("causal_decoder.layer", name, LAYERS) == "gae":
        return GaeLayer(concepts, dims, hidden=sizes, latent=latent, free_diagonal=free_diagonal)
    return LinearLayer(concepts, free_diagonal=free_diagonal)
