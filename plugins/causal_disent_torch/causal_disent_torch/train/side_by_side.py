"""A batch in parts, each led through a network by a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

#: Fewer images than this are not worth a thread.
LEAST_IMAGES = 16


def side_by_side(network: nn.Module, called: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """What gives for a batch what `called` gives, up to rounding in the gradients, with a thread for each part.

    The threads of OpenMP meet after each layer, and some of oneDNN's spin until the last has come: beside another
    program, which has the core that it waits for, a step in bfloat16 takes ten times as long. These meet where the
    network ends.

    Args:
        network: each of its images goes through it by itself, and its weights are what is learned.
        called: the network, or what leads images through it; a tensor or a tuple of them, with a row per image.
    """
    weights = [weight for weight in network.parameters() if weight.requires_grad]

    def led(images: Tensor) -> Any:
        parts = min(torch.get_num_threads(), len(images) // LEAST_IMAGES)
        if parts < 2:
            return called(images)
        outputs = _Parts.apply(called, parts, images, *weights)
        return outputs[0] if len(outputs) == 1 else outputs

    return led


class _Parts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, called: Callable[[Tensor], Any], parts: int, images: Tensor, *weights: Tensor) -> Any:
        def lead(part: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
            given = part.detach().requires_grad_(ctx.needs_input_grad[2])
            with torch.enable_grad():
                output = called(given)
            return given, output if isinstance(output, tuple) else (output,)

        ctx.weights = weights
        ctx.led = _in_threads(lead, [(part,) for part in images.tensor_split(parts)])
        outputs = zip(*(output for _, output in ctx.led), strict=True)
        return tuple(torch.cat([part.detach() for part in whole]) for whole in outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        def follow(given: Tensor, outputs: tuple[Tensor, ...], *parts: Tensor) -> tuple[Tensor, ...]:
            learned = [given, *ctx.weights] if given.requires_grad else ctx.weights
            return torch.autograd.grad(outputs, learned, parts)

        split = zip(*(gradient.tensor_split(len(ctx.led)) for gradient in gradients), strict=True)
        found = _in_threads(follow, [(*part, *own) for part, own in zip(ctx.led, split, strict=True)])
        images, of_weights = None, found
        if ctx.needs_input_grad[2]:
            images, of_weights = torch.cat([part[0] for part in found]), [part[1:] for part in found]
        return None, None, images, *(sum(parts[1:], parts[0]) for parts in zip(*of_weights, strict=True))


def _in_threads(work: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
    """What `work` gives for each part; the threads that may be used are shared out."""
    threads = torch.get_num_threads()

    def one(*given: Any) -> Any:
        torch.set_num_threads(threads // len(parts))  # a matter of each thread
        return work(*given)

    try:
        others = [_pool(len(parts) - 1).submit(one, *given) for given in parts[1:]]
        return [one(*parts[0]), *(other.result() for other in others)]
    finally:
        torch.set_num_threads(threads)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # Denormals are a matter of each thread.
    return ThreadPoolExecutor(threads, "part", initializer=torch.set_flush_denormal, initargs=(True,))
