"""Readers for the data sets of disentanglement_lib, and a regeneration of dSprites that needs no file."""
