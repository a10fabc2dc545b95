"""What tells one classifier from another: the data set, its confounding, and the settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from causal_disent.data.factor_table import value_rows
from causal_disent.progress import track
from causal_disent_torch.classifier.labelled_images import has_table
from causal_disent_torch.classifier.settings import Settings

#: Counts up when the network or its training changes, so that older classifiers are not used.
VERSION = 1
#: The most images that are looked at; those of a larger data set are spread evenly over it.
MOST_IMAGES = 4096
#: Images asked of the data set at a time.
CHUNK = 512


def fingerprint(data: Any, settings: Settings) -> str:
    """A name, 32 hexadecimal digits, that differs where the classifier would.

    Every image counts in a data set of up to `MOST_IMAGES`, and that many of a larger one: a data set that differs
    from another of its size and factors in other images only is not told from it. Reading more would take longer
    than many an evaluation that uses a kept classifier.
    """
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


def _table_parts(data: Any) -> Iterator[np.ndarray]:
    table = data.factor_table
    indices = table.index.to_numpy()
    yield from (indices, value_rows(table))
    yield np.asarray(getattr(data, "image_weights", ()), dtype=np.float64)
    spread = np.unique(np.linspace(0, len(indices) - 1, MOST_IMAGES).round().astype(int))
    for start in _starts(len(spread)):
        yield np.asarray(data.observations(indices[spread[start : start + CHUNK]]), dtype=np.float32)


def _drawn_parts(data: Any) -> Iterator[np.ndarray]:
    random_state = np.random.RandomState(0)
    for _ in _starts(MOST_IMAGES):
        factors, images = data.sample(CHUNK, random_state)
        yield from (np.asarray(factors, dtype=np.int64), np.asarray(images, dtype=np.float32))


def _starts(total: int) -> Iterable[int]:
    return track(range(0, total, CHUNK), "recognising the data set", unit="batch")
