"""What this plugin registers; targets are text, so that TensorFlow is imported when one of them is used."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent.training.registered import register_needs, register_objectives

HERE = "causal_disent_tf"
BACKEND = "tf"


@hookimpl
def register_models(register: Register) -> None:
    register_objectives(register, BACKEND)


@hookimpl
def register_parts(register: Register) -> None:
    register_needs(register, BACKEND, HERE)


@hookimpl
def register_representations(register: Register) -> None:
    register(
        "keras_module", f"{HERE}.keras_files:keras_module", summary="one's own Keras models, bound in a config"
    )


@hookimpl
def register_backends(register: Register) -> None:
    register(
        BACKEND,
        f"{HERE}.backend:TfBackend",
        summary="TensorFlow: trains, writes and reads; TF1-Hub modules and SavedModels",
        rank=30,
        trains=True,
        precisions=("float32", "bfloat16"),
        converts=("dlib",),
    )


@hookimpl
def register_trackers(register: Register) -> None:
    register(
        "tensorboard",
        f"{HERE}.training:Curves",
        summary="curves for TensorBoard, which need not be installed to write them",
        always=True,
        backend=BACKEND,
    )


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "keras_classifier",
        "causal_disent_tf.classifier:KerasClassifier",
        summary="a Keras model from a .keras or .h5 file",
    )
