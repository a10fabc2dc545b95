"""A classifier that judges each distinct image once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent.representation.image_shape import image_keys
from causal_disent.text import Shown


class RememberingClassifier(Shown):
    """A factor classifier that remembers its answers; worth it where a decoder draws the same images again.

    Args:
        classifier: what is asked about images that are new.
    """

    def __init__(self, classifier: Any) -> None:
        self._classifier = classifier
        self._row_of_image: dict[bytes, int] = {}
        self._answers: list[FloatArray] = []

    def _shows(self) -> Iterator[str]:
        yield repr(self._classifier)
        yield f"{len(self._row_of_image):,} images remembered"

    def __getattr__(self, name: str) -> Any:
        # `name`, `accuracy` and the like belong to the classifier.
        if name.startswith("__") or "_classifier" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._classifier, name)

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """One (n, values) array per factor."""
        keys = list(image_keys(images))
        new = {key: place for place, key in enumerate(keys) if key not in self._row_of_image}
        if new:
            answers = self._classifier.predict_proba(np.asarray(images)[list(new.values())])
            first = len(self._row_of_image)
            self._row_of_image.update({key: first + i for i, key in enumerate(new)})
            known = self._answers or [np.empty((0, table.shape[1])) for table in answers]
            self._answers = [np.concatenate(pair) for pair in zip(known, answers, strict=True)]
        rows = [self._row_of_image[key] for key in keys]
        return [table[rows] for table in self._answers]
