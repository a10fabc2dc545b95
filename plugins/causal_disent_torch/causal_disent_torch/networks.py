"""The networks of disentanglement_lib 1.5, with layers as TensorFlow makes them; images are (n, h, w, c)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, conv_transpose2d, leaky_relu

from causal_disent.training.networks import (
    ConvEncoderLayers,
    DeconvDecoderLayers,
    FcDecoderLayers,
    FcDiscriminatorLayers,
    FcEncoderLayers,
    ImageLayers,
    Layers,
    LinearDecoderLayers,
    LinearEncoderLayers,
    declare_network,
)

#: With more channels the usual way is the faster one; in bfloat16 already with more than one.
MOST_CHANNELS = 4


class FewChannels(torch.autograd.Function):
    r"""A transposed 4x4 convolution with stride 2 and padding 1, as a product of matrices and four sums.

    A pixel (2i + a, 2j + b) of the output is a sum over four places of the kernel, two in each direction: for
    a = 0 place 1 at row i and place 3 at row i - 1, for a = 1 place 2 at row i and place 0 at row i + 1. Equal to
    `torch.nn.functional.conv_transpose2d` up to rounding, and up to five times as fast on a processor. Backward
    nothing is padded, and torch's own way is taken.
    """

    @staticmethod
    def forward(ctx: Any, images: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """(n, channels, h, w), (channels, outputs, 4, 4), (outputs,) -> (n, outputs, 2h, 2w)."""
        ctx.save_for_backward(images, weight)
        number, channels, height, width = images.shape
        outputs = weight.shape[1]
        pixels = images.permute(0, 2, 3, 1).reshape(-1, channels).t()
        output = images.new_empty((number, height, 2, width, 2, outputs))
        for channel in range(outputs):  # one at a time, so that what is added stays in the cache
            places = weight[:, channel].flatten(1).t() @ pixels
            rows = _add_places(places.view(4, 4, number, height, width), -2)
            added = _add_places(rows.transpose(0, 1), -1)
            torch.add(added, bias[channel], out=output[..., channel].permute(4, 2, 0, 1, 3))
        return output.view(number, 2 * height, 2 * width, outputs).permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        images, weight = ctx.saved_tensors
        (gradient,) = gradients
        of_images, of_weight, _ = torch.ops.aten.convolution_backward(
            gradient, images, weight, None, [2, 2], [1, 1], [1, 1], True, [0, 0], 1,
            [*ctx.needs_input_grad[:2], False],
        )  # fmt: skip
        return of_images, of_weight, gradient.sum((0, 2, 3))


def _add_places(places: Tensor, direction: int) -> Tensor:
    """Return the four places of the kernel (4, ...) in one direction to even and odd pixels (2, ...), in place."""
    most = places.shape[direction] - 1
    places[1].narrow(direction, 1, most).add_(places[3].narrow(direction, 0, most))
    places[2].narrow(direction, 0, most).add_(places[0].narrow(direction, 1, most))
    return places[1:3]


def convolution(images: Tensor, weight: Tensor, bias: Tensor, *, transposed: bool = False) -> Tensor:
    """Return a convolution, or a transposed one, that halves or doubles height and width.

    The bias is added here, so that its gradient is a sum: oneDNN's own for transposed convolutions takes a
    twentieth of a step of training, and a sixth in bfloat16. Few channels take a way of their own.

    Args:
        images: (n, channels, h, w).
        weight: (outputs, channels, k, k), transposed (channels, outputs, k, k); k is even.
        bias: (outputs,).
        transposed: doubles in place of halving.

    Returns:
        (n, outputs, h / 2, w / 2), transposed (n, outputs, 2 h, 2 w).
    """
    if torch.is_autocast_enabled("cpu"):
        images, weight, bias = (tensor.to(torch.get_autocast_dtype("cpu")) for tensor in (images, weight, bias))
    if transposed and len(bias) <= (1 if images.dtype == torch.bfloat16 else MOST_CHANNELS):
        return FewChannels.apply(images, weight, bias)
    convolve = conv_transpose2d if transposed else conv2d
    return convolve(images, weight, stride=2, padding=(weight.shape[-1] - 2) // 2).add_(bias[:, None, None])


class _Uninitialised:
    """Leaves the parameters open: torch's own start values would come from its global generator.

    torch.nn.utils.skip_init does the same by way of imports that take a second.
    """

    def reset_parameters(self) -> None:
        """Draw nothing."""


class _Linear(_Uninitialised, nn.Linear):
    pass


def _is_translated() -> bool:
    """Tell whether the layers are translated by what knows torch's own by their names."""
    return torch.jit.is_tracing() or torch.compiler.is_compiling()


class _Conv2d(_Uninitialised, nn.Conv2d):
    def forward(self, images: Tensor) -> Tensor:
        if images.device.type == "cpu" and not _is_translated():
            return convolution(images, self.weight, self.bias)  # type: ignore[arg-type]
        return super().forward(images)


class _ConvTranspose2d(_Uninitialised, nn.ConvTranspose2d):
    def forward(self, images: Tensor, output_size: list[int] | None = None) -> Tensor:
        if images.device.type == "cpu" and not _is_translated():
            return convolution(images, self.weight, self.bias, transposed=True)  # type: ignore[arg-type]
        return super().forward(images, output_size)


def dense(inputs: int, outputs: int) -> nn.Linear:
    """Return a fully connected layer, not initialised yet."""
    return _Linear(inputs, outputs)


def conv(inputs: int, outputs: int, kernel: int) -> nn.Conv2d:
    """Return a convolution that halves height and width, not initialised yet; `kernel` is even."""
    return _Conv2d(inputs, outputs, kernel, stride=2, padding=(kernel - 2) // 2)


def deconv(inputs: int, outputs: int) -> nn.ConvTranspose2d:
    """Return a transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _ConvTranspose2d(inputs, outputs, 4, stride=2, padding=1)


@torch.no_grad()
def initialise(module: nn.Module, generator: torch.Generator | None) -> None:
    """Draw the weights of every layer of `module`, in order.

    Uniform in +-sqrt(6 / (fan_in + fan_out)); biases 0. Without a generator the draws are those of seed 0. On the
    meta device, where a module has shapes alone, nothing is drawn.
    """
    if torch.get_default_device().type == "meta":
        return
    generator = torch.Generator().manual_seed(0) if generator is None else generator
    for layer in module.children():
        nn.init.xavier_uniform_(layer.weight, generator=generator)  # type: ignore[arg-type]
        nn.init.zeros_(layer.bias)  # type: ignore[arg-type]


class Ops:
    """What the published networks are made of here.

    In memory channels stay last, and so they do from layer to layer: the order of axes changes as a view.
    """

    dense, conv, deconv = staticmethod(dense), staticmethod(conv), staticmethod(deconv)
    initialise, relu, tanh = staticmethod(initialise), staticmethod(torch.relu_), staticmethod(torch.tanh)
    leaky_relu = staticmethod(leaky_relu)

    @staticmethod
    def flatten(tensor: Tensor) -> Tensor:
        """(n, h, w, c) to (n, h * w * c)."""
        return tensor.flatten(1)

    @staticmethod
    def reshape(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        """(n, numbers) to (n, *shape)."""
        return tensor.unflatten(1, shape)

    @staticmethod
    def channels_first(images: Tensor) -> Tensor:
        """(n, h, w, c) to (n, c, h, w)."""
        return images.permute(0, 3, 1, 2)

    @staticmethod
    def channels_last(images: Tensor) -> Tensor:
        """(n, c, h, w) to (n, h, w, c)."""
        return images.permute(0, 2, 3, 1)


class Network(Layers, nn.Module):
    """A published network as a module; the first base class says which."""

    ops = Ops

    def __init__(self) -> None:
        super().__init__()
        self.name = self.called

    def forward(self, given: Tensor) -> Any:
        """Lead a batch through the layers."""
        return self.run(given)


class ImageNetwork(ImageLayers, Network):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.set_up(image_shape, num_latent, generator)


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``.

    Example:
        >>> mean, log_var = ConvEncoder((64, 64, 3), 10)(torch.zeros(2, 64, 64, 3))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 10]), torch.Size([2, 10]))
    """


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``."""


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``."""


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``."""


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``."""


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``."""


class FcDiscriminator(FcDiscriminatorLayers, Network):
    """``fc_discriminator``.

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    def __init__(self, num_latent: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.num_latent = num_latent
        self.add_layers(self.ops)
        initialise(self, generator)


def architecture(name: str, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for an architecture, and saved models be read that have it.

    Args:
        name: what configs call it; saved models store it.
        kind: ``"encoder"``, ``"decoder"`` or ``"discriminator"``.

    The function takes ``(image_shape, num_latent, generator)``, a discriminator's ``(num_latent, generator)``, and
    returns a module: an encoder's gives mean and log variance (n, num_latent) for images (n, h, w, c), a decoder's
    images before the activation for codes, a discriminator's logits (n, 2) for codes; all in float32. What else it
    takes, configs can bind, and what they bind is stored with the model. The module gets the attributes ``name``
    and ``bound_options``.
    """
    return declare_network(name, kind, "torch")
