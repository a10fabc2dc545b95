"""What this plugin registers; the imports also make the names known that training configs use."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent_torch import optimizers  # noqa: F401
from causal_disent_torch.architectures import names as architecture_names  # noqa: F401
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.classifier.factory import conv_classifier
from causal_disent_torch.convert import add as add_convert
from causal_disent_torch.demo import add as add_demo
from causal_disent_torch.losses import names as loss_names  # noqa: F401
from causal_disent_torch.models import (  # noqa: F401
    annealed_vae,
    beta_tc_vae,
    boxed,
    dip_vae,
    factor_vae,
    supervised,
    vae,
)
from causal_disent_torch.own_module import torch_module
from causal_disent_torch.steps import postprocess, settings  # noqa: F401
from causal_disent_torch.supervision import annealers, labellers  # noqa: F401
from causal_disent_torch.supervision import names as supervision_names  # noqa: F401
from causal_disent_torch.tf1.backend import Tf1Backend

__all__ = ["register_backends", "register_classifiers", "register_commands", "register_models"]


@hookimpl
def register_models(register: Register) -> None:
    register("torch_module", torch_module, summary="one's own torch modules, bound in a config")


@hookimpl
def register_backends(register: Register) -> None:
    register("torch", TorchBackend, summary="models that dlib_train and dlib_postprocess wrote", rank="10")
    register("tf_free", Tf1Backend, summary="disentanglement_lib's folders, read without TensorFlow", rank="20")


@hookimpl
def register_classifiers(register: Register) -> None:
    register("conv_classifier", conv_classifier, summary="three convolutions, trained once per data set and kept")


@hookimpl
def register_commands(register: Register) -> None:
    register("demo_model", add_demo, summary="train a small beta-VAE on confounded images, measure it and draw it")
    register("convert", add_convert, summary="write disentanglement_lib's checkpoints as safetensors")
