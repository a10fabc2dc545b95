"""CelebA (Liu et al. 2015) with the causal graphs of CausalVAE: BEARD and SMILE."""
