"""The modules that an old file imports and that are not what it expects, or not there."""

from __future__ import annotations

import builtins
import functools
import importlib.util
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from causal_disent.compat import drawing, utils

PACKAGE = "disentanglement_lib"


def package_stand_ins() -> dict[str, ModuleType]:
    """By name, what is offered of disentanglement_lib."""
    offered: dict[str, tuple[ModuleType, Iterable[str]]] = {
        "evaluation.metrics.utils": (utils, utils.__all__),
        "utils.results": (drawing, ["namespaced_dict"]),
        "visualize.dendrogram": (drawing, ["dendrogram_plot"]),
        "visualize.visualize_scores": (
            drawing,
            ["heat_square", "plot_recovery_vs_independent", "precision", "recall"],
        ),
    }
    return {
        f"{PACKAGE}.{name}": module_of(
            f"{PACKAGE}.{name}", {member: getattr(source, member) for member in members}
        )
        for name, (source, members) in offered.items()
    }


def six_stand_ins() -> dict[str, ModuleType]:
    """What metric files take from six, where it is not installed."""
    if importlib.util.find_spec("six"):
        return {}
    moves = module_of(
        "six.moves",
        {
            "filter": builtins.filter,
            "map": builtins.map,
            "range": builtins.range,
            "reduce": functools.reduce,
            "xrange": builtins.range,
            "zip": builtins.zip,
        },
    )
    members = {
        "PY2": False,
        "PY3": True,
        "integer_types": (int,),
        "iteritems": lambda mapping: iter(mapping.items()),
        "iterkeys": lambda mapping: iter(mapping.keys()),
        "itervalues": lambda mapping: iter(mapping.values()),
        "moves": moves,
        "string_types": (str,),
        "text_type": str,
    }
    return {"six": module_of("six", members), "six.moves": moves}


def module_of(name: str, members: dict[str, Any]) -> ModuleType:
    """A module called `name` with these members."""
    module = ModuleType(name)
    module.__dict__.update(members)
    return module
