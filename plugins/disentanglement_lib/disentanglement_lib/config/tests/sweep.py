"""A study that takes seconds."""

from __future__ import annotations

from disentanglement_lib.config.study import Study
from disentanglement_lib.utils import resources


class TestStudy(Study):
    """One small model on noise, and every metric on few points."""

    __test__ = False  # pytest takes it for tests

    def get_model_config(self, model_num: int = 0) -> tuple[list[str], str]:
        """No bindings, and the config file."""
        return [], resources.get_file("config/tests/methods/unsupervised/train_test.gin")

    def get_postprocess_config_files(self) -> list[str]:
        """The configs of postprocessing."""
        return list(resources.get_files_in_folder("config/tests/postprocessing/postprocess_test_configs"))

    def get_eval_config_files(self) -> list[str]:
        """The configs of evaluation."""
        return list(resources.get_files_in_folder("config/tests/evaluation/evaluate_test_configs"))
