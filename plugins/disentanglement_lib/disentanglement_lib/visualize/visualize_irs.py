"""Pictures of how codes move with one factor when all others change."""

from __future__ import annotations

from typing import Any

import numpy as np

from disentanglement_lib.evaluation.metrics.irs import scalable_disentanglement_score
from disentanglement_lib.visualize.visualize_scores import _figure
from disentanglement_lib.visualize.visualize_util import make_folder


def vis_all_interventional_effects(gen_factors: Any, latents: Any, output_dir: str) -> None:
    """Draw each code of (points, codes) over the factor that it is most robust with, of (points, factors)."""
    found = scalable_disentanglement_score(gen_factors, latents)
    folder = make_folder(output_dir)
    for code, factor in enumerate(found["parents"]):
        figure, axes = _figure()
        values = np.unique(gen_factors[:, factor])
        axes.boxplot([latents[gen_factors[:, factor] == value, code] for value in values], positions=values)
        axes.set_xlabel(f"factor {factor}")
        axes.set_ylabel(f"code {code}")
        axes.set_title(f"robustness {found['disentanglement_scores'][code]:.2f}")
        figure.savefig(folder / f"interventional_effect_{code}.png", bbox_inches="tight")
