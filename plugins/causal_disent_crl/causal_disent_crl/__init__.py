"""Data sets of causal representation learning: graphs, mechanisms, true counterfactuals; MIC, TIC, GAE."""

from causal_disent.metrics.concepts import gae_discovery
from causal_disent.metrics.mic import mic_floor, mic_matrix, mic_statistics

__all__ = ["gae_discovery", "mic_floor", "mic_matrix", "mic_statistics"]
