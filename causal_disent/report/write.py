"""``causal-disent report``: one page about a study, a tree of result folders, or one run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from causal_disent import errors
from causal_disent.files import check_file_place, write_text
from causal_disent.report import found as folders
from causal_disent.report import ranking
from causal_disent.report.found import draw_models
from causal_disent.report.page import Page, Section, Thumbnails, check_installed, render
from causal_disent.report.ranking import Scores
from causal_disent.runs.study_table import results_table
from causal_disent.text import number_of


def write_report(folder: str | Path, output: str | Path, *, draw: bool = False) -> Path:
    """Write a page that answers what a tree of result folders says; it needs no other file and no network.

    Args:
        folder: of a study, or any other with result folders, at any depth.
        output: the HTML file.
        draw: first draw reconstructions and traversals of the first run of each model, into ``visualized`` in the
            run's folder, where its model is there and can be read.

    Returns:
        The file.
    """
    root, target = Path(folder), Path(output)
    check_installed()
    check_file_place(target)
    if not root.is_dir():
        raise errors.InvalidInput(f"{root} is not a folder.")
    if draw:
        draw_models(root)
    write_text(target, render(make_page(root)))
    return target


def make_page(root: Path) -> Page:
    """All sections that there is something to say in, in the order in which a reader asks."""
    found = folders.look(root)
    if not found:
        raise errors.InvalidInput(f"There are no results below {root}: neither scores, nor models, nor pictures.")
    thumbnails = Thumbnails()
    scores: Scores | None = None
    owners: dict[str, str] = {}
    about: list[str] = []
    with suppress(errors.InvalidInput):  # there are no scores, and there may be models, pictures or failures
        table = results_table(root)
        found.left_out += table.attrs["left_out"]
        scores = Scores.of(table)
        owners = dict(zip(table["run"], scores.table["who"], strict=True))
        about = _about(scores)
    data = folders.data_sets(scores, root) if scores else []
    by_name = {one.name: one for one in data if not one.problem}  # rules change the images, and not the graph
    graphs = [picture for one in by_name.values() for picture in one.pictures(thumbnails)]
    sections: list[Section | None] = []
    if scores:
        sections += [
            ranking.best_section(scores),
            ranking.real_section(scores),
            ranking.agreement_section(scores),
            ranking.effects_section(scores),
            folders.published_section(scores),
        ]
    sections += [
        folders.attribution_section(found, owners),
        folders.pictures_section(found, thumbnails, graphs),
        folders.curves_section(found, owners),
        folders.assumptions_section(scores, data) if scores else None,
        folders.configs_section(found),
    ]
    failures = folders.failures_section(found)  # last, when all that cannot be read is known
    sections.insert(-1, failures)
    return Page(
        f"Report of {root.absolute().name}", about, [section for section in sections if section is not None]
    )


def _about(scores: Scores) -> list[str]:
    table = scores.table
    counts = [
        number_of(table["run"].nunique(), "run"),
        f"{number_of(table['who'].nunique(), 'model')} ({_some(table['who'])})",
        f"{number_of(table['data'].nunique(), 'data set')} ({_some(table['data'])})",
        number_of(table["seed"].nunique(), "seed"),
        f"{number_of(table['metric'].nunique(), 'metric')} ({_some(table['metric'])})",
    ]
    words = (
        "A model turns images into codes. A metric scores how well codes tell of the factors behind the images, "
        "such as a shape, a color or a place, and how well they keep them apart."
    )
    if (table["confounding"] != "none").any():
        words += " Where data is confounded, some factors depend on each other, as a rule says."
    return [f"{', '.join(counts)}.", words]


def _some(names: object, most: int = 6) -> str:
    distinct = list(dict.fromkeys(map(str, names)))  # type: ignore[call-overload]
    return "; ".join(distinct[:most]) + ("; ..." if len(distinct) > most else "")
