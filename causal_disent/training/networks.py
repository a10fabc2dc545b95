"""Encoders, decoders and discriminators: by name, their published layers, and checks of users' own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from causal_disent import errors
from causal_disent.checks import checked, is_finite_number, whole
from causal_disent.config import REQUIRED, entry_of, given_to_gin
from causal_disent.registry import NETWORKS, ROLES, Entry, part, registry
from causal_disent.text import shown_value
from causal_disent.training.settings import as_bound

#: Rounding that is forgiven in images that a decoder promises to be in [0, 1].
TOLERANCE = 1e-3
#: In the names of types whose values are no real numbers.
NOT_REAL = ("complex", "string")


@dataclass(frozen=True)
class Tensors:
    """What the checks must know of a framework's tensors.

    Attributes:
        is_tensor: whether a value is one of them.
        permuted: a tensor and the new order of its axes -> the tensor with them so.
    """

    is_tensor: Callable[[Any], bool]
    permuted: Callable[[Any, tuple[int, ...]], Any]

    def codes_in(self, output: Any, *, gaussian: bool) -> tuple[Any, ...]:
        """Return what an encoder gave: its codes, or mean and log variance where it is `gaussian`."""
        several = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        if gaussian:
            if len(several) != 2 or not all(map(self._is_real, several)) or several[0].shape != several[1].shape:
                raise errors.InvalidInput(
                    "The encoder must give mean and log variance, a tuple of two tensors (n, codes); it gave "
                    f"{self.described(output)}. If it gives codes alone, leave gaussian=True out."
                )
            return several
        if not several or not self._is_real(several[0]):
            raise errors.InvalidInput(
                "The encoder must give codes, a tensor (n, codes) of real numbers, or a tuple that begins with "
                f"them; it gave {self.described(output)}."
            )
        return several[:1]

    def images_in(self, output: Any) -> Any:
        """Return what a decoder gave."""
        if not self._is_real(output):
            raise errors.InvalidInput(
                "The decoder must give images, a tensor (n, h, w, c) of real numbers; it gave "
                f"{self.described(output)}."
            )
        return output

    def described(self, output: Any) -> str:
        """Return what a message says of a network's output."""
        if self.is_tensor(output):
            name = getattr(output.dtype, "name", output.dtype)
            return f"a tensor of shape {tuple(output.shape)} and type {name}"
        if isinstance(output, (tuple, list)):
            kind = type(output).__name__
            return f"a {kind} of {len(output)} ({errors.listing(map(self.described, output), 5)})"
        return "None" if output is None else f"a value of type {type(output).__name__}"

    def _is_real(self, value: Any) -> bool:
        return self.is_tensor(value) and not any(word in str(value.dtype) for word in NOT_REAL)


def check_pixels(low: float, high: float) -> None:
    """Raise if the values of images, which are from `low` to `high`, are no numbers in [0, 1]."""
    if math.isnan(low) or math.isnan(high):
        raise errors.InvalidInput("The decoder gives values that are not numbers (nan). Look at its weights.")
    if low < -TOLERANCE or high > 1 + TOLERANCE:
        raise errors.InvalidInput(
            f"The decoder gives values from {low:.4g} to {high:.4g}; images are in [0, 1]. If they are logits, "
            "pass activation='logits' (keras_module.activation or torch_module.activation in a config)."
        )


#: What turns the output of a decoder into pixels in [0, 1].
ACTIVATIONS = ("logits", "tanh", "none")


@dataclass(frozen=True)
class Framework:
    """What the checks must know of a framework.

    Attributes:
        module: the class of its networks.
        module_name: what users call that.
        is_float32: a value and a shape -> whether it is a tensor of that shape, in single precision.
        tensors: of the framework.
    """

    module: type
    module_name: str
    is_float32: Callable[[Any, tuple[int, ...]], bool]
    tensors: Tensors


def check_image_shape(name: str, image_shape: Sequence[int], divisor: int) -> tuple[int, int, int]:
    """The shape (h, w, c), if the network of this name takes it: height and width divisible by `divisor`."""
    shape = tuple(int(side) for side in image_shape)
    if len(shape) != 3 or min(shape) < 1:
        raise errors.InvalidInput(f"An image has a shape (height, width, channels); given: {list(shape)}.")
    height, width, channels = shape
    if height % divisor or width % divisor:
        raise errors.InvalidInput(
            f"'{name}' takes images whose height and width can be divided by {divisor}; these are "
            f"{height}x{width}. Resize them, or take the fully connected architecture."
        )
    return height, width, channels


def check_enough_codes(num_latent: int, factor_sizes: Sequence[int]) -> None:
    """Raise unless there is a code for each labelled factor."""
    if num_latent < len(factor_sizes):
        raise errors.InvalidInput(
            f"The supervised loss needs a code for each of the {len(factor_sizes)} labelled factors; "
            f"encoder.num_latent is {num_latent}."
        )


def check_network(role: str, network: Any, framework: Framework) -> Any:
    """`network`, if it is a module and what is bound for it can be stored with the model."""
    if not isinstance(network, framework.module):
        name = getattr(network, "name", None) or as_bound(f"{role}.{role}_fn", None).removeprefix("@")
        raise errors.InvalidInput(
            f"The {role} '{name}' must be a {framework.module_name}; its function returns a "
            f"{type(network).__name__}."
        )
    named: Any = network
    for option, value in named.bound_options.items():
        if not is_plain(value):
            raise errors.InvalidInput(
                f"{named.name}.{option} is stored with the model, so that it must be a finite number, a text, a "
                f"truth value, None or a list of these, in square brackets; given: {shown_value(value)}."
            )
    return network


def check_sizes(encoder: Any, image_shape: Sequence[int], num_latent: int) -> None:
    """Raise unless the encoder tells the sizes that it was made for."""
    for attribute, size in (("image_shape", tuple(image_shape)), ("num_latent", num_latent)):
        found = getattr(encoder, attribute, None)
        if (tuple(found) if isinstance(found, Iterable) else found) != size:
            raise errors.InvalidInput(
                f"The encoder '{encoder.name}' must have the attribute {attribute}, here {size}; it has "
                f"{shown_value(found)}."
            )


def check_outputs(networks: Mapping[str, Any], images: Any, framework: Framework) -> None:
    """Raise unless each network gives what the losses take.

    Args:
        networks: in evaluation mode.
        images: (n, h, w, c), a few.
        framework: whose tensors they are.
    """
    encoder = networks["encoder"]
    encoded = _apply_network("encoder", encoder, images, framework)
    if not isinstance(encoded, tuple) or len(encoded) != 2:
        raise _output_error(
            "encoder", encoder, "a tuple of two tensors, mean and log variance", encoded, framework
        )
    num = len(images)
    for what, output in zip(("means", "log variances"), encoded, strict=True):
        _check_tensor("encoder", encoder, what, output, (num, encoder.num_latent), framework)
    decoded = _apply_network("decoder", networks["decoder"], encoded[0], framework)
    _check_tensor("decoder", networks["decoder"], "images", decoded, tuple(images.shape), framework)
    if "discriminator" in networks:
        logits = _apply_network("discriminator", networks["discriminator"], encoded[0], framework)
        _check_tensor("discriminator", networks["discriminator"], "logits", logits, (num, 2), framework)


def is_plain(value: Any) -> bool:
    """Tell whether ``model.json`` can hold it: a finite number, a text, a truth value, None or a list of these."""
    if isinstance(value, list):
        return all(is_plain(part) and not isinstance(part, list) for part in value)
    if type(value) in (int, float):
        return is_finite_number(value)
    return value is None or isinstance(value, (str, bool))


def _apply_network(kind: str, module: Any, given: Any, framework: Framework) -> Any:
    """Return what a user's module gives; whatever it raises becomes a readable error."""
    try:
        return module(given)
    except Exception as error:
        raise errors.InvalidInput(
            f"The {kind} '{module.name}' cannot be applied to {framework.tensors.described(given)}: "
            f"{type(error).__name__}: {error}. --debug shows where it happened."
        ) from error


def _check_tensor(
    kind: str, module: Any, what: str, given: Any, shape: tuple[int, ...], framework: Framework
) -> None:
    """Raise unless a network gives a tensor of this shape in single precision."""
    if not framework.is_float32(given, shape):
        raise _output_error(
            kind, module, f"{what} of shape {shape}, float32, for a batch of {shape[0]}", given, framework
        )


def _output_error(kind: str, module: Any, needed: str, given: Any, framework: Framework) -> errors.InvalidInput:
    return errors.InvalidInput(
        f"The {kind} '{module.name}' must give {needed}; it gives {framework.tensors.described(given)}."
    )


def networks(role: str, backend: str | None) -> dict[str, Entry]:
    """Return the registered networks of a role that a backend can use, by name."""
    with registry.using(backend):
        parts = [entry for entry in registry.entries("parts") if entry.facts.get("role") == role]
    return {entry.name: entry for entry in parts if backend in (None, entry.facts.get("backend"))}


@checked
def declare_network(name: str, role: str, backend: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for a network of one's own, and saved models be read that have it.

    A plugin registers its networks through the hook ``register_parts`` instead; this is for a module that a config
    imports.

    Args:
        name: what configs call it; saved models store it.
        role: one of `causal_disent.registry.NETWORKS`.
        backend: the backend that can use it.
    """
    if role not in NETWORKS:
        raise errors.unknown("role of a network", role, NETWORKS)

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        """Register the function, and return what gin makes of it."""
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        facts = {"role": role, "backend": backend}
        entry = Entry("parts", name, function.__module__, function, summary, facts)
        _check_signature(entry)
        registry.declare(entry)
        return given_to_gin(entry)

    return declare


def make_bound(role: str, function: Any, **supplied: Any) -> Any:
    """Return the network that the function makes which a config binds to ``encoder.encoder_fn``, say."""
    entry, parameter = entry_of(function), f"{role}.{role}_fn"
    if entry is None or entry.facts.get("role") != role:
        raise errors.InvalidInput(
            f"{parameter} must be a registered {role}, written @its_name without brackets: "
            f"{errors.listing(networks(role, registry.backend))}, or one's own, which a plugin registers with "
            f"role='{role}' or a module declares with @architecture('its_name', '{role}'); given: "
            f"{as_bound(parameter, function)}."
        )
    _check_signature(entry)
    return function(**supplied)


def make_saved(
    role: str, name: str, backend: str, options: Mapping[str, Any] | None = None, owner: str = "", **sizes: Any
) -> Any:
    """Return the registered network of this name, for a model that was saved.

    Args:
        role: one of `causal_disent.registry.NETWORKS`.
        name: what configs call it.
        backend: the backend that reads the model.
        options: what was bound for it when the model was trained; None if that is not known, so that the config of
            today decides.
        owner: the plugin or module that it came from, if that is known.
        sizes: what the program supplies.
    """
    known = networks(role, backend)
    if name not in known:
        same = [entry.facts for entry in registry.variants("parts", name) if entry.facts.get("role") == role]
        if others := [facts["backend"] for facts in same if "backend" in facts]:
            raise errors.NotForThisBackend(
                f"The {role} '{name}' is one of the backend {errors.listing(others)}, not of '{backend}'. "
                "--backend names another."
            )
        unknown = errors.unknown(role, name, known)
        raise errors.UnknownName(
            f"{unknown.message} The model was trained with one that comes from '{owner}', a plugin that is not "
            "installed here or a module that is not imported here."
            if owner
            else unknown.message
        )
    if options is None:
        return given_to_gin(known[name])(**sizes)
    function, supplied = known[name].plain(), known[name].supplied()
    parameters = inspect.signature(function).parameters.values()
    taken = [parameter.name for parameter in parameters if parameter.name not in supplied]
    excess = [option for option in options if option not in taken]
    if excess and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise errors.InvalidInput(
            f"The {role} '{name}' takes no {errors.listing(excess)}. What it takes: {errors.listing(taken)}."
        )
    return function(**sizes, **options)


def _check_signature(entry: Entry) -> None:
    """Raise unless the function takes what the program supplies."""
    signature = inspect.signature(entry.plain())
    try:
        signature.bind_partial(**dict.fromkeys(entry.supplied()))
    except TypeError:
        raise errors.InvalidInput(
            f"The function of the {entry.facts['role']} '{entry.name}' must take "
            f"{errors.listing(entry.supplied())}; it takes {signature}."
        ) from None


@part("encoder", supplied=("image_shape", "generator"))
def encoder(
    image_shape: Sequence[int],
    generator: Any,
    num_latent: Annotated[int, whole(at_least=1)] = REQUIRED,
    encoder_fn: Callable[..., Any] = REQUIRED,
) -> tuple[Any, int]:
    """The encoder that the config binds, and the number of codes."""
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    return make_bound("encoder", encoder_fn, **sizes, generator=generator), num_latent


@part("decoder", supplied=ROLES["decoder"])
def decoder(
    image_shape: Sequence[int], num_latent: int, generator: Any, decoder_fn: Callable[..., Any] = REQUIRED
) -> Any:
    """The decoder that the config binds."""
    sizes = {"image_shape": image_shape, "num_latent": num_latent}
    return make_bound("decoder", decoder_fn, **sizes, generator=generator)


@part("discriminator", supplied=ROLES["discriminator"])
def discriminator(num_latent: int, generator: Any, discriminator_fn: Callable[..., Any] = REQUIRED) -> Any:
    """The discriminator that the config binds."""
    return make_bound("discriminator", discriminator_fn, num_latent=num_latent, generator=generator)


class Layers:
    """Base of the published networks, which are the same in all frameworks; layers as its checkpoints call them.

    A network of a framework has one of these classes as its first base, and in ``ops`` the functions of the
    framework: ``dense(inputs, outputs)``, ``conv(inputs, outputs, kernel)``, which halves height and width,
    ``deconv(inputs, outputs)``, which doubles them, ``initialise(network, generator)``, ``relu``, ``tanh``,
    ``leaky_relu``, ``flatten``, ``reshape``, ``channels_first`` and ``channels_last``, as the framework computes.

    Attributes:
        called: what configs and saved models call it.
        scope: before the names of its layers in checkpoints of TensorFlow.
        in_parts: training is faster with the images of a batch in parts, where a framework can do that.
    """

    ops: Any
    called: str
    scope: str
    in_parts = False
    num_latent: int

    def add_layers(self, make: Any) -> None:
        """Set a layer per attribute, in the order in which their weights are drawn."""
        raise NotImplementedError

    def run(self, given: Any) -> Any:
        """Lead a batch through the layers."""
        raise NotImplementedError


class ImageLayers(Layers):
    """Layers from images (n, h, w, c) or to them.

    Attributes:
        image_shape: (h, w, c).
        num_latent: number of codes.
    """

    #: What height and width must be divisible by.
    divisor = 1
    image_shape: tuple[int, int, int]

    def set_up(self, image_shape: Sequence[int], num_latent: int, generator: Any) -> None:
        """Make the layers for images of this shape, and draw their weights."""
        self.image_shape = check_image_shape(self.called, image_shape, self.divisor)
        self.num_latent = num_latent
        self.add_layers(self.ops)
        self.ops.initialise(self, generator)


class _Conv(ImageLayers):
    """Of the convolutional pair, which halves an image four times, to 64 channels (beta-VAE paper, table 1)."""

    divisor = 16
    in_parts = True

    @property
    def smallest(self) -> tuple[int, int, int]:
        """(h, w, c) of an image that was halved four times."""
        height, width, _ = self.image_shape
        return height // self.divisor, width // self.divisor, 64


class ConvEncoderLayers(_Conv):
    """Images to mean and log variance, each (n, num_latent): four convolutions and a hidden layer."""

    called, scope = "conv_encoder", "encoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.conv(self.image_shape[-1], 32, 4)
        self.e2 = make.conv(32, 32, 4)
        self.e3 = make.conv(32, 64, 2)
        self.e4 = make.conv(64, 64, 2)
        self.e5 = make.dense(math.prod(self.smallest), 256)
        self.means = make.dense(256, self.num_latent)
        self.log_var = make.dense(256, self.num_latent)

    def run(self, given: Any) -> tuple[Any, Any]:
        """Return mean and log variance of the codes of images."""
        ops, hidden = self.ops, self.ops.channels_first(given)
        for layer in (self.e1, self.e2, self.e3, self.e4):
            hidden = ops.relu(layer(hidden))
        hidden = ops.relu(self.e5(ops.flatten(ops.channels_last(hidden))))
        return self.means(hidden), self.log_var(hidden)


class DeconvDecoderLayers(_Conv):
    """Codes to images before any activation: two dense layers, four transposed convolutions."""

    called, scope = "deconv_decoder", "decoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.dense = make.dense(self.num_latent, 256)
        self.dense_1 = make.dense(256, math.prod(self.smallest))
        self.conv2d_transpose = make.deconv(64, 64)
        self.conv2d_transpose_1 = make.deconv(64, 32)
        self.conv2d_transpose_2 = make.deconv(32, 32)
        self.conv2d_transpose_3 = make.deconv(32, self.image_shape[-1])

    def run(self, given: Any) -> Any:
        """Return images of codes."""
        ops = self.ops
        hidden = ops.relu(self.dense_1(ops.relu(self.dense(given))))
        hidden = ops.channels_first(ops.reshape(hidden, self.smallest))
        for layer in (self.conv2d_transpose, self.conv2d_transpose_1, self.conv2d_transpose_2):
            hidden = ops.relu(layer(hidden))
        return ops.channels_last(self.conv2d_transpose_3(hidden))


class FcEncoderLayers(ImageLayers):
    """Images of any size to mean and log variance: two hidden layers of 1200 (beta-VAE paper, table 1)."""

    called, scope = "fc_encoder", "encoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.dense(math.prod(self.image_shape), 1200)
        self.e2 = make.dense(1200, 1200)
        self.dense = make.dense(1200, self.num_latent)  # the means; TensorFlow numbers unnamed layers
        self.dense_1 = make.dense(1200, self.num_latent)

    def run(self, given: Any) -> tuple[Any, Any]:
        """Return mean and log variance of the codes of images."""
        hidden = self.ops.relu(self.e2(self.ops.relu(self.e1(self.ops.flatten(given)))))
        return self.dense(hidden), self.dense_1(hidden)


class FcDecoderLayers(ImageLayers):
    """Codes to images of any size before any activation: three hidden layers of 1200."""

    called, scope = "fc_decoder", "decoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.dense = make.dense(self.num_latent, 1200)
        self.dense_1 = make.dense(1200, 1200)
        self.dense_2 = make.dense(1200, 1200)
        self.dense_3 = make.dense(1200, math.prod(self.image_shape))

    def run(self, given: Any) -> Any:
        """Return images of codes."""
        hidden = given
        for layer in (self.dense, self.dense_1, self.dense_2):
            hidden = self.ops.tanh(layer(hidden))
        return self.ops.reshape(self.dense_3(hidden), self.image_shape)


class LinearEncoderLayers(ImageLayers):
    """Images of any size to mean and log variance, one layer each, as disentanglement_lib's tests use them."""

    called, scope = "test_encoder", "encoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.e1 = make.dense(math.prod(self.image_shape), self.num_latent)
        self.e2 = make.dense(math.prod(self.image_shape), self.num_latent)

    def run(self, given: Any) -> tuple[Any, Any]:
        """Return mean and log variance of the codes of images."""
        flat = self.ops.flatten(given)
        return self.e1(flat), self.e2(flat)


class LinearDecoderLayers(ImageLayers):
    """Codes to images of any size before any activation, one layer."""

    called, scope = "test_decoder", "decoder"

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.d1 = make.dense(self.num_latent, math.prod(self.image_shape))

    def run(self, given: Any) -> Any:
        """Return images of codes."""
        return self.ops.reshape(self.d1(given), self.image_shape)


class FcDiscriminatorLayers(Layers):
    """Codes to logits (n, 2) of "as drawn" and "shuffled": six layers of 1000 (arXiv:1802.05983, appendix A)."""

    called, scope = "fc_discriminator", "discriminator"
    #: Of the leaky ReLU; TensorFlow's, torch's own is 0.01.
    slope = 0.2

    def add_layers(self, make: Any) -> None:
        """Set the layers."""
        self.d1 = make.dense(self.num_latent, 1000)
        self.d2 = make.dense(1000, 1000)
        self.d3 = make.dense(1000, 1000)
        self.d4 = make.dense(1000, 1000)
        self.d5 = make.dense(1000, 1000)
        self.d6 = make.dense(1000, 1000)
        self.logits = make.dense(1000, 2)

    def run(self, given: Any) -> Any:
        """Logits of the two classes."""
        hidden = given
        for layer in (self.d1, self.d2, self.d3, self.d4, self.d5, self.d6):
            hidden = self.ops.leaky_relu(layer(hidden), self.slope)
        return self.logits(hidden)
