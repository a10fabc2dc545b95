"""The networks of disentanglement_lib 1.5 as Keras layers, with the names and sizes that they have in torch."""
