"""What this plugin registers; targets are text, so that torch is imported when one of them is used."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent.training.registered import register_needs, register_objectives

HERE = "causal_disent_torch"
BACKEND = "torch"


@hookimpl
def register_models(register: Register) -> None:
    register_objectives(register, BACKEND)


@hookimpl
def register_parts(register: Register) -> None:
    register_needs(register, BACKEND, HERE)


@hookimpl
def register_representations(register: Register) -> None:
    register("torch_module", f"{HERE}.saved:torch_module", summary="one's own torch modules, bound in a config")
    register(
        "auto_model", f"{HERE}.auto_model:auto_model", summary="an image model of Hugging Face's transformers"
    )


@hookimpl
def register_backends(register: Register) -> None:
    register(
        BACKEND,
        f"{HERE}.backend:TorchBackend",
        summary="PyTorch: trains, writes and reads",
        rank=10,
        trains=True,
        converts=("onnx",),
        precisions=("float32", "bfloat16"),
        compiles=True,
    )
    register(
        "tf_free",
        f"{HERE}.tf1.backend:Tf1Backend",
        summary="disentanglement_lib's, without TensorFlow",
        rank=20,
        converts=("safetensors", "onnx"),
    )


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "conv_classifier",
        f"{HERE}.classifier:conv_classifier",
        summary="three convolutions, trained once per data set and kept",
        rank=10,
    )


@hookimpl
def register_commands(register: Register) -> None:
    register(
        "demo_model",
        f"{HERE}.demo:add",
        summary="train a small beta-VAE on confounded images, measure and draw it",
    )


@hookimpl
def register_trackers(register: Register) -> None:
    register(
        "tensorboard",
        f"{HERE}.training:tensorboard",
        summary="curves for TensorBoard, where it is installed",
        package="tensorboard",
        always=True,
        backend=BACKEND,
    )
