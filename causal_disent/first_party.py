"""What the plugins of this repository offer, for messages where they are not installed."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


def how_to_install(plugin: str) -> str:
    """What to do where `plugin` is not installed."""
    return f"In a checkout of this repository: pip install {' '.join(first_party()[plugin]['install'])}"


@cache
def first_party() -> dict[str, dict[str, Any]]:
    """Plugin -> ``install``, the folders to give to pip, and ``offers``, kind -> names.

    The file is made by ``python plugins/list_names.py``.
    """
    return json.loads(files("causal_disent").joinpath("first_party.json").read_text(encoding="utf-8"))
