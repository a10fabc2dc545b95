"""The page on metrics, made from the registry and the docstrings.

python -m causal_disent.report.metric_docs > docs/metrics.md
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from causal_disent import metrics
from causal_disent.metrics.contract import Declaration, describe_takes
from causal_disent.registry import Entry, registry
from causal_disent.report.table import markdown_table

INTRODUCTION = """# Metrics

This page is made from the docstrings (`python -m causal_disent.report.metric_docs`); a test keeps it current.

Every metric can be used in two ways, by one name. As a function of arrays, from `causal_disent.metrics`, it
returns a result with a `score` and more. With `dlib_evaluate` a config says `@mig` and binds its parameters,
and the result file gets its keys. The score is the same, given the same points.

    mig(codes, factors).score
    dlib_evaluate ... --gin_bindings 'evaluation.evaluation_fn = @mig' 'mig.num_train = 5000'

Which factors a metric takes stands in the table: a continuous factor, of which nearly every point has a value of
its own, is refused by a metric that does not take it. `equally_filled(factors, 10)`, `bins=10` of
`causal_disent.score` and `evaluation.bins = 10` put it into bins.

Beside a score, `causal_disent.score` and `dlib_evaluate` (`evaluation.bootstrap = 200`, `evaluation.chance = 20`)
say how sure it is: a 95 % interval over resampled points, the same points for all metrics and rho, and what the
codes score with their rows permuted, so that they say nothing of the factors. Codes that say nothing do not score
0 by every metric. A score is within chance if more than 5 % of such codes reach it, the codes themselves counted
among them, or if its interval holds their mean; from 19 permutations on that can be told. The shipped configs of
quick metrics that disentanglement_lib does not have ask for both.

The interval is the score and 1.96 standard deviations of resampled scores to either side, within the score's
range: it is to hold the mean score of as many other points in 95 % of cases. Percentiles of the resamples would
not do, for points that repeat each other have other scores (of MIG they hold that mean in 0 to 100 % of cases).
Measured on 100 samples each of 500 points with three factors and four codes, good ones, mixed ones and noise, it
is held in 98, 94 and 100 % of cases by MIG, 94, 95 and 100 % by MCC, 96, 95 and 100 % by R², 93, 95 and 84 % by
IRS, whose extremes resamples of noise miss.

The interval is of the expected score at this number of points, not of its limit. MIG, MIG-sup, DCIMIG, JEMMIG,
modularity and IRS change with the number of points: compare scores of equal numbers only, or the estimate of the
limit that `causal_disent.score` gives beside them ([calibration](calibration.md) says how often it is right).

Metrics that hold points out (`sap_score`, `r2`, `dci`, `dci_es`, `modularity_explicitness`, the downstream tasks)
choose them by the place of a row and the seed. Other orders of the same rows give other scores: of 400 points, a
`sap_score` of 0.10 or 0.14.

Known weaknesses, beside what [calibration](calibration.md) shows:

- IRS weighs each code by its largest deviation, so that one outlier or one code in another unit can decide it.
  Those deviations grow with the number of points for codes without bounds, such as normal ones: IRS has no limit
  there. Nor has JEMMIG, whose bins span the range of a code. `deviation="quantile"` takes a high quantile.
- MIG, MIG-sup, DCIMIG and JEMMIG put codes into equally wide bins: one outlier squeezes all others into one bin.
  `estimator="quantile_bins"` takes bins of equally many points. `score(robust=True)` has both.
- InfoM and InfoC leave out codes whose range is below 5 % of the widest code's, so they depend on units, and count
  codes of noise, whose shares are chance; `infomec` warns of both.
- CG sets codes to values that they need not take together: generated images may be unlike the data.
- UC and CG are defined for data whose factors do not cause each other.
- MIC has less power than a correlation for few points, and does not rate equally noisy relations alike.
- Explicitness here is that of one multinomial regression for each factor. One regression for each value against
  the rest, as the paper has it (`multi_class="ovr"`), gives 0.83 in place of 1.00 for ideal codes of three values.
"""

BELIEF = """What scores can be, what they are by chance, and how the numbers were checked. Noise is that of
[calibration](calibration.md), 1,000 points of `candle_mini`."""


def metrics_page() -> str:
    """The whole page, in Markdown."""
    known = (entry for kind in ("metrics", "parts") for entry in registry.entries(kind))
    entries = [entry for entry in known if _is_declared(entry)]
    rows = [
        [
            f"`{entry.name}`",
            entry.summary,
            entry.facts["assumes"],
            describe_takes(entry.facts["takes"]),
            str(entry.facts["needs"]),
        ]
        for entry in entries
    ]
    parts = [
        INTRODUCTION,
        markdown_table(["name", "what it asks", "what it assumes", "factors it takes", "what it needs"], rows),
        BELIEF,
        markdown_table(
            ["name", "range", "best", "codes that say nothing", "compared with"], [*map(_belief, entries)]
        ),
        *(_section(entry) for entry in entries),
        "# Beside the metrics\n\n`from causal_disent.metrics import ...`",
        *_other_sections(),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _is_declared(entry: Entry) -> bool:
    """Whether it is a metric of the core, and not the variant of one."""
    declaration = getattr(entry.target, "declaration", None)
    return entry.owner == "builtin" and isinstance(declaration, Declaration) and declaration.name == entry.name


def _belief(entry: Entry) -> list[str]:
    """The row of the second table."""
    low, high = entry.facts["range"]
    best = "highest" if entry.facts["better"] == "higher" else "lowest"
    return [f"`{entry.name}`", f"{low:g} to {high:g}", best, entry.facts["by_chance"], entry.facts["compared"]]


def _certainty(entry: Entry) -> str:
    """How its interval and chance level are found, in words."""
    how = entry.facts["resampling"]
    if not entry.facts["needs"].arrays_suffice:
        return ""
    told = [
        f"{how['words']}" if "words" in how else "",
        f"of {how['points']:,} points each" if "points" in how else "",
    ]
    found = "Chance level: permuted codes" if entry.facts["takes"] else "No chance level: it looks at no factor"
    interval = (
        "interval: resampled points" if how.get("interval", True) else "no interval: repeated points spoil tests"
    )
    return f" {found}; {', '.join(filter(None, [interval, *told]))}."


def _section(entry: Entry) -> str:
    declaration: Declaration = entry.target.declaration  # type: ignore[union-attr]
    low, high = entry.facts["range"]
    parameters = inspect.signature(entry.load()).parameters.values()
    bound = [
        f"`{entry.name}.{parameter.name} = {parameter.default!r}`"
        for parameter in parameters
        if parameter.default is not inspect.Parameter.empty and parameter.name != "artifact_dir"
    ]
    variant = f" Of given observations and labels: `@{declaration.validation}`." if declaration.validation else ""
    function = declaration.function
    return (
        f"## `{entry.name}`\n\n    {function.__name__}{_arguments(function)}\n\n{_text(function)}\n\n"
        f"**Under a config** {_text(entry.load())}\n\n"
        f"First `{entry.facts['headline']}`, from {low:g} to {high:g}, {entry.facts['better']} is better. "
        f"Takes: {describe_takes(entry.facts['takes'])}. "
        f"By chance: {entry.facts['by_chance']}.{_certainty(entry)} "
        f"Compared with {entry.facts['compared']}."
        f"{variant} Defaults: {', '.join(bound)}."
    )


def _other_sections() -> Iterator[str]:
    for name in metrics.__all__:
        function = getattr(metrics, name)
        ours = inspect.isfunction(function) and function.__module__.startswith(metrics.__name__)
        if ours and not hasattr(function, "declaration"):
            yield f"## `{name}`\n\n    {name}{_arguments(function)}\n\n{_text(function)}"


def _arguments(function: Callable[..., Any]) -> str:
    """The parameters' names and defaults, without types."""
    shown = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        default = parameter.default
        shown.append(str(parameter.replace(annotation=inspect.Parameter.empty)).partition("=")[0])
        if default is not inspect.Parameter.empty:
            text = default.__name__ if inspect.isfunction(default) else repr(default)
            shown[-1] += f"={round(default, 3) if isinstance(default, float) else text}"
    return f"({', '.join(shown)})"


def _text(function: object) -> str:
    """A docstring as Markdown: formulas in dollars, sections in bold, the example as code."""
    text = inspect.getdoc(function) or ""
    text = re.sub(
        r"\.\. math::\s*(.*?)(?=\n\n|\Z)", lambda m: "$$" + " ".join(m[1].split()) + "$$", text, flags=re.S
    )
    text = re.sub(r":math:`(.*?)`", r"$\1$", text, flags=re.S)
    text = text.replace("``", "`")
    pieces = re.split(r"^(Args|Returns|Example|Assumes):[ ]*", text, flags=re.M)
    page = [pieces[0].strip()]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        body = inspect.cleandoc(body)
        if title == "Example":
            page.append(f"**{title}**\n\n```python\n{body}\n```")
        elif title == "Args":
            page.append(f"**{title}**\n\n{_items(body)}")
        else:
            page.append(f"**{title}** {' '.join(body.split())}")
    return "\n\n".join(page)


def _items(body: str) -> str:
    """``name: text`` lines, with their continuations, as a list."""
    lines: list[str] = []
    for line in body.splitlines():
        if lines and line.startswith(" "):
            lines[-1] += " " + line.strip()
        else:
            lines.append(re.sub(r"^(\w+): ", r"- `\1`: ", line))
    return "\n".join(lines)


if __name__ == "__main__":
    print(metrics_page(), end="")
