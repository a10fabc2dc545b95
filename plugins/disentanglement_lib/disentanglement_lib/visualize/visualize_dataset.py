"""Pictures of a data set: each factor varied alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from disentanglement_lib.data.ground_truth import named_data
from disentanglement_lib.visualize import visualize_util


def visualize_dataset(
    dataset_name: str, output_path: str, num_animations: int = 5, num_frames: int = 20, fps: int = 10
) -> None:
    """Write 16 images for each factor, and animations, into ``<output_path>/<dataset_name>``."""
    data: Any = named_data.get_named_ground_truth_data(dataset_name)
    random_state = np.random.RandomState(0)
    folder = visualize_util.make_folder(f"{output_path}/{dataset_name}")
    for factor in range(data.num_factors):
        factors = data.sample_factors(16, random_state)
        others = [other for other in range(data.num_factors) if other != factor]
        factors[:, others] = factors[0, others]
        images = data.sample_observations_from_factors(factors, random_state)
        visualize_util.grid_save_images(images, str(folder / f"variations_of_factor{factor}.png"))
    for number in range(num_animations):
        base = data.sample_factors(1, random_state)
        moving = []
        for factor, size in enumerate(data.factors_num_values):
            factors = np.repeat(base, num_frames, axis=0)
            factors[:, factor] = visualize_util.cycle_factor(base[0, factor], size, num_frames)
            moving.append(data.sample_observations_from_factors(factors, random_state))
        visualize_util.save_animation(moving, str(folder / f"animation{number}.gif"), fps)
