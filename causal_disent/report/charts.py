"""The charts of a report, by Altair. Field names are fixed here: what files say is data alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from causal_disent.report.page import MOST_POINTS, Chart
from causal_disent.text import shown

if TYPE_CHECKING:
    import altair as alt


Row = Mapping[Any, Any]

#: Colors that differ for the color-blind too, on white and on black.
COLORS = ["#3a86c8", "#e08a1e", "#2ca089", "#c2559d", "#8a6fd1", "#b0a030", "#cc5a49", "#6d8796"]
#: From the worst to the best; of correlations, from -1 to 1.
SCALE = ["#eea370", "#f8f4ec", "#4894c4"]
INK = "currentColor"
#: Pixels.
STEP, THIN, HEIGHT, LABEL = 22, 11, 200, 170
#: Characters of a name in a chart.
LONGEST = 60


def chart(title: str, drawing: Any, description: str) -> Chart:
    """A drawing with the looks that all share."""
    looks = {
        "background": None,
        "view": {"stroke": None},
        "axis": {"labelColor": INK, "titleColor": INK, "tickColor": INK, "domainColor": INK, "labelLimit": LABEL,
                 "labelSeparation": 6, "gridOpacity": 0.25, "labelFontSize": 11},
        "legend": {"labelColor": INK, "titleColor": INK, "orient": "bottom", "columns": 1, "labelLimit": 2 * LABEL,
                   "symbolOpacity": 1},
        "header": {"labelColor": INK, "titleColor": INK},
        "range": {"category": COLORS},
    }  # fmt: skip
    spec = drawing.to_dict()
    spec["config"] = looks
    if spec.get("width") == "container":
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return Chart(title, spec, description)


def data(rows: Sequence[Row]) -> alt.Data:
    """Rows for a chart; JSON knows no number that is not finite, and names are cut."""
    import altair as alt

    return alt.Data(values=[{name: _plain(value) for name, value in row.items()} for row in rows])


def some(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows, or of too many for a chart every second, third, ..."""
    return rows[:: 1 + (len(rows) - 1) // MOST_POINTS] if rows else rows


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return shown(value, LONGEST)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def score_chart(title: str, runs: Sequence[Row], means: Sequence[Row]) -> Chart:
    """Every model's score: a dot for each run, its mean, and the interval of the mean.

    Args:
        title: the score.
        runs: ``who``, ``data``, ``seed`` and ``value`` of each run.
        means: ``who``, ``data``, ``mean``, ``seeds`` and perhaps ``low`` and ``high`` of each model on each data
            set.
    """
    import altair as alt

    several = len({row["data"] for row in means}) > 1
    order = [shown(name, LONGEST) for name in dict.fromkeys(row["who"] for row in means)]
    y = alt.Y("who:N", title=None, sort=order)
    same: dict[str, Any] = {"y": y}
    if several:
        same |= {"yOffset": alt.YOffset("data:N"), "color": alt.Color("data:N", title=None)}
    ink: dict[str, Any] = {} if several else {"color": COLORS[0]}
    scale = alt.Scale(zero=False, nice=True)
    tips = [alt.Tooltip("who:N", title="model"), alt.Tooltip("data:N", title="data set")]
    dots = (
        alt.Chart(data(some(runs)))
        .mark_circle(size=40, opacity=0.7, **ink)
        .encode(
            x=alt.X("value:Q", title=None, scale=scale),
            tooltip=[*tips, "seed:Q", alt.Tooltip("value:Q", format=".3f")],
            **same,
        )
    )
    ends = (
        alt.Chart(data(means)).mark_rule(strokeWidth=2, opacity=0.5, **ink).encode(x="low:Q", x2="high:Q", **same)
    )
    middles = (
        alt.Chart(data(means))
        .mark_point(filled=True, size=90, shape="diamond", opacity=1, **ink)
        .encode(
            x="mean:Q",
            tooltip=[
                *tips,
                *_tips_of_interval(means),
                "seeds:Q",
            ],
            **same,
        )
    )
    height = max(STEP, THIN * len({row["data"] for row in means})) * len(order)
    drawing = alt.layer(*[ends] * _has_intervals(means), dots, middles).properties(
        width="container", height=height
    )
    best = f"{len(order)} models; the table below has the numbers"
    return chart(title, drawing, f"{title} of {best}.")


def _has_intervals(rows: Sequence[Row]) -> bool:
    """Whether there are enough seeds anywhere for an interval; a field that no row has is none to a chart."""
    return any("low" in row for row in rows)


def _tips_of_interval(rows: Sequence[Row]) -> list[Any]:
    """What a chart tells of a mean: itself, and its interval if there is one."""
    import altair as alt

    names = ["mean", *(["low", "high"] if _has_intervals(rows) else [])]
    return [alt.Tooltip(f"{name}:Q", format=".3f") for name in names]


def agreement_chart(rows: Sequence[Row], names: Sequence[str]) -> Chart:
    """Rank correlations of scores: ``one``, ``other``, ``rho``, ``runs`` of every pair."""
    import altair as alt

    shown_names = [shown(name, LONGEST) for name in names]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("one:N", title=None, sort=shown_names, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("other:N", title=None, sort=shown_names),
        tooltip=["one:N", "other:N", alt.Tooltip("rho:Q", format=".2f"), "runs:Q"],
    )
    legend = alt.Legend(title=None, orient="right")
    tiles = base.mark_rect().encode(
        color=alt.Color("rho:Q", scale=alt.Scale(domain=[-1, 0, 1], range=SCALE, interpolate="rgb"), legend=legend)
    )
    numbers = base.mark_text(fontSize=10, color="#20242a").encode(text=alt.Text("rho:Q", format=".1f"))
    size = alt.Step(34)
    drawing = alt.layer(tiles, numbers).properties(width=size, height=alt.Step(24))
    return chart("Rank correlation of scores over runs", drawing, "Rank correlations; the table has the numbers.")


def scatter_chart(rows: Sequence[Row], names: Sequence[str]) -> Chart:
    """Score against score, the reader chooses which: ``s0``, ``s1``, ..., ``who`` and ``data`` of every run."""
    import altair as alt

    keys = [f"s{i}" for i in range(len(names))]
    labels = [shown(name, LONGEST) for name in names]
    lists = {"across": "horizontal axis ", "up": "vertical axis "}
    across, up = (
        alt.param(name, bind=alt.binding_select(options=keys, labels=labels, name=words), value=key)
        for (name, words), key in zip(lists.items(), ("s0", "s1"), strict=True)
    )
    names_of_keys = json.dumps(dict(zip(keys, labels, strict=True)))
    scale = alt.Scale(zero=False, nice=True)
    drawing = (
        alt.Chart(data(some(rows)))
        .mark_circle(size=50, opacity=0.7)
        .transform_calculate(a="datum[across]", b="datum[up]")
        .encode(
            x=alt.X("a:Q", title=None, scale=scale),
            y=alt.Y("b:Q", title=None, scale=scale),
            color=alt.Color("who:N", title=None),
            tooltip=[
                "who:N",
                "data:N",
                "seed:Q",
                alt.Tooltip("a:Q", format=".3f"),
                alt.Tooltip("b:Q", format=".3f"),
            ],
        )
        .add_params(across, up)
        .properties(
            width="container",
            height=260,
            # The title of an axis cannot change with a list; that of a chart can.
            title=alt.TitleParams(alt.ExprRef(f"{names_of_keys}[up] + ' (vertical), ' + {names_of_keys}[across]")),
        )
    )
    return chart("One score against another", drawing, "Two scores of every run, chosen by the lists below it.")


def effect_chart(title: str, rows: Sequence[Row], *, ordered: bool) -> Chart:
    """A score over a parameter: ``setting``, ``who``, ``mean``, ``runs``, and perhaps ``low`` and ``high``."""
    import altair as alt

    x = alt.X(
        "setting:Q" if ordered else "setting:N",
        title=None,
        scale=alt.Scale(zero=False) if ordered else alt.Undefined,
        axis=alt.Axis(labelAngle=0, labelOverlap=True),
    )
    color = alt.Color("who:N", title=None)
    apart: dict[str, Any] = {} if ordered else {"xOffset": alt.XOffset("who:N")}
    base = alt.Chart(data(rows)).encode(x=x, color=color, **apart)
    middles = base.mark_line(point=True) if ordered else base.mark_point(filled=True, size=60)
    tips = [
        "who:N",
        "setting:N",
        *_tips_of_interval(rows),
        "runs:Q",
    ]
    drawn = middles.encode(y=alt.Y("mean:Q", title=None, scale=alt.Scale(zero=False)), tooltip=tips)
    ends = base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q")
    drawing = alt.layer(*[ends] * _has_intervals(rows), drawn).properties(width="container", height=HEIGHT)
    return chart(title, drawing, f"{title}; the table below has the numbers.")


def curve_chart(term: str, rows: Sequence[Row], names: Sequence[str]) -> Chart:
    """A term of the loss over the steps: ``run``, ``who``, ``step``, ``value``; all `names` have their colors."""
    import altair as alt

    # A run that was noted once is no line.
    several = len(rows) > len({row["run"] for row in rows})
    drawing = (
        alt.Chart(data(rows))
        .mark_line(strokeWidth=1.5, point=not several)
        .encode(
            x=alt.X("step:Q", title="step"),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            color=alt.Color("who:N", title=None, scale=alt.Scale(domain=[shown(name, LONGEST) for name in names])),
            detail="run:N",
            tooltip=["who:N", "run:N", "step:Q", alt.Tooltip("value:Q", format=".4g")],
        )
        .properties(width="container", height=HEIGHT)
    )
    return chart(term, drawing, f"{term} while training, a line for each run.")


def matrix_chart(title: str, rows: Sequence[Row]) -> Chart:
    """How far codes belong to factors: ``code``, ``factor``, ``value`` of each."""
    import altair as alt

    names = [shown(name, LONGEST) for name in dict.fromkeys(row["factor"] for row in rows)]
    # From 0, so that a tile of the only value that there is has the color of the most.
    least = min([0.0, *(row["value"] for row in rows if math.isfinite(row["value"]))])
    scale = alt.Scale(range=SCALE[1:], interpolate="rgb", domainMin=least)
    drawing = (
        alt.Chart(data(rows))
        .mark_rect()
        .encode(
            x=alt.X("code:O", title="code", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("factor:N", title=None, sort=names),
            color=alt.Color("value:Q", legend=None, scale=scale),
            tooltip=["code:O", "factor:N", alt.Tooltip("value:Q", format=".3f")],
        )
        .properties(width="container", height=STEP * len(names))
    )
    return chart(title, drawing, f"{title}: which codes belong to which factors.")
