"""The models of a study (Locatello et al. 2019, arXiv:1811.12359).

Challenging Common Assumptions in the Unsupervised Learning of Disentangled Representations.
"""

from disentanglement_lib.config.study import (
    SweepStudy,
    functions_of,
    get_default_models,
    get_num_latent,
    get_seeds,
)

__all__ = [
    "UnsupervisedStudyV1",
    "get_config",
    "get_datasets",
    "get_default_models",
    "get_num_latent",
    "get_seeds",
]


class UnsupervisedStudyV1(SweepStudy):
    """The study of the paper."""

    folder = "config/unsupervised_study_v1"
    datasets = (
        "dsprites_full",
        "color_dsprites",
        "noisy_dsprites",
        "scream_dsprites",
        "smallnorb",
        "cars3d",
        "shapes3d",
    )
    num_seeds = 50


get_datasets, get_config = functions_of(UnsupervisedStudyV1)
