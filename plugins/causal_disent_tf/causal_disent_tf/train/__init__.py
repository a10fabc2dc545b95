"""Training with TensorFlow: what a config binds, and one compiled step after the other."""
