"""Reconstruction losses (n,) of images and a decoder's output, of torch or TensorFlow."""

from __future__ import annotations

from typing import Any

from disentanglement_lib._core import part, tensor_functions


def bernoulli_loss(
    true_images: Any, reconstructed_images: Any, activation: str, subtract_true_image_entropy: bool = False
) -> Any:
    """Cross entropy of the pixels."""
    given = true_images, reconstructed_images, activation
    return tensor_functions(true_images).bernoulli_loss(*given, subtract_true_image_entropy)


def l2_loss(true_images: Any, reconstructed_images: Any, activation: str) -> Any:
    """Squared error of the pixels."""
    return tensor_functions(true_images).l2_loss(true_images, reconstructed_images, activation)


def make_reconstruction_loss(true_images: Any, reconstructed_images: Any, **settings: Any) -> Any:
    """The loss that gin binds to ``reconstruction_loss``."""
    return part("reconstruction_loss")(**settings)(true_images, reconstructed_images)
