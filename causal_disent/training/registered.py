"""The models and parts that every backend registers, apart from the objectives: listings load no gin."""

from __future__ import annotations

from causal_disent.registry import Register

#: Name -> a shipped config that trains it, summary.
MODELS = {
    "vae": ("beta_vae", "beta-VAE: the divergence from the prior, beta times"),
    "annealed_vae": ("annealed_vae", "beta-VAE with a capacity that grows (Burgess et al. 2018)"),
    "factor_vae": ("factor_vae", "total correlation by a discriminator (Kim and Mnih 2018)"),
    "dip_vae": ("dip_vae_i", "covariance of the codes towards the identity (Kumar et al. 2018)"),
    "beta_tc_vae": ("beta_tc_vae", "total correlation by minibatches (Chen et al. 2018)"),
}
WEAKLY_SUPERVISED = {
    "group_vae_labels": ("group_vae_labels", "Group-VAE: pairs, and which factor differs (Hosoya 2019)"),
    "group_vae_argmax": ("group_vae_argmax", "Ada-GVAE: pairs of images alone (Locatello et al. 2020)"),
    "mlvae_labels": ("mlvae_labels", "ML-VAE: pairs, and which factor differs (Bouchacourt et al. 2018)"),
    "mlvae_argmax": ("mlvae_argmax", "Ada-ML-VAE: pairs of images alone (Locatello et al. 2020)"),
}
SEMI_SUPERVISED = {
    "s2_vae": ("s2_vae", "beta-VAE with labels of some images"),
    "s2_factor_vae": ("s2_factor_vae", "FactorVAE with labels of some images"),
    "s2_dip_vae": ("s2_dip_vae", "DIP-VAE with labels of some images"),
    "s2_beta_tc_vae": ("s2_beta_tc_vae", "beta-TCVAE with labels of some images"),
    "s2_factor_vae_bb": ("s2_factor_vae_bb", "FactorVAE with labels and bounding boxes (CANDLE)"),
}
#: Role -> name -> its place in the package of every backend, summary.
PARTS = {
    "encoder": {
        "conv_encoder": ("networks:ConvEncoder", "four convolutions and a dense layer"),
        "fc_encoder": ("networks:FcEncoder", "two dense layers of 1200"),
        "test_encoder": ("networks:LinearEncoder", "a linear map"),
    },
    "decoder": {
        "deconv_decoder": (
            "networks:DeconvDecoder",
            "two dense layers and four transposed convolutions",
        ),
        "fc_decoder": ("networks:FcDecoder", "three dense layers of 1200"),
        "test_decoder": ("networks:LinearDecoder", "a linear map"),
    },
    "discriminator": {"fc_discriminator": ("networks:FcDiscriminator", "six dense layers of 1000")},
    "optimizer": {"AdamOptimizer": ("training:adam", "Adam with TensorFlow's names and defaults")},
    "reconstruction_loss": {
        "bernoulli_loss": ("losses:bernoulli_loss", "cross entropy of the pixels"),
        "l2_loss": ("losses:l2_loss", "squared error of the pixels"),
    },
    "supervised_loss": {
        "xent": ("losses:Xent", "cross entropy of labels"),
        "l2": ("losses:L2", "squared error of labels"),
        "cov": ("losses:Cov", "covariance of codes and labels"),
        "embed": ("losses:Embed", "distance of codes and embedded labels"),
    },
}


def register_objectives(register: Register, backend: str) -> None:
    """Register every model for a backend that has the functions of `causal_disent.training.objective`."""
    for models, facts in ((MODELS, {}), (WEAKLY_SUPERVISED, {}), (SEMI_SUPERVISED, {"labels": True})):
        for name, (config, summary) in models.items():
            target, config = f"causal_disent.training.objectives:{name}", f"models/{config}.gin"
            register(name, target, summary=summary, backend=backend, config=config, **facts)


def register_needs(register: Register, backend: str, package: str) -> None:
    """Register what the models are made of, as it is found in the `package` of a backend."""
    for role, parts in PARTS.items():
        for name, (place, summary) in parts.items():
            register(name, f"{package}.{place}", summary=summary, role=role, backend=backend)
