"""Which device TensorFlow runs on."""

from __future__ import annotations

import re

from causal_disent import errors
from causal_disent_tf._tensorflow import tensorflow

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
