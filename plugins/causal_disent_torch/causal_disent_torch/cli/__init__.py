"""The commands of disentanglement_lib that need torch."""
