"""Studies: many models, data sets, seeds and metrics from one config."""

from __future__ import annotations

from causal_disent.runs.study.run import Ended, read_study, run_study
from causal_disent.runs.study.settings import Study

__all__ = ["Ended", "Study", "read_study", "run_study"]
