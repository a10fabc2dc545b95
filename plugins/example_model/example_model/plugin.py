"""What this plugin registers. Targets are text, so that torch is imported when one of them is used."""

from causal_disent.hookspecs import hookimpl


@hookimpl
def register_models(register):
    register(
        "mmd_vae",
        "example_model.model:mmd_vae",
        summary="codes as a whole towards the prior (Zhao et al. 2017)",
        backend="torch",
        config="models/mmd_vae.gin",
    )


@hookimpl
def register_parts(register):
    register(
        "patch_encoder",
        "example_model.model:PatchEncoder",
        summary="patches of pixels, then a dense layer",
        role="encoder",
        backend="torch",
    )
