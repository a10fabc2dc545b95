"""``dataset.*``: which data set a run uses."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_options, checked
from causal_disent.config import DATASET_NAME, OPEN, REQUIRED, is_bound, query, rebind
from causal_disent.data.view import view
from causal_disent.registry import part, registry
from causal_disent.runs.representation import recorded_values
from causal_disent.text import shown_value

#: Whose record of the data set counts, the later step first.
STEPS = ("postprocess", "train")


@checked
def get_dataset(
    name: str, *, factors: Sequence[str] | None = None, confounding: Any = None, **options: Any
) -> Any:
    """A registered data set.

    Args:
        name: as ``causal-disent datasets`` lists them.
        factors: the names of the factors that are ground truth; the others vary as nuisance.
        confounding: a rule set's name, a statement, or a list of statements
            (`causal_disent.data.confounding`).
        options: what the data set itself takes, such as ``scenes=16`` for ``candle_mini``.

    Example:
        >>> data = get_dataset("candle_mini", confounding="candle_color")
        >>> len(data.factor_table)
        1620
    """
    entry = registry.get("datasets", name)
    data = registry.wrap(entry)(**check_options(entry.plain(), options, entry.in_config))
    return view(data, factors=factors, confounding=confounding)


@part("dataset")
def dataset(name: str = REQUIRED, factors: Sequence[str] | None = None, confounding: Any = None) -> Any:
    """The data set that the config binds; its own options are bound under its own name."""
    return get_dataset(name, factors=factors, confounding=confounding)


def bind_dataset(source: Path, described: Mapping[str, Any]) -> None:
    """Where the config leaves the data set open or says "auto", take the one the representation was made for."""
    if query(DATASET_NAME) not in (None, OPEN):
        return
    found = {key: value for key, value in described.items() if key.startswith("dataset.")} or _recorded(source)
    if DATASET_NAME not in found:
        raise errors.ConfigError(
            "The config names no data set, and the input folder does not either. Add a binding such as "
            "dataset.name = 'candle_mini'."
        )
    for key, value in found.items():
        if key == DATASET_NAME or not is_bound(key):
            rebind(key, value)


def _recorded(source: Path) -> dict[str, Any]:
    """The data set, its rules and its options, as the steps that made the representation recorded them."""
    for step in STEPS:
        recorded = recorded_values(source, step)
        name = recorded.get(DATASET_NAME)
        if name and name != OPEN:
            owners = ("dataset.", f"{name}.")
            # References stay text, and a stranger's record may not call anything.
            found = {
                key: value
                for key, value in recorded.items()
                if key.startswith(owners) and not str(value).startswith(("@", "%"))
            }
            return _without_paths(found, str(name), source)
    return {}


def _without_paths(recorded: dict[str, Any], name: str, source: Path) -> dict[str, Any]:
    """What a record says, but for places: a stranger must not choose which files are read and written here."""
    parameters = inspect.signature(registry.get("datasets", name).load()).parameters.values()
    places = {f"{name}.{one.name}" for one in parameters if "Path" in str(one.annotation)}
    for place in sorted(key for key in places & recorded.keys() if recorded[key] is not None):
        warnings.warn(
            f"The record in {source} says {place} = "
            f"{shown_value(recorded[place])}, which is not used. Where it is right, "
            f"add --gin_bindings \"{place} = '...'\".",
            stacklevel=2,
        )
    return {key: value for key, value in recorded.items() if key not in places}
