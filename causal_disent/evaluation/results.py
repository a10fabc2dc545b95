"""Result folders in disentanglement_lib's layout.

``results/gin/<step>.gin``, ``results/json/<step>_config.json``, ``results/json/<step>_results.json`` and
``results/aggregate/<step>.json``; each step carries the files of the steps before it along.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors

__all__ = [
    "aggregate",
    "check_free",
    "copy_results",
    "is_done",
    "new_file",
    "new_folder",
    "plain",
    "write_results",
]

#: The folders inside ``results``.
PARTS = ("gin", "json", "aggregate")


@contextmanager
def new_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A temporary folder that takes the name `path` when the block ends well, and vanishes otherwise.

    An existing folder is replaced only then, and only with `overwrite`.
    """
    check_free(path, overwrite=overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent))
    try:
        temporary.chmod(0o755)  # mkdtemp makes it private
        yield temporary
        check_free(path, overwrite=overwrite)
        if path.exists():
            replaced = temporary.with_suffix(".replaced")
            path.rename(replaced)
            temporary.rename(path)
            shutil.rmtree(replaced)
        else:
            temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name that becomes `path` when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise if something is at `path` that must not be replaced."""
    if path.exists() and not (overwrite and path.is_dir()):
        raise errors.output_exists(path)


def is_done(path: Path) -> bool:
    """Whether `path` holds the results of an evaluation; a result folder appears whole or not at all."""
    return (path / "results" / "json" / "evaluation_results.json").is_file()


def write_results(
    folder: Path,
    step: str,
    scores: Mapping[str, Any],
    config: str,
    bindings: Mapping[str, str],
    previous: Path | None = None,
) -> None:
    """Write one step's results into `folder`/results.

    Args:
        folder: where ``results`` goes.
        step: ``"train"``, ``"postprocess"`` or ``"evaluation"``.
        scores: what the step found; a ``uuid`` is added.
        config: gin's operative config.
        bindings: the same, flat: parameter -> value as text.
        previous: the ``results`` folder of the step before, if there is one.
    """
    results = folder / "results"
    if previous is not None:
        copy_results(previous, results)
    for part in PARTS:
        (results / part).mkdir(parents=True, exist_ok=True)
    (results / "gin" / f"{step}.gin").write_text(config, encoding="utf-8")
    _write_json(results / "json" / f"{step}_config.json", dict(bindings))
    _write_json(results / "json" / f"{step}_results.json", {**plain(dict(scores)), "uuid": str(uuid.uuid4())})
    _write_json(results / "aggregate" / f"{step}.json", aggregate(results / "json"))


def copy_results(source: Path, target: Path) -> None:
    """Copy the files of a ``results`` folder, links left out, into another; nothing if `source` is not there."""
    for part in PARTS:
        # The folder may be a stranger's: what it links to is not part of it.
        if source.is_symlink() or (source / part).is_symlink():
            continue
        for file in sorted((source / part).glob("*")):
            if file.is_file() and not file.is_symlink():
                (target / part).mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target / part / file.name)


def aggregate(folder: Path) -> dict[str, Any]:
    """All JSON files of a folder as one flat dict: ``evaluation_results.IRS`` and so on."""
    merged: dict[str, Any] = {}
    for file in sorted(folder.glob("*.json")):
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise errors.InvalidInput(f"The result file {file} cannot be read: {error}.") from None
        if not isinstance(content, dict):
            raise errors.InvalidInput(f"The result file {file} must hold a JSON object.")
        merged.update({f"{file.stem}.{key}": value for key, value in content.items()})
    return merged


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """`value` without numpy types, as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise errors.InvalidInput(
        f"A metric may return numbers, text and lists of them; it returned a {type(value).__name__}: {value!r}."
    )
