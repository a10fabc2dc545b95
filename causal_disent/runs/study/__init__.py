"""Studies: many models, data sets, seeds and metrics from one config."""

from __future__ import annotations

from causal_disent.runs.study.run import Ended, check_configs, read_study, run_study
from causal_disent.runs.study.settings import Study

__all__ = ["Ended", "Study", "check_configs", "read_study", "run_study"]
