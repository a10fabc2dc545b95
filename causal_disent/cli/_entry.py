"""All that is known of one entry, as JSON and as text."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from causal_disent import errors
from causal_disent.isolation import isolated
from causal_disent.metrics.tools.takes import in_words
from causal_disent.parts import Part
from causal_disent.plugins import loaded_plugins
from causal_disent.registry import KINDS, NETWORKS, Entry, Kind, registry
from causal_disent.report.table import WIDTH
from causal_disent.text import shown

#: Facts that are told in other words, or that only programs ask for.
UNTOLD = ("backend", "better", "function", "range", "resampling", "supplied", "under")
#: Values inside values that are told.
DEEPEST = 4
#: Of a text, and of the configs that name an entry, so many are shown.
MOST_CHARACTERS, MOST_CONFIGS = 2000, 8
REQUIRED = "REQUIRED"
EMPTY: tuple[Any, ...] = (None, "", [], {})
#: Role of a part -> what chooses it.
CHOOSES = {
    **{role: f"{role}.{role}_fn = @{{name}}" for role in (*NETWORKS, "labeller")},
    **{role: f"{role}.loss_fn = @{{name}}" for role in ("reconstruction_loss", "supervised_loss")},
    "annealer": "annealer.anneal_fn = @{name}",
    "optimizer": "vae_optimizer.optimizer_fn = @{name}",
}


def facts_of(entry: Entry) -> dict[str, Any]:
    """What a plugin says of an entry, for JSON; nothing is imported for it."""
    facts: dict[str, Any] = {}
    for name, value in entry.facts.items():
        try:
            with isolated():
                facts[shown(name)] = plain(value)
        except errors.BrokenPlugin as error:  # what a plugin gives may fail in being read
            facts[shown(name)] = error.message
    said = {"name": entry.name, "plugin": entry.owner, "summary": entry.summary, "facts": facts}
    return {**said, "target": entry.target} if isinstance(entry.target, str) else said


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as JSON knows it: None for what is not finite, text for what it does not know.

    Example:
        >>> plain({"range": (0.0, math.inf), "function": plain})
        {'range': [0.0, None], 'function': 'causal_disent.cli._entry:plain'}
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping) and depth < DEEPEST:
        return {shown(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)) and depth < DEEPEST:
        return [plain(inner, depth + 1) for inner in value]
    if isinstance(value, Part):
        return f"@{value.name}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}:{value.__qualname__}"
    return shown(value)


def details(entry: Entry) -> dict[str, Any]:
    """The same, and what importing it tells: parameters, files, how to choose it, configs that name it."""
    thing = entry.load()
    version = next((plugin.version for plugin in loaded_plugins() if plugin.name == entry.owner), "")
    found = {"kind": KINDS[entry.kind].thing, **facts_of(entry), "version": version}
    with entry.isolated():
        target = getattr(thing, "function", thing)
        found["module"] = str(getattr(target, "__module__", None) or type(target).__module__)
        if entry.kind == "metrics":
            better = entry.facts.get("better")
            told = (range_text(entry.facts.get("range")), f"{better} is better" if better else "")
            found["range"] = ", ".join(filter(None, told))
            found |= {"takes": in_words(entry.facts["takes"])} if "takes" in entry.facts else {}
            how = entry.facts.get("resampling", {}).get("words")
            found |= {"intervals": f"{how}, and so are chance levels"} if how else {}
        found |= files_of(entry) if entry.kind == "datasets" else {}
        found |= {"backends": backends_of(entry)} if entry.kind == "models" else {}
        found |= _in_configs(entry) if KINDS[entry.kind].in_configs else {"use": [_use(entry)]}
    return found


def _use(entry: Entry) -> str:
    """The line that chooses it, if one is known: of a part that training asks for, by its role."""
    chooses = CHOOSES.get(entry.facts.get("role", ""), KINDS[entry.kind].use)
    return chooses.format(name=entry.name, words=" ".join(entry.words))


def _in_configs(entry: Entry) -> dict[str, Any]:
    """What configs may bind, what to write into one, and the shipped ones that do."""
    from causal_disent import config

    name = entry.in_config
    parameters = {
        f"{name}.{parameter}": REQUIRED if value is config.REQUIRED else plain(value)
        for parameter, value in config.parameters_of(entry).items()
    }
    shipped = list(_shipped(name))
    lines = [(key, value) for _, key, value in shipped]
    use = [line for line in [_use(entry)] if line]
    use += [f"{key} = {value}" for key, value in lines if not key.startswith(f"{name}.")]
    bound = dict(reversed(lines))
    use += [f"{key} = {bound.get(key, '...')}" for key, value in parameters.items() if value == REQUIRED]
    return {
        "parameters": parameters,
        "use": list(dict.fromkeys(use)),
        "configs": list(dict.fromkeys(file for file, _, _ in shipped)),
    }


def _shipped(name: str) -> Iterator[tuple[str, str, str]]:
    """Config, parameter and value of each binding of shipped configs that says `name`."""
    from causal_disent.config import recorded_bindings
    from causal_disent.config_files import found_config, shipped_configs

    for file in shipped_configs():
        try:
            bindings = recorded_bindings(found_config(file))
        except errors.CausalDisentError:
            continue  # a plugin's config may be broken; whoever reads it is told
        for key, value in bindings.items():
            if key.startswith(f"{name}.") or value in (f"@{name}", f"@{name}()", repr(name)):
                yield file, key, value


def backends_of(entry: Entry) -> list[str]:
    """What trains a model."""
    variants = registry.variants(entry.kind, entry.name)
    return sorted({variant.facts["backend"] for variant in variants if "backend" in variant.facts})


def files_of(entry: Entry) -> dict[str, Any]:
    """Whether the files of a data set are there (``found``, ``missing``, or ``none`` are needed), and where."""
    thing = entry.load()
    places = thing.locate() if hasattr(thing, "locate") else []
    if not places:
        return {"files": "none"}
    is_found = getattr(thing, "is_found", None)
    there = is_found() if is_found else all(found for _, found in places)
    return {
        "files": "found" if there else "missing",
        "looks_for": [{"path": os.path.abspath(path), "found": bool(found)} for path, found in places],
    }


def range_text(ends: Any) -> str:
    """``0 to 1``, ``from 0``, ``to 1`` or ``any``; an end that is infinite, or None, is none."""
    if ends is None:
        return ""
    low, high = ("" if end is None or math.isinf(end) else f"{end:g}" for end in ends)
    if low and high:
        return f"{low} to {high}"
    return f"from {low}" if low else f"to {high}" if high else "any"


def text_of(found: Mapping[str, Any]) -> str:
    """What `details` found, to be read; lines that are there to be copied are not wrapped."""
    kind = Kind(found["kind"]).one
    lines = [
        f"{found['name']}, {kind} of the plugin {found['plugin']} {found['version']}".rstrip(),
        f"    {shown(found['summary'])}",
    ]
    facts = {name: value for name, value in found["facts"].items() if name not in UNTOLD}
    told = {name: found[name] for name in ("range", "takes", "intervals", "backends", "files") if name in found}
    lines += [_wrapped(name, value) for name, value in {**told, **facts, **told}.items() if value not in EMPTY]
    places = [f"{at['path']} ({'found' if at['found'] else 'missing'})" for at in found.get("looks_for", [])]
    parameters = [
        f"{name} = {value if value == REQUIRED or str(value).startswith('@') else repr(value)}"
        for name, value in found.get("parameters", {}).items()
    ]
    for title, several in (
        ("looks for", places),
        ("module", [found["module"]]),
        ("parameters", parameters),
        ("to use it", found["use"]),
    ):
        lines += [
            f"    {title if not i else '':<12} {shown(line, MOST_CHARACTERS)}" for i, line in enumerate(several)
        ]
    configs = found.get("configs")
    return "\n".join([*lines, *([_wrapped("configs", errors.listing(configs, MOST_CONFIGS))] if configs else [])])


def _wrapped(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{key}: {inner}" if inner else key for key, inner in value.items()]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return textwrap.fill(
        shown(text, MOST_CHARACTERS),
        WIDTH,
        initial_indent=f"    {shown(name):<12} ",
        subsequent_indent=" " * 17,
        break_long_words=False,
        break_on_hyphens=False,
    )
