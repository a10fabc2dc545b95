"""IRS, UC and CG together, from one sample (Reddy et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent.metrics.cg import cg_of_sample, check_decoder, check_settings, make_classifier
from causal_disent.metrics.irs import irs
from causal_disent.metrics.tools.attributed import attributed_sample
from causal_disent.metrics.uc import check_factors, uc_of_sample
from causal_disent.protocols import Attribution, GroundTruthData, Representation

__all__ = ["compute_causal_disentanglement"]


def compute_causal_disentanglement(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    batch_size: int = 16,
    rho: int | Sequence[int] = 1,
    attribution_fn: str | Attribution = "irs",
    selection: str = "top",
    bootstrap: int = 0,
    classifier: Any = "nearest_image",
    baseline: str = "max_deviation",
    decode_batch_size: int = 256,
) -> dict[str, Any]:
    """The keys of `irs`, `uc` and `cg`, all from the same `num_train` points.

    Returns:
        ``IRS``, ``num_active_dims``, and what `compute_uc` and `compute_cg` return.
    """
    check_factors(ground_truth_data.num_factors)
    check_settings(selection, bootstrap, baseline, decode_batch_size)
    check_decoder(representation_function, "causal_disentanglement")
    sample = attributed_sample(
        ground_truth_data, representation_function, random_state, num_train, batch_size, attribution_fn, rho
    )
    robustness = irs(sample.codes, sample.discrete)
    judge = make_classifier(classifier, ground_truth_data)
    return {
        "IRS": robustness.score,
        "num_active_dims": robustness.num_active_codes,
        **uc_of_sample(sample, rho, attribution_fn, selection, bootstrap, random_state),
        **cg_of_sample(
            sample,
            representation_function,
            judge,
            rho,
            selection,
            bootstrap,
            baseline,
            decode_batch_size,
            random_state,
        ),
    }
