"""What this plugin registers."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register

__all__ = ["register_datasets"]

_CAUSALVAE = "https://github.com/huawei-noah/trustworthyAI (research/CausalVAE)"
_CHAMBER = "https://github.com/juangamella/causal-chamber (datasets/lt_crl_benchmark_v1)"


@hookimpl
def register_datasets(register: Register) -> None:
    register(
        "pendulum",
        "causal_disent_crl.pendulum:Pendulum",
        summary="a pendulum, a light and the shadow: 4 factors, 7,308 images, 96x96x4",
        licence="Apache-2.0; the published files: MIT",
        published=f"{_CAUSALVAE}; drawn here",
        size="202 MB once drawn",
    )
    register(
        "flow",
        "causal_disent_crl.flow:Flow",
        summary="a ball, water and the jet from a hole: 4 factors, 8,100 images, 96x96x4",
        licence="Apache-2.0; the published files: MIT",
        published=f"{_CAUSALVAE}; drawn here",
        size="224 MB once drawn",
    )
    register(
        "light_tunnel",
        "causal_disent_crl.light_tunnel:LightTunnel",
        summary="light behind two polarizers, simulated or photographed: 5 factors, 64x64x3",
        licence="Apache-2.0; the published photographs: CC BY 4.0",
        published=f"{_CHAMBER}; simulated here",
        size="2,000 to 100,000 images",
    )
