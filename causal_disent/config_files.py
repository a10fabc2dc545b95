"""The configs that are shipped: the project's, and those that plugins bring."""

from __future__ import annotations

import re
from pathlib import Path

from causal_disent import errors
from causal_disent.plugins import CONFIGS, loaded_plugins
from causal_disent.text import shown


def config_folders() -> list[Path]:
    """The folders of shipped configs: the project's, and ``gin_configs`` of each plugin that has one."""
    package = Path(__file__).resolve().parent
    # Inside the package once installed, beside it in a checkout.
    own = (package / CONFIGS, package.parent / CONFIGS)
    plugins = (plugin.configs for plugin in loaded_plugins())
    return [folder for folder in (*own, *plugins) if folder is not None and folder.is_dir()]


def shipped_configs() -> list[str]:
    """The names of all shipped configs, such as ``metrics/mig.gin``."""
    return sorted(
        {file.relative_to(folder).as_posix() for folder in config_folders() for file in folder.rglob("*.gin")}
    )


def found_config(file: str) -> Path:
    """The config called `file`: a path, or what is shipped under that name."""
    places = [Path(file), *(folder / file for folder in config_folders())]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise errors.ConfigError(
            f"There is no config '{shown(file)}', neither as a file nor among those that are shipped."
            f"{_nearest(file)} `causal-disent configs` lists them."
        )
    return found


def _nearest(file: str) -> str:
    """`` Did you mean 'metrics/mig.gin'?``, also for ``mig``."""
    shipped = shipped_configs()
    same = [name for name in shipped if Path(name).stem == Path(file).stem]
    return f" Did you mean '{same[0]}'?" if len(same) == 1 else errors.nearest(file, shipped)


def config_summary(text: str) -> str:
    """The first sentence of the comment that a config begins with, else the first of its lines.

    Example:
        >>> config_summary("# IRS, UC and CG of one sample. Needs a decoder.\\nuc.rho = 1")
        'IRS, UC and CG of one sample'
    """
    head = next((line.strip() for line in text.splitlines() if line.strip()), "empty")
    # "et al. 2018" is not the end of a sentence.
    return re.split(r"\.(?:$|\s+(?=[A-Z]))", head.lstrip("# "))[0] if head.startswith("#") else head
