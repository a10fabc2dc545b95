"""``python -m disentanglement_lib PROGRAM.py``: run a program that imports ``gin.tf`` first.

``gin.tf`` is an alias of gin once disentanglement_lib is imported, which this does before the program starts.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> None:
    """Run the file that the first argument names, with the arguments that follow."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python -m disentanglement_lib PROGRAM.py [ARGUMENTS]")
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
