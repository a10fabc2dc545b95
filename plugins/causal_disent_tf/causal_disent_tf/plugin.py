"""What this plugin registers."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register


@hookimpl
def register_backends(register: Register) -> None:
    register(
        "tf",
        "causal_disent_tf.backend:TfBackend",
        summary="TF1-Hub modules and SavedModels, run by TensorFlow",
        rank=30,
    )


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "keras_classifier",
        "causal_disent_tf.classifier:KerasClassifier",
        summary="a Keras model from a .keras or .h5 file",
    )
