"""Options of a data set, written KEY=VALUE on the command line."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from causal_disent import errors


def add_options(parser: Any, example: str) -> None:
    """Add ``--options`` to a parser."""
    parser.add_argument(
        "--options",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help=f"what the data set takes, such as {example}",
    )


def read_options(name: str, function: Callable[..., Any], texts: Sequence[str]) -> dict[str, Any]:
    """``scenes=16`` as a keyword argument of the data set's `function`; what is no Python literal is text."""
    known = inspect.signature(function).parameters
    options: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign:
            raise errors.InvalidInput(f"An option of a data set is given as KEY=VALUE; given: {text!r}.")
        if key not in known:
            raise errors.unknown_parameter(name, key, known)
        try:
            options[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[key] = value
    return options
