"""TensorFlow, imported when it is first needed."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from causal_disent import errors


def tensorflow() -> Any:
    """The module."""
    # Otherwise its import writes several lines about the processor to the standard error.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    try:
        import tensorflow as tf
    except ImportError as error:
        raise errors.InvalidInput(
            f"TensorFlow cannot be imported ({error}). Install it with `pip install 'tensorflow>=2.16'`; "
            "disentanglement_lib's own architectures can be read without it: --backend tf_free."
        ) from None
    return tf


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
