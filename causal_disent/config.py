"""Everything that touches gin: shipped configs, bindings and their checks, the config a run used."""

from __future__ import annotations

import inspect
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import gin
from gin import config_parser

from causal_disent import errors
from causal_disent.checks import check_arguments
from causal_disent.checks import parameters_of as signature
from causal_disent.files import read_bounded
from causal_disent.plugins import explain_missing, found_config, load_once
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.text import shown

#: (scope, whole name) of a configurable -> its parameters and their values; as gin keeps them.
Bound = Mapping[tuple[str, str], Mapping[str, Any]]


def bindable(entry: Entry) -> dict[str, inspect.Parameter]:
    """What configs may bind of an entry."""
    supplied = entry.supplied()
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: parameter
        for name, parameter in signature(entry.plain()).items()
        if name not in supplied and parameter.kind not in open_ended
    }


def check_bound(
    bound: Bound,
    references: Callable[[Any], Iterable[Any]],
    parameters: Mapping[str, Iterable[inspect.Parameter]],
    known: Mapping[str, Entry],
) -> None:
    """Raise if a value is of another type than its parameter says, or stands for something that cannot be made.

    Args:
        bound: what the config has bound.
        references: all of gin's references (``@name``, ``%macro``) in a value.
        parameters: name -> those of what a config calls so.
        known: everything that configs can name.
    """
    for (_, whole_name), values in bound.items():
        name = whole_name.rpartition(".")[2]
        literals = {key: value for key, value in values.items() if not any(references({key: value}))}
        check_arguments(parameters.get(name, ()), literals, owner=name)
    asked = {
        key: {one.config_key for one in references(dict(values)) if one.evaluate} for key, values in bound.items()
    }
    try:
        TopologicalSorter(asked).prepare()
    except CycleError as error:
        circle = " -> ".join(scope or name.rpartition(".")[2] for scope, name in error.args[1])
        raise errors.ConfigError(f"The config goes round in a circle: {shown(circle)}.") from None
    for name in {name.rpartition(".")[2] for called in asked.values() for _, name in called} & set(known):
        supplied = known[name].supplied()
        missing = [p.name for p in parameters.get(name, ()) if p.name in supplied and p.default is p.empty]
        if missing:
            raise errors.ConfigError(
                f"'@{name}()' is called without {errors.listing(missing)}, which the program gives it later: "
                f"say '@{name}', without brackets."
            )


@contextmanager
def mistakes_told(source: str) -> Iterator[None]:
    """Turn whatever gin raises while it parses into a `ConfigError` with file and line."""
    try:
        yield
    except errors.CausalDisentError:
        raise
    except SyntaxError as error:
        location = error.args[1] if len(error.args) > 1 else (None, error.lineno, None, error.text or "")
        file, line, _, text = location
        message = shown(error.args[0])
        if unquoted := re.search(r"malformed node.*Failed to parse token '(?P<word>[\w./-]+)'", message):
            word = unquoted["word"]
            message = f"{word} is no value. Text needs quotes: '{word}'; a name of something is written @{word}."
        raise errors.ConfigError(
            f"{file or source}, line {line}: {message}\n    {shown(str(text).strip())}"
        ) from None
    except tokenize.TokenError as error:
        raise errors.ConfigError(f"{source}: a bracket or a string is not closed ({error.args[0]}).") from None
    except UnicodeDecodeError:
        raise errors.ConfigError(f"{source} is not a text file.") from None
    except OSError as error:
        raise errors.ConfigError(f"{source}: {error}") from None
    except ImportError as error:
        raise errors.ConfigError(f"{source}: a config imports what is not there: {error}") from None
    except (ValueError, TypeError, RuntimeError) as error:
        raise errors.ConfigError(_explain(source, str(error))) from None


def _explain(source: str, message: str) -> str:
    """Gin's message with the place first and the nearest match last."""
    text, _, place = message.partition("\n")
    where = source
    located = re.search(r'In (?:file "(?P<file>.*?)", line|bindings string line) (?P<line>\d+)', place)
    if located:
        where = f"{located['file'] or source}, line {located['line']}"
    unknown = re.match(r"No configurable matching (?:reference )?'@?(?:.*/)?(?P<name>[\w.]+)(?:\(\))?'", text)
    if unknown:
        kinds = [kind for kind, what in KINDS.items() if what.in_configs]
        text = explain_missing("name", unknown["name"], sorted(registry.in_configs()), kinds).message
    parameter = re.match(r"Configurable '(?P<owner>[\w.]+)' doesn't have a parameter named '(?P<name>\w+)'", text)
    if parameter:
        owner = parameter["owner"].rpartition(".")[2]
        known = registry.in_configs().get(owner)
        text = errors.unknown_parameter(owner, parameter["name"], bindable(known) if known else ()).message
    supplied = re.match(r"Configurable '(?P<owner>[\w.]+)' has denylisted kwarg '(?P<name>\w+)'", text)
    if supplied:
        text = f"'{supplied['name']}' of '{supplied['owner']}' comes from the program; a config cannot bind it."
    return f"{where}: {text}"


@contextmanager
def missing_told() -> Iterator[None]:
    """Say in words what a config had to bind, and an error of the file system as it was before gin wrapped it."""
    try:
        yield
    except (RuntimeError, errors.MetricFailed) as error:
        raise _missing_binding(error) or error from None
    except TypeError as error:
        text, unsupplied, _ = str(error).partition("\n  No values supplied by Gin")
        if not unsupplied:
            raise
        raise errors.ConfigError(f"The config calls {shown(text)}.") from None
    except OSError as error:
        raise _as_raised(error) from None


def _missing_binding(error: BaseException) -> errors.ConfigError | None:
    """What to say if a parameter that has no default was not bound."""
    text = str(getattr(error, "failure", error))
    required = re.match(
        r"Required bindings for `(?P<owner>[\w./]+)` not provided in config: \[(?P<names>.*)\]", text
    )
    if required is None:
        return None
    parameters = [f"{required['owner']}.{name}" for name in re.findall(r"\w+", required["names"])]
    return errors.ConfigError(
        f"The config must bind {errors.listing(parameters)}. Add a line such as `{parameters[0]} = ...`."
    )


def _as_raised(error: OSError) -> OSError:
    """The error itself, where `error` is the copy that gin raises with a longer message and without its number."""
    inner = error.__context__
    if isinstance(inner, OSError) and type(error).__bases__ == (type(inner),) and error.errno is None:
        return _as_raised(inner)
    return error


REQUIRED = gin.REQUIRED
#: What a config from outside may have.
MOST_BYTES = 2**20
#: What a data set is called by, and what leaves it open: the one that the representation was made for.
DATASET_NAME, OPEN = "dataset.name", "auto"
#: Before a name, where a config has to tell it from the same name of another package.
MODULE = "causal_disent"
#: The packages whose names a config may write out in full: ours, and the one that we stand in for.
PACKAGES = (MODULE, "disentanglement_lib")

_registered: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}

# Gin reads files, and nothing else: as it comes, it also takes the path of an `include` for a Python package and
# imports it. An include is looked for as a config is.
gin.config._FILE_READERS[:] = [(lambda file: found_config(file).open(encoding="utf-8"), lambda file: True)]


def given_to_gin(entry: Entry) -> Callable[..., Any]:
    """Gin's wrapper of what an entry stands for, the same one each time."""
    name, function = entry.in_config, entry.plain()
    if name in _registered and _registered[name][0] is function:
        return _registered[name][1]
    taken = signature(function)
    # A plugin that was reloaded, or another backend, may register its names again, and after the config is read.
    with gin.unlock_config(), gin.config.interactive_mode():
        wrapper = gin.config.external_configurable(
            function, name=name, module=MODULE, denylist=[p for p in entry.supplied() if p in taken] or None
        )
    _registered[name] = (function, wrapper)
    return wrapper


registry.wrap = given_to_gin


class Names(gin.selector_map.SelectorMap):
    """Gin's map of names, which asks our registry for a name that nobody else has.

    Importing everything that configs can name would take seconds, and frameworks. A name that a program has given
    to something of its own is that program's.
    """

    def matching_selectors(self, partial_selector: str) -> list[str]:
        """The whole names that `partial_selector` stands for."""
        found = super().matching_selectors(partial_selector)
        others = [whole for whole in found if not whole.startswith(f"{MODULE}.")]
        package, _, name = partial_selector.rpartition(".")
        if others or not (not package or package.startswith(PACKAGES)):
            return others
        _know(name)
        return super().matching_selectors(f"{MODULE}.{name}")


gin.config._REGISTRY.__class__ = Names


def entry_of(value: Any) -> Entry | None:
    """The entry that a config means by ``@name``, if it is one of the registry."""
    names = (name for name, (known, _) in _registered.items() if inspect.unwrap(known) is inspect.unwrap(value))
    load_once()
    return registry.in_configs().get(next(names, ""))


def parameters_of(entry: Entry) -> dict[str, Any]:
    """What configs may bind of an entry, with the defaults; `REQUIRED` where they must."""
    return {
        name: REQUIRED if parameter.default is parameter.empty else parameter.default
        for name, parameter in bindable(entry).items()
    }


def _know(name: str) -> None:
    """Let gin know what is registered as `name`, if anything is."""
    entry = registry.find_in_configs(name)
    if entry is not None:
        given_to_gin(entry)


def _owner(parameter: str) -> str:
    """``uc`` of ``some/scope/causal_disent.uc.rho``."""
    return parameter.rpartition(".")[0].rpartition("/")[2].rpartition(".")[2]


def selector(name: str) -> str:
    """The whole name by which gin knows what a config calls `name`."""
    return f"{MODULE}.{name}"


def remembered(whole_name: str) -> Callable[[], None]:
    """A function that makes gin know again, by that name, what it knows now."""
    known, owners = gin.config._REGISTRY, gin.config._INVERSE_REGISTRY
    name, before = whole_name.rpartition(".")[2], known.get(whole_name)
    kept = _registered.get(name)

    def restore() -> None:
        if whole_name in known:
            owners.pop(known.pop(whole_name).wrapped, None)
        if before is not None:
            known[whole_name] = owners[before.wrapped] = before
        _registered.pop(name, None)
        if kept is not None:
            _registered[name] = kept

    return restore


@contextmanager
def gin_config(
    files: Sequence[str | Path] | None = None, bindings: Sequence[str] | None = None, *, fresh: bool = True
) -> Iterator[None]:
    """Parse configs and bindings, and clear them at the end, however the block ends.

    Bindings that are there already are cleared first if it is `fresh`, and kept for the block if not.
    """
    if fresh:
        gin.clear_config()
    try:
        for file in files or ():
            with mistakes_told(str(file)):
                _parse_file(str(file))
        with mistakes_told("--gin_bindings"):
            gin.parse_config(list(bindings or ()))
            gin.finalize()
            references = gin.config.iterate_references
            bound = gin.config._CONFIG
            said = {name for _, name in bound} | {one.config_key[1] for one in references(bound)}
            parameters = {name: _parameters_named(name) for name in (whole.rpartition(".")[2] for whole in said)}
            check_bound(bound, references, parameters, registry.in_configs())
        with missing_told():
            yield
    finally:
        gin.clear_config()


def _parameters_named(name: str) -> list[inspect.Parameter]:
    return list(signature(_registered[name][0]).values()) if name in _registered else []


def _parse_file(file: str) -> None:
    """Read a config over those before it; a data set that one of them names is not opened again.

    Every config of a metric leaves the data set open, and may come after the user's own.
    """
    named = query(DATASET_NAME)
    gin.parse_config_file(str(found_config(file)))
    if named is not None and query(DATASET_NAME) == OPEN:
        rebind(DATASET_NAME, named)


def query(parameter: str) -> Any:
    """The bound value of ``name.parameter``, or None."""
    return gin.query_parameter(parameter) if is_bound(parameter) else None


def is_bound(parameter: str) -> bool:
    """Whether ``name.parameter`` is bound, be it to None."""
    try:
        gin.query_parameter(parameter)
    except ValueError:
        return False
    return True


def rebind(parameter: str, value: Any) -> None:
    """Bind ``name.parameter``, though the config may be locked already."""
    owner = _owner(parameter)
    _know(owner)
    check_arguments(_parameters_named(owner), {parameter.rpartition(".")[2]: value}, owner)
    with gin.unlock_config():
        gin.config.bind_parameter(parameter, value)


def bind_missing(bindings: Mapping[str, Any], source: str) -> None:
    """Bind what the config has not bound; `source` is named if a parameter does not exist."""
    for parameter, value in bindings.items():
        if not is_bound(parameter):
            with mistakes_told(source):
                rebind(parameter, value)


class _LiteralsOnly(config_parser.ParserDelegate):
    """Refuses whatever would call or import something."""

    def configurable_reference(self, scoped_configurable_name: str, evaluate: bool) -> Any:
        raise ValueError(f"'@{scoped_configurable_name}' is not allowed here, only literal values.")

    def macro(self, macro_name: str) -> Any:
        raise ValueError(f"'%{macro_name}' is not allowed here, only literal values.")


class _References(config_parser.ParserDelegate):
    """Keeps references as text, and the names they refer to."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def configurable_reference(self, scoped_configurable_name: str, evaluate: bool) -> Any:
        self.names.add(re.split(r"[./]", scoped_configurable_name)[-1])
        return _Text(f"@{scoped_configurable_name}{'()' if evaluate else ''}")

    def macro(self, macro_name: str) -> Any:
        return _Text(f"%{macro_name}")


class _Text(str):
    """Text that stands for itself when it is shown inside a list."""

    def __repr__(self) -> str:
        return str(self)


def literal_bindings(path: Path) -> dict[str, Any]:
    """The bindings of a config file from outside: literals alone, no imports, no includes.

    A gin file can import any Python module, so one that comes with a stranger's model is not given to gin.
    """
    found: dict[str, Any] = {}
    for statement in _statements(path, _LiteralsOnly()):
        if not isinstance(statement, config_parser.BindingStatement) or not statement.arg_name:
            raise errors.ConfigError(
                f"{path}, line {statement.location.line_num}: only bindings `name.parameter = value` are "
                "allowed in this file."
            )
        found[_key(statement)] = statement.value
    return found


def recorded_bindings(path: Path) -> dict[str, str]:
    """The bindings of a saved operative config, values as text."""
    return _texts(_statements(path, _References()))


def stated_bindings(
    files: Sequence[str | Path] = (), bindings: Sequence[str] = (), source: str = "--gin_bindings"
) -> dict[str, str]:
    """What `gin_config` would bind, values as text; nothing is imported or called, and names are not looked up.

    A mistake in the bindings is told as one of their `source`.

    Example:
        >>> stated_bindings(["metrics/uc.gin"], ["causal_disent.uc.rho = 2"])["uc.rho"]
        '2'
    """
    found: dict[str, str] = {}
    for file in files:
        named = found.get(DATASET_NAME, repr(OPEN))
        found |= _texts(_statements(found_config(str(file)), _References()), follow=True)
        if found.get(DATASET_NAME) == repr(OPEN):
            found[DATASET_NAME] = named
    with mistakes_told(source):
        found |= _flat("\n".join(bindings))
    # Without the module: `mig.num_train` of `causal_disent.mig.num_train`.
    return {re.sub(r"(\w+\.)+(?=\w+\.\w+$)", "", key): text for key, text in found.items()}


def _texts(statements: Iterable[Any], *, follow: bool = False) -> dict[str, str]:
    """What statements bind, values as text; perhaps with what the configs that they include bind."""
    found: dict[str, str] = {}
    for statement in statements:
        if isinstance(statement, config_parser.BindingStatement):
            found[_key(statement)] = repr(statement.value)
        elif follow and isinstance(statement, config_parser.IncludeStatement):
            found |= _texts(_statements(found_config(statement.filename), _References()), follow=True)
    return found


def _statements(path: Path, delegate: config_parser.ParserDelegate) -> Iterator[Any]:
    text = read_bounded(path, MOST_BYTES)
    with mistakes_told(str(path)):
        yield from config_parser.ConfigParser(text.decode("utf-8"), delegate)


def _key(statement: config_parser.BindingStatement) -> str:
    scope = f"{statement.scope}/" if statement.scope else ""
    return f"{scope}{statement.selector}" + (f".{statement.arg_name}" if statement.arg_name else "")


def operative_config() -> str:
    """Every parameter that was used, as a config that can be parsed again."""
    return gin.operative_config_str()


def operative_bindings() -> dict[str, str]:
    """The same, flat: parameter -> value as text."""
    return _flat(gin.operative_config_str())


def bound_texts() -> dict[str, str]:
    """All that is bound: parameter -> value as text."""
    return _flat(gin.config_str())


def bindings_of(*names: str) -> tuple[tuple[str, str], ...]:
    """What is bound for the configurables of these names: equal where they would be called alike."""
    bound = bound_texts().items()
    return tuple(sorted((key, value) for key, value in bound if key.rpartition(".")[0].split("/")[-1] in names))


def _flat(config: str) -> dict[str, str]:
    return _texts(config_parser.ConfigParser(config, _References()))
