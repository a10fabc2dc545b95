"""TensorFlow, imported when it is first needed."""

from __future__ import annotations

import os
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
