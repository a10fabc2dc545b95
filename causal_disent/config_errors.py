"""What gin raises, told as a mistake that its reader can correct: the place first, the nearest match last."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager

from causal_disent import errors
from causal_disent.bound_values import bindable
from causal_disent.entries import KINDS, store
from causal_disent.plugins import explain_missing
from causal_disent.text import shown


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
        raise errors.ConfigError(
            f"{file or source}, line {line}: {shown(error.args[0])}\n    {shown(str(text).strip())}"
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
        text = explain_missing("name", unknown["name"], sorted(store.in_configs()), kinds).message
    parameter = re.match(r"Configurable '(?P<owner>[\w.]+)' doesn't have a parameter named '(?P<name>\w+)'", text)
    if parameter:
        owner = parameter["owner"].rpartition(".")[2]
        known = store.in_configs().get(owner)
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
