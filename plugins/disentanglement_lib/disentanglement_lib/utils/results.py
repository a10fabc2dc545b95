"""Result folders."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from causal_disent import config
from causal_disent.compat.utils import namespaced_dict
from causal_disent.runs.results import aggregate, plain

__all__ = [
    "Encoder",
    "aggregate_json_results",
    "copydir",
    "gin_dict",
    "namespaced_dict",
    "save_dict",
    "save_gin",
    "update_result_directory",
]


def update_result_directory(
    result_directory: str, step_name: str, results_dict: dict[str, Any], old_result_directory: str | None = None
) -> None:
    """Write a step's config and results, after copying those of earlier steps; a ``uuid`` is added to them."""
    if old_result_directory is not None:
        copydir(old_result_directory, result_directory)
    results_dict["uuid"] = str(uuid.uuid4())
    target = Path(result_directory)
    save_gin(str(target / "gin" / f"{step_name}.gin"))
    save_dict(str(target / "json" / f"{step_name}_config.json"), gin_dict())
    save_dict(str(target / "json" / f"{step_name}_results.json"), results_dict)
    save_dict(str(target / "aggregate" / f"{step_name}.json"), aggregate_json_results(str(target / "json")))


def copydir(path_to_old_dir: str, path_to_new_dir: str) -> None:
    """Copy a folder, over what is there."""
    shutil.copytree(path_to_old_dir, path_to_new_dir, dirs_exist_ok=True)


def save_gin(config_path: str) -> None:
    """Write the operative config."""
    _write(config_path, config.operative_config())


class Encoder(json.JSONEncoder):
    """Writes numpy's numbers and arrays."""

    def default(self, o: Any) -> Any:
        return plain(o)


def save_dict(config_path: str, dict_with_info: Mapping[str, Any]) -> None:
    """Write a dict as JSON."""
    _write(config_path, json.dumps(dict_with_info, cls=Encoder, indent=2))


def gin_dict(config_path: str | None = None) -> dict[str, str]:
    """Parameter -> value as text, of a config file or of the operative config."""
    if config_path is None:
        return config.operative_bindings()
    if not Path(config_path).is_file():
        raise _missing(config_path)
    return config.recorded_bindings(Path(config_path))


def aggregate_json_results(base_path: str) -> dict[str, Any]:
    """All JSON files of a folder as one dict, keys after the file's name and a dot."""
    return aggregate(Path(base_path))


def _missing(path: str) -> Exception:
    """The error that programs expect: TensorFlow's, which read the file in the original, where they use it."""
    if "tensorflow" in sys.modules:
        return sys.modules["tensorflow"].errors.NotFoundError(None, None, f"{path}; No such file or directory")
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
