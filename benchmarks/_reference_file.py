"""The files of reference scores that the tests read, written with the versions that made them."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn


def write_cases(path: Path, cases: Sequence[Mapping[str, Any]], **facts: Any) -> None:
    """One case per line, so that a difference shows which case has changed."""
    versions = {
        "disentanglement_lib": "1.5",
        "numpy": np.__version__,
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
    }
    head = "".join(f'"{name}": {json.dumps(value)},\n' for name, value in {"versions": versions, **facts}.items())
    lines = ",\n".join(json.dumps(case) for case in cases)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{{head}"cases": [\n{lines}\n]}}\n')
    print(f"{len(cases)} cases -> {path.name}")
