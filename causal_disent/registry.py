"""The registry: one entry for everything that configs, commands and listings can name."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, update_wrapper, wraps
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Any, Literal

from causal_disent import errors
from causal_disent.processes import Terminated
from causal_disent.text import say, shown, shown_value


def how_to_install(plugin: str) -> str:
    """What to do where `plugin` is not installed."""
    extra = {"causal_disent_tf": "tensorflow", "disentanglement_lib": "dlib"}.get(plugin)
    extra = extra or plugin.removeprefix("causal_disent_")
    folders = " ".join(first_party()[plugin]["install"])
    return f"Install it: pip install 'causal-disent[{extra}]', or in a checkout: pip install {folders}"


@cache
def first_party() -> dict[str, dict[str, Any]]:
    """Plugin -> ``install``, the folders to give to pip, and ``offers``, kind -> names.

    The file is made by ``python plugins/list_names.py``.
    """
    return json.loads(files("causal_disent").joinpath("first_party.json").read_text(encoding="utf-8"))


#: What fills the registry when it is first asked for something.
LOADER = "causal_disent.plugins"
#: What makes entries of what a hook registers with its record, as ``@metric(...)`` leaves it.
ADAPTER = "causal_disent.adapter"
#: Seconds after which a plugin that is still being loaded is named.
PATIENCE = 5.0


@contextmanager
def isolated(what: str = "") -> Iterator[None]:
    """Turn what a plugin raises, ``SystemExit`` included, into an `errors.BrokenPlugin`.

    Its message says that `what` cannot be used. A mistake of the user that the plugin reports
    (`errors.CausalDisentError`) and an interruption stay what they are.

    Example:
        >>> with isolated("The metric 'x' of the plugin y cannot be used"):
        ...     raise SystemExit(0)
        Traceback (most recent call last):
        causal_disent.errors.BrokenPlugin: The metric 'x' of the plugin y cannot be used: SystemExit: 0.
    """
    try:
        yield
    except (errors.CausalDisentError, KeyboardInterrupt, Terminated):
        raise
    except BaseException as error:  # foreign code: SystemExit, say, or the panic of an extension
        text = errors.described(error)
        raise errors.BrokenPlugin(f"{what}: {text.rstrip('.')}." if what else text) from error


@contextmanager
def told_if_slow(what: str) -> Iterator[None]:
    """Say on the standard error what is at work, if it takes more than some seconds."""
    timer = threading.Timer(PATIENCE, say, [f"still at work: {what}"], {"error": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@dataclass(frozen=True)
class Kind:
    """What entries of one kind are.

    Attributes:
        thing: the word for one of them.
        supplied: arguments that the program gives, so that configs cannot bind them.
        in_configs: whether configs name them.
        ending: what configs put behind the name.
        use: what chooses one, in a config or on a command line, as `str.format` takes it.
    """

    thing: str
    supplied: tuple[str, ...] = ()
    in_configs: bool = True
    ending: str = ""
    use: str = ""

    @property
    def one(self) -> str:
        """``a metric``, ``an engine``."""
        return f"{'an' if self.thing[0] in 'aeiou' else 'a'} {self.thing}"


#: Kind, as a hook names it (``register_<kind>``) -> what it is.
KINDS = {
    "datasets": Kind("data set", use="dataset.name = '{name}'"),
    "models": Kind("model", use="model.model = @{name}()"),
    "representations": Kind("representation", ("data",), use="representation.name = '{name}'"),
    "metrics": Kind(
        "metric",
        ("ground_truth_data", "representation_function", "random_state", "artifact_dir"),
        use="evaluation.evaluation_fn = @{name}",
    ),
    # `@irs` is the metric; the attribution of that name is `@irs_attribution`.
    "attributions": Kind(
        "attribution",
        ("codes", "factors", "random_state"),
        ending="_attribution",
        use="uc.attribution_fn = '{name}'",
    ),
    "classifiers": Kind("classifier", ("data",), use="cg.classifier = '{name}'"),
    "parts": Kind("part"),
    "engines": Kind("engine", use="study.engine = '{name}'"),
    "trackers": Kind("tracker", ("folder", "first_step"), use="tracking.trackers = ['{name}']"),
    "backends": Kind("backend", in_configs=False, use="--backend {name}"),
    "commands": Kind("command", in_configs=False, use="causal-disent {words} --help"),
}
#: Where an entry stands that says no ``rank``; the lower, the earlier.
MIDDLE_RANK = 50

#: The networks of a model.
NETWORKS = ("encoder", "decoder", "discriminator")
#: What training asks for by its role, a fact of parts such as ``role="encoder"`` -> what the program gives it.
ROLES = {
    "encoder": ("image_shape", "num_latent", "generator"),
    "decoder": ("image_shape", "num_latent", "generator"),
    "discriminator": ("num_latent", "generator"),
    "reconstruction_loss": ("images", "output", "activation"),
    "supervised_loss": ("num_latent", "factor_sizes", "generator"),
    "optimizer": ("parameters",),
    "labeller": ("labels", "dataset", "random_state"),
    "annealer": ("gamma", "step", "iteration_threshold"),
}

#: What the program itself reads of an entry -> the annotation that it must satisfy.
FACTS: dict[str, Any] = {
    **dict.fromkeys(
        ("summary", "assumes", "backend", "better", "by_chance", "compared", "config", "headline"), str
    ),
    **dict.fromkeys(("also", "invariances", "supplied"), Sequence[str]),
    **dict.fromkeys(("known_failures", "properties", "stands_for"), Mapping[str, Any]),
    **dict.fromkeys(("labels", "trains"), bool),
    "rank": float,
    "role": Literal[tuple(ROLES)],
}


@dataclass(frozen=True)
class Entry:
    """One registered thing.

    Attributes:
        kind: a key of `KINDS`.
        name: the name users and configs say.
        owner: the plugin that registered it.
        target: the thing itself, or ``"module:attribute"``, which `load` imports.
        summary: one line for listings.
        facts: typed values that listings, checks and runs ask for, such as the ``range`` of a metric, or the
            ``backend`` that trains a model.
    """

    kind: str
    name: str
    owner: str
    target: Callable[..., Any] | str
    summary: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_config(self) -> str:
        """What configs call it."""
        return self.name + KINDS[self.kind].ending

    @property
    def words(self) -> tuple[str, ...]:
        """What is typed to call it, if it is a command; ``("render", "candle")`` of ``render_candle`` under it."""
        under = self.facts.get("under")
        return (under, self.name.removeprefix(f"{under}_")) if under else (self.name,)

    @property
    def label(self) -> str:
        """``the metric of example``, for messages."""
        return f"the {KINDS[self.kind].thing} of {self.owner}"

    def load(self) -> Any:
        """The thing itself: a metric or attribution, what adds a command to a parser, or what makes a data set,
        model, representation, classifier, part, engine or backend."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        with self.isolated():
            thing: Any = self._imported(module)
            for name in attribute.split("."):
                thing = getattr(thing, name)
            if not callable(thing):
                raise TypeError(f"{self.target} is {shown(thing)}, which cannot be called")
        return thing

    def _imported(self, module: str) -> Any:
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name not in first_party():
                raise
            raise errors.BrokenPlugin(
                f"The {KINDS[self.kind].thing} '{self.name}' of the plugin {self.owner} needs the plugin "
                f"{error.name}, which is not installed. {how_to_install(error.name)}"
            ) from error

    def isolated(self) -> AbstractContextManager[None]:
        """What is done with the thing in here may fail in any way, and stops nothing else."""
        return isolated(f"The {KINDS[self.kind].thing} '{self.name}' of the plugin {self.owner} cannot be used")

    def plain(self) -> Callable[..., Any]:
        """What configs bind: the thing itself, without what a `causal_disent.registry.Part` puts around it."""
        if self.facts.get("role") in NETWORKS:
            return self.noting
        thing = self.load()
        return thing.function if hasattr(thing, "declaration") and hasattr(thing, "supplied") else thing

    def supplied(self) -> tuple[str, ...]:
        """The arguments that the program gives, so that configs cannot bind them."""
        by_role = ROLES.get(self.facts.get("role", ""))
        stated = self.facts.get("supplied", by_role) or getattr(self.load(), "supplied", None)
        return KINDS[self.kind].supplied if stated is None else tuple(stated)

    @cached_property
    def noting(self) -> Callable[..., Any]:
        """What makes a network, with its ``name`` and ``bound_options``, which are saved with the model."""
        function, supplied = self.load(), self.supplied()

        @wraps(function)
        def make(*args: Any, **kwargs: Any) -> Any:
            # Copies, since the function may change a list that it is given.
            bound = {option: value for option, value in kwargs.items() if option not in supplied}
            options = {option: [*value] if isinstance(value, list) else value for option, value in bound.items()}
            made = function(*args, **kwargs)
            with suppress(AttributeError, TypeError):  # what is no network is told of by those who need one
                made.name, made.bound_options = self.name, options
            return made

        return make


class Register:
    """The callback a hook receives: ``register(name, target, summary=...)``, or ``register(declared)``."""

    def __init__(self, kind: str, owner: str, add: Callable[[Entry], None]) -> None:
        self._kind = kind
        self._owner = owner
        self._add = add

    def __call__(
        self, name: Any, target: Callable[..., Any] | str | None = None, *, summary: str = "", **facts: Any
    ) -> None:
        """Offer `target` under `name`; `facts` are typed values that listings and checks show.

        What was declared where it is defined, as ``@metric(...)`` and ``@part(...)`` do, is given alone.
        """
        declaration = getattr(name, "declaration", None)
        if target is None and declaration is not None:
            entries = import_module(ADAPTER).entries_of(name, self._owner)
        elif "function" in facts:
            raise errors.InvalidInput(f"The plugin {self._owner} gives the fact 'function', which is @metric's.")
        else:
            entries = [Entry(self._kind, name, self._owner, target, summary, dict(facts))]  # type: ignore[arg-type]
        for entry in entries:
            self._check(entry)
            self._add(entry)

    def _check(self, entry: Any) -> None:
        """Raise unless it is an entry that everything else can rely on."""
        from causal_disent.checks import check_value  # numpy waits until commands have set its number of threads

        thing = KINDS[self._kind].thing
        if not (isinstance(entry, Entry) and entry.kind in KINDS and entry.owner == self._owner):
            raise errors.InvalidInput(
                f"The plugin {self._owner} declares {shown(entry)}, which is no {thing} of it."
            )
        name, target = entry.name, entry.target
        if not (type(name) is str and name.isidentifier()):  # a class of its own may sort or compare otherwise
            raise errors.InvalidInput(
                f"The plugin {self._owner} registers a {thing} under {shown_value(name)}; a name is letters, "
                "digits and underscores, for gin to see it."
            )
        registers = f"The plugin {self._owner} registers the {thing} '{name}' with"
        path = target.replace(":", ".", 1).split(".") if isinstance(target, str) and ":" in target else [""]
        if not callable(target) and not all(word.isidentifier() for word in path):
            raise errors.InvalidInput(
                f"{registers} {shown_value(target)}, which cannot be called and is no 'module:attribute'."
            )
        for fact, value in {"summary": entry.summary, **entry.facts}.items():
            if fact in FACTS and value is not None:
                check_value(f"{registers} the {fact} {shown(value)}; it", value, FACTS[fact])
        if not _is_range(entry.facts.get("range", (0, 1))):
            raise errors.InvalidInput(
                f"{registers} the range {shown(entry.facts['range'])}; it must be two numbers."
            )
        under = entry.facts.get("under")
        if under and not name.startswith(f"{under}_"):
            raise errors.InvalidInput(f"{registers} under='{shown(under)}'; call it '{shown(under)}_{name}'.")


__all__ = ["KINDS", "NETWORKS", "ROLES", "Entry", "Kind", "Register", "Registry", "registry"]


def _is_range(value: Any) -> bool:
    """Whether it is a smallest and a largest score; None stands for no limit."""
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    return pair and all(isinstance(limit, (int, float, type(None))) for limit in value)


class Registry:
    """All entries by kind and name. The plugins are loaded when the registry is first asked for something.

    Two entries may share a kind and a name if each says another ``backend``: the same model, say, trained by torch
    and by TensorFlow. `backend` decides between them.

    Attributes:
        backend: what decides between entries of one name.
        wrap: makes of an entry what is to be called; `causal_disent.config` puts gin's bindings around it.
    """

    def __init__(self) -> None:
        self.backend: str | None = None
        self.wrap: Callable[[Entry], Callable[..., Any]] = lambda entry: entry.plain()
        self._entries: dict[str, dict[str, list[Entry]]] = {kind: {} for kind in KINDS}
        self._collisions: list[list[Entry]] | None = None
        self._declared: dict[tuple[str, str, str], Entry] = {}

    def _load(self) -> None:
        """Load the plugins, unless that was done or is being done."""
        import_module(LOADER).load_once()

    def function(self, kind: str, name: str) -> Callable[..., Any]:
        """What to call for `name`: the target, with gin's bindings where gin is in use."""
        return self.wrap(self.get(kind, name))

    def get(self, kind: str, name: str) -> Entry:
        """The entry called `name`, or an error that says what there is instead."""
        self._load()
        found = self._entries[kind].get(name, [])
        if not found:
            raise import_module(LOADER).explain_missing(KINDS[kind].thing, name, self.names(kind), [kind])
        for same in self.collisions():
            if any(entry is found[0] for entry in same):
                raise self.collision(same)
        return self._choose(found)

    def entries(self, kind: str) -> Iterator[Entry]:
        """The entries of one kind that a user can ask for, sorted by name."""
        self._load()
        taken = {id(entry) for same in self.collisions() for entry in same}
        for _, found in sorted(self._entries[kind].items()):
            if id(found[0]) not in taken:
                yield self._choose(found)

    def ranked(self, kind: str) -> list[Entry]:
        """The same in the order of their ``rank``."""
        return sorted(self.entries(kind), key=lambda entry: entry.facts.get("rank", MIDDLE_RANK))

    def names(self, kind: str) -> list[str]:
        """Their names."""
        return [entry.name for entry in self.entries(kind)]

    def variants(self, kind: str, name: str) -> list[Entry]:
        """All entries of that kind and name: one for each backend, where they say one."""
        self._load()
        return list(self._entries[kind].get(name, []))

    def in_configs(self) -> dict[str, Entry]:
        """Everything that configs can name, by the name that they say."""
        kinds = (kind for kind, what in KINDS.items() if what.in_configs)
        return {entry.in_config: entry for kind in kinds for entry in self.entries(kind)}

    def find_in_configs(self, name: str) -> Entry | None:
        """The entry that configs call `name`, if there is one: `in_configs` of one name."""
        self._load()
        taken = {same[0].in_config for same in self.collisions()}
        for kind, what in KINDS.items():
            if what.in_configs and name.endswith(what.ending) and name not in taken:
                found = self._entries[kind].get(name.removesuffix(what.ending))
                if found:
                    return self._choose(found)
        return None

    @contextmanager
    def using(self, backend: str | None) -> Iterator[None]:
        """Let `backend` decide between entries of one name, for a while."""
        before, self.backend = self.backend, backend
        try:
            yield
        finally:
            self.backend = before

    def add(self, entry: Entry) -> None:
        """Take an entry; a second owner of its name is remembered, and reported when it is asked for."""
        self._collisions = None
        self._entries[entry.kind].setdefault(entry.name, []).append(entry)

    def declare(self, entry: Entry) -> None:
        """Take an entry of a module that a config or a program imports.

        It replaces the one of that name and owner, and stays when the plugins are loaded anew.
        """
        self._load()
        key = (entry.kind, entry.name, entry.owner)
        same = self._entries[entry.kind].setdefault(entry.name, [])
        same[:] = [other for other in same if (other.kind, other.name, other.owner) != key]
        self._declared[key] = entry
        self.add(entry)

    def replace(self, entry: Entry) -> Callable[[], None]:
        """Let `entry` have its name alone, until the function that is returned is called."""
        self._load()
        own = KINDS[entry.kind]
        alike = [kind for kind, other in KINDS.items() if other.in_configs and other.ending == own.ending]
        shared = [
            kind for kind in (alike if own.in_configs else [entry.kind]) if entry.name in self._entries[kind]
        ]
        before = [(kind, self._entries[kind].pop(entry.name)) for kind in shared]
        self.add(entry)

        def restore() -> None:
            self._collisions = None
            del self._entries[entry.kind][entry.name]
            for kind, same in before:
                self._entries[kind][entry.name] = same

        return restore

    def clear(self) -> None:
        """Forget every entry, but for those that were declared."""
        self._collisions = None
        for entries in self._entries.values():
            entries.clear()
        for entry in self._declared.values():
            self.add(entry)

    def collisions(self) -> list[list[Entry]]:
        """The entries that share a name which means one thing alone: over all kinds that configs can say."""
        if self._collisions is None:
            by_name: dict[tuple[str, str], list[Entry]] = {}
            for kind, entries in self._entries.items():
                scope = "configs" if KINDS[kind].in_configs else kind
                for same in entries.values():
                    by_name.setdefault((scope, same[0].in_config), []).extend(same)
            self._collisions = [same for same in by_name.values() if not _agree(same)]
        return self._collisions

    def collision(self, same: Sequence[Entry]) -> errors.NameCollision:
        """What to say of entries that share a name."""
        return errors.collision(same[0].in_config, [(entry.label, entry.owner) for entry in same])

    def _choose(self, same: Sequence[Entry]) -> Entry:
        """The entry of the backend in use, or the first."""
        return next((entry for entry in same if entry.facts.get("backend") == self.backend), same[0])


def _agree(same: Sequence[Entry]) -> bool:
    """Whether entries of one name are one thing: alone, or one for each of several backends."""
    if len(same) == 1:
        return True
    backends = [entry.facts.get("backend") for entry in same]
    return None not in backends and len(set(backends)) == len(same) == sum(e.kind == same[0].kind for e in same)


registry = Registry()


class Part:
    """A function that configs may bind, callable without gin as well.

    Programs call it like the function it wraps; where gin is in use, bindings such as ``discretizer.num_bins``
    reach it through the registry.
    """

    def __init__(self, name: str, function: Callable[..., Any], supplied: Sequence[str]) -> None:
        from causal_disent.checks import checked  # numpy waits until commands have set its number of threads

        self.name = name
        self.function = checked(function, name)
        self.supplied = tuple(supplied)
        update_wrapper(self, function, updated=())  # the attributes of a class may be called as these are
        self.declaration = self  # what a hook's callback asks: ``register(part)``

    def entries(self, owner: str) -> Iterator[Entry]:
        """What becomes known; the summary is the first line of the docstring."""
        summary = (self.function.__doc__ or self.name).strip().splitlines()[0].rstrip(".")
        yield Entry("parts", self.name, owner, self, summary)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # One that nobody has registered yet, or that another one of its name stands in for, is called as it is.
        known = any(entry.load() is self for entry in registry.variants("parts", self.name))
        function = registry.function("parts", self.name) if known else None
        return (function or self.function)(*args, **kwargs)

    def __repr__(self) -> str:
        return self.name


def part(name: str, *, supplied: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Part]:
    """Decorator: let configs bind a function's parameters under `name`, once a hook has registered it as a part.

    Args:
        name: what configs call it.
        supplied: arguments that the program gives, so that configs cannot bind them.

    Example:
        >>> @part("doubled", supplied=("number",))
        ... def doubled(number, times=2):
        ...     return number * times
        >>> doubled(3)
        6
    """
    return lambda function: Part(name, function, supplied)


def declared_in(package: str, without: Collection[str] = ()) -> Iterator[Any]:
    """What the modules of `package` declare, by ``@metric(...)`` or ``@part(...)``, for a hook to register.

    Args:
        package: its name, such as ``"causal_disent.metrics"``; packages inside it are left alone.
        without: modules in it that are not imported.
    """
    for found in iter_modules(import_module(package).__path__, f"{package}."):
        if found.ispkg or found.name.rpartition(".")[2] in without:
            continue
        for value in vars(import_module(found.name)).values():
            # What a module has imported belongs to another.
            if hasattr(value, "declaration") and getattr(value, "__module__", "") == found.name:
                yield value
