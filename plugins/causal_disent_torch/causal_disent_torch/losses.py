"""The terms of the losses, by the names of `causal_disent.training.objective`, and the supervised losses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from causal_disent.checks import check_truth, checked
from causal_disent.config import REQUIRED
from causal_disent.training.networks import check_enough_codes
from causal_disent.training.objective import Sigma
from causal_disent_torch.representation import activate

#: Keeps logarithms finite where a pixel is black or white.
MARGIN = 1e-6


def draw_codes(mean: Tensor, log_var: Tensor, noise: Tensor) -> Tensor:
    r"""Codes (n, codes) that follow the weights of the encoder: :math:`\mu + e^{l / 2} \epsilon`."""
    return mean + torch.exp(log_var / 2) * noise


def share_pairs(mean: Tensor, log_var: Tensor, changed: Tensor | None, average: str) -> tuple[Tensor, Tensor]:
    r"""Of pairs, the Gaussians that codes are drawn from, those of what both images show shared.

    .. math:: \text{group: } \tfrac12 (\mu_1 + \mu_2), \tfrac12 (\sigma_1^2 + \sigma_2^2), \qquad
        \text{ml: } \frac{\sigma_2^2 \mu_1 + \sigma_1^2 \mu_2}{\sigma_1^2 + \sigma_2^2},
        \frac{2 \sigma_1^2 \sigma_2^2}{\sigma_1^2 + \sigma_2^2}

    Args:
        mean: (2 n, codes), the first image of each pair, then the second of each.
        log_var: (2 n, codes).
        changed: (n,) the code that is not shared, if there is one of that number; else none is. None for those
            whose divergence from the first image to the second is nearer to the pair's largest than its smallest.
        average: ``"group"`` or ``"ml"``.
    """
    (mean_1, mean_2), (log_var_1, log_var_2) = mean.chunk(2), log_var.chunk(2)
    var_1, var_2 = log_var_1.exp(), log_var_2.exp()
    if average == "group":
        shared, shared_var = (mean_1 + mean_2) / 2, (var_1 + var_2) / 2
    else:
        shared_var = 2 * var_1 * var_2 / (var_1 + var_2)
        shared = (mean_1 / var_1 + mean_2 / var_2) * shared_var / 2
    if changed is None:
        divergence = (var_1 + (mean_2 - mean_1).square()) / var_2 - 1 + log_var_2 - log_var_1
        low, high = divergence.amin(1, keepdim=True), divergence.amax(1, keepdim=True)
        own = (divergence - low >= (high - low) / 2) & (high > low)
    else:
        own = torch.arange(mean.shape[1], device=mean.device) == changed[:, None]
        own = own | (changed >= mean.shape[1])[:, None]
    own = own.repeat(2, 1)
    return torch.where(own, mean, shared.repeat(2, 1)), torch.where(own, log_var, shared_var.log().repeat(2, 1))


def batch_mean(values: Tensor) -> Tensor:
    """The mean of (n,) values."""
    return values.mean()


def gaussian_kl(mean: Tensor, log_var: Tensor) -> Tensor:
    r"""Kullback-Leibler divergence from the prior, averaged over the batch.

    .. math:: \frac1n \sum_i \frac12 \sum_j (\mu_{ij}^2 + e^{l_{ij}} - l_{ij} - 1)

    Args:
        mean: (n, codes).
        log_var: (n, codes).

    Returns:
        A scalar, at least 0; 0 if every Gaussian is the standard normal.

    Example:
        >>> gaussian_kl(torch.ones(3, 2), torch.zeros(3, 2))
        tensor(1.)
    """
    return 0.5 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()


def bernoulli_loss(
    images: Tensor, output: Tensor, activation: str, subtract_true_image_entropy: bool = False
) -> Tensor:
    r"""Likelihood of independent Bernoulli pixels: cross entropy of the images' and the reconstructions', summed.

    .. math:: -\sum_p \left( x_p \log \hat x_p + (1 - x_p) \log (1 - \hat x_p) \right)

    Args:
        images: (n, h, w, c) in [0, 1].
        output: what the decoder gives for them, before the activation.
        activation: ``"logits"`` or ``"tanh"``.
        subtract_true_image_entropy: subtract the images' own entropy, so that 0 is the best possible loss.

    Returns:
        (n,), one loss per image.

    Example:
        >>> bernoulli_loss(torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1), "logits")  # 2 log 2
        tensor([1.3863])
    """
    check_truth("bernoulli_loss.subtract_true_image_entropy", subtract_true_image_entropy)
    if activation == "logits":
        pixels = binary_cross_entropy_with_logits(output, images, reduction="none")
    else:
        pixels = _cross_entropy(images, activate(output, activation).clamp(MARGIN, 1 - MARGIN))
    loss = pixels.flatten(1).sum(1)
    if subtract_true_image_entropy:
        clipped = images.clamp(MARGIN, 1 - MARGIN)
        loss = loss - _cross_entropy(clipped, clipped).flatten(1).sum(1)
    return loss


def _cross_entropy(images: Tensor, reconstructed: Tensor) -> Tensor:
    return -(images * reconstructed.log() + (1 - images) * torch.log1p(-reconstructed))


def l2_loss(images: Tensor, output: Tensor, activation: str) -> Tensor:
    r"""Squared error, summed over the pixels: :math:`\sum_p (x_p - \hat x_p)^2`.

    Args:
        images: (n, h, w, c) in [0, 1].
        output: what the decoder gives for them, before the activation.
        activation: ``"logits"`` or ``"tanh"``.

    Returns:
        (n,), one loss per image.

    Example:
        >>> l2_loss(torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1), "logits")
        tensor([0.5000])
    """
    return (images - activate(output, activation)).square().flatten(1).sum(1)


def total_correlation(codes: Tensor, mean: Tensor, log_var: Tensor) -> Tensor:
    r"""How far the codes of a batch are from independence (arXiv:1802.04942), up to a constant.

    .. math:: \frac1n \sum_j \left( \log \sum_i \prod_l q_{jil} - \sum_l \log \sum_i q_{jil} \right)

    where :math:`q_{jil}` is the density of code :math:`l` of sample :math:`j` under the Gaussian of image
    :math:`i`. The constant that is left out is (codes - 1) log(n times the number of images); it does not change
    the minimum.

    Args:
        codes: (n, codes), drawn from the Gaussians.
        mean: (n, codes).
        log_var: (n, codes).

    Returns:
        A scalar; lower is more independent. With a single code it is 0.

    Example:
        >>> total_correlation(torch.zeros(4, 1), torch.zeros(4, 1), torch.zeros(4, 1))
        tensor(0.)
    """
    difference = codes[:, None] - mean[None]
    log_density = -0.5 * (difference.square() * torch.exp(-log_var)[None] + log_var[None] + math.log(2 * math.pi))
    joint = log_density.sum(2).logsumexp(1)
    product = log_density.logsumexp(1).sum(1)
    return (joint - product).mean()


def density_ratio(logits: Tensor) -> Tensor:
    """A discriminator's estimate of the total correlation (arXiv:1802.05983): the mean log odds of "as drawn".

    Args:
        logits: (n, 2) for the codes: "as drawn", "shuffled".

    Example:
        >>> density_ratio(torch.tensor([[3.0, 1.0], [1.0, 1.0]]))
        tensor(1.)
    """
    return (logits[:, 0] - logits[:, 1]).mean()


def discriminator_loss(logits: Tensor, shuffled_logits: Tensor) -> Tensor:
    r"""What the discriminator minimises.

    .. math:: -\frac12 \frac1n \sum_i \left( \log p_i(\text{drawn}) + \log \tilde p_i(\text{shuffled}) \right)

    Args:
        logits: (n, 2) for the codes.
        shuffled_logits: (n, 2) for the shuffled codes.

    Returns:
        A scalar, at least 0; log 2 for a discriminator that only guesses.
    """
    return -0.5 * (logits.log_softmax(1)[:, 0].mean() + shuffled_logits.log_softmax(1)[:, 1].mean())


def shuffle_codes(codes: Tensor, generator: Generator) -> Tensor:
    """Each code permuted over the batch by itself, which makes the codes independent.

    Args:
        codes: (n, codes).
        generator: of the permutations, on the CPU.
    """
    order = torch.rand(codes.shape, generator=generator).argsort(0)
    return codes.gather(0, order.to(codes.device))


def code_covariance(mean: Tensor, log_var: Tensor, dip_type: str) -> Tensor:
    r"""Covariance (codes, codes) over the batch: of the means, or of the codes.

    .. math:: \mathrm{Cov}[\mu] \quad\text{or}\quad \mathrm{Cov}[\mu] + \mathrm{diag}(\frac1n \sum_i e^{l_i})

    Args:
        mean: (n, codes).
        log_var: (n, codes).
        dip_type: ``"i"`` for the means, ``"ii"`` for the codes.
    """
    centred = mean - mean.mean(0)
    covariance = centred.T @ centred / len(mean)
    return covariance if dip_type == "i" else covariance + torch.diag(log_var.exp().mean(0))


def dip_penalty(covariance: Tensor, lambda_od: float, lambda_d: float) -> Tensor:
    r"""Squared distance from the identity (Kumar et al. 2018), with a weight off the diagonal and one on it.

    .. math:: \lambda_{od} \sum_{i \ne j} C_{ij}^2 + \lambda_d \sum_i (C_{ii} - 1)^2

    Example:
        >>> dip_penalty(torch.tensor([[2.0, 3.0], [3.0, 1.0]]), lambda_od=1.0, lambda_d=10.0)
        tensor(28.)
    """
    diagonal = covariance.diagonal()
    off_diagonal = covariance - torch.diag(diagonal)
    return lambda_od * off_diagonal.square().sum() + lambda_d * (diagonal - 1).square().sum()


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
    r"""Squared error inside the boxes (CANDLE paper, equation 6), summed over the pixels, averaged over the batch.

    .. math:: \frac1n \sum_i \| x_i \odot w_i - \hat x_i \odot w_i \|_2^2

    Args:
        images: (n, h, w, c) in [0, 1].
        reconstructed: (n, h, w, c) in [0, 1].
        masks: (n, h, w, 1) of `box_masks`.
    """
    return ((images - reconstructed) * masks).square().flatten(1).sum(1).mean()


def normalise(labels: Tensor, factor_sizes: Sequence[int]) -> Tensor:
    """Labels divided by the number of values of their factor, so that they are in [0, 1)."""
    return labels / torch.tensor(list(factor_sizes), dtype=labels.dtype, device=labels.device)


class Xent(nn.Module):
    r"""Cross entropy between labels and codes, one code per factor.

    .. math:: -\sum_{ij} \left( y_{ij} \log \sigma(z_{ij}) + (1 - y_{ij}) \log (1 - \sigma(z_{ij})) \right)

    with :math:`y_{ij}` the label divided by the number of its values.
    """

    def __init__(self, num_latent: int, factor_sizes: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        self.factor_sizes = [int(size) for size in factor_sizes]

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        target = normalise(labels, self.factor_sizes)
        return binary_cross_entropy_with_logits(codes[:, : labels.shape[1]], target, reduction="sum")


class L2(nn.Module):
    r"""Squared error between labels and codes, one code per factor.

    .. math:: \sum_{ij} (b z_{ij} - y_{ij})^2 \quad\text{or}\quad \sum_{ij} (\sigma(z_{ij}) - y_{ij} / k_j)^2

    The first with a learned scale b, the second without, where :math:`k_j` is the number of values of factor j.
    """

    @checked
    def __init__(
        self,
        num_latent: int,
        factor_sizes: Sequence[int],
        generator: Generator | None = None,
        learn_scale: bool = True,
    ) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        self.factor_sizes = [int(size) for size in factor_sizes]
        self.scale = nn.Parameter(torch.ones(())) if learn_scale else None

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        used = codes[:, : labels.shape[1]]
        if self.scale is None:
            return (used.sigmoid() - normalise(labels, self.factor_sizes)).square().sum()
        return (used * self.scale - labels).square().sum()


class Cov(nn.Module):
    r"""Squared covariances between codes and labels, the diagonal left out.

    .. math:: \sum_{i \ne j} \mathrm{Cov}[z_i, y_j]^2
    """

    def __init__(self, num_latent: int, factor_sizes: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__()

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        covariance = (codes - codes.mean(0)).T @ (labels - labels.mean(0)) / len(codes)
        # The two triangles: the diagonal can be so large that subtracting it would leave rounding errors alone.
        squares = covariance.square()
        return squares.tril(-1).sum() + squares.triu(1).sum()


class Embed(nn.Module):
    r"""Cross entropy of the values under a softmax of squared distances, summed over the factors.

    .. math:: \sum_j \frac1n \sum_i -\log \frac{e^{-(\sigma (z_{ij} - e_{j, y_{ij}}))^2}}
              {\sum_k e^{-(\sigma (z_{ij} - e_{jk}))^2}}

    Args:
        num_latent: number of codes.
        factor_sizes: number of values of each factor.
        generator: of the places at the start; seed 0 without it.
        sigma: how sharp the softmax is; ``"learn"`` to learn it, factor by factor.
        use_order: the places of a factor's values are equally spaced, in order; otherwise each is learned.
    """

    @checked
    def __init__(
        self,
        num_latent: int,
        factor_sizes: Sequence[int],
        generator: Generator | None = None,
        sigma: Sigma = REQUIRED,
        use_order: bool = False,
    ) -> None:
        super().__init__()
        check_enough_codes(num_latent, factor_sizes)
        generator = Generator().manual_seed(0) if generator is None else generator
        self.use_order = use_order
        self.sizes = [int(size) for size in factor_sizes]
        self.places = nn.ParameterList(
            [_glorot(1, 2, generator) if use_order else _glorot(size, size, generator) for size in self.sizes]
        )
        self.sigma = nn.Parameter(torch.ones(len(self.sizes))) if sigma == "learn" else float(sigma)

    def forward(self, codes: Tensor, labels: Tensor) -> Tensor:
        """A scalar from codes (n, codes) and labels (n, factors)."""
        losses = []
        for factor, places in enumerate(self.places):
            if self.use_order:
                slope, start = places
                places = torch.arange(self.sizes[factor], device=codes.device) * slope + start
            sigma = self.sigma[factor] if isinstance(self.sigma, nn.Parameter) else self.sigma
            logits = -((codes[:, factor, None] - places) * sigma).square()
            losses.append(cross_entropy(logits, labels[:, factor].long()))
        return torch.stack(losses).sum()


def _glorot(size: int, number: int, generator: Generator) -> nn.Parameter:
    """`number` draws as TensorFlow initialises a vector of `size`, whose fans are both `size`."""
    limit = math.sqrt(3 / size)
    return nn.Parameter(torch.empty(number).uniform_(-limit, limit, generator=generator))
