"""The page on metrics, made from the registry and the docstrings.

python -m causal_disent.report.metric_docs > docs/metrics.md
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from causal_disent import metrics
from causal_disent.registry import Entry, registry
from causal_disent.report.table import markdown_table

__all__ = ["metrics_page"]

INTRODUCTION = """# Metrics

This page is made from the docstrings (`python -m causal_disent.report.metric_docs`); a test keeps it current.

Every metric can be used in two ways: by its gin name with `dlib_evaluate` (first part), and as a plain function
of arrays (second part).
"""


def metrics_page() -> str:
    """The whole page, in Markdown."""
    entries = [entry for entry in registry.entries("metrics") if entry.owner == "builtin"]
    rows = [[f"`{entry.name}`", entry.summary, entry.facts.get("assumes", "")] for entry in entries]
    parts = [
        INTRODUCTION,
        "## By gin name\n\n" + markdown_table(["name", "what it asks", "what it assumes"], rows),
        *(_gin_section(entry) for entry in entries),
        "## As functions of arrays\n\n`from causal_disent.metrics import ...`",
        *_array_sections(),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _gin_section(entry: Entry) -> str:
    parameters = [
        f"`{entry.name}.{parameter.name} = {parameter.default!r}`"
        for parameter in list(inspect.signature(entry.load()).parameters.values())
        if parameter.default is not inspect.Parameter.empty and parameter.name != "artifact_dir"
    ]
    return f"### `{entry.name}`\n\n{_text(entry.load())}\n\nDefaults: {', '.join(parameters)}."


def _array_sections() -> Iterator[str]:
    for name in sorted(metrics.__all__):
        function = getattr(metrics, name)
        if inspect.isfunction(function):
            yield f"### `{name}{_arguments(function)}`\n\n{_text(function)}"


def _arguments(function: object) -> str:
    """The parameters' names and defaults, without types."""
    shown = []
    for parameter in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        default = parameter.default
        shown.append(parameter.name if default is inspect.Parameter.empty else f"{parameter.name}={default!r}")
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
