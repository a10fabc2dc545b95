"""The supervised losses by the names that configs use; torch is imported when one is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent_torch.bound import check_function, check_truth

if TYPE_CHECKING:
    import torch

__all__ = ["cov", "embed", "l2", "supervised_loss", "xent"]

SUPPLIED = ("num_latent", "factor_sizes", "generator")


@part("supervised_loss", supplied=SUPPLIED)
def supervised_loss(
    num_latent: int,
    factor_sizes: Sequence[int],
    generator: torch.Generator,
    loss_fn: Callable[..., Any] = REQUIRED,
) -> torch.nn.Module:
    """The bound loss: a module that takes codes (n, codes) and labels (n, factors)."""
    check_function("supervised_loss.loss_fn", loss_fn, SUPPLIED)
    return loss_fn(num_latent, factor_sizes, generator)


@part("xent", supplied=SUPPLIED)
def xent(num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator) -> torch.nn.Module:
    """Cross entropy."""
    from causal_disent_torch.supervision.xent import Xent

    return Xent(num_latent, factor_sizes)


@part("l2", supplied=SUPPLIED)
def l2(
    num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator, learn_scale: bool = True
) -> torch.nn.Module:
    """Squared error."""
    from causal_disent_torch.supervision.l2 import L2

    check_truth("l2.learn_scale", learn_scale)
    return L2(num_latent, factor_sizes, learn_scale)


@part("cov", supplied=SUPPLIED)
def cov(num_latent: int, factor_sizes: Sequence[int], generator: torch.Generator) -> torch.nn.Module:
    """Covariance of codes with other factors than their own."""
    from causal_disent_torch.supervision.cov import Cov

    return Cov()


@part("embed", supplied=SUPPLIED)
def embed(
    num_latent: int,
    factor_sizes: Sequence[int],
    generator: torch.Generator,
    sigma: Any = REQUIRED,
    use_order: bool = False,
) -> torch.nn.Module:
    """Distance from a learned place of each value."""
    from causal_disent_torch.supervision.embed import Embed

    check_truth("embed.use_order", use_order)
    return Embed(num_latent, factor_sizes, sigma, use_order, generator)
