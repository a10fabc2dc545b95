"""Make the images of a file of jobs, and say after each that it is there.

The file is JSON: ``picture`` (a Python file that defines ``make_picture(work, job)``), ``output`` (folder),
``size`` [width, height], ``samples``, ``threads``, ``jobs`` [{``index``, ``labels`` {factor: label}, ``files``
[name]}], X is the mark and JSON: ``{"done": index}`` or, as the last one, ``{"error": message}``.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path

# Blender's Python knows nothing of the package that this file is a part of.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from in_blender.assets import AssetError


def main(file: str) -> int:
    """Do all the jobs; 1 if an asset is at fault."""
    work = json.loads(Path(file).read_text(encoding="utf-8"))
    # While an image is made, Blender lets no other thread run: the system has to end this with its parent.
    runpy.run_path(work["processes"])["end_with"](os.getppid(), at_once=True)
    make_picture = runpy.run_path(work["picture"])["make_picture"]
    try:
        for job in work["jobs"]:
            make_picture(work, job)
            say(work["mark"], done=job["index"])
    except AssetError as error:
        say(work["mark"], error=str(error))
        return 1
    except BrokenPipeError:
        # Whoever started this is gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def say(mark: str, **message: object) -> None:
    """One line for the process that started this one."""
    print(mark + json.dumps(message), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
