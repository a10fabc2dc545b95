"""Data sets of causal representation learning: graphs, mechanisms and true counterfactuals."""
