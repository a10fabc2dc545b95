"""``dlib_visualize_model`` and ``dlib_visualize_dataset``, as disentanglement_lib's commands of these names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_gin_flags, parse
from causal_disent.cli._run import run

__all__ = ["main_dataset", "main_model"]

MODEL_USAGE = """
dlib_visualize_model: pictures of what a model has learned.

    dlib_visualize_model --model_dir MODEL --output_dir PICTURES
    dlib_visualize_model --model_dir MODEL --output_dir PICTURES --gin_bindings "visualize_model.rho = 5"

Writes reconstructions, samples, traversals of each code (PNG and GIF), and counterfactual sheets: each factor's
codes at the baseline, and all others at the baseline, with what the classifier of CG says of each picture.
"""
DATASET_USAGE = """
dlib_visualize_dataset: one picture of a data set, a row per factor.

    dlib_visualize_dataset --name candle_mini --path pictures
    dlib_visualize_dataset --name candle_mini --path pictures --gin_bindings "dataset.confounding = 'candle_color'"
"""


def main_model(argv: Sequence[str] | None = None) -> int:
    """The command ``dlib_visualize_model``; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("model_dir", None, "Folder with the model.", flag_values=values)
    flags.DEFINE_string("output_dir", None, "Folder to write.", flag_values=values)
    flags.DEFINE_integer("num_images", 8, "How many images of the data set to show.", flag_values=values)
    flags.DEFINE_string("device", "auto", "auto, cuda, mps or cpu.", flag_values=values)
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_visualize_model", *argv], MODEL_USAGE)
    return run(lambda: _visualize_model(values), debug=values.debug) if over is None else over


def _visualize_model(values: flags.FlagValues) -> int:
    _need(values, "model_dir", "output_dir")
    from causal_disent_torch.visualize.model import visualize_with_gin

    accuracy = visualize_with_gin(
        values.model_dir,
        values.output_dir,
        values.overwrite,
        values.num_images,
        values.device,
        values.gin_config,
        values.gin_bindings,
    )
    shown = [f"{name} {value:.1%}" for name, value in accuracy.items()]
    print(f"accuracy of the classifier on held-out images: {errors.listing(shown)}")
    print(f"  -> {values.output_dir}")
    return 0


def main_dataset(argv: Sequence[str] | None = None) -> int:
    """The command ``dlib_visualize_dataset``; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("name", None, "The data set (`causal-disent datasets`).", flag_values=values)
    flags.DEFINE_string("path", "dataset_visualizations", "Folder to write <name>.png into.", flag_values=values)
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_visualize_dataset", *argv], DATASET_USAGE)
    return run(lambda: _visualize_dataset(values), debug=values.debug) if over is None else over


def _visualize_dataset(values: flags.FlagValues) -> int:
    _need(values, "name", "path")
    import numpy as np

    from causal_disent.config import gin_config, rebind
    from causal_disent.files import check_place
    from causal_disent.report.contact_sheet import save_picture
    from causal_disent.runs.dataset import dataset
    from causal_disent_torch.visualize.dataset_sheet import dataset_sheet

    with gin_config(values.gin_config, values.gin_bindings):
        rebind("dataset.name", values.name)
        data = dataset()
    # The name is a registered one by now, so that it is a file's name as well.
    target = Path(values.path) / f"{values.name}.png"
    if target.exists() and not values.overwrite:
        raise errors.OutputExists(f"{target} exists. Choose another --path, or replace it with --overwrite.")
    check_place(target)
    save_picture(dataset_sheet(data, np.random.RandomState(0)), target)
    print(f"  -> {target}")
    return 0


def _need(values: flags.FlagValues, *names: str) -> None:
    for name in names:
        if not getattr(values, name):
            raise errors.InvalidInput(f"--{name} is needed. --help shows an example.")
