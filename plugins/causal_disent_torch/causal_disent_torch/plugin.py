"""What this plugin registers."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register

__all__ = [
    "register_backends",
    "register_classifiers",
    "register_commands",
    "register_models",
    "register_parts",
    "register_representations",
]

HERE = "causal_disent_torch"


@hookimpl
def register_models(register: Register) -> None:
    for name, module, summary in (
        ("vae", "vae", "beta-VAE: the divergence from the prior, beta times"),
        ("annealed_vae", "annealed_vae", "beta-VAE with a capacity that grows (Burgess et al. 2018)"),
        ("factor_vae", "factor_vae", "total correlation by a discriminator (Kim and Mnih 2018)"),
        ("dip_vae", "dip_vae", "covariance of the codes towards the identity (Kumar et al. 2018)"),
        ("beta_tc_vae", "beta_tc_vae", "total correlation by minibatches (Chen et al. 2018)"),
        ("s2_vae", "supervised", "beta-VAE with labels of some images"),
        ("s2_factor_vae", "supervised", "FactorVAE with labels of some images"),
        ("s2_dip_vae", "supervised", "DIP-VAE with labels of some images"),
        ("s2_beta_tc_vae", "supervised", "beta-TCVAE with labels of some images"),
        ("s2_factor_vae_bb", "boxed", "FactorVAE with labels and bounding boxes (CANDLE)"),
    ):
        register(name, f"{HERE}.models.{module}:{name}", summary=summary, backend="torch")


@hookimpl
def register_representations(register: Register) -> None:
    register(
        "torch_module", f"{HERE}.own_module:torch_module", summary="one's own torch modules, bound in a config"
    )


@hookimpl
def register_parts(register: Register) -> None:
    for module, names in (
        ("steps.settings", {"model": ("model_settings", "what is trained, for how long, with which seeds")}),
        (
            "steps.postprocess",
            {
                "postprocess": ("settings", "what the codes of a representation are"),
                "mean_representation": ("mean_representation", "codes are the means"),
                "sampled_representation": ("sampled_representation", "codes are drawn"),
            },
        ),
        ("visualize.model", {"visualize_model": ("settings", "which pictures of a model are drawn")}),
        (
            "optimizers",
            {
                "vae_optimizer": ("vae_optimizer", "of encoder and decoder"),
                "discriminator_optimizer": ("discriminator_optimizer", "of the discriminator"),
                "AdamOptimizer": ("adam", "Adam with TensorFlow's names and defaults"),
            },
        ),
        (
            "losses.names",
            {
                "reconstruction_loss": ("reconstruction_loss", "how images and reconstructions are compared"),
                "bernoulli_loss": ("bernoulli", "cross entropy of the pixels"),
                "l2_loss": ("squared_error", "squared error of the pixels"),
            },
        ),
        (
            "supervision.names",
            {
                "supervised_loss": ("supervised_loss", "how codes and labels are compared"),
                "xent": ("xent", "cross entropy of labels"),
                "l2": ("l2", "squared error of labels"),
                "cov": ("cov", "covariance of codes and labels"),
                "embed": ("embed", "distance of codes and embedded labels"),
            },
        ),
        (
            "supervision.annealers",
            {
                "annealer": ("annealer", "how the weight of the supervised loss changes"),
                "fixed": ("fixed", "it does not"),
                "anneal": ("anneal", "it grows"),
                "fine_tune": ("fine_tune", "it begins late"),
            },
        ),
        (
            "supervision.labellers",
            {
                "labeller": ("labeller", "where the labels come from"),
                "perfect_labeller": ("perfect_labeller", "the factors"),
                "bin_labeller": ("bin_labeller", "the factors in bins"),
                "noisy_labeller": ("noisy_labeller", "the factors, some of them wrong"),
                "permuted_labeller": ("permuted_labeller", "the factors with their values permuted"),
                "partial_labeller": ("partial_labeller", "some of the factors"),
            },
        ),
        (
            "architectures.names",
            {
                "encoder": ("encoder", "which encoder, with how many codes"),
                "decoder": ("decoder", "which decoder"),
                "discriminator": ("discriminator", "which discriminator"),
            },
        ),
    ):
        for name, (attribute, summary) in names.items():
            register(name, f"{HERE}.{module}:{attribute}", summary=summary)
    for name, attribute, summary in (
        ("conv_encoder", "conv_encoder", "four convolutions and a dense layer"),
        ("deconv_decoder", "deconv_decoder", "two dense layers and four transposed convolutions"),
        ("fc_encoder", "fc_encoder", "two dense layers of 1200"),
        ("fc_decoder", "fc_decoder", "three dense layers of 1200"),
        ("test_encoder", "linear_encoder", "a linear map"),
        ("test_decoder", "linear_decoder", "a linear map"),
        ("fc_discriminator", "fc_discriminator", "six dense layers of 1000"),
    ):
        target = f"{HERE}.architectures.names:{attribute}.__wrapped__"
        register(name, target, summary=summary, supplied=("image_shape", "num_latent", "generator"))


@hookimpl
def register_backends(register: Register) -> None:
    register("torch", f"{HERE}.backend:TorchBackend", summary="models of dlib_train and dlib_postprocess", rank=10)
    register(
        "tf_free", f"{HERE}.tf1.backend:Tf1Backend", summary="disentanglement_lib's, without TensorFlow", rank=20
    )


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "conv_classifier",
        f"{HERE}.classifier.factory:conv_classifier",
        summary="three convolutions, trained once per data set and kept",
    )


@hookimpl
def register_commands(register: Register) -> None:
    register(
        "demo_model",
        f"{HERE}.demo:add",
        summary="train a small beta-VAE on confounded images, measure and draw it",
    )
    register("convert", f"{HERE}.convert:add", summary="write disentanglement_lib's checkpoints as safetensors")
