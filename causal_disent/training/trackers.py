"""``tracking.*``: what follows a training while it goes on: curves in a file, TensorBoard, trackio, a plugin's."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import query
from causal_disent.files import new_file, read_bounded
from causal_disent.plugins import BUILTIN
from causal_disent.protocols import Tracker
from causal_disent.registry import isolated, part, registry
from causal_disent.text import say, shown_value

#: The file of the tracker `curves`, and the most bytes of one that is gone on with.
CURVES_FILE, MOST_BYTES = "curves.csv", 256 * 2**20
TENSORBOARD = "tensorboard"


@part("tracking")
def tracking(trackers: Sequence[str] | None = None) -> Sequence[str] | None:
    """Which trackers follow a training (``causal-disent trackers``); None for those that always do."""
    return trackers


class CurvesFile:
    """The tracker ``curves``: lines of step, term of the loss, and value, in a file that is flushed line by line.

    Args:
        folder: where ``curves.csv`` is written.
        first_step: lines of later steps are dropped: the run goes on from a checkpoint before them.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> curves = CurvesFile(folder)
        >>> curves.add_scalar("loss", 2.5, 50)
        >>> curves.close()
        >>> print((folder / "curves.csv").read_text())
        step,term,value
        50,loss,2.5
    """

    def __init__(self, folder: Path, first_step: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CURVES_FILE
        kept = [line for line in _read_lines(path) if int(line.partition(",")[0]) <= first_step]
        with new_file(path) as temporary:
            temporary.write_text("\n".join(["step,term,value", *kept, ""]), encoding="utf-8")
        self._file = path.open("a", encoding="utf-8", newline="", buffering=1)
        self._writer = csv.writer(self._file, lineterminator="\n")

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Write a line."""
        self._writer.writerow([step, name, value])

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _read_lines(path: Path) -> list[str]:
    """Return the whole lines of points that a file has; the last may have been torn by a kill."""
    if not path.exists():
        return []
    *lines, _ = read_bounded(path, MOST_BYTES).decode("utf-8", "replace").split("\n")
    return [line for line in lines if line.partition(",")[0].isdecimal() and line.count(",") == 2]


class TrackioRun:
    """The tracker ``trackio``: a run of a project that ``trackio show`` shows, kept on this machine.

    Args:
        folder: its end is the name of the run, so that a training that goes on has the same.
        first_step: the run is taken up at it.
        project: of trackio.
    """

    def __init__(self, folder: Path, first_step: int = 0, project: str = "causal_disent") -> None:
        import trackio

        name = "/".join(folder.parent.absolute().parts[-3:]).removesuffix(".partial")
        self._waiting: dict[str, float] = {}
        self._step = first_step
        with redirect_stdout(StringIO()):  # how to look at it, again with every model of a study
            self._run = trackio.init(project=project, name=name, resume="allow", embed=False)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Take a value; those of a step are handed over together."""
        if step != self._step:
            self._flush()
        self._step = step
        self._waiting[name] = value

    def _flush(self) -> None:
        if self._waiting:
            self._run.log(dict(self._waiting), step=self._step)
            self._waiting.clear()

    def close(self) -> None:
        """Hand over the last step and end the run."""
        self._flush()
        with redirect_stdout(StringIO()):
            self._run.finish()


class Trackers:
    """The trackers of a run; one that fails is left out, and the training goes on.

    Args:
        folder: of what the run keeps; each tracker has a folder of its name in it.
        first_step: from which the run goes on.
        tensorboard: whether TensorBoard is asked for; None for doing so where it is installed.
        names: those that follow; by default those that the config binds, or those that always do.
    """

    def __init__(
        self,
        folder: Path,
        first_step: int,
        tensorboard: bool | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._trackers: dict[str, Tracker] = {}
        asked = query("tracking.trackers") if names is None else list(names)
        for name in _choose_names(asked, tensorboard):
            entry = registry.get("trackers", name)
            wanted = asked is not None or (tensorboard and name == TENSORBOARD)
            try:
                with nullcontext() if entry.owner == BUILTIN else entry.isolated():
                    self._trackers[name] = registry.function("trackers", name)(folder / name, first_step)
            except (ImportError, errors.BrokenPlugin) as error:
                if isinstance(error, errors.BrokenPlugin) and not isinstance(error.__cause__, ImportError):
                    if wanted:
                        raise
                    say(error.message, error=True)
                elif wanted:
                    package = entry.facts.get("package", name)
                    raise errors.InvalidInput(
                        f"The tracker '{name}' needs the package {package}: pip install {package}."
                    ) from None

    def add(self, terms: Mapping[str, Any], step: int) -> None:
        """Tell every tracker the terms of the loss at a step."""
        for name, tracker in list(self._trackers.items()):
            try:
                with isolated():  # a tracker is foreign code, and hours of training are worth more than it
                    for term, value in terms.items():
                        tracker.add_scalar(term, float(value), step)
            except errors.CausalDisentError as error:
                del self._trackers[name]
                say(f"the tracker {name} failed and is left out: {error.message}", error=True)

    def close(self) -> None:
        """End them."""
        for name, tracker in self._trackers.items():
            try:
                with isolated():
                    tracker.close()
            except errors.CausalDisentError as error:
                say(f"the tracker {name} could not be ended: {error.message}", error=True)


def _choose_names(asked: Any, tensorboard: bool | None) -> list[str]:
    """The names of the trackers: those that the config binds, or those that always follow; and --tensorboard."""
    if asked is None:
        asked = [entry.name for entry in registry.entries("trackers") if entry.facts.get("always")]
    elif not isinstance(asked, (list, tuple)):
        raise errors.ConfigError(f"tracking.trackers is a list of names; given: {shown_value(asked)}.")
    names = [str(name) for name in asked if tensorboard is not False or name != TENSORBOARD]
    return [*names, *([TENSORBOARD] if tensorboard and TENSORBOARD not in names else [])]


def _list_places(folder: Path) -> Iterable[Path]:
    return (folder / entry.name for entry in registry.entries("trackers") if (folder / entry.name).is_dir())


def copy_tracked(folder: Path, target: Path) -> None:
    """Copy what the trackers of a run wrote in `folder`."""
    for place in _list_places(folder):
        shutil.copytree(place, target / place.name)


def clear_tracked(folder: Path) -> None:
    """Remove it."""
    for place in _list_places(folder):
        shutil.rmtree(place, ignore_errors=True)
