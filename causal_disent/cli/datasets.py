"""``causal-disent datasets verify`` and ``graph``: whether the files are whole, and the data obey their graph."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.cli._arguments import add_names, add_options, add_seed, read_options, seed_of
from causal_disent.registry import registry
from causal_disent.text import say, shown

#: Of a line, so many are shown.
MOST_CHARACTERS = 1000


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
    say("\n".join(shown(line, MOST_CHARACTERS) for line in [*lines, f"{entry.name}: {verdict}"]))
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
