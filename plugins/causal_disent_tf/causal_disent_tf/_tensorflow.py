"""TensorFlow, and Keras 3 on it, imported when they are first needed."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from causal_disent import errors


def tensorflow() -> Any:
    """The module."""
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
    """The module, if it is Keras 3 on TensorFlow."""
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
