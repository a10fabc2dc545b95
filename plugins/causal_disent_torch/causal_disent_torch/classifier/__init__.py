"""The classifier of CG: a small convolutional network, trained once per data set and kept."""
