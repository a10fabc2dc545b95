"""``causal-disent datasets``: the list, ``--compare``, ``--samples``, ``counterfactual`` and ``discover``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import graph_for
from causal_disent.cli._arguments import add_names, add_options, add_seed, read_options, seed_of
from causal_disent.cli.listing import add_listing, files_of, plain, run_listing
from causal_disent.data.properties import PROPERTIES, tell
from causal_disent.data.state_space import StateSpace, as_number
from causal_disent.progress import track
from causal_disent.registry import Entry, registry
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import say, say_json

#: Images of a data set in the sheet of ``--samples``, and the pixels of their longer side.
SAMPLES, SIDE = 8, 128


def add_datasets(parser: argparse.ArgumentParser) -> None:
    """Give the listing of data sets its arguments."""
    add_listing(parser)
    parser.add_argument("--compare", action="store_true", help="print a table of properties, a row per data set")
    parser.add_argument("--samples", type=Path, metavar="FILE", help="draw random images of each: a .png file")
    add_seed(parser)
    parser.set_defaults(command=run_datasets)


def run_datasets(arguments: argparse.Namespace) -> int:
    """Print the list or the comparison, and draw samples if a file is named."""
    if not arguments.compare and arguments.samples is None:
        return run_listing(arguments)
    names = arguments.names or registry.names("datasets")
    entries = [registry.get("datasets", name) for name in names]
    if arguments.samples is not None:
        check_png("--samples", arguments.samples)
    if arguments.compare:
        found = [entry.facts.get("properties") or {} for entry in entries]
        if arguments.json:
            say_json([{"name": name, **plain(facts)} for name, facts in zip(names, found, strict=True)])
        else:
            say(compare_text(names, found))
    if arguments.samples is not None:
        draw_samples(entries, arguments.samples, seed_of(arguments))
    return 0


def compare_text(names: Sequence[str], found: Sequence[Mapping[str, Any]]) -> str:
    """The properties of data sets as a table; a property that none has is left out."""
    kept = [name for name in PROPERTIES if any(name in facts for facts in found)]
    rows = [[name, *(tell(one, facts.get(one)) for one in kept)] for name, facts in zip(names, found, strict=True)]
    head = ["data set", *(PROPERTIES[name].title for name in kept)]
    meanings = [f"{PROPERTIES[name].title}: {PROPERTIES[name].meaning}" for name in kept]
    return "\n".join([text_table(head, rows), "", *meanings])


def draw_samples(entries: Sequence[Entry], path: Path, seed: int) -> None:
    """Draw a row of random images of each data set whose files are there; name those that are left out."""
    from PIL import Image

    from causal_disent.files import check_file_place
    from causal_disent.report.pictures import draw_grid, save_picture
    from causal_disent.runs.dataset import get_dataset

    check_file_place(path)
    rows, titles, left_out = [], [], []
    for entry in entries:
        try:
            if files_of(entry)["files"] == "missing":
                raise errors.InvalidInput("files are missing")
            data = get_dataset(entry.name)
            if len(shape := data.observation_shape) != 3 or shape[2] not in (1, 3, 4):
                raise errors.InvalidInput("its observations are no images")
            images = data.sample(SAMPLES, np.random.RandomState(seed))[1]
        except errors.CausalDisentError as error:
            left_out.append([entry.name, str(error.message).splitlines()[0]])
            continue
        row = []
        for image in np.asarray(images, dtype=np.float64):
            pixels = np.repeat(image, 3, axis=2) if image.shape[2] == 1 else image[:, :, :3]
            factor = max(1, SIDE // max(pixels.shape[:2]))
            pixels = pixels.repeat(factor, axis=0).repeat(factor, axis=1)
            picture = Image.fromarray((255 * pixels.clip(0, 1)).round().astype(np.uint8))
            picture.thumbnail((SIDE, SIDE))
            canvas = Image.new("RGB", (SIDE, SIDE), "white")
            canvas.paste(picture, ((SIDE - picture.width) // 2, (SIDE - picture.height) // 2))
            row.append(np.asarray(canvas) / 255)
        rows.append(row)
        titles.append(entry.name)
    if not rows:
        raise errors.InvalidInput(f"There is no image to draw: {left_out[0][0]}: {left_out[0][1]}")
    save_picture(np.asarray(draw_grid(rows, row_titles=titles)), path)
    if left_out:
        say(text_table(["left out", "why"], left_out, WIDTH))
    say(f"The images: {path}")


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
        check_png("--output", arguments.output)
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


def check_png(flag: str, path: Path) -> None:
    """Raise unless a picture of pixels can have this name."""
    if path.suffix.lower() != ".png":
        raise errors.InvalidInput(f"{flag} names a .png file; given: {path}.")


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


def add_discover(parser: argparse.ArgumentParser) -> None:
    """Give ``datasets discover`` its arguments."""
    from causal_disent.metrics.discovery import METHODS

    add_names(parser, ["datasets"], "name", help="a registered data set with a causal graph of its factors")
    parser.add_argument(
        "--methods", nargs="+", default=["pc", "ges"], metavar="NAME", help=f"of {', '.join(METHODS)} (pc ges)"
    )
    parser.add_argument("--num_points", type=int, default=1000, metavar="N", help="images to draw (%(default)s)")
    parser.add_argument("--resamples", type=int, default=20, metavar="N", help="for intervals (%(default)s)")
    parser.add_argument("--raw", action="store_true", help="leave the factors in their units")
    parser.add_argument("--confounding", nargs="+", metavar="RULES", help="a rule set's name, or statements")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_options(parser, "split=test")
    add_seed(parser)
    parser.set_defaults(command=run_discover)


def run_discover(arguments: argparse.Namespace) -> int:
    """Find the graph of a data set's factors by each method, and compare it with the true one."""
    from causal_disent.data.factor_table import factor_values
    from causal_disent.graphs import CausalGraph
    from causal_disent.metrics.discovery import METHODS, score_discovery
    from causal_disent.runs.dataset import get_dataset

    seed = seed_of(arguments)
    for method in arguments.methods:
        if method not in METHODS:
            raise errors.unknown("method of causal discovery", method, METHODS)
    options = read_options(arguments.name, registry.get("datasets", arguments.name).load(), arguments.options)
    data = get_dataset(arguments.name, confounding=arguments.confounding, **options)
    if not hasattr(data, "sample_indices"):
        raise errors.InvalidInput(f"The data set {arguments.name} is not finite: it has no table of its images.")
    names = StateSpace.of(data).factor_names
    graph = CausalGraph(graph_for(data)).among(names)
    generator = np.random.RandomState(seed)
    images = data.sample_indices(data.sample_factors(arguments.num_points, generator), generator)
    values = factor_values(data, images)
    scores = []
    for method in track(arguments.methods, "discovery", unit="method"):
        scores.append(
            score_discovery(
                values,
                graph,
                method,
                resamples=arguments.resamples,
                random_state=seed,
                standardise=not arguments.raw,
            )
        )
    if arguments.json:
        say_json([asdict(score) for score in scores])
        return 0
    rows = [
        [score.method, *(_with_interval(score, name) for name in ("shd", "sid", "f1")), ", ".join(score.edges)]
        for score in scores
    ]
    true = ", ".join(f"{cause} -> {effect}" for cause, effect in graph.edges)
    say(text_table(["method", "SHD (95 %)", "SID (95 %)", "F1 (95 %)", "edges"], rows, WIDTH))
    say(f"\n{arguments.num_points:,} points; the true graph: {true or 'no edges'}.")
    for score in scores:
        if score.num_members > 1:
            say(f"{score.method}: {score.num_members} graphs fit the data alike; scores are means over them.")
    return 0


def _with_interval(score: Any, name: str) -> str:
    """``2 (1 to 3)``, or ``a cycle`` where there is no score."""
    value = getattr(score, name)
    if value is None:
        return "a cycle"
    ends = score.intervals.get(name)
    return f"{value:.3g}" + (f" ({ends[0]:.2g} to {ends[1]:.2g})" if ends else "")
