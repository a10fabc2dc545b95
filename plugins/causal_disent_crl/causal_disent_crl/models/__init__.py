"""Models of causal representation learning, on torch: networks with a causal layer, and what they minimise."""
