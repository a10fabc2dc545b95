"""TensorFlow for causal_disent: training, disentanglement_lib's checkpoints, SavedModels, Keras models."""

from __future__ import annotations

from causal_disent_tf.backend import TfBackend
from causal_disent_tf.classifier import KerasClassifier
from causal_disent_tf.representation import TfRepresentation, architecture, from_module

__all__ = ["KerasClassifier", "TfBackend", "TfRepresentation", "architecture", "from_module"]
