"""Keras models from files that are not trusted, and one's own models and functions as representations.

What a file would make is looked at before Keras makes it. Keras has its own safe mode; versions differ in how much
of a file it covers, so it is not relied upon alone.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.protocols import Representation
from causal_disent.training.representation import Coder
from causal_disent_tf._tensorflow import choose_device, keras, tensorflow
from causal_disent_tf.representation import from_module
from causal_disent_tf.saved_model import Shape, Signature

SUFFIXES = (".keras", ".h5")
CONFIG, WEIGHTS = "config.json", "model.weights.h5"
MEMBERS = {CONFIG, WEIGHTS, "metadata.json"}
MAX_CONFIG_BYTES = 64 * 2**20
#: Keras stores without compression; more than this is not a model.
MAX_EXPANSION = 20
#: Trained state that is not read, and may name classes that are not here.
NOT_READ = ("compile_config", "training_config")

MODELS = "Functional Model Sequential"
LAYERS = """
Activation Add Average AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization CenterCrop
Concatenate Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose Cropping1D Cropping2D Cropping3D
Dense DepthwiseConv1D DepthwiseConv2D Dot Dropout ELU EinsumDense Flatten GaussianDropout GaussianNoise
GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D
GlobalMaxPooling3D GroupNormalization Identity InputLayer LayerNormalization LeakyReLU Maximum MaxPooling1D
MaxPooling2D MaxPooling3D Minimum Multiply Normalization PReLU Permute ReLU RepeatVector Rescaling Reshape
Resizing SeparableConv1D SeparableConv2D Softmax SpatialDropout1D SpatialDropout2D SpatialDropout3D
SpectralNormalization Subtract UnitNormalization UpSampling1D UpSampling2D UpSampling3D ZeroPadding1D
ZeroPadding2D ZeroPadding3D
"""
PARTS = """
Constant GlorotNormal GlorotUniform HeNormal HeUniform IdentityInitializer L1 L1L2 L2 LecunNormal LecunUniform
MaxNorm MinMaxNorm NonNeg Ones Orthogonal OrthogonalRegularizer RandomNormal RandomUniform TruncatedNormal
UnitNorm VarianceScaling Zeros DTypePolicy Policy __keras_tensor__ __numpy__ __tensor__ __tuple__
"""
#: The classes that a file may name: layers that compute, and what they are set up with.
ALLOWED = frozenset(f"{MODELS} {LAYERS} {PARTS}".split())


def load_keras(path: Path, *, trust: bool = False, how: str = "bind keras_classifier.trust = True") -> Any:
    """Return the Keras model in a file, not compiled.

    Args:
        path: ends with ``.keras`` or ``.h5``.
        trust: load classes that are not known to be harmless too; a ``Lambda`` layer then runs the code in it.
        how: what to do for that.
    """
    if path.suffix not in SUFFIXES:
        raise errors.InvalidInput(f"A Keras model is a file ending with {' or '.join(SUFFIXES)}; given: {path}.")
    if not path.is_file():
        raise errors.InvalidInput(f"There is no file {path}.")
    if not trust:
        config = _config_of_archive(path) if path.suffix == ".keras" else _config_of_h5(path)
        _check_classes(path, config, how)
    tf = tensorflow()
    load = partial(keras().models.load_model, path, compile=False, safe_mode=not trust)
    try:
        if not trust:
            with tf.Graph().as_default():  # takes no memory: a layer larger than its weights in the file is told
                load()
        return load()
    except Exception as error:  # a damaged file makes Keras raise errors of many kinds
        reason = str(error).strip().partition("\n")[0]
        raise _unusable(path, f"Keras cannot load it: {type(error).__name__}: {reason}") from None


def _unusable(path: Path, reason: str) -> errors.InvalidInput:
    return errors.InvalidInput(f"The Keras model {path} cannot be used: {reason}.")


def _config_of_archive(path: Path) -> Any:
    """Return the config of a ``.keras`` file, its other members checked."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            strange = sorted(entries.keys() - MEMBERS)
            if strange or len(entries) != len(archive.infolist()):
                raise _unusable(path, f"it holds what a plain model does not: {errors.listing(strange)}")
            if missing := sorted({CONFIG, WEIGHTS} - entries.keys()):
                raise _unusable(path, f"it lacks {errors.listing(missing)}")
            total = sum(entry.file_size for entry in entries.values())
            if total > MAX_EXPANSION * path.stat().st_size or entries[CONFIG].file_size > MAX_CONFIG_BYTES:
                raise _unusable(path, f"it would unpack to {total:,} bytes")
            with archive.open(WEIGHTS) as weights:
                _check_h5(path, weights)
            return _parse_json(path, archive.read(CONFIG))
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise _unusable(path, f"it is no whole .keras file ({error})") from None


def _config_of_h5(path: Path) -> Any:
    """Return the config of a ``.h5`` file, in which nothing may lead to another file."""
    with path.open("rb") as stream:
        config = _check_h5(path, stream)
    if config is None:
        raise _unusable(path, "it holds weights without a model; save it with `model.save`")
    return _parse_json(path, config)


def _check_h5(path: Path, stream: Any) -> str | bytes | None:
    """Return the ``model_config`` of an HDF5 file, after a check that all its data are in it."""
    import h5py

    try:
        with h5py.File(stream, "r") as file:
            for name, reason in _ways_out(file, h5py):
                raise _unusable(path, f"'{name}' in it is {reason}, which may lead to another file")
            sizes: list[int] = []
            file.visititems(lambda _, item: sizes.append(getattr(item, "nbytes", 0)))
            if sum(sizes) > MAX_EXPANSION * path.stat().st_size:  # a data set may be large and hold nothing
                raise _unusable(path, f"its arrays would take {sum(sizes):,} bytes")
            config = file.attrs.get("model_config")
            return config if config is None or isinstance(config, (str, bytes)) else str(config)
    except errors.CausalDisentError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError) as error:  # RecursionError included
        raise _unusable(path, f"it is no whole HDF5 file ({error})") from None


def _ways_out(group: Any, h5py: Any, seen: frozenset[Any] = frozenset()) -> Iterator[tuple[str, str]]:
    """Names and kinds of links and data sets that lead out of a group, at any depth."""
    for name in group:
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            yield f"{group.name}/{name}", "a link"
            continue
        item = group[name]
        if isinstance(item, h5py.Group):
            address = h5py.h5o.get_info(item.id).addr
            if address not in seen:
                yield from _ways_out(item, h5py, seen | {address})
        elif isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
            yield item.name, "a data set stored elsewhere"


def _parse_json(path: Path, config: str | bytes) -> Any:
    try:
        return json.loads(config)
    except (ValueError, RecursionError) as error:
        raise _unusable(path, f"its config is not JSON ({error})") from None


def _check_classes(path: Path, config: Any, how: str) -> None:
    """Raise if a config names a class that is not allowed."""
    try:
        refused = sorted(set(_find_refused(config)))
    except RecursionError:
        raise _unusable(path, "its config is nested too deeply") from None
    if refused:
        raise errors.InvalidInput(
            f"The Keras model {path} names classes that are not known to be harmless: {errors.listing(refused)}. "
            f"They could run code or read files (docs/security.md). If you trust whoever made it, {how}."
        )


def _find_refused(config: Any) -> Iterator[str]:
    """Yield the classes that a config names and that are not allowed."""
    if isinstance(config, list):
        for item in config:
            yield from _find_refused(item)
    elif isinstance(config, dict):
        name = config.get("class_name")
        if name is not None and not _is_allowed(config):
            yield str(name)
        for key, value in config.items():
            if key not in NOT_READ:
                yield from _find_refused(value)


def _is_allowed(described: dict[str, Any]) -> bool:
    """Tell whether a class is known to be harmless."""
    name, module = described["class_name"], described.get("module")
    # Keras 3 says where a class comes from; older files do not.
    from_keras = module is None or (isinstance(module, str) and module.split(".")[0] in ("keras", "builtins"))
    return (
        isinstance(name, str)
        and name in ALLOWED
        and from_keras
        and described.get("registered_name") in (None, name)
    )


#: The signature that `model.export` and `tf.saved_model.save` give a Keras model.
SERVING = "serving_default"


@dataclass(frozen=True)
class OneFunction:
    """A function of one tensor under the names of a signature; of several outputs it gives the first.

    Attributes:
        function: tensor -> tensor.
        given: what the signature calls the one.
        result: what it calls the other.
        takes: the shape of the one.
        gives: the shape of the other.
    """

    function: Callable[[Any], Any]
    given: str
    result: str
    takes: Shape
    gives: Shape

    def __call__(self, **tensors: Any) -> dict[str, Any]:
        return {self.result: self.function(tensors[self.given])}

    @property
    def inputs(self) -> dict[str, Shape]:
        """Name -> shape of what it takes."""
        return {self.given: self.takes}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Name -> shape of what it gives."""
        return {self.result: self.gives}


def is_keras_file(path: Path) -> bool:
    """Tell whether `path` is a file that is called as Keras calls its own."""
    return path.suffix in SUFFIXES and path.is_file()


def wrap_keras_file(path: Path, given: str, result: str, *, trust: bool) -> OneFunction:
    """Return the Keras model in a file."""
    model = load_keras(path, trust=trust, how="pass --trust")
    takes: Any = getattr(model, "input_shape", None)
    gives: Any = getattr(model, "output_shape", None)
    if not _is_shape(takes):
        raise errors.InvalidInput(f"The Keras model {path} must take one tensor; it takes {takes}.")

    def function(tensor: Any) -> Any:
        """Apply the model."""
        output = model(tensor, training=False)
        if isinstance(output, dict):
            raise errors.InvalidInput(
                f"The Keras model {path} must give a tensor, or a list that begins with the one that counts; it "
                f"gives {errors.listing(output)} by name."
            )
        return output[0] if isinstance(output, (list, tuple)) else output

    return OneFunction(function, given, result, takes, gives if _is_shape(gives) else gives[0])


def wrap_signature(folder: Path, signature: Signature, given: str, result: str) -> OneFunction:
    """Return the one function of a SavedModel; ``output_0`` comes before ``output_1``."""
    names = sorted(signature.outputs, key=lambda name: [int(part) for part in re.findall(r"[0-9]+", name)])
    if len(signature.inputs) != 1 or not names:
        raise errors.InvalidInput(
            f"The signature '{SERVING}' of the model in {folder} must take one tensor and give one; it takes "
            f"{errors.listing(signature.inputs)} and gives {errors.listing(names)}."
        )
    ((name, takes),) = signature.inputs.items()
    return OneFunction(
        lambda tensor: signature(**{name: tensor})[names[0]], given, result, takes, signature.outputs[names[0]]
    )


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(side is None or isinstance(side, int) for side in value)


def keras_module(
    data: Any,
    encoder: str | Path | Coder | None = None,
    decoder: str | Path | Coder | None = None,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    trust: bool = False,
    device: str = "auto",
) -> Representation:
    """Return the Keras models that the config binds as a representation.

    Args:
        data: ground-truth data.
        encoder: ``'encoder.keras'``, the path of a file, or a model or function that takes images (n, h, w, c),
            ``@my_package.Encoder()`` in a config.
        decoder: the same for what takes codes.
        channels_first: they take and give (n, c, h, w).
        activation: ``"none"`` if the decoder gives pixels in [0, 1], or ``"logits"`` or ``"tanh"``.
        gaussian: the encoder gives mean and log variance.
        trust: load files with classes that are not known to be harmless too.
        device: as for `causal_disent_tf._tensorflow.choose_device`.
    """
    if encoder is None:
        raise errors.ConfigError("The config must bind keras_module.encoder, to 'encoder.keras', say.")
    parts: dict[str, Any] = {"encoder": encoder, "decoder": decoder}
    for name, part in parts.items():
        if isinstance(part, (str, Path)):
            with tensorflow().device(choose_device(device)):
                parts[name] = load_keras(Path(part), trust=trust, how="bind keras_module.trust = True")
    options: Any = {"channels_first": channels_first, "activation": activation, "gaussian": gaussian}
    return from_module(parts["encoder"], parts["decoder"], device, **options)
