"""A convolutional encoder in numpy, for costs: four strided convolutions on 64x64x3 images."""

from __future__ import annotations

import numpy as np


class SmallConvNet:
    """disentanglement_lib's conv_encoder with random weights, as matrix products; counts its images."""

    def __init__(self, num_codes: int = 10) -> None:
        generator = np.random.RandomState(0)
        shapes = ((4, 3, 32), (4, 32, 32), (2, 32, 64), (2, 64, 64))
        self.kernels = [
            (generator.normal(size=(k * k * c, d)) / np.sqrt(k * k * c)).astype(np.float32) for k, c, d in shapes
        ]
        self.dense = (generator.normal(size=(4 * 4 * 64, num_codes)) / 32).astype(np.float32)
        self.num_images = 0

    def __call__(self, images: np.ndarray) -> np.ndarray:
        self.num_images += len(images)
        features = np.asarray(images, dtype=np.float32)
        for kernel, size in zip(self.kernels, (4, 4, 2, 2), strict=True):
            pad = (size - 2) // 2
            padded = np.pad(features, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::2, ::2]
            features = np.maximum(windows.reshape(*windows.shape[:3], -1) @ kernel, 0)
        return features.reshape(len(features), -1) @ self.dense
