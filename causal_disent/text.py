"""What people read: control characters shown, not sent to the terminal; names cut; objects that say what they are.

Names of files, tensors and keys come from strangers. An escape sequence in one could rewrite what a person sees,
and a new line could forge output, so that every message and listing goes through `printable` or `shown`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import suppress

#: Of a name or value inside a message, so many characters are shown.
MOST_CHARACTERS = 200


def printable(text: str) -> str:
    r"""`text` with everything that could steer a terminal escaped; new lines stay.

    Example:
        >>> print(printable("a\x1b[2Jb\r\u202ec\nd"))
        a\x1b[2Jb\r\u202ec
        d
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


def whole_text(value: object) -> str:
    r"""A value as text that any file can hold: halves of characters, as names of files may have them, are escaped.

    Example:
        >>> print(whole_text("a\udcff"), whole_text(3))
        a\udcff 3
    """
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def shown(value: object, most: int = MOST_CHARACTERS) -> str:
    r"""A name or value as it stands inside a line: escaped, new lines as well, and cut after `most` characters.

    Example:
        >>> print(shown("metrics\nmig: 1.0000"))
        metrics\nmig: 1.0000
        >>> shown("a" * 12, most=10)
        'aaaaaaaaaa...'
    """
    try:
        text = str(value)
    except BaseException:  # of a stranger's class: anything may come out of it
        text = f"({type(value).__name__}, which cannot be shown)"
    cut = text[:most] + ("..." if len(text) > most else "")
    return printable(cut).replace("\n", r"\n")


def number_of(count: int, thing: str) -> str:
    """How many of a thing there are.

    Example:
        >>> number_of(1, "run"), number_of(1200, "data set")
        ('1 run', '1,200 data sets')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def shown_value(value: object) -> str:
    """How Python writes a value, as it stands inside a line."""
    try:
        return shown(repr(value))
    except BaseException:  # a stranger's class, or more digits than Python writes
        return f"({type(value).__name__}, which cannot be shown)"


def say(text: object = "", *, error: bool = False) -> None:
    """Print a message or a listing, escaped, to the standard output or the standard error, at once."""
    print(printable(str(text)), file=sys.stderr if error else sys.stdout, flush=True)


def say_json(value: object) -> None:
    """Print `value` as JSON, which escapes all but one of the control characters itself."""
    print(json.dumps(value, indent=2).replace("\x7f", r"\u007f"), flush=True)


def complain(what: str, text: str) -> None:
    """Print ``error: ...`` to the standard error; further lines are indented, so that none can be forged."""
    with suppress(OSError):  # of a standard error that is full or closed: the exit code still tells
        say(f"{what}: {text}".replace("\n", "\n  "), error=True)


class Shown:
    """Base of what has a useful ``repr``: the name of the class, and what `_shows` tells."""

    def _shows(self) -> Iterable[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'; '.join(self._shows())})"
