"""The models of "On the Fairness of Disentangled Representations" (Locatello et al. 2019, arXiv:1905.13662)."""

from disentanglement_lib.config.study import (
    SweepStudy,
    functions_of,
    get_default_models,
    get_num_latent,
    get_seeds,
)

__all__ = ["FairnessStudyV1", "get_config", "get_datasets", "get_default_models", "get_num_latent", "get_seeds"]


class FairnessStudyV1(SweepStudy):
    """The study of the paper."""

    folder = "config/fairness_study_v1"
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


get_datasets, get_config = functions_of(FairnessStudyV1)
