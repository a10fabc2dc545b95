"""A report as one HTML file that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any

from causal_disent import errors
from causal_disent.report.page.parts import Page
from causal_disent.text import printable

#: What an extra of this distribution brings.
EXTRA = "causal-disent[report]"


def check_installed() -> None:
    """Raise if what the page is made with is not installed."""
    try:
        import altair  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise errors.InvalidInput(f"A report needs the package {error.name}: pip install '{EXTRA}'.") from None


def render(page: Page) -> str:
    """The page.

    Every text is escaped by the template. Beside that, the page tells the browser to run its own two scripts alone
    (by their checksums), to load nothing, and to send nothing: a name that were taken for HTML could do no harm.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_shipped),
        autoescape=True,
        finalize=lambda value: printable(value) if type(value) is str else value,  # scripts are of another type
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = _cell
    scripts = [*([_bundle()] if any(section.charts for section in page.sections) else []), _shipped("page.js")]
    return environment.get_template("page.html").render(
        page=page,
        style=_shipped("page.css"),
        scripts=scripts,
        checksums=[_checksum(script) for script in scripts],
    )


def _cell(value: Any) -> str:
    """A cell as it is shown."""
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return "–"
    return f"{value:.3f}" if abs(value) >= 0.0005 or value == 0 else f"{value:.0e}"


@cache
def _shipped(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and their embedding as one script, of the version that Altair writes for."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version))


def _checksum(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
