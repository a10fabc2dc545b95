"""disentanglement_lib 1.5's modules and names, made of causal_disent.

Importing it makes ``gin.tf`` an alias of gin, and lets gin's decorators take ``blacklist`` and ``whitelist``.
"""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, version

from causal_disent.compat.gin_names import use_gin_tf

#: The distribution of the original, and this one.
ORIGINAL, OWN = "disentanglement_lib", "causal-disent-dlib"


def _warn_of_original() -> None:
    """Say so if the original is installed in the same place: their files lie over each other."""
    try:
        found = version(ORIGINAL)
    except PackageNotFoundError:
        return
    warnings.warn(
        f"{ORIGINAL} {found} and {OWN} are both installed, and both provide the package {ORIGINAL}. Which modules "
        f"are imported is undefined. Uninstall both, then install one: pip uninstall {ORIGINAL} {OWN}",
        RuntimeWarning,
        stacklevel=3,
    )


_warn_of_original()
use_gin_tf()
