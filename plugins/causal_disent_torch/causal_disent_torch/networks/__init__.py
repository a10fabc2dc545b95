"""The networks of disentanglement_lib 1.5, one file each; images are (n, h, w, c) here as everywhere."""
