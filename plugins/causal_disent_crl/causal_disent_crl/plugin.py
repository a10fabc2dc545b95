"""What this plugin registers."""

from __future__ import annotations

from causal_disent_datasets.files import FromFiles

from causal_disent.data.properties import describe
from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent_crl.celeba import CelebaBeard, CelebaSmile
from causal_disent_crl.shadow.folder import ShadowPointlight, ShadowSunlight

#: Name -> class and summary of each data set that needs files.
FROM_FILES: dict[str, tuple[type[FromFiles], str]] = {
    "shadow_sunlight": (
        ShadowSunlight,
        "Shadow under the sun: 7 factors, 41,160 images, 128x128x3",
    ),
    "shadow_pointlight": (
        ShadowPointlight,
        "Shadow under a lamp: 8 factors, 41,160 images, 128x128x3",
    ),
    "celeba_beard": (CelebaBeard, "CelebA(BEARD): 4 factors, 202,599 images, 128x128x3"),
    "celeba_smile": (CelebaSmile, "CelebA(SMILE): 4 factors, 202,599 images, 128x128x3"),
}
#: Flat drawings of a mechanism, of which nothing else varies.
DRAWN = {
    "factors": 4, "three_d": False, "realistic": False, "foreground": True, "off_centre": True,
    "background": False, "confounders": False, "depth": 2, "nuisance": False, "various": True, "consistent": True,
}  # fmt: skip
SHADOWS = {**DRAWN, "images": 41160, "three_d": True, "nuisance": True}
FACES = {
    "factors": 4, "images": 202599, "resolution": "128x128", "three_d": True, "realistic": True,
    "foreground": True, "off_centre": False, "background": True, "depth": 2, "nuisance": True,
    "various": False, "consistent": False,
}  # fmt: skip
#: What table 1 of the Shadow paper says, and what the factors tell.
PROPERTIES = {
    "pendulum": describe(**DRAWN, images=7308, resolution="96x96"),
    "flow": describe(**DRAWN | {"depth": 3}, images=8100, resolution="96x96"),
    "light_tunnel": describe(
        **DRAWN | {"factors": 5, "depth": 1, "foreground": False, "nuisance": True}, resolution="64x64"
    ),
    "shadow_sunlight": describe(**SHADOWS | {"factors": 7, "realistic": True}, resolution="128x128"),
    "shadow_pointlight": describe(**SHADOWS | {"factors": 8, "realistic": True}, resolution="128x128"),
    "shadow_mini": describe(**SHADOWS | {"factors": 7}, resolution="64x64"),
    "celeba_beard": describe(**FACES),
    "celeba_smile": describe(**FACES),
}

_CAUSALVAE = "https://github.com/huawei-noah/trustworthyAI (research/CausalVAE)"
_CHAMBER = "https://github.com/juangamella/causal-chamber (datasets/lt_crl_benchmark_v1)"
#: Name -> target and summary of each model; torch, which they need, is imported when one of them is used.
MODELS = {
    "causal_vae": ("causal_vae:causal_vae", "codes by a learned graph, taught the factors (Yang et al. 2021)"),
    "causal_vae_unsupervised": ("causal_vae:causal_vae_unsupervised", "CausalVAE without labels"),
    "do_vae": ("causal_vae:DoVae", "causes and effects of two images exchanged: a reading of Zhu et al. 2022"),
    "condition_vae": ("condition_vae:condition_vae", "a VAE that is given the labels (Sohn et al. 2015)"),
    "ladder_vae": ("ladder_vae:ladder_vae", "codes in levels (Soenderby et al. 2016)"),
}
#: Role -> name -> target and summary.
NETWORKS = {
    "encoder": {
        "crl_encoder": ("layers:MlpEncoder", "dense layers of 900 and 300 with ELU"),
        "crl_conv_encoder": ("layers:ConvEncoder", "four convolutions with leaky ReLU"),
        "condition_encoder": ("condition_vae:ConditionEncoder", "dense layers that take labels, too"),
        "ladder_encoder": ("ladder_vae:LadderEncoder", "dense layers with a level of codes each"),
    },
    "decoder": {
        "causal_decoder": ("causal_decoder:CausalDecoder", "a causal layer, masks, and a network per concept"),
        "crl_decoder": ("condition_vae:MlpDecoder", "dense layers of 300 with ELU"),
        "ladder_decoder": ("ladder_vae:LadderDecoder", "levels of codes, the lower given the higher"),
    },
}


@hookimpl
def register_models(register: Register) -> None:
    for name, (target, summary) in MODELS.items():
        target = f"causal_disent_crl.models.{target}"
        register(name, target, summary=summary, backend="torch", config=f"models/{name}.gin")


@hookimpl
def register_parts(register: Register) -> None:
    for role, networks in NETWORKS.items():
        for name, (target, summary) in networks.items():
            register(name, f"causal_disent_crl.models.{target}", summary=summary, role=role, backend="torch")


@hookimpl
def register_datasets(register: Register) -> None:
    register(
        "pendulum",
        "causal_disent_crl.pendulum:Pendulum",
        summary="a pendulum, a light and the shadow: 4 factors, 7,308 images, 96x96x4",
        licence="Apache-2.0; the published files: MIT",
        published=f"{_CAUSALVAE}; drawn here",
        size="202 MB once drawn",
        properties=PROPERTIES["pendulum"],
    )
    register(
        "flow",
        "causal_disent_crl.flow:Flow",
        summary="a ball, water and the jet from a hole: 4 factors, 8,100 images, 96x96x4",
        licence="Apache-2.0; the published files: MIT",
        published=f"{_CAUSALVAE}; drawn here",
        size="224 MB once drawn",
        properties=PROPERTIES["flow"],
    )
    register(
        "light_tunnel",
        "causal_disent_crl.light_tunnel:LightTunnel",
        summary="light behind two polarizers, simulated or photographed: 5 factors, 64x64x3",
        licence="Apache-2.0; the published photographs: CC BY 4.0",
        published=f"{_CHAMBER}; simulated here",
        size="2,000 to 100,000 images",
        properties=PROPERTIES["light_tunnel"],
    )
    register(
        "shadow_mini",
        "causal_disent_crl.shadow.mini:ShadowMini",
        summary="Shadow, drawn by formula: 7 or 8 factors, 41,160 images, 64x64x3",
        licence="Apache-2.0",
        stands_for={"light=sun": "shadow_sunlight", "light=point": "shadow_pointlight"},
        properties=PROPERTIES["shadow_mini"],
    )
    for name, (data, summary) in FROM_FILES.items():
        register(name, data, summary=summary, properties=PROPERTIES[name], **data.publication.details())


@hookimpl
def register_representations(register: Register) -> None:
    for name, summary in (
        ("causal_oracle", "the true mechanism: factors, graph, interventions and pictures of the data set"),
        ("linear_causal_oracle", "standardised factors under a linear layer: true, no or reversed edges"),
        ("causal_noise_oracle", "codes that say nothing under the true graph"),
    ):
        register(name, f"causal_disent_crl.oracles:{name}", summary=summary)


@hookimpl
def register_commands(register: Register) -> None:
    summary = "Shadow, made by Blender: 41,160 images"
    register("render_shadow", "causal_disent_crl.shadow.render:add_shadow", summary=summary, under="render")
