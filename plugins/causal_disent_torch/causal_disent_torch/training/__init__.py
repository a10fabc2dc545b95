"""The training loop that all models share: draw, step, check, checkpoint."""
