"""``causal-disent datasets graph``: a data set's causal graph, and whether the data obey it."""

from __future__ import annotations

import argparse
import ast
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.registry import registry

__all__ = ["add_command", "run_graph"]


def add_command(commands: Any) -> None:
    """Add ``graph`` to the parser of ``datasets``."""
    parser = commands.add_parser("graph", help="test a data set against its causal graph, and draw the graph")
    parser.add_argument("name", metavar="NAME", help="a registered data set")
    parser.add_argument("--confounding", nargs="+", metavar="RULES", help="a rule set's name, or statements")
    parser.add_argument(
        "--options", nargs="+", default=[], metavar="KEY=VALUE", help="what the data set takes, such as scenes=16"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="draw the graph: a .svg or .png file")
    parser.add_argument(
        "--num_points", type=int, metavar="N", help="points to draw (each image of the table once, if not given)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws (%(default)s)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of each test (%(default)s)")
    parser.set_defaults(command=run_graph)


def run_graph(arguments: argparse.Namespace) -> int:
    """Test, print the table, and draw the graph if a file is named."""
    import numpy as np

    from causal_disent.data.state_space import StateSpace
    from causal_disent.evaluation.check_graph import check_graph
    from causal_disent.report.graph_check import graph_check_text
    from causal_disent.report.graph_picture import check_picture_name, save_graph
    from causal_disent.steps.dataset import get_dataset

    if arguments.output is not None:
        check_picture_name(arguments.output)
    options = _options(arguments.name, arguments.options)
    data = get_dataset(arguments.name, confounding=arguments.confounding, **options)
    check = check_graph(
        data,
        num_points=arguments.num_points,
        random_state=np.random.RandomState(arguments.seed),
        alpha=arguments.alpha,
    )
    print(graph_check_text(check))
    if arguments.output is not None:
        save_graph(data.graph, arguments.output, factors=StateSpace.of(data).factor_names, title=arguments.name)
        print(f"\nThe graph: {arguments.output}")
    return 0


def _options(name: str, texts: Sequence[str]) -> dict[str, Any]:
    """``scenes=16`` as a keyword argument of the data set; what is no Python literal is text."""
    known = inspect.signature(registry.get("datasets", name).factory).parameters
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
