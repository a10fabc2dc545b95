"""What the installed packages offer by entry points: one whose metadata are damaged stops no other."""

from __future__ import annotations

import importlib.metadata
import warnings
from importlib.metadata import Distribution, EntryPoint, EntryPoints

from causal_disent import errors


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of that group; packages whose metadata cannot be read are left out, with a warning."""
    try:
        return list(importlib.metadata.entry_points(group=group))
    except Exception:  # of one package, and Python says nothing of the others then
        by_name: dict[str, EntryPoints] = {}
        for package in importlib.metadata.distributions():
            name, points = _read(package)
            by_name.setdefault(name, points)  # the first is the one that is imported
        return [point for points in by_name.values() for point in points.select(group=group)]


def _read(package: Distribution) -> tuple[str, EntryPoints]:
    try:
        return str(package.metadata["Name"]), package.entry_points
    except Exception as error:
        place = getattr(package, "_path", "somewhere")
        warnings.warn(
            f"The package installed at {place} is left out: its metadata cannot be read "
            f"({errors.described(error)}). Install it again, or remove it.",
            stacklevel=3,
        )
        return str(place), EntryPoints(())


def distribution_of(point: EntryPoint) -> tuple[str, str]:
    """The name and the version of the package that an entry point is of."""
    try:
        found = (point.dist.metadata["Name"], point.dist.metadata["Version"]) if point.dist else ()
    except Exception:  # its file is damaged
        found = ()
    name, version = (text or "unknown" for text in found or ("", ""))
    return name, version
