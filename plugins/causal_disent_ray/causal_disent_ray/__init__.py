"""Studies on a Ray cluster."""
