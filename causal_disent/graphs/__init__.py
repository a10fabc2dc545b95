"""Causal graphs: what they imply, whether data obey them, how far apart two are, and what they look like."""

from causal_disent.graphs.causal_graph import CausalGraph, is_disentangled_causal_process
from causal_disent.graphs.distances import EdgeScores, edge_scores, shd, sid

__all__ = ["CausalGraph", "EdgeScores", "edge_scores", "is_disentangled_causal_process", "shd", "sid"]
