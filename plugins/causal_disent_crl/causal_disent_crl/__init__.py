"""Data sets of causal representation learning: graphs, mechanisms and true counterfactuals; MIC and TIC."""

from causal_disent.metrics.mic import mic_floor, mic_matrix, mic_statistics

__all__ = ["mic_floor", "mic_matrix", "mic_statistics"]
