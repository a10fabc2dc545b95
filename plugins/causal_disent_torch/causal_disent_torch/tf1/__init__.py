"""disentanglement_lib's checkpoints, read without TensorFlow; up to `read_checkpoint` without torch as well."""
