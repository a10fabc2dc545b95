"""TF-Hub modules of TensorFlow 1, which are not written here."""

from __future__ import annotations

from typing import Any

from disentanglement_lib._core import refuse

_INSTEAD = "Representations are made by disentanglement_lib.postprocessing.postprocess."


def convolute_and_save(
    module_path: str,
    signature: str,
    export_path: str,
    transform_fn: Any,
    transform_checkpoint_path: str,
    new_signature: str | None = None,
) -> None:
    """Refuse."""
    refuse("`convolute_and_save`", _INSTEAD)


def save_numpy_arrays_to_checkpoint(checkpoint_path: str, **dict_with_arrays: Any) -> None:
    """Refuse."""
    refuse("`save_numpy_arrays_to_checkpoint`", _INSTEAD)
