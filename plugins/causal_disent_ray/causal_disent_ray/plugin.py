"""What this plugin registers."""

from __future__ import annotations

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register


@hookimpl
def register_engines(register: Register) -> None:
    register("ray", "causal_disent_ray.engine:RayEngine", summary="Ray tasks, on this machine or on a cluster")
