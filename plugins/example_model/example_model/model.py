"""An objective and an encoder: all that is new about a model. Training is causal_disent's."""

import torch
from torch import nn

from causal_disent.checks import check_number
from causal_disent.training.objective import Objective


def mmd_vae(weight=100.0):
    """InfoVAE without its divergence (arXiv:1706.02262): `weight` times how far the codes are from the prior."""
    check_number("mmd_vae.weight", weight, at_least=0)
    return MmdVae(weight)


class MmdVae(Objective):
    """Adds one term to the reconstruction loss."""

    def __init__(self, weight):
        self.weight = weight

    def penalties(self, passed):
        return {"mmd": self.weight * mmd(passed.codes)}


def mmd(codes):
    r"""Squared maximum mean discrepancy between codes (n, d) and the standard normal; kernel exp(-|x - y|^2 / 2d).

    .. math:: \frac1{n^2} \sum_{ij} k(z_i, z_j) - \frac2n \sum_i E\,k(z_i, x) + E\,k(x, x')
    """
    d = codes.shape[1]
    among = torch.exp(-(codes[:, None] - codes).square().sum(2) / (2 * d)).mean()
    across = (d / (d + 1)) ** (d / 2) * torch.exp(-codes.square().sum(1) / (2 * (d + 1))).mean()
    return among - 2 * across + (d / (d + 2)) ** (d / 2)


class PatchEncoder(nn.Module):
    """Images (n, h, w, c) to mean and log variance, each (n, num_latent), by way of square patches."""

    def __init__(self, image_shape, num_latent, generator=None, patch=8, width=32):
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        rows, columns = image_shape[0] // patch, image_shape[1] // patch
        self.patches = nn.Conv2d(image_shape[2], width, patch, stride=patch)
        self.heads = nn.Linear(width * rows * columns, 2 * num_latent)

    def forward(self, images):
        hidden = self.patches(images.permute(0, 3, 1, 2)).relu().flatten(1)
        return tuple(self.heads(hidden).chunk(2, dim=1))
