"""TensorFlow, and Keras 3 on it, imported when they are first needed; and its devices."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from causal_disent import errors


def tensorflow() -> Any:
    """Return the module."""
    # Otherwise its import writes several lines about the processor to the standard error.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # Keras 3 asks this variable first, and else a file in the user's folder that may name another framework.
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        import tensorflow as tf
    except ImportError as error:
        raise errors.InvalidInput(
            f"TensorFlow cannot be imported ({error}). Install it with `pip install 'tensorflow>=2.16'`; "
            "disentanglement_lib's own architectures can be read without it: --backend tf_free."
        ) from None
    return tf


def keras() -> Any:
    """Return the module, if it is Keras 3 on TensorFlow."""
    module = tensorflow().keras
    try:
        found = f"Keras {module.__version__} on {module.backend.backend()}"
    except ImportError as error:
        found = f"none ({str(error).rstrip('.')})"
    if not re.match(r"Keras [3-9].* on tensorflow$", found):
        raise errors.InvalidInput(
            f"Keras 3 on TensorFlow is needed; here is {found}. `pip install 'tensorflow>=2.16'` brings it; leave "
            "the variables TF_USE_LEGACY_KERAS and KERAS_BACKEND unset."
        )
    return module


@contextmanager
def quiet() -> Iterator[None]:
    """TensorFlow does not warn: of what is older than version 2, which is wanted here."""
    logger = tensorflow().get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


#: What ``--device`` takes; ``gpu:1`` and the like as well, and ``cuda`` for ``gpu``.
DEVICES = ("auto", "gpu", "cpu")


def choose_device(name: str = "auto") -> str:
    """What `tf.device` calls the device `name`, if this machine has it; the memory of GPUs grows as it is needed.

    Args:
        name: one of `DEVICES`, perhaps with a number. ``"auto"`` takes a GPU where TensorFlow sees one.
    """
    tf = tensorflow()
    for gpu in tf.config.list_physical_devices("GPU"):
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except RuntimeError:  # it is in use already, as it was set up before
            break
    # Those that `tf.device` names; a program may have made several of one.
    found = {kind: tf.config.list_logical_devices(kind.upper()) for kind in DEVICES[1:]}
    if name == "auto":
        name = next(kind for kind, devices in found.items() if devices)
    parts = re.fullmatch(r"(gpu|cuda|cpu)(?::([0-9]+))?", name) if isinstance(name, str) else None
    if parts is None:
        raise errors.unknown("device", name, DEVICES)
    kind, number = parts[1].replace("cuda", "gpu"), int(parts[2] or 0)
    if number >= len(found[kind]):
        here = errors.listing(f"{kind}:{number}" for kind in found for number in range(len(found[kind])))
        raise errors.InvalidInput(f"There is no device '{name}' on this machine; there is {here}, or 'auto'.")
    return f"/{kind.upper()}:{number}"
