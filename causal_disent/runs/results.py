"""Result folders in disentanglement_lib's layout.

``results/gin/<step>.gin``, ``results/json/<step>_config.json``, ``results/json/<step>_results.json`` and
``results/aggregate/<step>.json``; each step carries the files of the steps before it along.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent.text import shown_value

RESULTS = "results"
#: The folders inside ``results``.
PARTS = ("gin", "json", "aggregate")
#: What the results in one folder may have together; they usually have some thousand bytes.
MOST_BYTES, MOST_FILES = 16 * 2**20, 1000
#: How deep lists may lie in each other in a result.
MOST_LEVELS = 20

#: The files of earlier steps: the place below ``results`` -> the content.
Earlier = Mapping[str, bytes]


def check_apart(targets: Iterable[Path], sources: Iterable[Path]) -> None:
    """Raise if writing one of `targets` could replace one of `sources`, or a part of one.

    A target may be a new folder inside a source, or one inside it that an earlier step wrote.
    """
    origin = {source.resolve(): source for source in sources}
    around = {parent: source for path, source in origin.items() for parent in path.parents}
    for target in targets:
        path = target.resolve()
        if path in origin or path in around:
            source = origin.get(path) or around[path]
            raise errors.InvalidInput(
                f"The output folder {target} is or contains the input folder {source}, which would be lost. "
                "Choose another output folder."
            )
        owner = next((origin[parent] for parent in path.parents if parent in origin), None)
        if owner is not None and path.exists() and not (path / RESULTS / "json").is_dir():
            raise errors.InvalidInput(
                f"The output folder {target} is a part of the input folder {owner}. Choose another output folder."
            )


def is_done(path: Path) -> bool:
    """Whether `path` holds the results of an evaluation; a result folder appears whole or not at all."""
    return _scores_file(path).is_file()


def read_scores(path: Path) -> dict[str, Any]:
    """The scores of the evaluation that `path` holds."""
    file = _scores_file(path)
    return _parse(file, read_bounded(file, MOST_BYTES))


def _scores_file(path: Path) -> Path:
    return inside(path, f"{RESULTS}/json/evaluation_results.json")


def write_results(
    folder: Path,
    step: str,
    scores: Mapping[str, Any],
    config: str,
    bindings: Mapping[str, str],
    earlier: Earlier | None = None,
) -> None:
    """Write one step's results into `folder`/results.

    Args:
        folder: where ``results`` goes.
        step: ``"train"``, ``"postprocess"`` or ``"evaluation"``.
        scores: what the step found; a ``uuid`` is added.
        config: gin's operative config.
        bindings: the same, flat: parameter -> value as text.
        earlier: the results of the steps before, as `read_results` gives them.
    """
    results = folder / RESULTS
    write_earlier(folder, earlier or {})
    for part in PARTS:
        (results / part).mkdir(parents=True, exist_ok=True)
    (results / "gin" / f"{step}.gin").write_text(config, encoding="utf-8")
    _write_json(results / "json" / f"{step}_config.json", dict(bindings))
    _write_json(results / "json" / f"{step}_results.json", {**plain(dict(scores)), "uuid": str(uuid.uuid4())})
    _write_json(results / "aggregate" / f"{step}.json", aggregate(results / "json"))


def read_results(folder: Path) -> Earlier:
    """The results that a model's folder holds, which may be a stranger's; nothing if there are none.

    Raises:
        causal_disent.errors.InvalidInput: if they lead out of the folder, are too large, or are torn.
    """
    earlier: dict[str, bytes] = {}
    left = MOST_BYTES
    for part in PARTS:
        place = inside(folder, f"{RESULTS}/{part}")
        for name in sorted(path.name for path in place.glob("*")):
            path = inside(folder, f"{RESULTS}/{part}/{name}")
            if path.is_dir():
                continue
            if len(earlier) == MOST_FILES:
                raise unusable(place, f"there are more than {MOST_FILES:,} results")
            data = read_bounded(path, left)
            if part == "json" and path.suffix == ".json":
                _parse(path, data)
            earlier[f"{part}/{name}"] = data
            left -= len(data)
    return earlier


def write_earlier(folder: Path, earlier: Earlier) -> None:
    """Write the results of earlier steps into `folder`."""
    for name, data in earlier.items():
        path = folder / RESULTS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def parse_object(data: bytes) -> dict[str, Any]:
    """The JSON object of a result file.

    Raises:
        causal_disent.errors.InvalidInput: with what is wrong with it; the file is for the caller to name.
    """
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise errors.InvalidInput("it is not JSON, or cut off.") from None
    if not isinstance(content, dict):
        raise errors.InvalidInput("it does not hold a JSON object with results.")
    try:
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):  # a lone surrogate, or more digits than Python writes
        raise errors.InvalidInput("it holds half a character, or a number of thousands of digits.") from None
    if not _is_flat(content, MOST_LEVELS):
        raise errors.InvalidInput(f"its values lie more than {MOST_LEVELS} levels deep in each other.")
    return content


def _is_flat(value: Any, levels: int) -> bool:
    """Whether `value` has at most that many levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels >= 0 and all(_is_flat(one, levels - 1) for one in inner)


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return parse_object(data)
    except errors.InvalidInput as error:
        raise errors.InvalidInput(f"The result file {path} cannot be read: {error.message}") from None


def aggregate(folder: Path) -> dict[str, Any]:
    """All JSON files of a folder as one flat dict: ``evaluation_results.IRS`` and so on."""
    merged: dict[str, Any] = {}
    for file in sorted(folder.glob("*.json")):
        content = _parse(file, read_bounded(file, MOST_BYTES))
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
        f"A metric may return numbers, text and lists of them; it returned a {type(value).__name__}: "
        f"{shown_value(value)}."
    )
