"""What there is: metrics, models, data sets, plugins, configs, published tables; and all about one of them."""

from __future__ import annotations

import argparse
import json
import math
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.cli._arguments import add_names, add_options, add_seed, read_options, seed_of
from causal_disent.data.confounding import check_statements
from causal_disent.data.properties import PROPERTIES, tell
from causal_disent.metrics.contract import Configurable, describe_takes
from causal_disent.plugins import (
    LoadedPlugin,
    config_summary,
    found_config,
    loaded_plugins,
    missing_plugin,
    shipped_configs,
)
from causal_disent.registry import KINDS, NETWORKS, Entry, Kind, Part, isolated, registry
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import number_of, say, say_json, shown

#: Facts that are told in other words, or that only programs ask for.
UNTOLD = ("backend", "better", "function", "range", "resampling", "supplied", "under")
#: Values inside values that are told.
DEEPEST = 4
#: Of a text, and of the configs that name an entry, so many are shown.
MOST_CHARACTERS, MOST_CONFIGS = 2000, 8
#: Of the values of a factor, so many are shown.
MOST_VALUES = 16
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
        {'range': [0.0, None], 'function': 'causal_disent.cli.listing:plain'}
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
    if isinstance(getattr(value, "declaration", None), Configurable):
        return f"@{value.declaration.name}"
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
            found |= {"takes": describe_takes(entry.facts["takes"])} if "takes" in entry.facts else {}
            how = entry.facts.get("resampling", {}).get("words")
            found |= {"intervals": f"{how}, and so are chance levels"} if how else {}
        found |= {**files_of(entry), **contents_of(entry)} if entry.kind == "datasets" else {}
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


def contents_of(entry: Entry) -> dict[str, Any]:
    """Factors, causal graph and rule sets of a data set, as far as they are known without its files."""
    from causal_disent.data.rule_sets import REASONS, RULE_SETS, statements
    from causal_disent.data.state_space import StateSpace
    from causal_disent.runs.dataset import get_dataset

    thing = entry.load()
    if isinstance(values := getattr(thing, "values", None), Mapping):
        space = StateSpace(values)
        graph = thing.make_graph() if hasattr(thing, "make_graph") else None
    elif files_of(entry)["files"] != "none":
        return {}
    else:
        try:
            data = get_dataset(entry.name)
        except errors.CausalDisentError:  # it has arguments without a default, such as the place of files
            return {}
        space, graph = StateSpace.of(data), getattr(data, "graph", None)
    found: dict[str, Any] = {"factors": {name: list(map(shown, told)) for name, told in space.value_names.items()}}
    if graph is not None:
        found["graph"] = [f"{cause} -> {effect}" for cause, effect in graph.edges]
    found["rule_sets"] = {}
    for name, rules in RULE_SETS.items():
        with suppress(errors.CausalDisentError):  # of other factors
            check_statements(space, statements(name))
            reasons = REASONS.get(name, ("",) * len(rules))
            found["rule_sets"][name] = [
                f"{rule} ({why})" if why else rule for rule, why in zip(rules, reasons, strict=True)
            ]
    return found


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
    if properties := facts.pop("properties", None):
        facts["properties"] = [
            f"{PROPERTIES[name].title} {tell(name, value)}" for name, value in properties.items()
        ]
    told = {name: found[name] for name in ("range", "takes", "intervals", "backends", "files") if name in found}
    lines += [_wrapped(name, value) for name, value in {**told, **facts, **told}.items() if value not in EMPTY]
    places = [f"{at['path']} ({'found' if at['found'] else 'missing'})" for at in found.get("looks_for", [])]
    parameters = [
        f"{name} = {value if value == REQUIRED or str(value).startswith('@') else repr(value)}"
        for name, value in found.get("parameters", {}).items()
    ]
    factors = [
        f"{name}: {errors.listing(values, MOST_VALUES)}" for name, values in found.get("factors", {}).items()
    ]
    rules: list[str] = []
    for name, stated in found.get("rule_sets", {}).items():
        rules += [f"{name}:", *(f"  {rule}" for rule in stated)]
    for title, several in (
        ("factors", factors),
        ("rule sets", rules),
        ("looks for", places),
        ("module", [found["module"]]),
        ("parameters", parameters),
        ("to use it", found["use"]),
    ):
        lines += [
            f"    {title if not i else '':<12} {shown(line, MOST_CHARACTERS)}" for i, line in enumerate(several)
        ]
    if found.get("graph"):
        lines.insert(2, _wrapped("graph", found["graph"]))
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


def _needs(entry: Entry) -> str:
    """What a metric needs besides codes and factors of points, which all of them do."""
    needs = entry.facts.get("needs", "")
    return "points" if getattr(needs, "arrays_suffice", False) else shown(needs)


#: Kind -> what its listing tells, besides name and summary; a column that is empty for all is left out.
COLUMNS: dict[str, dict[str, Callable[[Entry], str]]] = {
    "metrics": {
        "range": lambda entry: range_text(entry.facts.get("range")),
        "better": lambda entry: shown(entry.facts.get("better", "")),
        "needs": _needs,
    },
    "models": {"backends": lambda entry: ", ".join(backends_of(entry))},
    "datasets": {
        "files": lambda entry: files_of(entry)["files"],
        "licence": lambda entry: str(entry.facts.get("licence", "")).partition(";")[0],
    },
}
MORE_ABOUT = {
    "datasets": "`causal-disent datasets verify NAME` checks files; `datasets graph NAME` tests the causal graph.",
    "metrics": "`dlib_evaluate --gin_config metrics/NAME.gin` runs one; `causal-disent configs` lists configs.",
}


def add_listing(parser: argparse.ArgumentParser) -> None:
    """Give a listing its arguments; which kind it lists, the name of the command tells."""
    kind = str(parser.get_default("called")).partition("_")[0]
    add_names(parser, [kind], "names", nargs="*", help="show all that is known of these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run_listing, kind=kind, all=False)


def add_show(parser: argparse.ArgumentParser) -> None:
    """The same, showing all if none is named."""
    add_listing(parser)
    parser.set_defaults(all=True)


def run_listing(arguments: argparse.Namespace) -> int:
    """Print the list, or all that is known of those that are named."""
    kind = arguments.kind
    names = arguments.names or (registry.names(kind) if arguments.all else [])
    if names:
        found = [details(registry.get(kind, name)) for name in names]
        say_json(found) if arguments.json else say("\n\n".join(map(text_of, found)))
    elif arguments.json:
        say_json([facts_of(entry) | _columns(kind, entry) | _lists(entry) for entry in registry.entries(kind)])
    else:
        say(_listing_table(kind))
    return 0


def _lists(entry: Entry) -> dict[str, list[str]]:
    """What is text in a table, and a list in JSON, as it is where one entry is shown."""
    return {"backends": backends_of(entry)} if entry.kind == "models" else {}


def _columns(kind: str, entry: Entry) -> dict[str, str]:
    """What the listing's own columns say; what belongs to a plugin may fail in saying it."""
    found = {}
    for title, column in COLUMNS.get(kind, {"plugin": lambda entry: entry.owner}).items():
        try:
            with entry.isolated():
                found[title] = column(entry)
        except errors.CausalDisentError:
            found[title] = "failed"
    return found


def _listing_table(kind: str) -> str:
    entries = list(registry.entries(kind))
    columns = [_columns(kind, entry) for entry in entries]
    titles = [title for title in (columns[0] if columns else {}) if any(row[title] for row in columns)]
    rows = [
        [entry.name, *(row[title] for title in titles), entry.summary]
        for entry, row in zip(entries, columns, strict=True)
    ]
    table = text_table([KINDS[kind].thing, *titles, "summary"], rows, WIDTH)
    more = [
        f"`causal-disent {kind} NAME` shows one, and how to use it.",
        *([MORE_ABOUT[kind]] if kind in MORE_ABOUT else []),
    ]
    return "\n".join([table, "", *more])


def add_plugins(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["plugins"], "names", nargs="*", help="show all that these offer")
    parser.add_argument("--json", action="store_true", help="print JSON: everything that each plugin offers")
    parser.set_defaults(command=run_plugins)


def run_plugins(arguments: argparse.Namespace) -> int:
    """Print the table, or all as JSON."""
    by_name = {plugin.name: plugin for plugin in loaded_plugins()}
    for name in arguments.names:
        if name not in by_name:
            raise missing_plugin(name)
    plugins = [by_name[name] for name in arguments.names or by_name]
    if arguments.json:
        say_json([_as_json(plugin) for plugin in plugins])
        return 0
    if arguments.names:
        say("\n\n".join(map(_plugin_text, plugins)))
        return 0
    rows = [[plugin.name, plugin.version, plugin.status, _count_offers(plugin)] for plugin in plugins]
    say(text_table(["plugin", "version", "status", "offers"], rows, WIDTH))
    for plugin in plugins:
        if plugin.reason:
            say(f"\n{plugin.name}: {shown(plugin.reason, MOST_CHARACTERS)}")
    return 0


def _as_json(plugin: LoadedPlugin) -> dict[str, object]:
    return {
        **{name: getattr(plugin, name) for name in ("name", "version", "status", "reason")},
        "offers": {kind: [facts_of(entry) for entry in entries] for kind, entries in plugin.offers.items()},
        "configs": None if plugin.configs is None else str(plugin.configs),
    }


def _plugin_text(plugin: LoadedPlugin) -> str:
    """What one plugin offers, kind by kind."""
    lines = [f"{plugin.name} {plugin.version}: {plugin.status}"]
    lines += [f"    {shown(plugin.reason, MOST_CHARACTERS)}"] if plugin.reason else []
    for kind, entries in plugin.offers.items():
        rows = [[entry.name, entry.summary] for entry in entries]
        lines += ["", text_table([kind, "summary"], rows, WIDTH)] if rows else []
    return "\n".join([*lines, *(["", f"configs: {shown(plugin.configs)}"] if plugin.configs else [])])


def _count_offers(plugin: LoadedPlugin) -> str:
    offers = (number_of(len(entries), KINDS[kind].thing) for kind, entries in plugin.offers.items() if entries)
    return ", ".join(offers) or "nothing"


def add_configs(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["configs"], "name", nargs="?", help="print this one, such as metrics/mig.gin")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run_configs)


def run_configs(arguments: argparse.Namespace) -> int:
    """Print the list, or the config that was named."""
    names = [arguments.name] if arguments.name else shipped_configs()
    paths = {name: found_config(name) for name in names}
    texts = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in paths.items()}
    if arguments.json:
        listed = [
            {"name": name, "path": str(path), "summary": config_summary(texts[name])}
            for name, path in paths.items()
        ]
        say_json({**listed[0], "text": texts[arguments.name]} if arguments.name else listed)
    elif arguments.name:
        say(f"# {paths[arguments.name]}\n{texts[arguments.name].rstrip()}")
    else:
        rows = [[name, config_summary(text)] for name, text in texts.items()]
        say(text_table(["config", "what it is for"], rows, WIDTH))
        say("\n`--gin_config NAME` reads one; `causal-disent configs NAME` prints it.")
    return 0


def add_published(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("table", nargs="?", metavar="TABLE", help="a table of the list, such as aaai_7")
    parser.add_argument("--json", action="store_true", help="print JSON: the list, or one record per number")
    parser.set_defaults(command=run_published)


def run_published(arguments: argparse.Namespace) -> int:
    """Print the list, or the table that was named."""
    from causal_disent.report.published import published, published_list, published_tables, published_text

    if arguments.table is None and arguments.json:
        say(json.dumps([asdict(table) for table in published_tables()], indent=2, ensure_ascii=False))
    elif arguments.table is None:
        say(published_list())
    elif arguments.json:
        say(published(arguments.table).to_json(orient="records", indent=2, force_ascii=False))
    else:
        say(published_text(arguments.table))
    return 0


#: Of a line, so many are shown.
MOST_OF_LINE = 1000


def add_verify(parser: argparse.ArgumentParser) -> None:
    """Give ``datasets verify`` its arguments."""
    add_names(parser, ["datasets"], "name", help="a registered data set")
    parser.add_argument(
        "--skip_broken", action="store_true", help="name the files that cannot be used, and check the others"
    )
    add_options(parser, "folder=/path/to/images")
    parser.set_defaults(command=verify)


def verify(arguments: argparse.Namespace) -> int:
    """Check the files of a data set, and print what was checked."""
    entry = registry.get("datasets", arguments.name)
    check = getattr(entry.load(), "verify", None)
    if check is None:
        say(f"{entry.name} is made by a program; there are no files to check.")
        return 0
    texts = [*arguments.options, *(["skip_broken=True"] if arguments.skip_broken else [])]
    lines = list(check(**read_options(entry.name, check, texts)))
    # What is sound, but not whole, can be used; it is not called ok.
    verdict = lines.pop() if lines and lines[-1].startswith("incomplete: ") else "ok"
    say("\n".join(shown(line, MOST_OF_LINE) for line in [*lines, f"{entry.name}: {verdict}"]))
    return 0


def add_graph(parser: argparse.ArgumentParser) -> None:
    """Give ``datasets graph`` its arguments."""
    add_names(parser, ["datasets"], "name", help="a registered data set")
    parser.add_argument("--confounding", nargs="+", metavar="RULES", help="a rule set's name, or statements")
    add_options(parser, "scenes=16")
    parser.add_argument("--output", type=Path, metavar="FILE", help="draw the graph: a .svg or .png file")
    parser.add_argument(
        "--num_points", type=int, metavar="N", help="points to draw (each image of the table once, if not given)"
    )
    add_seed(parser)
    parser.add_argument("--alpha", type=float, default=0.05, help="level of each test (%(default)s)")
    parser.add_argument(
        "--num_bins", type=int, default=10, metavar="N", help="intervals of a continuous factor (%(default)s)"
    )
    parser.set_defaults(command=run_graph)


def run_graph(arguments: argparse.Namespace) -> int:
    """Test, print the table, and draw the graph if a file is named."""
    import numpy as np

    from causal_disent.data.state_space import StateSpace
    from causal_disent.figures import check_picture_name
    from causal_disent.files import check_file_place
    from causal_disent.graphs.causal_graph import CausalGraph
    from causal_disent.graphs.check_graph import check_graph
    from causal_disent.report.graph_check import graph_check_text, pairs_text
    from causal_disent.runs.dataset import get_dataset

    seed = seed_of(arguments)
    if arguments.output is not None:
        check_picture_name(arguments.output)
        check_file_place(arguments.output)
    options = read_options(arguments.name, registry.get("datasets", arguments.name).load(), arguments.options)
    data = get_dataset(arguments.name, confounding=arguments.confounding, **options)
    check = check_graph(
        data,
        num_points=arguments.num_points,
        random_state=np.random.RandomState(seed),
        alpha=arguments.alpha,
        num_bins=arguments.num_bins,
    )
    say(f"{pairs_text(check)}\n\nIndependences that the graph implies:\n\n{graph_check_text(check)}")
    if arguments.output is not None:
        names = StateSpace.of(data).factor_names
        CausalGraph(data.graph).draw(arguments.output, factors=names, title=arguments.name)
        say(f"\nThe graph: {arguments.output}")
    return 0
