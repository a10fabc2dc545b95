"""Find the installed plugins and load each by itself, so that a broken one stops no other."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import Distribution, EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pluggy

from causal_disent import errors, hookspecs
from causal_disent._version import __version__
from causal_disent.registry import (
    KINDS,
    Entry,
    Register,
    first_party,
    how_to_install,
    isolated,
    registry,
    told_if_slow,
)
from causal_disent.text import shown


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of that group; packages whose metadata cannot be read are left out, with a warning."""
    try:
        return list(importlib.metadata.entry_points(group=group))
    except Exception:  # of one package, and Python says nothing of the others then
        by_name: dict[str, EntryPoints] = {}
        for package in importlib.metadata.distributions():
            name, points = _read(package)
            by_name.setdefault(name, points)  # the first is the one that is imported
        return [point for points in by_name.values() for point in points.select(group=group)]


def _read(package: Distribution) -> tuple[str, EntryPoints]:
    try:
        return str(package.metadata["Name"]), package.entry_points
    except Exception as error:
        place = getattr(package, "_path", "somewhere")
        warnings.warn(
            f"The package installed at {place} is left out: its metadata cannot be read "
            f"({errors.described(error)}). Install it again, or remove it.",
            stacklevel=3,
        )
        return str(place), EntryPoints(())


def distribution_of(point: EntryPoint) -> tuple[str, str]:
    """The name and the version of the package that an entry point is of."""
    try:
        found = (point.dist.metadata["Name"], point.dist.metadata["Version"]) if point.dist else ()
    except Exception:  # its file is damaged
        found = ()
    name, version = (text or "unknown" for text in found or ("", ""))
    return name, version


ENTRY_POINT_GROUP = "causal_disent"
VARIABLE = "CAUSAL_DISENT_PLUGINS"
BUILTIN = "builtin"
#: Where a plugin keeps the configs that it ships.
CONFIGS = "gin_configs"


@dataclass
class LoadedPlugin:
    """How loading one plugin went.

    Attributes:
        name: of its entry point.
        version: of its distribution.
        status: ``"ok"`` or ``"failed"``.
        reason: why it failed, or what to know; empty if all is well.
        offers: kind -> what it registered.
        configs: the folder of the configs that it ships, ``gin_configs`` beside its module, if there is one.
    """

    name: str
    version: str
    status: str = "ok"
    reason: str = ""
    offers: dict[str, list[Entry]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    configs: Path | None = None


_loaded: list[LoadedPlugin] = []


def loaded_plugins() -> list[LoadedPlugin]:
    """All plugins, the built-ins first."""
    load_once()
    return list(_loaded)


def load_once() -> None:
    """Load them, unless that was done."""
    if not _loaded:
        load()


def load() -> None:
    """Load the built-ins and the installed plugins into an empty registry."""
    registry.clear()
    _loaded.clear()
    from causal_disent import builtin

    _load_one(BUILTIN, __version__, lambda: builtin)
    by_name: dict[str, list[EntryPoint]] = {}
    for point in _wanted(entry_points(group=ENTRY_POINT_GROUP)):
        by_name.setdefault(point.name, []).append(point)
    for name, points in by_name.items():
        versions = [distribution_of(point)[1] for point in points]
        _load_one(name, ", ".join(versions), functools.partial(_load_only, points))
    for same in registry.collisions():
        for plugin in (plugin for plugin in _loaded if plugin.name in {entry.owner for entry in same}):
            plugin.reason = f"{plugin.reason} {registry.collision(same).message}".lstrip()


def _load_only(points: list[EntryPoint]) -> Any:
    """The module of the one plugin of its name."""
    owners = [" ".join(distribution_of(point)) for point in points]
    if points[0].name == BUILTIN:
        owners.append("causal_disent itself")
    if len(owners) > 1:
        raise errors.NameCollision(
            f"The plugin name '{points[0].name}' is used by {' and by '.join(sorted(owners))}; none of them is "
            "loaded. Uninstall one."
        )
    return points[0].load()


def _wanted(points: Iterable[EntryPoint]) -> list[EntryPoint]:
    """The entry points that the environment variable leaves, in a fixed order."""
    found = sorted(points, key=lambda point: (point.name, point.value))
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        return found
    names = [name.strip() for name in chosen.split(",") if name.strip()]
    missing = [name for name in names if name not in {point.name for point in found}]
    if missing:
        raise errors.unknown(f"plugin in {VARIABLE}", missing[0], sorted({point.name for point in found}))
    return [point for point in found if point.name in names]


def _load_one(name: str, version: str, load_module: Callable[[], Any]) -> None:
    """Load a plugin and let it register; whatever goes wrong is noted, not raised."""
    plugin = LoadedPlugin(shown(name), shown(version))
    _loaded.append(plugin)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    entries: list[Entry] = []
    own = _loaded[0].offers["commands"]  # of the built-ins, which come first
    taken = {command.name for command in own} | {command.words[0] for command in own}
    telling = told_if_slow(f"loading the plugin {plugin.name} {plugin.version} ({VARIABLE} chooses)")
    try:
        with isolated(), nullcontext() if name == BUILTIN else telling:  # nobody can choose to go without it
            with redirect_stdout(
                sys.stderr
            ):  # what a plugin prints while it is imported is no output of a command
                module = load_module()
            manager.register(module, name)
            manager.check_pending()
            for kind in KINDS:
                getattr(manager.hook, f"register_{kind}")(register=Register(kind, plugin.name, entries.append))
            for entry in entries:
                if entry.kind == "commands" and not taken.isdisjoint({entry.name, entry.words[0]}):
                    raise errors.NameCollision(
                        f"It registers the command '{entry.name}', which is causal-disent's own; nothing of "
                        "it is there."
                    )
            file = getattr(module, "__file__", None)
            folder = Path(file).parent / CONFIGS if file else None
    except errors.CausalDisentError as error:
        plugin.status, plugin.reason = "failed", error.message
        return  # and what it registered before it failed is dropped
    plugin.configs = folder if folder is not None and folder.is_dir() else None
    for entry in entries:
        registry.add(entry)
        plugin.offers[entry.kind].append(entry)


def explain_missing(
    thing: str, name: str, names: Sequence[str], kinds: Collection[str]
) -> errors.CausalDisentError:
    """What to say where no `thing` is called `name`: the nearest match, also of plugins that are not there.

    `names` are those that there are of the `kinds` that were searched.
    """
    for same in registry.collisions():
        if any(entry.kind in kinds and entry.in_config == name for entry in same):
            return registry.collision(same)
    absent = {
        other: (plugin, kind)
        for plugin, offers in first_party().items()
        if not any(known.name == plugin and known.status == "ok" for known in _loaded)
        for kind in kinds
        for other in offers["offers"].get(kind, [])
    }
    near = name if name in absent else errors.nearest_name(name, [*names, *absent])
    if near is not None and near in absent:
        plugin, kind = absent[near]
        guess = "" if near == name else f" There are: {errors.listing(names)}. Did you mean '{near}'?"
        return errors.UnknownName(
            f"Unknown {thing} '{shown(name)}'.{guess} '{near}' is {KINDS[kind].one} of the plugin {plugin}, "
            f"{_state(plugin)}"
        )
    error = errors.unknown(thing, name, names)
    other = next((kind for kind in KINDS if kind not in kinds and registry.variants(kind, name)), None)
    if other is not None:
        where = f"'{name}' is {KINDS[other].one}: `causal-disent {other} {name}` shows it."
        return errors.UnknownName(f"{error.message} {where}")
    failed = [plugin for plugin in _loaded if plugin.status == "failed"]
    if not failed:
        return error
    reasons = "; ".join(f"{plugin.name} {plugin.version} ({plugin.reason})" for plugin in failed)
    return errors.BrokenPlugin(f"{error.message} It may be offered by a plugin that failed to load: {reasons}.")


def missing_plugin(name: str) -> errors.UnknownName:
    """What to say where no plugin is called `name`."""
    if name in first_party():
        return errors.UnknownName(f"The plugin {name} is one of this repository, {_state(name)}")
    return errors.unknown("plugin", name, [plugin.name for plugin in _loaded])


def _state(plugin: str) -> str:
    """Why a first-party plugin is not there, and what to do."""
    failed = next((known.reason for known in _loaded if known.name == plugin), None)
    if failed is not None:
        return f"which failed to load: {failed}"
    if plugin in {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}:
        return f"which {VARIABLE} leaves out."
    return f"which is not installed. {how_to_install(plugin)}"


def config_folders() -> list[Path]:
    """The folders of shipped configs: the project's, and ``gin_configs`` of each plugin that has one."""
    package = Path(__file__).resolve().parent
    # Inside the package once installed, beside it in a checkout.
    own = (package / CONFIGS, package.parent / CONFIGS)
    plugins = (plugin.configs for plugin in loaded_plugins())
    return [folder for folder in (*own, *plugins) if folder is not None and folder.is_dir()]


def shipped_configs() -> list[str]:
    """The names of all shipped configs, such as ``metrics/mig.gin``."""
    return sorted(
        {file.relative_to(folder).as_posix() for folder in config_folders() for file in folder.rglob("*.gin")}
    )


def found_config(file: str) -> Path:
    """The config called `file`: a path, or what is shipped under that name."""
    places = [Path(file), *(folder / file for folder in config_folders())]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise errors.ConfigError(
            f"There is no config '{shown(file)}', neither as a file nor among those that are shipped."
            f"{_nearest(file)} `causal-disent configs` lists them."
        )
    return found


def _nearest(file: str) -> str:
    """`` Did you mean 'metrics/mig.gin'?``, also for ``mig``."""
    shipped = shipped_configs()
    same = [name for name in shipped if Path(name).stem == Path(file).stem]
    return f" Did you mean '{same[0]}'?" if len(same) == 1 else errors.nearest(file, shipped)


def config_summary(text: str) -> str:
    """The first sentence of the comment that a config begins with, else the first of its lines.

    Example:
        >>> config_summary("# IRS, UC and CG of one sample. Needs a decoder.\\nuc.rho = 1")
        'IRS, UC and CG of one sample'
    """
    head = next((line.strip() for line in text.splitlines() if line.strip()), "empty")
    # "et al. 2018" is not the end of a sentence.
    return re.split(r"\.(?:$|\s+(?=[A-Z]))", head.lstrip("# "))[0] if head.startswith("#") else head
