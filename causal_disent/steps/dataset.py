"""``dataset.*``: which data set a run uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from causal_disent.config import REQUIRED, configurable, install
from causal_disent.data.view import view
from causal_disent.registry import registry

__all__ = ["dataset", "get_dataset"]


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
    install()
    return view(registry.function("datasets", name)(**options), factors=factors, confounding=confounding)


@configurable("dataset", supplied=())
def dataset(name: str = REQUIRED, factors: Sequence[str] | None = None, confounding: Any = None) -> Any:
    """The data set that the config binds; its own options are bound under its own name."""
    return get_dataset(name, factors=factors, confounding=confounding)
