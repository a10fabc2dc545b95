"""What `causal_disent.score` returns: scores as a table, in print, as a page and as a picture."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Checked
from causal_disent.figures import empty_figure, plain
from causal_disent.report.citations import paper_of
from causal_disent.report.panel import answer_of, question_of
from causal_disent.report.remarks import FEW, verdict
from causal_disent.report.table import latex_table, latex_text, text_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from causal_disent.runs.score import MetricScore, Points

#: Columns of a terminal.
WIDTH = 100
INK, MUTED, RAIL, BAR, CHANCE_LINE = "#1f2933", "#6b7785", "#e6eaef", "#2b6cb0", "#c2410c"
#: What a table has beside the scores, and the heads of it in print.
SURE = ("low", "high", "chance", "share")
LIMIT_OF = ("limit", "limit_low", "limit_high")
INTERVAL, CHANCE, LIMIT = "95 % interval", "chance", " limit"
#: What the marks on a bar of the page are.
MARKS = "bar: score; lines: 95 % interval; orange: chance level"
#: From this part of the way from worst to best on, a score looks good.
GOOD = 0.5
#: Of the picture, in points: where bars begin and end, and the height of a row.
LEFT, RIGHT, ROW, BAR_HEIGHT, MARGIN = 310.0, 540.0, 27.0, 11.0, 12.0
#: Colors that suit light and dark pages alike.
STYLE = f"""
.cd-scores {{ font: 14px/1.45 system-ui, sans-serif; max-width: 60rem; }}
.cd-scores table {{ border-collapse: collapse; width: 100%; }}
.cd-scores td, .cd-scores th {{ text-align: left; padding: .25rem .75rem .25rem 0; border: 0; }}
.cd-scores th {{ border-bottom: 1px solid #8885; }}
.cd-scores .n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.cd-scores .rail {{ width: 9rem; }}
.cd-scores .rail div {{ background: #8883; border-radius: 3px; position: relative; }}
.cd-scores .rail i, .cd-scores .rail b {{ position: absolute; top: 0; bottom: 0; }}
.cd-scores .rail i {{ border: solid currentColor; border-width: 0 1px; }}
.cd-scores .rail b {{ width: 2px; background: {CHANCE_LINE}; }}
.cd-scores .rail div div {{ background: {BAR}; height: .55rem; min-width: 2px; }}
.cd-scores .m, .cd-scores p {{ opacity: .75; }}
.cd-scores p {{ margin: .4rem 0; }}
"""


@dataclass(frozen=True)
class ScoreTable(Checked):
    """Scores of one representation by many metrics. Printed, it is a table; a notebook shows it with bars.

    Attributes:
        points: the codes and factors that were measured, as they were understood.
        rows: what each metric said, or why it said nothing.
        panel: whether these are the metrics of the default panel, which answer a question each.
        stopped: why there are not more scores, if the time was over or somebody has stopped it.
    """

    points: Points
    rows: tuple[MetricScore, ...]
    panel: bool = False
    stopped: str = ""

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per metric, by its name: ``score``, ``low`` and ``high`` of the 95 % interval, ``chance`` (what
        codes that say nothing score), ``share`` (of them that reach the score; all NaN if there is none), ``p``
        (that chance gives as much, corrected for the number of metrics), ``verdict`` (in words), ``better``,
        ``remark``; ``limit``, the estimate for many points, and ``limit_low`` and ``limit_high`` of its 95 %
        interval."""
        import pandas as pd

        columns = {
            "score": [row.score for row in self.rows],
            **{name: [getattr(row.sure, name) for row in self.rows] for name in SURE},
            "p": [row.sure.p for row in self.rows],
            "verdict": [_verdict(row) if row.result is not None else "" for row in self.rows],
            "better": [row.entry.facts.get("better", "") for row in self.rows],
            "remark": [row.remark for row in self.rows],
            **{name: [getattr(row.sure, name) for row in self.rows] for name in LIMIT_OF},
        }
        return pd.DataFrame(columns, index=pd.Index([row.entry.name for row in self.rows], name="metric"))

    @property
    def _columns(self) -> dict[str, Callable[[MetricScore], str]]:
        """Head -> cell of the columns that say how sure the scores are, as far as any metric was asked."""
        asked = {INTERVAL: _interval, LIMIT: _limit, CHANCE: _chance}
        return {head: cell for head, cell in asked.items() if any(cell(row) for row in self._scored)}

    @property
    def results(self) -> dict[str, Any]:
        """Metric -> all that its function returned: scores per factor, matrices and so on."""
        return {row.entry.name: row.result for row in self._scored}

    @property
    def left_out(self) -> dict[str, str]:
        """Metric without a score -> why: what it needs, which factors it does not take, or how it failed."""
        return {row.entry.name: row.remark for row in self.rows if row.result is None}

    def record(self) -> dict[str, Any]:
        """What JSON holds of it."""
        factors = self.points.factors
        return {
            "points": len(factors.values),
            "codes": list(self.points.codes.names),
            "factors": {name: list(factors.categories.get(name, ())) or None for name in factors.names},
            "notes": list(self.points.notes),
            "scores": {row.entry.name: str(s) if isinf(s := row.score) else s for row in self._scored},
            **{name: self._known(name) for name in (*SURE, *LIMIT_OF)},
            "within_chance": [row.entry.name for row in self._scored if row.sure.within_chance],
            "remarks": {row.entry.name: row.remark for row in self._scored if row.remark},
            "left_out": self.left_out,
            **({"stopped": self.stopped} if self.stopped else {}),
        }

    def _known(self, name: str) -> dict[str, float]:
        found = {row.entry.name: getattr(row.sure, name) for row in self._scored}
        return {metric: value for metric, value in found.items() if isfinite(value)}

    @property
    def _scored(self) -> list[MetricScore]:
        return [row for row in self.rows if row.result is not None]

    def _heading(self) -> str:
        num_points, num_codes = self.points.codes.values.shape
        factors = self.points.factors.names
        counted = f"{num_points:,} points, {_count(num_codes, 'code')}, {_count(len(factors), 'factor')}"
        return f"{counted}: {errors.listing(factors)}"

    def remarks(self) -> list[str]:
        """What is said below the scores: what was left out, and why."""
        return [
            textwrap.fill(f"{of}: {said}", WIDTH, subsequent_indent="    ", break_on_hyphens=False)
            for of, said in self._remarks()
        ]

    def _remarks(self) -> Iterator[tuple[str, str]]:
        """What to say below the scores, and of which metrics."""
        yield from (("note", note) for note in self.points.notes)
        if self.panel and self._scored:
            yield "more", 'metrics="all" (--metrics all) measures by every metric; docs/metrics.md describes them'
        yield from _grouped(self._scored)
        for row in self._scored if not self.panel else ():
            yield from _why_chance(row)
        for head, failed in (("failed", True), ("left out", False)):
            without = [row for row in self.rows if row.result is None and row.failed is failed]
            yield from ((f"{head}: {names}", reason) for names, reason in _grouped(without))

    def __str__(self) -> str:
        names = max((len(row.entry.name) for row in self._scored), default=0)
        last = "question and answer" if self.panel else "question"
        head = ["metric", " score", *self._columns, *([] if self.panel else ["best"]), last]
        cells = [[cell(row) for cell in self._columns.values()] for row in self._scored]
        widths = [max(map(len, column)) for column in zip(list(self._columns), *cells, strict=True)]
        best = 0 if self.panel else len("best") + 2
        room = WIDTH - max(names, len("metric")) - 10 - best - sum(width + 2 for width in widths)
        body = []
        for row, own in zip(self._scored, cells, strict=True):
            first, *rest = textwrap.wrap(self._last(row), room) or [""]
            body.append(
                [row.entry.name, f"{_shown(row):>6}", *own, *([f"{_best(row):4.3g}"] if best else []), first]
            )
            body += [[""] * (len(head) - 1) + [line] for line in rest]
        remarks = self.remarks()
        heading = textwrap.fill(self._heading(), WIDTH)
        table = text_table(head, body)
        return "\n".join([heading, "", table, *([""] if remarks else []), *remarks])

    __repr__ = __str__

    @property
    def answers(self) -> dict[str, str]:
        """Question of the panel -> its answer, for the metrics that were measured.

        Example:
            >>> from causal_disent import score
            >>> codes = factors = np.indices((4, 4)).reshape(2, -1).T
            >>> score(codes, factors).answers["Has each factor one code?"]
            'yes'
        """
        found = ((question_of(row.entry.name), self._answer(row)) for row in self._scored)
        return {question.words: answer for question, answer in found if question and answer}

    def _answer(self, row: MetricScore) -> str:
        return answer_of(row, self.points.factors.names, _best(row))

    def _last(self, row: MetricScore) -> str:
        """What a metric asks, and in the panel the answer."""
        question = question_of(row.entry.name)
        if not self.panel or question is None:
            return _question(row)
        answer = self._answer(row)
        return f"{question.words} {answer[:1].upper()}{answer[1:]}."

    def to_html(self, *, page: bool = True) -> str:
        """A page that needs nothing else; or, without `page`, what goes into one."""
        rows = "".join(
            f"<tr><td>{_link(row)}</td><td class=n>{_shown(row)}</td>"
            f"{''.join(f'<td class=n>{cell(row)}</td>' for cell in self._columns.values())}"
            f"<td class=rail>{_rail(row)}</td><td class=n>{_best(row):.3g}</td>"
            f"<td class=m>{escape(self._last(row))}</td></tr>\n"
            for row in self._scored
        )
        heads = "".join(f"<th class=n>{name}</th>" for name in self._columns)
        remarks = "".join(f"<p>{escape(of)}: {escape(said)}</p>\n" for of, said in self._remarks())
        last = "question and answer" if self.panel else "question"
        inside = (
            f"<style>{STYLE}</style>\n<div class=cd-scores><p>{escape(self._heading())}</p>\n<table>\n"
            f"<tr><th>metric</th><th class=n>score</th>{heads}<th class=rail title='{MARKS}'>worst to best</th>"
            f"<th class=n>best</th><th>{last}</th></tr>\n{rows}</table>\n{remarks}</div>\n"
        )
        if not page:
            return inside
        head = "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>Scores</title></head><body>\n"
        return f"{head}{inside}</body></html>\n"

    def _repr_html_(self) -> str:
        return self.to_html(page=False)

    def to_json(self) -> str:
        """All scores, and all that the metrics' functions returned; None stands for what is not finite.

        Example:
            >>> import json
            >>> from causal_disent import score
            >>> codes = factors = np.indices((4, 4)).reshape(2, -1).T
            >>> json.loads(score(codes, factors, metrics="mig").to_json())["results"]["mig"]["score"]
            1.0
        """
        results = {name: _as_json(asdict(result)) for name, result in self.results.items()}
        return json.dumps({**_as_json(self.record()), "results": results})

    def to_latex(self) -> str:
        """The scores as a table for LaTeX, with booktabs: 95 % intervals and chance levels where they are known.

        Example:
            >>> from causal_disent import score
            >>> codes = factors = np.indices((4, 4)).reshape(2, -1).T
            >>> print(score(codes, factors, metrics=["mig", "mig_sup"], bootstrap=0, chance=0).to_latex())
            \\begin{tabular}{lr}
            \\toprule
            metric & score \\\\
            \\midrule
            mig & 1.000 \\\\
            mig\\_sup & 1.000 \\\\
            \\bottomrule
            \\end{tabular}
        """
        head = ["metric", "score", *map(str.strip, self._columns)]
        body = [
            [row.entry.name, _shown(row), *(cell(row).strip() for cell in self._columns.values())]
            for row in self._scored
        ]
        first, *rows = [[latex_text(cell).replace(" to ", " -- ") for cell in cells] for cells in [head, *body]]
        return latex_table(first, rows)

    def plot(self) -> Figure:
        """A bar for each score from the worst (left) to the best (right) of its metric."""
        rows, heading = self._scored, textwrap.wrap(self._heading(), 105)
        height = 2 * MARGIN + ROW * (len(rows) + 1) + 12 * len(heading)
        figure, axes = empty_figure(RIGHT + 46 + MARGIN, height)
        axes.text(MARGIN, height - MARGIN, plain("\n".join(heading)), va="top", color=MUTED, size=8)
        for i, row in enumerate(rows):
            y = MARGIN + ROW * (len(rows) - i)
            asked = question_of(row.entry.name) if self.panel else None
            question = (
                asked.words if asked else row.entry.summary + (" (lower is better)" if _is_lower(row) else "")
            )
            axes.text(MARGIN, y + 1, plain(row.entry.name), va="bottom", color=INK, size=9)
            axes.text(MARGIN, y - 1, plain(question), va="top", color=MUTED, size=6.5)
            if (place := _place(row)) is not None:
                axes.barh(y, RIGHT - LEFT, left=LEFT, height=BAR_HEIGHT, color=RAIL)
                axes.barh(y, max(place * (RIGHT - LEFT), 1), left=LEFT, height=BAR_HEIGHT, color=BAR)
                ends = [_place(row, end) for end in (row.sure.low, row.sure.high) if isfinite(end)]
                axes.plot(
                    [LEFT + end * (RIGHT - LEFT) for end in ends if end is not None], [y] * len(ends), color=INK
                )
                if isfinite(row.sure.chance):
                    chance = LEFT + (_place(row, row.sure.chance) or 0.0) * (RIGHT - LEFT)
                    axes.plot([chance] * 2, [y - BAR_HEIGHT / 2, y + BAR_HEIGHT / 2], color=CHANCE_LINE)
            axes.text(RIGHT + 46, y, _shown(row), va="center", ha="right", color=INK, size=9)
            if row.sure.within_chance:
                axes.text(RIGHT + 46, y - 7, "within chance", va="top", ha="right", color=CHANCE_LINE, size=6.5)
        known = {"black: 95 % interval": INTERVAL, "orange: chance level": CHANCE}
        legend = ", ".join(words for words, head in known.items() if head in self._columns)
        axes.text(MARGIN, MARGIN, legend, va="bottom", color=MUTED, size=6.5)
        for x, word in ((LEFT, "worst"), (RIGHT, "best")):
            axes.text(x, MARGIN, word, va="bottom", ha="center", color=MUTED, size=8)
        return figure


def _as_json(value: Any) -> Any:
    """A result as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _as_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_as_json(inner) for inner in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _as_json(value.tolist())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def _grouped(rows: Iterable[MetricScore]) -> Iterator[tuple[str, str]]:
    """The metrics of each remark."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row.remark:
            names.setdefault(row.remark, []).append(row.entry.name)
    return ((", ".join(together), remark) for remark, together in names.items())


def _shown(row: MetricScore) -> str:
    return _number(row.score)


def _number(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"  # no -0.000


def _is_lower(row: MetricScore) -> bool:
    return row.entry.facts.get("better") == "lower"


def _ends(row: MetricScore) -> Sequence[float]:
    """The worst and the best score that a metric can give."""
    low, high = row.entry.facts["range"]
    return (high, low) if _is_lower(row) else (low, high)


def _best(row: MetricScore) -> float:
    return _ends(row)[1]


def _interval(row: MetricScore) -> str:
    return "" if isnan(row.sure.low) else f"{_number(row.sure.low)} to {_number(row.sure.high)}"


def _limit(row: MetricScore) -> str:
    """The estimate for many points, where the score still moves."""
    return f"{_number(row.sure.limit):>6}" if row.sure.moves else ""


def _chance(row: MetricScore) -> str:
    return "" if isnan(row.sure.chance) else f"{_number(row.sure.chance):>6}"


def _question(row: MetricScore) -> str:
    words = _verdict(row).replace("within chance", "WITHIN CHANCE")
    return (f"{words}: " if row.sure.within_chance else "") + row.entry.summary


def _verdict(row: MetricScore) -> str:
    """Where the score is beside its chance level; a score at its best that permutations reach decides nothing."""
    number = row.sure.permutations
    reached = round(row.sure.share * number) if row.sure.within_chance else 0
    if row.sure.within_chance and row.sure.share < FEW <= row.sure.shared:
        return f"within chance (some metric is as far above it in {100 * row.sure.shared:.0f} % of permutations)"
    if not reached or row.score < _best(row) - 1e-9 or _is_lower(row):
        return verdict(row.sure.within_chance, row.sure.share)
    return f"at its best, as {reached} of {number} permutations: cannot decide"


def _why_chance(row: MetricScore) -> Iterator[tuple[str, str]]:
    """Of a good score that is within chance: what permuted codes score, so that it does not puzzle."""
    if row.sure.within_chance and (_place(row) or 0.0) >= GOOD:
        yield (
            row.entry.name,
            f"the same codes, dealt to the wrong points, score {_number(row.sure.chance)} on average. So it alone "
            "tells nothing here.",
        )


def _place(row: MetricScore, score: float | None = None) -> float | None:
    """Where a score, by default the metric's, stands between the worst (0) and the best (1), if that can be said.

    Scores that may be negative stand at the left end if they are.
    """
    worst, best = _ends(row)
    worst = max(worst, 0.0) if best > 0 else worst
    if isinf(worst) or isinf(best):
        return None
    return min(max(((row.score if score is None else score) - worst) / (best - worst), 0.0), 1.0)


def _link(row: MetricScore) -> str:
    """The name of a metric, with what it asks and assumes, and the paper that defines it."""
    name, paper = escape(row.entry.name), paper_of(row.entry.name)
    about = f"{row.entry.summary}; assumes {row.entry.facts.get('assumes') or 'nothing'}"
    link = f" href='{escape(paper)}'" * bool(paper)
    return f"<a{link} title='{escape(about)}'>{name}</a>"


def _rail(row: MetricScore) -> str:
    """The bar of a score, with its interval and its chance level."""
    if (place := _place(row)) is None:
        return ""
    low, high, chance = (
        None if isnan(value) else _place(row, value) for value in (row.sure.low, row.sure.high, row.sure.chance)
    )
    marks = ""
    if low is not None and high is not None:
        left, width = 100 * min(low, high), 100 * abs(high - low)
        marks = f"<i style='left:{left:.1f}%;width:{width:.1f}%'></i>"
    if chance is not None:
        marks += f"<b style='left:{100 * chance:.1f}%'></b>"
    return f"<div><div style='width:{100 * place:.1f}%'></div>{marks}</div>"
