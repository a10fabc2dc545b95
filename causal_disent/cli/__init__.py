"""The commands. One that is interrupted while it still loads says so in a line, as it does later (`_run`)."""

from __future__ import annotations

import sys
from types import TracebackType

_standard = sys.excepthook


def _one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("interrupted; nothing was written\n")
    else:
        _standard(kind, error, trace)


sys.excepthook = _one_line
