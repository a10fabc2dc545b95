"""The studies by name."""

from __future__ import annotations

from disentanglement_lib.config.abstract_reasoning_study_v1.stage1.sweep import AbstractReasoningStudyV1
from disentanglement_lib.config.fairness_study_v1.sweep import FairnessStudyV1
from disentanglement_lib.config.study import Study
from disentanglement_lib.config.tests.sweep import TestStudy
from disentanglement_lib.config.unsupervised_study_v1.sweep import UnsupervisedStudyV1

STUDIES: dict[str, Study] = {
    "unsupervised_study_v1": UnsupervisedStudyV1(),
    "abstract_reasoning_study_v1": AbstractReasoningStudyV1(),
    "fairness_study_v1": FairnessStudyV1(),
    "test": TestStudy(),
}
