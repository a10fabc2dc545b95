"""The networks of disentanglement_lib 1.5, with layers as TensorFlow makes them; images are (n, h, w, c)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn, relu_
from torch.nn.functional import conv2d, conv_transpose2d, leaky_relu, relu

from causal_disent.training.networks import (
    ConvEncoderLayers,
    DeconvDecoderLayers,
    FcDecoderLayers,
    FcDiscriminatorLayers,
    FcEncoderLayers,
    ImageLayers,
    LinearDecoderLayers,
    LinearEncoderLayers,
    check_image_shape,
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
    """The four places of the kernel (4, ...) in one direction to even and odd pixels (2, ...), in place."""
    most = places.shape[direction] - 1
    places[1].narrow(direction, 1, most).add_(places[3].narrow(direction, 0, most))
    places[2].narrow(direction, 0, most).add_(places[0].narrow(direction, 1, most))
    return places[1:3]


def convolution(images: Tensor, weight: Tensor, bias: Tensor, *, transposed: bool = False) -> Tensor:
    """A convolution, or a transposed one, that halves or doubles height and width.

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
    """Whether the layers are translated by what knows torch's own by their names."""
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
    """A fully connected layer, not initialised yet."""
    return _Linear(inputs, outputs)


def conv(inputs: int, outputs: int, kernel: int) -> nn.Conv2d:
    """A convolution that halves height and width, not initialised yet; `kernel` is even."""
    return _Conv2d(inputs, outputs, kernel, stride=2, padding=(kernel - 2) // 2)


def deconv(inputs: int, outputs: int) -> nn.ConvTranspose2d:
    """A transposed 4x4 convolution that doubles height and width, not initialised yet."""
    return _ConvTranspose2d(inputs, outputs, 4, stride=2, padding=1)


#: What the published layers are made of here.
LAYERS = SimpleNamespace(dense=dense, conv=conv, deconv=deconv)


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


def channels_first(images: Tensor) -> Tensor:
    """(n, h, w, c) to (n, c, h, w), as a view."""
    return images.permute(0, 3, 1, 2)


def channels_last(images: Tensor) -> Tensor:
    """(n, c, h, w) to (n, h, w, c), as a view."""
    return images.permute(0, 2, 3, 1)


class ImageNetwork(ImageLayers, nn.Module):
    """A network from images (n, h, w, c) or to them.

    Args:
        image_shape: (h, w, c); h and w divisible by `divisor`.
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    #: What configs and saved models call it.
    name: str
    #: Training is faster with the images of a batch in parts (`train.side_by_side`).
    in_parts = False

    def __init__(
        self, image_shape: Sequence[int], num_latent: int, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.image_shape = check_image_shape(self.name, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers(LAYERS)
        initialise(self, generator)


class ConvEncoder(ConvEncoderLayers, ImageNetwork):
    """``conv_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    Example:
        >>> import torch
        >>> mean, log_var = ConvEncoder((64, 64, 3), 10)(torch.zeros(2, 64, 64, 3))
        >>> mean.shape, log_var.shape
        (torch.Size([2, 10]), torch.Size([2, 10]))
    """

    name = "conv_encoder"
    tf_scope = "encoder"
    in_parts = True

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = channels_first(images)  # in memory channels stay last, and so they do from layer to layer
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = relu_(layer(hidden))
        hidden = relu_(self.e5(channels_last(hidden).flatten(1)))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoder(DeconvDecoderLayers, ImageNetwork):
    """``deconv_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation."""

    name = "deconv_decoder"
    tf_scope = "decoder"
    in_parts = True

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = relu_(self.dense_1(relu_(self.dense(codes))))
        hidden = channels_first(hidden.unflatten(1, self.smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = relu_(layer(hidden))
        return channels_last(self.conv2d_transpose_3(hidden))


class FcEncoder(FcEncoderLayers, ImageNetwork):
    """``fc_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    name = "fc_encoder"
    tf_scope = "encoder"

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        hidden = relu(self.e2(relu(self.e1(images.flatten(1)))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoder(FcDecoderLayers, ImageNetwork):
    """``fc_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    name = "fc_decoder"
    tf_scope = "decoder"

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        hidden = codes
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = torch.tanh(layer(hidden))
        return self.dense_3(hidden).unflatten(1, self.image_shape)


class LinearEncoder(LinearEncoderLayers, ImageNetwork):
    """``test_encoder``: images (n, h, w, c) of any size to mean and log variance, each (n, num_latent)."""

    name = "test_encoder"
    tf_scope = "encoder"

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of the codes."""
        flat = images.flatten(1)
        return self.e1(flat), self.e2(flat)


class LinearDecoder(LinearDecoderLayers, ImageNetwork):
    """``test_decoder``: codes (n, num_latent) to images (n, h, w, c) of any size, before any activation."""

    name = "test_decoder"
    tf_scope = "decoder"

    def forward(self, codes: Tensor) -> Tensor:
        """Images before the activation."""
        return self.d1(codes).unflatten(1, self.image_shape)


class FcDiscriminator(FcDiscriminatorLayers, nn.Module):
    """``fc_discriminator``: codes (n, num_latent) to logits (n, 2) of "as drawn" and "shuffled".

    Args:
        num_latent: number of codes.
        generator: of the initial weights; seed 0 without it.
    """

    name = "fc_discriminator"
    tf_scope = "discriminator"

    def __init__(self, num_latent: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.num_latent = num_latent
        self.add_layers(LAYERS)
        initialise(self, generator)

    def forward(self, codes: Tensor) -> Tensor:
        """Logits of the two classes."""
        hidden = codes
        for layer in (self.d1, self.d2, self.d3, self.d4, self.d5, self.d6):
            hidden = leaky_relu(layer(hidden), self.slope)
        return self.logits(hidden)


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
