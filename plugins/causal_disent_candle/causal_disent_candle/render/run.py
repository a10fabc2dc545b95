"""One run of the renderer: which images there are, the folder that they are rendered into, and the rendering."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.confounding import allowed_combinations
from causal_disent.data.folder_data import FILE_COLUMN
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace
from causal_disent.files import new_file, write_text
from causal_disent.processes import usable_cores
from causal_disent.progress import track
from causal_disent.protocols import IntArray
from causal_disent.text import say
from causal_disent_candle.render.assets import Collection, as_job, find_assets
from causal_disent_candle.render.blender import find_blender, run_workers


@dataclass(frozen=True)
class Plan:
    """The images of one data set.

    Attributes:
        space: the factors; an image's index is the number of its combination, the last factor fastest.
        indices: the images to make, ascending.
    """

    space: StateSpace
    indices: IntArray

    def labels(self, index: int) -> dict[str, str]:
        """Factor -> label of one image."""
        row = self.space.to_factors(np.array([index]))[0]
        pairs = zip(self.space.value_names.items(), row, strict=True)
        return {factor: names[int(value)] for (factor, names), value in pairs}

    def files(self, index: int) -> tuple[str, ...]:
        """Return the files of one image, the picture first; it is there when all of them are."""
        return f"{index}.png", f"{index}.json"


def make_plan(
    values: Mapping[str, Iterable[str]], *, rules: Iterable[str] = (), limit: int | None = None, seed: int = 0
) -> Plan:
    """Return the images that the rules allow, or some of them.

    Args:
        values: factor -> labels, in the order in which images are counted.
        rules: names of rule sets, or statements (`causal_disent.data.confounding`).
        limit: draw so many of the images evenly; a larger limit with the same seed keeps those of a smaller one.
        seed: of that draw.

    Example:
        >>> plan = make_plan({"object": ("cube", "cone"), "color": ("red", "blue")},
        ...                  rules=["only object=cube: color=blue"])
        >>> plan.indices, plan.labels(1)
        (array([1, 2, 3]), {'object': 'cube', 'color': 'blue'})
    """
    space = StateSpace(values)
    indices, chances = allowed_combinations(space, statements(list(rules)))
    if not np.allclose(chances, chances[0]):
        raise errors.InvalidInput(
            "Each combination that the rules allow is rendered once, so that a correlation of a width above 0 has "
            "no effect here. Render without it, and correlate the data set that is read (dataset.confounding)."
        )
    if limit is not None:
        indices = np.sort(np.random.RandomState(seed).permutation(indices)[:limit])
    return Plan(space, indices)


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
        """Return the images of the plan that are not there yet."""
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
        """Raise if the folder was begun with other settings."""
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
        """Read the settings that the folder was begun with."""
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise errors.InvalidInput(f"The file {file} is damaged. Remove it with its folder, and begin again.")
        return content


def _lock(descriptor: int) -> bool:
    """Tell whether this process now holds the file; the system frees it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


#: What makes one image of CANDLE.
PICTURE = Path(__file__).with_name("in_blender") / "picture.py"


@dataclass(frozen=True)
class Settings:
    """What all images of a folder have in common.

    Attributes:
        size: width and height in pixels.
        samples: rays per pixel.
        seed: of places and camera movements; an image depends on it and on its own index, not on other images.
        rules: names of rule sets, or statements, that say which images there are.
    """

    size: tuple[int, int]
    samples: int = 16
    seed: int = 0
    rules: tuple[str, ...] = ()


def render(
    collection: Collection,
    output: Path,
    settings: Settings,
    *,
    overlays: Sequence[Path] = (),
    panoramas: Path | None = None,
    limit: int | None = None,
    num_workers: int = 1,
    environment: Path | None = None,
) -> int:
    """Make the images that `output` lacks.

    Args:
        collection: what is rendered.
        output: a new folder, or one that was begun with the same settings and assets.
        settings: what the images have in common.
        overlays, panoramas: see `find_assets`.
        limit: see `make_plan`.
        num_workers: Blender processes at the same time.
        environment: see `find_blender`.

    Returns:
        How many images of the plan there are now: all of them, unless it raises.
    """
    assets = find_assets(collection, overlays=overlays, panoramas=panoramas)
    plan = make_plan(assets.values, rules=settings.rules, limit=limit, seed=settings.seed)
    work = {
        "size": list(settings.size),
        "samples": settings.samples,
        "seed": settings.seed,
    }
    files = {
        factor: {label: as_job(value) for label, value in values.items()}
        for factor, values in assets.values.items()
    }
    return make_images(
        plan,
        output,
        recorded={"set": collection.name, **work, "rules": list(settings.rules), "assets": assets.digest()},
        work={**work, "picture": str(PICTURE), "stage": as_job(assets.stage), "assets": files},
        num_workers=num_workers,
        environment=environment,
    )


def make_images(
    plan: Plan,
    output: Path,
    *,
    recorded: Mapping[str, Any],
    work: Mapping[str, Any],
    num_workers: int = 1,
    environment: Path | None = None,
) -> int:
    """Make the images of a plan that `output` lacks.

    Args:
        plan: which images there are, and in which files.
        output: a new folder, or one that was begun with the same `recorded`.
        recorded: what all images of the folder have in common.
        work: what Blender is told: `in_blender.main` says what it must hold.
        num_workers: Blender processes at the same time.
        environment: see `find_blender`.

    Returns:
        How many images of the plan there are now: all of them, unless it raises.
    """
    blender = find_blender(environment)
    folder = RenderFolder(output, recorded)
    with folder.held():
        missing = folder.missing(plan)
        say(f"To render: {len(missing):,} of {len(plan.indices):,} images, into {output}.")
        threads = max(1, usable_cores() // num_workers)
        jobs = [{"index": index, "labels": plan.labels(index), "files": plan.files(index)} for index in missing]
        working = run_workers(
            blender, {**work, "output": str(output.resolve()), "threads": threads}, jobs, num_workers
        )
        try:
            for _ in track(working, "rendering", total=len(jobs), unit="image"):
                pass
        finally:
            folder.write_table(plan)
        left = folder.missing(plan)
        if left:
            raise errors.InvalidInput(
                f"Blender ended as if all were well, and {len(left):,} images are missing in {output}, such as "
                f"{plan.files(left[0])[0]}. The same command goes on with them."
            )
    return len(plan.indices)
