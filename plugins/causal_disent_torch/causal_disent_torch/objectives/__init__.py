"""The models of disentanglement_lib and of the CANDLE paper, one file each."""
