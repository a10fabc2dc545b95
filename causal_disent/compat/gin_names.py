"""The modules that an old file imports and that are not what it expects, or not there."""

from __future__ import annotations

import builtins
import functools
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import gin
import numpy as np

from causal_disent import config, errors
from causal_disent.compat import utils
from causal_disent.plugins import BUILTIN
from causal_disent.registry import KINDS, Entry, Part, registry

PACKAGE = "disentanglement_lib"
Function = Callable[..., Any]


#: gin's decorators, whose lists of parameters have had other names.
DECORATORS = ("configurable", "external_configurable", "register")
#: What configs bind to a function that puts numbers into bins, and the arguments of such a function.
DISCRETIZER, DISCRETIZES = "discretizer.discretizer_fn", ["target", "num_bins"]


def use_gin_tf() -> None:
    """Make ``gin.tf`` gin itself for this process, and let gin take what old programs give it.

    The real ``gin.tf`` needs a TensorFlow that no longer exists. It adds TensorFlow's optimizers, which are ours
    here. Old programs say ``blacklist`` and ``whitelist``, and their discretizers have a row per code.
    """
    for name in ("gin.tf", "gin.tf.external_configurables"):
        sys.modules[name] = gin
    if getattr(gin, "tf", None) is gin:
        return
    gin.tf = gin.external_configurables = gin
    for name in DECORATORS:
        setattr(gin, name, _for_old_programs(getattr(gin, name)))
    bind_parameter = gin.bind_parameter

    @functools.wraps(bind_parameter)
    def bind(binding_key: Any, value: Any) -> None:
        theirs = str(binding_key).endswith(DISCRETIZER) and callable(value) and config.entry_of(value) is None
        bind_parameter(binding_key, transposing(value) if theirs else value)

    gin.bind_parameter = bind


def _for_old_programs(decorator: Function) -> Function:
    """A decorator of gin that takes the old names of the lists, and discretizers of the old layout."""

    @functools.wraps(decorator)
    def decorate(*args: Any, whitelist: Any = None, blacklist: Any = None, **named: Any) -> Any:
        lists = {"allowlist": whitelist, "denylist": blacklist}
        named |= {name: given for name, given in lists.items() if given is not None}
        if args and callable(args[0]):
            return _offer(args[0], lambda function: decorator(function, *args[1:], **named))
        return lambda function: _offer(function, decorator(*args, **named))

    return decorate


def _offer(function: Function, make: Function) -> Function:
    """What `make` makes of a function; a discretizer is turned for gin, and back for the program."""
    if inspect.isclass(function) or list(inspect.signature(function).parameters)[:2] != DISCRETIZES:
        return make(function)
    return transposing(make(transposing(function)))


def package_stand_ins() -> dict[str, ModuleType]:
    """By name, what is offered of disentanglement_lib."""
    offered: dict[str, tuple[ModuleType, Iterable[str]]] = {
        "evaluation.metrics.utils": (utils, utils.__all__),
        "utils.results": (utils, ["namespaced_dict"]),
        "visualize.dendrogram": (utils, ["dendrogram_plot"]),
        "visualize.visualize_scores": (
            utils,
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


#: The parts of every config, which a metric's file does not replace.
SETTINGS = ("dataset", "evaluation", "representation")


class GinNames:
    """The names that one file gives to functions, until `forget`.

    Attributes:
        names: all of them, in their order.
        replaced: the owner of each name that was taken from somebody.
    """

    def __init__(self, owner: str) -> None:
        self.names: list[str] = []
        self.replaced: dict[str, str] = {}
        self.forget = ExitStack()
        self._owner = owner

    def stand_ins(self) -> dict[str, ModuleType]:
        """``gin`` and ``gin.tf``, with the parameters that gin has renamed since under both names."""
        members = {name: value for name, value in vars(gin).items() if not name.startswith("__")}
        stand_in = module_of("gin", members)
        stand_in.__dict__.update(
            tf=stand_in,
            configurable=self.configurable,
            register=functools.partial(self.configurable, _keep=True),
            external_configurable=self.external_configurable,
        )
        # It registers TensorFlow's optimisers, which a metric does not use.
        optimisers = "gin.tf.external_configurables"
        stand_in.__dict__["external_configurables"] = module_of(optimisers, {})
        return {"gin": stand_in, "gin.tf": stand_in, optimisers: stand_in.__dict__["external_configurables"]}

    def configurable(
        self,
        name_or_fn: Any = None,
        module: str | None = None,
        *lists: Any,
        _keep: bool = False,
        **named_lists: Any,
    ) -> Any:
        """``gin.configurable``; `_keep` makes it ``gin.register``, which returns what it is given."""
        if callable(name_or_fn):
            return self.configurable(None, module, *lists, _keep=_keep, **named_lists)(name_or_fn)
        chosen = _lists(*lists, **named_lists)

        def decorate(function: Any) -> Any:
            name = name_or_fn or function.__name__
            if inspect.isclass(function) or module or "." in name:
                decorator = gin.register if _keep else gin.configurable
                return self._straight_to_gin(name, module, lambda whole: decorator(*whole, **chosen)(function))
            offered = self._offer(name, function, **chosen)
            return function if _keep else offered

        return decorate

    def external_configurable(
        self, fn_or_cls: Any, name: str | None = None, module: str | None = None, *lists: Any, **named_lists: Any
    ) -> Any:
        """``gin.external_configurable``."""
        name, chosen = name or fn_or_cls.__name__, _lists(*lists, **named_lists)
        if inspect.isclass(fn_or_cls) or module or "." in name:
            make = functools.partial(gin.external_configurable, fn_or_cls, **chosen)
            return self._straight_to_gin(name, module, lambda whole: make(*whole))
        return self._offer(name, fn_or_cls, **chosen)

    def _straight_to_gin(
        self, name: str, module: str | None, make: Callable[[tuple[str, str | None]], Any]
    ) -> Any:
        """Register a class, or a name with a module, neither of which is a metric's."""
        if module is None and "." not in name:
            module = "metric_file"
        short = name.rpartition(".")[2]
        if _owner_of(short):
            raise errors.InvalidInput(_taken(short))
        self.forget.callback(config.remembered(f"{module}.{name}" if module else name))
        with gin.config.interactive_mode():
            made = make((name, module))
        self.names.append(name)
        return made

    def _offer(
        self, name: str, function: Function, allowlist: Sequence[str] | None, denylist: Sequence[str] | None
    ) -> Function:
        """Give `name` to `function`, whoever has it now."""
        parameters = list(inspect.signature(function).parameters)
        supplied = [p for p in parameters if p not in allowlist] if allowlist else list(denylist or ())
        self._take(name)
        if parameters[:2] == DISCRETIZES:
            offered = self._register(name, transposing(function), supplied)
            return transposing(offered)
        return self._register(name, function, supplied)

    def _take(self, name: str) -> None:
        """Note whose name it is; metrics can be replaced, and parts that are not a run's settings."""
        entry = registry.in_configs().get(name)
        if entry and not (entry.kind == "metrics" or (entry.kind == "parts" and name not in SETTINGS)):
            raise errors.InvalidInput(_taken(name))
        if entry and name not in self.names:
            self.replaced[name] = _owner_of(name)
        self.names.append(name)

    def _register(self, name: str, function: Function, supplied: Sequence[str]) -> Function:
        known = registry.in_configs().get(name)
        replaces_a_part = known is not None and known.kind == "parts"
        is_metric = "random_state" in inspect.signature(function).parameters or (known and known.kind == "metrics")
        kind = "metrics" if is_metric and not replaces_a_part else "parts"
        target = function if kind == "metrics" else Part(name, function, supplied)
        facts = {"supplied": tuple(supplied)}
        entry = Entry(kind, name, self._owner, target, f"from {self._owner}", facts)
        self.forget.callback(config.remembered(config.selector(name)))
        self.forget.callback(registry.replace(entry))
        return config.given_to_gin(entry)


def _lists(
    allowlist: Any = None, denylist: Any = None, *, whitelist: Any = None, blacklist: Any = None
) -> dict[str, Any]:
    return {"allowlist": allowlist or whitelist, "denylist": denylist or blacklist}


def _owner_of(name: str) -> str:
    """Who has a name that configs can say, or nothing."""
    entry = registry.in_configs().get(name)
    if entry is None:
        return ""
    return f"the built-in {KINDS[entry.kind].thing}" if entry.owner == BUILTIN else entry.label


def _taken(name: str) -> str:
    return f"the name '{name}' is taken, by {_owner_of(name)}, and cannot be replaced."


def transposing(function: Function) -> Function:
    """A discretizer for the other layout: old ones have a row per code, those here a row per point."""

    @functools.wraps(function)
    def discretize(target: Any, *args: Any, **kwargs: Any) -> Any:
        return np.transpose(function(np.transpose(target), *args, **kwargs))

    # Gin does not look through wrappers for the parameters.
    discretize.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return discretize
