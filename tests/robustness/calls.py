"""Every public function of arrays, called with nonsense: an answer, or an error in words."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from nonsense import guise, scalar

from causal_disent import errors, graphs, metrics
from causal_disent.registry import registry

#: Arguments that must be given, and are neither codes nor factors -> good ones.
POINTS = 40
#: What makes a call take long if nonsense makes it large: it is small unless it is itself the nonsense.
SMALL = {"num_train": 30, "num_eval": 20, "draws": 2, "floor_draws": 2, "bootstrap": 0, "num_jobs": 1}
#: Parameters that are arrays (points, columns) of floats, and of labels.
CODES = ("codes", "mus_train", "mus_test", "means", "log_variances", "x", "variances", "target", "binned_codes")
FACTORS = ("factors", "ys_train", "ys_test", "y")


@dataclass(frozen=True)
class Call:
    """A call that was made, and what came of it; `fault` is empty if that is all right."""

    text: str
    fault: str = ""
    kind: str = ""


def functions() -> dict[str, Callable[..., Any]]:
    """By name, what takes arrays."""
    found: dict[str, Callable[..., Any]] = {}
    for entry in registry.entries("metrics"):
        function = entry.facts.get("function")
        if function is not None and entry.owner == "builtin" and entry.facts["needs"].arrays_suffice:
            found[entry.name] = function
    for name in ("mic_floor", "mic_matrix", "mic_statistics", "entropies", "mutual_information_matrix",
                 "uc_of_sets", "uc_per_rho", "gaussian_kl", "udr_sklearn"):  # fmt: skip
        found[name] = getattr(metrics, name)
    for entry in registry.entries("attributions"):
        found[f"{entry.name} (attribution)"] = entry.load()
    for name in ("shd", "sid", "edge_scores"):
        found[name] = getattr(graphs, name)
    return found


def good_arrays(random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Codes (points, 3) and factors (points, 2) that any metric takes."""
    factors = np.stack([random.randint(3, size=POINTS), random.randint(2, size=POINTS)], axis=1)
    codes = np.hstack([factors + 0.1 * random.randn(POINTS, 2), random.randn(POINTS, 1)])
    return codes, factors


def arguments(function: Callable[..., Any], random: np.random.RandomState) -> tuple[dict[str, Any], str]:
    """Arguments of which one to three are nonsense, and what they are."""
    codes, factors = good_arrays(random)
    parameters = inspect.signature(function).parameters
    names = [name for name in parameters if parameters[name].kind is not inspect.Parameter.VAR_KEYWORD]
    wrong = set(random.choice(names, size=min(len(names), random.choice([1, 1, 1, 2, 3])), replace=False))
    given: dict[str, Any] = {}
    told = []
    for name in names:
        good = codes if name in CODES else factors if name in FACTORS else None
        if name in ("x", "y"):
            good = None if good is None else good[:, :1]
        if name in ("truth", "estimate"):
            good = np.triu(np.ones((3, 3)), 1)
        if name == "sets":
            given[name] = [{0}, {1, 2}]
        if good is not None:
            what, value = guise(good, random) if name in wrong else ("", good)
            given[name] = value[:, 0] if name in ("x", "y") and value is good else value
            if name == "codes" and function.__name__ == "udr_sklearn":
                given[name] = [value, codes]
        elif name in wrong:
            given[name] = value = scalar(random)
            what = f"{type(value).__name__} {str(value)[:30]!r}" if type(value).__name__ != "Rude" else "Rude"
        elif name in SMALL:
            given[name], what = SMALL[name], ""
        else:
            what = ""
            if name == "random_state":
                given[name] = 0
        if what:
            told.append(f"{name}={what}")
    return given, ", ".join(told)


def outcome(name: str, function: Callable[..., Any], given: dict[str, Any], told: str) -> Call:
    """Call it; a fault is an exception that is not in words, or a number that is none and nobody says so."""
    text = f"{name}({told})"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(**given)
        except errors.CausalDisentError as error:
            return Call(text, *(("an empty message", "message") if not error.message.strip() else ()))
        except Exception as error:
            last = [f for f in _frames(error) if "causal_disent/" in f]
            try:
                said = str(error)[:150]
            except BaseException:
                said = "(no text)"
            return Call(text, f"{type(error).__name__}: {said} @ {last[-1] if last else '?'}", "raw")
    words = [w for w in caught if issubclass(w.category, UserWarning)]
    bad = _silent(name, result)
    return Call(text, bad, "silent") if bad and not words else Call(text)


def _frames(error: BaseException) -> Iterator[str]:
    import traceback

    for frame, line in traceback.walk_tb(error.__traceback__):
        yield f"{frame.f_code.co_filename}:{line}"


def _silent(name: str, result: Any) -> str:
    """What is not a number, infinite or out of range in a result."""
    declared = next((e for e in registry.entries("metrics") if e.name == name), None)
    if declared is not None:
        low, high = declared.facts["range"]
        score = float(result.score)
        if not low - 1e-9 <= score <= high + 1e-9 or np.isinf(score):
            return f"score {score} out of {low}..{high}"
        return ""
    if name == "Correlate":  # whose width may be infinite: no correlation
        return ""
    values = [getattr(result, f.name) for f in fields(result)] if is_dataclass(result) else [result]
    for value in values:
        array = np.asarray(value) if isinstance(value, (float, np.ndarray, np.floating)) else np.zeros(1)
        if array.dtype.kind == "f" and np.isinf(array).any():
            return "an infinite value"
    return ""


def fuzz(seed: int, number: int, names: list[str] | None = None) -> Iterator[Call]:
    """`number` calls, the same for the same seed."""
    known = functions()
    chosen = names or list(known)
    for i in range(number):
        random = np.random.RandomState([seed, i])
        name = chosen[random.randint(len(chosen))]
        given, told = arguments(known[name], random)
        yield outcome(name, known[name], given, told)
