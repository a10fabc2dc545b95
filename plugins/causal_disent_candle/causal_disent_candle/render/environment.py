"""Where Blender is: an environment with ``bpy``, or a ``blender`` on the PATH."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from causal_disent import errors
from causal_disent.text import say

#: What is installed. It needs numpy < 2, which this library does not run with, and one Python.
BPY = "bpy==4.5.*"
PYTHON = (3, 11)
#: An interpreter that has bpy.
VARIABLE = "CAUSAL_DISENT_BPY_PYTHON"
#: Written into an environment when it is complete.
READY = "bpy_installed"


def default_environment() -> Path:
    """The environment that is made and looked for if none is named."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent" / "bpy"


def find_blender(environment: Path | None = None) -> list[str]:
    """The command that runs a Python script in Blender; the script and its arguments are appended.

    Looked for, in this order: `environment` if it is named, and nothing else then; the interpreter that
    ``CAUSAL_DISENT_BPY_PYTHON`` names; the default environment; this interpreter, if it has bpy; ``blender``.
    """
    if environment is not None:
        return [str(_python_with_bpy(_python(environment), f"the environment {environment}"))]
    named = os.environ.get(VARIABLE)
    if named:
        return [str(_python_with_bpy(Path(named), f"{VARIABLE}={named}"))]
    default = _python(default_environment())
    if default.is_file() and _has_bpy(default):
        return [str(default)]
    if importlib.util.find_spec("bpy") is not None:
        return [sys.executable]
    blender = shutil.which("blender")
    if blender is not None:
        return [blender, "--background", "--factory-startup", "--python-exit-code", "1", "--python"]
    raise errors.InvalidInput(
        f"Rendering needs Blender, and there is none: no environment in {default_environment()}, no bpy in this "
        f"interpreter, no 'blender' on the PATH. Add --install to make the environment (about 950 MB are "
        f"downloaded; needs Python {_version()}), name one that has bpy with --environment, or install Blender."
    )


def install(environment: Path | None = None) -> Path:
    """Make an environment with bpy, unless it is there already; the interpreter in it."""
    folder = environment or default_environment()
    if not (folder / READY).is_file():
        say(f"Installing {BPY} into {folder}; this downloads about 950 MB.")
        _run([str(_base_python()), "-m", "venv", str(folder)])
        _run([str(_python(folder)), "-m", "pip", "install", "--disable-pip-version-check", BPY])
        (folder / READY).write_text(f"{BPY}\n", encoding="utf-8")
    return _python(folder)


def _python(environment: Path) -> Path:
    # Not resolved: a link to the base interpreter would leave the environment.
    return environment.absolute() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _python_with_bpy(python: Path, place: str) -> Path:
    if not python.is_file():
        raise errors.InvalidInput(
            f"There is no interpreter in {place} ({python}). Add --install to make it there."
        )
    if not _has_bpy(python):
        raise errors.InvalidInput(f"The interpreter of {place} has no bpy. Run {python} -m pip install '{BPY}'.")
    return python


def _has_bpy(python: Path) -> bool:
    """Asked without importing bpy, which takes seconds."""
    question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is None)"
    return subprocess.run([str(python), "-c", question], capture_output=True, check=False).returncode == 0


def _base_python() -> Path:
    """A Python of the version that bpy is built for."""
    if sys.version_info[:2] == PYTHON:
        return Path(sys.executable)
    found = shutil.which(f"python{_version()}")
    if found is None:
        raise errors.InvalidInput(
            f"{BPY} needs Python {_version()}, this is Python {sys.version_info[0]}.{sys.version_info[1]}, and "
            f"there is no python{_version()} on the PATH. Install one, or install Blender itself."
        )
    return Path(found)


def _version() -> str:
    return ".".join(map(str, PYTHON))


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, check=False)
    if ended.returncode:
        raise errors.InvalidInput(
            f"The environment could not be made: '{' '.join(command)}' ended with {ended.returncode}; its message "
            "is above. Run the same command again to go on."
        )
