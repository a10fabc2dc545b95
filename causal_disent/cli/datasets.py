"""``causal-disent datasets counterfactual``: what images of a data set would be, had factors been set."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.cli._arguments import add_names, add_options, add_seed, read_options, seed_of
from causal_disent.data.state_space import as_number
from causal_disent.registry import registry
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import say


def add_counterfactual(parser: argparse.ArgumentParser) -> None:
    """Give ``datasets counterfactual`` its arguments."""
    add_names(parser, ["datasets"], "name", help="a registered data set with counterfactuals")
    pair = "FACTOR=VALUE"
    parser.add_argument("--given", nargs="+", default=[], metavar=pair, help="the images to ask about")
    parser.add_argument(
        "--do", nargs="+", action="append", required=True, metavar=pair, help="a question; repeat it for others"
    )
    parser.add_argument("--num_images", type=int, default=1, metavar="N", help="images to draw (%(default)s)")
    parser.add_argument("--confounding", nargs="+", metavar="RULES", help="a rule set's name, or statements")
    add_options(parser, "scenes=16")
    add_seed(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="draw images and answers: a .png file")
    parser.set_defaults(command=run_counterfactual)


def run_counterfactual(arguments: argparse.Namespace) -> int:
    """Answer the questions, say which answers the data set does not hold, and draw them."""
    from causal_disent.files import check_file_place
    from causal_disent.report.pictures import save_picture
    from causal_disent.report.questions import (
        NOT_OBSERVED,
        OBSERVED,
        ask,
        find_images,
        question_sheet,
        question_text,
    )
    from causal_disent.runs.dataset import get_dataset

    seed = seed_of(arguments)
    if arguments.output is not None:
        check_png(arguments.output)
        check_file_place(arguments.output)
    given = read_pairs("--given", arguments.given)
    questions = [read_pairs("--do", texts) for texts in arguments.do]
    options = read_options(arguments.name, registry.get("datasets", arguments.name).load(), arguments.options)
    data = get_dataset(arguments.name, confounding=arguments.confounding, **options)
    if not hasattr(data, "factor_table"):
        raise errors.InvalidInput(f"The data set {arguments.name} is not finite: it has no table of its images.")
    indices = find_images(data, given, arguments.num_images, seed)
    answers = ask(data, indices, questions)
    factors = list(dict.fromkeys([*given, *(factor for do in questions for factor in do)]))
    rows = []
    for n, index in enumerate(indices.tolist()):
        told = data.factor_table.loc[index]
        image = ", ".join(f"{factor}={told[factor]}" for factor in factors if factor in told.index)
        for number, do in enumerate(questions):
            answer = "drawn"
            if answers.observed is not None:
                answer = OBSERVED if answers.observed[n, number] else NOT_OBSERVED
            rows.append([str(index), image, question_text(do), answer])
    say(text_table(["image", "given", "question", "answer"], rows, WIDTH))
    if arguments.output is not None:
        save_picture(np.asarray(question_sheet(data, answers, questions)), arguments.output)
        say(f"\nThe images: {arguments.output}")
    return 0


def check_png(path: Path) -> None:
    """Raise unless a picture of pixels can have this name."""
    if path.suffix.lower() != ".png":
        raise errors.InvalidInput(f"--output names a .png file; given: {path}.")


def read_pairs(flag: str, texts: Sequence[str]) -> dict[str, Any]:
    """``color=yellow`` as factor -> value; a number is a number."""
    found: dict[str, Any] = {}
    for text in texts:
        factor, sign, value = text.partition("=")
        if not (factor and sign and value):
            raise errors.InvalidInput(f"{flag} takes FACTOR=VALUE; given: {text!r}.")
        number = as_number(value)
        found[factor] = value if not np.isfinite(number) else int(number) if number % 1 == 0 else number
    return found
