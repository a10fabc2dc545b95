"""Curves for TensorBoard, which need not be installed to write them."""

from __future__ import annotations

from pathlib import Path

from causal_disent_tf._tensorflow import tensorflow


class Curves:
    """The tracker ``tensorboard``: writes the numbers of a run into `folder`.

    Args:
        folder: of the files.
        first_step: from which the run goes on; TensorBoard itself drops later points of an earlier file.
    """

    def __init__(self, folder: Path, first_step: int = 0) -> None:
        tf = tensorflow()
        self._tf, self._writer = tf, tf.summary.create_file_writer(str(folder))
        # tf.summary.scalar would write the same, but is TensorBoard's.
        self._metadata = tf.compat.v1.SummaryMetadata(plugin_data={"plugin_name": "scalars"})

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """One point of the curve of that name."""
        with self._writer.as_default():
            self._tf.summary.write(name, self._tf.constant(value), step=step, metadata=self._metadata)

    def close(self) -> None:
        """Write what is not written yet."""
        self._writer.close()
