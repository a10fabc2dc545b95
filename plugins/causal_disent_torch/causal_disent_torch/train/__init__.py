"""Training with torch: the networks and optimizers that a config binds, and one step after the other."""
