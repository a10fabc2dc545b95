"""The backend that reads disentanglement_lib's folders without TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from causal_disent import errors
from causal_disent.runs.representation import model_folders
from causal_disent.training.networks import make_saved
from causal_disent.training.saved import MODEL, REPRESENTATION, check_images_fit
from causal_disent_torch.representation import TorchRepresentation
from causal_disent_torch.saved import write_converted
from causal_disent_torch.tf1.networks import SAVED_MODEL, Checkpoint, Network, read_checkpoint

#: TensorFlow's kernels are (h, w, in, out), or (h, w, out, in) of a transposed convolution, and (in, out) of a
#: dense layer; torch's are (out, in, h, w), (in, out, h, w) and (out, in).
TO_TORCH = {1: (0,), 2: (1, 0), 4: (3, 2, 0, 1)}
TO_TF = {rank: tuple(np.argsort(order)) for rank, order in TO_TORCH.items()}


def _pairs(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Parameter]]:
    """TensorFlow's name of each parameter, and the parameter."""
    for layer, part in module.named_children():
        yield f"{prefix}{module.scope}/{layer}/kernel", part.weight  # type: ignore[misc]
        yield f"{prefix}{module.scope}/{layer}/bias", part.bias  # type: ignore[misc]


def tf_shapes(module: nn.Module, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Return the variables that `load_tf_variables` needs for `module`, and their shapes.

    Args:
        module: one of this package's architectures.
        prefix: before every name; ``"module/"`` in a postprocessed representation.

    Example:
        >>> from causal_disent_torch.networks import LinearDecoder
        >>> tf_shapes(LinearDecoder((2, 2, 1), 3))
        {'decoder/d1/kernel': (3, 4), 'decoder/d1/bias': (4,)}
    """
    return {
        name: tuple(parameter.shape[axis] for axis in TO_TF[parameter.dim()])
        for name, parameter in _pairs(module, prefix)
    }


def tf_variables(module: nn.Module, prefix: str = "") -> dict[str, np.ndarray]:
    """Return the parameters of `module` as TensorFlow stores them."""
    return {
        name: np.ascontiguousarray(parameter.detach().cpu().numpy().transpose(TO_TF[parameter.dim()]))
        for name, parameter in _pairs(module, prefix)
    }


@torch.no_grad()
def load_tf_variables(module: nn.Module, variables: Mapping[str, Any], prefix: str = "") -> None:
    """Copy the variables of a checkpoint into `module`; variables of other parts are left alone.

    Args:
        module: one of this package's architectures.
        variables: TensorFlow's name -> array.
        prefix: before every name; ``"module/"`` in a postprocessed representation.
    """
    needed = tf_shapes(module, prefix)
    missing = [name for name in needed if name not in variables]
    if missing:
        raise errors.InvalidInput(
            f"The checkpoint has no {errors.listing(missing)}, which '{module.name}' needs. "
            f"It has: {errors.listing(sorted(variables))}."
        )
    arrays = {name: np.asarray(variables[name]) for name in needed}
    for name, shape in needed.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind != "f":
            raise errors.InvalidInput(
                f"'{name}' of the checkpoint is {arrays[name].dtype} of shape {arrays[name].shape}; "
                f"'{module.name}' needs floats of shape {shape}."
            )
    for name, parameter in _pairs(module, prefix):
        array = arrays[name].transpose(TO_TORCH[parameter.dim()])
        parameter.copy_(torch.from_numpy(np.array(array, dtype=np.float32, order="C")))


def module_of(kind: str, network: Network) -> nn.Module:
    """Return the module of an ``"encoder"`` or a ``"decoder"``."""
    sizes: dict[str, Any] = {"image_shape": network.image_shape, "num_latent": network.num_latent}
    module = make_saved(kind, network.architecture, "torch", **sizes, generator=None)
    load_tf_variables(module, network.variables)
    return module


def rebuild(checkpoint: Checkpoint, source: Checkpoint, device: str) -> TorchRepresentation:
    """Return the representation of a checkpoint.

    Args:
        checkpoint: gives the encoder.
        source: gives the decoder, if it has one.
        device: where torch runs.
    """
    decoder, encoder = source.decoder, checkpoint.encoder
    for attribute, what in (("num_latent", "number of codes"), ("image_shape", "shape of images")):
        found, needed = getattr(decoder, attribute, None), getattr(encoder, attribute)
        if decoder is not None and found != needed:
            raise errors.InvalidInput(
                f"The {what} is {found} for the decoder and {needed} for the representation: they belong to "
                "different models. Name the folder of the representation's own model with --model_dir."
            )
    return TorchRepresentation(
        module_of("encoder", encoder),
        None if decoder is None else module_of("decoder", decoder),
        activation=source.activation,
        device=device,
        sample_seed=checkpoint.sample_seed,
    )


class Tf1Backend:
    """Rebuilds the known architectures in torch: conv, fc and test.

    Args:
        trust: not needed, for nothing in a folder is run.
        device: where torch runs, as ``choose_device`` takes it.
    """

    name = "tf_free"

    def __init__(self, trust: bool = False, device: str = "auto") -> None:
        self._device = device

    def recognises(self, folder: Path) -> bool:
        """Tell whether disentanglement_lib may have written `folder`."""
        return (folder / SAVED_MODEL).exists()

    def read(self, folder: Path, data: Any = None, *, model_dir: Path | None = None) -> TorchRepresentation:
        """Return the representation in `folder`.

        Args:
            folder: a model's folder (codes are the mean) or a postprocessed representation's.
            data: the data set, whose images have to fit; not needed to encode images of one's own.
            model_dir: the model's folder, for the decoder; otherwise the one in `folder` is taken, which
                representations have too, or that of a ``model`` beside or above it.

        Raises:
            UnknownGraph: if the graph is not one of disentanglement_lib's known architectures.
            causal_disent.errors.InvalidInput: if a file is damaged or leads out of the folder.
        """
        checkpoint = read_checkpoint(folder)
        check_images_fit(folder, checkpoint.encoder.image_shape, data)
        if model_dir is None and checkpoint.decoder is None:
            return self._with_decoder_nearby(folder, checkpoint)
        source = folder if model_dir is None else model_dir
        decoder = checkpoint if model_dir is None else self._read_named(model_dir)
        representation = rebuild(checkpoint, decoder, self._device)
        representation.folders = {"representation": folder, **({"decoder": source} if decoder.decoder else {})}
        return representation

    def convert(self, source: Path, folder: Path, to: str, *, model_dir: Path | None = None) -> None:
        """Write the model or the representation in `source` into `folder` as safetensors, or with ONNX files."""
        part = REPRESENTATION if read_checkpoint(source).postprocessed else MODEL
        write_converted(folder / part, self.read(source, model_dir=model_dir), source, to)

    def _read_named(self, folder: Path) -> Checkpoint:
        """Read the model that the user names."""
        if not self.recognises(folder):
            raise errors.InvalidInput(
                f"The folder {folder} given by --model_dir holds no model of disentanglement_lib: there is no "
                f"{SAVED_MODEL} in it."
            )
        return read_checkpoint(folder)

    def _with_decoder_nearby(self, folder: Path, checkpoint: Checkpoint) -> TorchRepresentation:
        """Return the representation with the decoder of a model beside or above it, if one has a known decoder.

        Nobody named that model, so what is wrong with it is reported only where its decoder is used.
        """
        for near in filter(self.recognises, model_folders(folder)):
            try:
                found = read_checkpoint(near)
                if found.decoder is None:
                    continue
                representation = rebuild(checkpoint, found, self._device)
            except errors.NotForThisBackend:
                continue
            except errors.InvalidInput as error:
                representation = rebuild(checkpoint, checkpoint, self._device)
                representation.decode = _failing_decoder(
                    f"The decoder of the model in {near}, which lies near {folder}, cannot be used: "
                    f"{error.message}"
                )
            representation.folders = {"representation": folder, "decoder": near}
            return representation
        representation = rebuild(checkpoint, checkpoint, self._device)
        representation.folders = {"representation": folder}
        return representation


def _failing_decoder(message: str) -> Callable[[Any], Any]:
    def decode(codes: Any) -> Any:
        raise errors.InvalidInput(message)

    return decode
