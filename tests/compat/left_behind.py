"""What a metric file could change for others, and the bins that several of them are run with."""

import re
import sys
from contextlib import suppress
from importlib import import_module

import gin

import causal_disent.runs.evaluate  # noqa: F401  registers what configs bind
from causal_disent import config
from causal_disent.registry import registry

BINS = ["discretizer.discretizer_fn = @histogram_discretizer", "discretizer.num_bins = 7"]


with suppress(ModuleNotFoundError):
    import_module("six.moves")  # or a file that imports it, where it is installed, would leave it behind


def state():
    """Everything that a loaded file could leave behind."""
    for entry in registry.in_configs().values():
        if entry.owner == "builtin":
            config.given_to_gin(entry)  # or a name that is first used in between would count as left behind
    return (
        {name for name in sys.modules if re.match(r"(disentanglement_lib|six|gin|metric_file)", name)},
        {name: id(value) for name, value in vars(gin).items()},
        {key: id(value) for key, value in gin.config._REGISTRY.items()},
        {kind: list(registry.entries(kind)) for kind in ("metrics", "parts", "datasets")},
        registry.function("metrics", "mig"),
        list(sys.path),
    )
