"""What this plugin registers; targets are text, so that torch is imported when one of them is used."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register

HERE = "causal_disent_torch"
BACKEND = "torch"
#: Name -> module, a shipped config that trains it, summary.
MODELS = {
    "vae": ("vae", "beta_vae", "beta-VAE: the divergence from the prior, beta times"),
    "annealed_vae": ("annealed_vae", "annealed_vae", "beta-VAE with a capacity that grows (Burgess et al. 2018)"),
    "factor_vae": ("factor_vae", "factor_vae", "total correlation by a discriminator (Kim and Mnih 2018)"),
    "dip_vae": ("dip_vae", "dip_vae_i", "covariance of the codes towards the identity (Kumar et al. 2018)"),
    "beta_tc_vae": ("beta_tc_vae", "beta_tc_vae", "total correlation by minibatches (Chen et al. 2018)"),
}
SEMI_SUPERVISED = {
    "s2_vae": ("supervised", "s2_vae", "beta-VAE with labels of some images"),
    "s2_factor_vae": ("supervised", "s2_factor_vae", "FactorVAE with labels of some images"),
    "s2_dip_vae": ("supervised", "s2_dip_vae", "DIP-VAE with labels of some images"),
    "s2_beta_tc_vae": ("supervised", "s2_beta_tc_vae", "beta-TCVAE with labels of some images"),
    "s2_factor_vae_bb": ("boxed", "s2_factor_vae_bb", "FactorVAE with labels and bounding boxes (CANDLE)"),
}
#: Role -> name -> target and summary.
PARTS = {
    "encoder": {
        "conv_encoder": ("networks.conv:ConvEncoder", "four convolutions and a dense layer"),
        "fc_encoder": ("networks.fc:FcEncoder", "two dense layers of 1200"),
        "test_encoder": ("networks.linear:LinearEncoder", "a linear map"),
    },
    "decoder": {
        "deconv_decoder": ("networks.conv:DeconvDecoder", "two dense layers and four transposed convolutions"),
        "fc_decoder": ("networks.fc:FcDecoder", "three dense layers of 1200"),
        "test_decoder": ("networks.linear:LinearDecoder", "a linear map"),
    },
    "discriminator": {"fc_discriminator": ("networks.discriminator:FcDiscriminator", "six dense layers of 1000")},
    "optimizer": {"AdamOptimizer": ("train.optimizers:adam", "Adam with TensorFlow's names and defaults")},
    "reconstruction_loss": {
        "bernoulli_loss": ("losses.bernoulli:bernoulli_loss", "cross entropy of the pixels"),
        "l2_loss": ("losses.squared_error:l2_loss", "squared error of the pixels"),
    },
    "supervised_loss": {
        "xent": ("supervision.xent:xent", "cross entropy of labels"),
        "l2": ("supervision.l2:l2", "squared error of labels"),
        "cov": ("supervision.cov:cov", "covariance of codes and labels"),
        "embed": ("supervision.embed:embed", "distance of codes and embedded labels"),
    },
}


@hookimpl
def register_models(register: Register) -> None:
    for models, facts in ((MODELS, {}), (SEMI_SUPERVISED, {"labels": True})):
        for name, (module, config, summary) in models.items():
            target, config = f"{HERE}.objectives.{module}:{name}", f"models/{config}.gin"
            register(name, target, summary=summary, backend=BACKEND, config=config, **facts)


@hookimpl
def register_parts(register: Register) -> None:
    for role, parts in PARTS.items():
        for name, (target, summary) in parts.items():
            register(name, f"{HERE}.{target}", summary=summary, role=role, backend=BACKEND)


@hookimpl
def register_representations(register: Register) -> None:
    register(
        "torch_module", f"{HERE}.own_module:torch_module", summary="one's own torch modules, bound in a config"
    )


@hookimpl
def register_backends(register: Register) -> None:
    register(
        BACKEND, f"{HERE}.backend:TorchBackend", summary="PyTorch: trains, writes and reads", rank=10, trains=True
    )
    register(
        "tf_free", f"{HERE}.tf1.backend:Tf1Backend", summary="disentanglement_lib's, without TensorFlow", rank=20
    )


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "conv_classifier",
        f"{HERE}.classifier.factory:conv_classifier",
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
    register("convert", f"{HERE}.convert:add", summary="write disentanglement_lib's checkpoints as safetensors")
