"""The models of a study (van Steenkiste et al. 2019, arXiv:1905.12506).

Are Disentangled Representations Helpful for Abstract Visual Reasoning?.
"""

from disentanglement_lib.config.study import (
    SweepStudy,
    functions_of,
    get_default_models,
    get_num_latent,
    get_seeds,
)

__all__ = [
    "AbstractReasoningStudyV1",
    "get_config",
    "get_datasets",
    "get_default_models",
    "get_num_latent",
    "get_seeds",
]


class AbstractReasoningStudyV1(SweepStudy):
    """The study of the paper."""

    folder = "config/abstract_reasoning_study_v1/stage1"
    datasets = ("shapes3d", "abstract_dsprites")
    num_seeds = 5


get_datasets, get_config = functions_of(AbstractReasoningStudyV1)
