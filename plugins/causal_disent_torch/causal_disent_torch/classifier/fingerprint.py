"""What tells one classifier from another: the data set, its confounding, and the settings."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from causal_disent.data.factor_table import value_rows
from causal_disent_torch.classifier.labelled_images import has_table
from causal_disent_torch.classifier.settings import Settings

__all__ = ["VERSION", "fingerprint"]

#: Counts up when the network or its training changes, so that older classifiers are not used.
VERSION = 1
#: Images, spread evenly over the data set, that stand for all of them.
NUM_IMAGES = 64


def fingerprint(data: Any, settings: Settings) -> str:
    """A name, 32 hexadecimal digits, that differs where the classifier would."""
    digest = hashlib.blake2b(digest_size=16)
    described = {
        "version": VERSION,
        "shape": [int(size) for size in data.observation_shape],
        "sizes": [int(size) for size in data.factors_num_values],
        "confounding": [repr(statement) for statement in getattr(data, "statements", ())],
        "settings": asdict(settings),
    }
    digest.update(json.dumps(described, sort_keys=True).encode())
    for part in _table_parts(data) if has_table(data) else _drawn_parts(data):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _table_parts(data: Any) -> list[np.ndarray]:
    table = data.factor_table
    indices = table.index.to_numpy()
    spread = np.unique(np.linspace(0, len(indices) - 1, NUM_IMAGES).round().astype(int))
    images = np.asarray(data.observations(indices[spread]), dtype=np.float32)
    weights = np.asarray(getattr(data, "image_weights", ()), dtype=np.float64)
    return [indices, value_rows(table), weights, images]


def _drawn_parts(data: Any) -> list[np.ndarray]:
    factors, images = data.sample(NUM_IMAGES, np.random.RandomState(0))
    return [np.asarray(factors, dtype=np.int64), np.asarray(images, dtype=np.float32)]
