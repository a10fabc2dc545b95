"""What a report is made of, before it is a page: sections with words, tables, charts and pictures."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import read_bounded, unusable
from causal_disent.text import number_of, printable

#: Text, or a number, which is sorted as one and shown with three digits.
Cell = str | int | float
#: Rows of a table, and points of a chart, that a page has at the most.
MOST_ROWS, MOST_POINTS = 3000, 1000


@dataclass(frozen=True)
class Table:
    """Rows that a reader can sort and filter.

    Attributes:
        title: what it shows.
        header: a title for each column.
        rows: a cell for each column.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows that the page has."""
        return self.rows[:MOST_ROWS]

    @property
    def count(self) -> str:
        """How many rows there are."""
        more = f"the first {MOST_ROWS:,} of " if len(self.rows) > MOST_ROWS else ""
        return f"{more}{number_of(len(self.rows), 'row')}"

    @property
    def numeric(self) -> list[bool]:
        """Of each column, whether it holds numbers alone."""
        return [
            bool(self.rows) and all(isinstance(row[i], int | float) or row[i] == "" for row in self.rows)
            for i in range(len(self.header))
        ]


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification, what it shows in words, for those who cannot see it, and a note on its title."""

    title: str
    spec: dict[str, Any]
    description: str
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A thumbnail as a ``data:`` address, with its size in pixels."""

    caption: str
    address: str
    width: int
    height: int


@dataclass(frozen=True)
class Fold:
    """Text under a heading that is opened by a click: a config, a log."""

    title: str
    text: str


@dataclass(frozen=True)
class Section:
    """A question and its answer.

    Attributes:
        name: in addresses within the page; letters alone.
        title: the question.
        words: paragraphs, the answer first.
    """

    name: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    pictures: Sequence[Picture] = ()
    folds: Sequence[Fold] = ()


@dataclass(frozen=True)
class Page:
    """A report: its title, what it is of in a line each, and its sections."""

    title: str
    about: Sequence[str]
    sections: Sequence[Section] = field(default_factory=tuple)


#: Pixels of a thumbnail, across and down.
WIDEST, HIGHEST = 480, 720
#: Bytes of all thumbnails together: with a megabyte for the charts' program and some for tables and configs, the
#: page of a hundred runs stays below ten megabytes.
BUDGET = 5_000_000
#: Bytes of a file, and pixels of a picture, that are looked at.
MOST_BYTES, MOST_PIXELS = 32 * 2**20, 50_000_000
FORMATS = ("PNG", "JPEG", "GIF")


class Thumbnails:
    """Makes thumbnails until the budget is used up.

    Attributes:
        left: bytes that may still be used.
        left_out: how many pictures there was no room for.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self.left = budget
        self.left_out = 0

    def add(self, source: Path | bytes, caption: str) -> Picture | None:
        """The thumbnail of a PNG, JPEG or GIF (its first frame); None if there is no more room.

        Raises:
            causal_disent.errors.InvalidInput: if it is no such picture, or a far too large one.
        """
        content = source if isinstance(source, bytes) else read_bounded(source, MOST_BYTES)
        small, size = _thumbnail(content, source if isinstance(source, Path) else Path(caption))
        address = f"data:image/webp;base64,{base64.b64encode(small).decode()}"
        if len(address) > self.left:
            self.left_out += 1
            return None
        self.left -= len(address)
        return Picture(caption, address, *size)


def _thumbnail(content: bytes, path: Path) -> tuple[bytes, tuple[int, int]]:
    """A picture made small, and its size; its pixels are read after its size is known."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise unusable(path, f"it has {picture.width:,} x {picture.height:,} pixels")
            small = picture.convert("RGBA")
            small.thumbnail((WIDEST, HIGHEST))
            file = io.BytesIO()
            small.save(file, format="WEBP", quality=75, method=4)
    except errors.InvalidInput:
        raise
    except Exception as error:  # Pillow's readers raise whatever they meet in a torn file
        raise unusable(path, f"it is no picture that can be read ({errors.text_of(error)})") from None
    return file.getvalue(), small.size


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
