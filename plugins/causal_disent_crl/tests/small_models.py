"""Small networks and batches for objectives, without a run around them."""

import numpy as np
import torch
from causal_disent_torch.losses import bernoulli_loss

from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.factor_table import factor_values
from causal_disent.training.objective import Batch

SHAPE = (16, 16, 3)


def small_data():
    """32 images of 16x16x3 with four factors; shade and edge are made of light and place."""
    random_state = np.random.RandomState(0)
    light, place = np.repeat(np.arange(4), 8), np.tile(np.repeat(np.arange(4), 2), 4)
    edge, shade = 2 * light + place, np.tile([3, 7], 16)
    images = random_state.randint(0, 256, (32, *SHAPE)).astype(np.uint8)
    table = {"light": light, "place": place, "edge": edge, "shade": shade}
    return ArrayDataset(images, table)


def labels_of(data, indices, labels):
    """(n, factors): labels, scaled by mean and spread of those that are known, and as they are."""
    images = data.factor_table.index.to_numpy()
    known = labels.of(images, torch.device("cpu"))[2][:, 0].numpy() > 0
    every, raw = factor_values(data, images[known]), factor_values(data, indices)
    return (raw - every.mean(axis=0)) / every.std(axis=0), raw


def batch_of(data, size=6, step=0, seed=0):
    """A batch with its noise drawn from a seed; `noise` has what was drawn."""
    indices = data.factor_table.index.to_numpy()[np.arange(size) * 3]
    noise, generator = [], torch.Generator().manual_seed(seed)

    def draw(shape):
        noise.append(torch.randn(tuple(shape), generator=generator))
        return noise[-1]

    images = torch.from_numpy(np.asarray(data.observations(indices)))
    batch = Batch(step, images, indices, lambda given, made: bernoulli_loss(given, made, "logits"), draw)
    return batch, noise
