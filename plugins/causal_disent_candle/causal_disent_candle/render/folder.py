"""The folder that is rendered into: what is there, what is missing, and with which settings it was begun."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.data.folder_data import FILE_COLUMN
from causal_disent.files import new_file, write_text
from causal_disent_candle.render.plan import Plan

_PARTIAL = re.compile(r"\..+\.(png|json)\.partial")


class RenderFolder:
    """Images, each in the files that its plan says (`Plan.files`), and a table of them.

    A file appears whole or not at all: a run that was stopped at any moment goes on with what is missing.

    Args:
        path: the folder, made if need be.
        settings: what every image of the folder has been made with.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise errors.InvalidInput(f"The output {path} is a file; name a folder.")
        self._own = path / ".render"
        self._check_settings(dict(settings))

    @contextmanager
    def held(self) -> Iterator[None]:
        """While this lasts, another run into the folder is an error; what a killed run left is removed first."""
        with (self._own / "lock").open("w") as lock:
            if not _lock(lock.fileno()):
                raise errors.InvalidInput(f"Another run renders into {self.path}. Wait for it, or stop it.")
            for path in self.path.iterdir():
                if _PARTIAL.fullmatch(path.name):
                    path.unlink()
            yield

    def missing(self, plan: Plan) -> list[int]:
        """The images of the plan that are not there yet."""
        return [index for index in plan.indices.tolist() if not self._is_there(plan, index)]

    def write_table(self, plan: Plan) -> None:
        """``table.csv``, with which `FolderDataset` reads the images of the plan that are there."""
        with new_file(self.path / "table.csv") as temporary, temporary.open("w", newline="") as stream:
            table = csv.writer(stream)
            table.writerow([FILE_COLUMN, *plan.space.factor_names])
            for index in plan.indices.tolist():
                if self._is_there(plan, index):
                    table.writerow([plan.files(index)[0], *plan.labels(index).values()])

    def _is_there(self, plan: Plan, index: int) -> bool:
        return all((self.path / file).is_file() for file in plan.files(index))

    def _check_settings(self, settings: dict[str, Any]) -> None:
        file = self._own / "settings.json"
        if file.is_file():
            begun = self._read(file)
            for name in sorted({*begun, *settings}):
                if begun.get(name) != settings.get(name):
                    raise errors.InvalidInput(
                        f"The folder {self.path} was begun with {name} {begun.get(name)}; now it is "
                        f"{settings.get(name)}. Use the same, or another folder."
                    )
            return
        if self.path.is_dir() and any(entry != self._own for entry in self.path.iterdir()):
            raise errors.InvalidInput(
                f"The folder {self.path} holds files that this command did not write. Name an empty or new one."
            )
        write_text(file, json.dumps(settings, indent=2) + "\n")

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise errors.InvalidInput(f"The file {file} is damaged. Remove it with its folder, and begin again.")
        return content


def _lock(descriptor: int) -> bool:
    """Whether this process now holds the file; the system frees it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
