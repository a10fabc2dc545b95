"""Points with a decoder and a classifier of what it decodes: what metrics of generated images need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from causal_disent import errors
from causal_disent.metrics.tools.discretize import discretizer
from causal_disent.metrics.tools.needs import Points, Sample, Source
from causal_disent.metrics.tools.sampling import factor_names
from causal_disent.protocols import FloatArray, GroundTruthData
from causal_disent.registry import registry
from causal_disent.text import shown_value

#: In place of a name: the best classifier that is installed, by the rank it was registered with.
BEST = "best"

Decode = Callable[[FloatArray], Any]
PredictProba = Callable[[Any], Sequence[FloatArray]]


@dataclass(frozen=True)
class DecodedPoints(Points):
    """Points, the representation's decoder, and a classifier; `metric` is who needs them, for messages."""

    metric: str = ""

    words = "a decoder and a classifier"
    arrays_suffice = False
    how = (
        "`num_train` sampled points, drawn `batch_size` at a time, as `classifier` sees what is decoded (`'best'` "
        "is `'conv_classifier'` where the torch plugin is installed, and else `'nearest_image'`); its name and "
        "its accuracy on images that it has not seen are reported too"
    )
    gives = ("binned_factors", "image_shape", "accuracy")

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "classifier": BEST}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        data, representation = source.data, source.representation
        if getattr(representation, "decode", None) is None:
            raise errors.missing_decoder(self.metric)
        (points,) = super().draw(source, num_train=drawn["num_train"], batch_size=drawn["batch_size"])

        @cache  # made when the first image is decoded: training may take long, and a wrong argument is told before
        def judge() -> Any:
            return make_classifier(drawn["classifier"], data, f"{self.metric}.classifier")

        yield Sample(
            (
                *points.arguments,
                lambda codes: image_exchange(representation, judge())[0](codes),
                lambda images: image_exchange(representation, judge())[1](images),
            ),
            source.random_state,
            {
                "binned_factors": discretizer(points.arguments[1]),
                "image_shape": tuple(data.observation_shape),
                "accuracy": lambda: getattr(judge(), "accuracy", None),
            },
            keys=lambda: _classifier_keys(judge(), factor_names(data)),
        )


def classifier_name(name: str) -> str:
    """`name`, or in place of ``'best'`` the name of the classifier that is."""
    if name != BEST:
        return name
    return next(entry.name for entry in registry.ranked("classifiers") if "rank" in entry.facts)


def make_classifier(classifier: Any, data: GroundTruthData, parameter: str = "classifier") -> Any:
    """A classifier for `data` from a registered name, a factory ``data -> classifier``, or itself.

    Args:
        classifier: ``'best'`` is the best that is installed: one that is trained, or else ``'nearest_image'``.
        data: what it is to judge.
        parameter: what users bind it to, for messages.
    """
    if isinstance(classifier, str):
        classifier = registry.function("classifiers", classifier_name(classifier))
    if isinstance(classifier, type) or (callable(classifier) and not hasattr(classifier, "predict_proba")):
        try:
            classifier = classifier(data)
        except errors.InvalidInput as error:
            raise errors.InvalidInput(f"{error.message} {parameter} says which classifier is used.") from error
    if not hasattr(classifier, "predict_proba"):
        raise errors.InvalidInput(
            "`classifier` is a registered name, a function data set -> classifier, or an object with "
            f"`predict_proba(images)`; given: {shown_value(classifier)}."
        )
    return classifier


def image_exchange(representation: Any, classifier: Any) -> tuple[Decode, PredictProba]:
    """``decode`` and ``predict_proba`` of a pair: of tensors where both can, as those stay on the device.

    A part whose tensors are not torch's says so by an attribute ``tensors``, the name of the framework.
    """
    alike = getattr(representation, "tensors", None) == getattr(classifier, "tensors", None)
    if alike and hasattr(representation, "decode_tensor") and hasattr(classifier, "predict_proba_tensor"):
        return representation.decode_tensor, classifier.predict_proba_tensor
    return representation.decode, classifier.predict_proba


def _classifier_keys(classifier: Any, names: Sequence[str]) -> dict[str, Any]:
    """The classifier's name and its held-out accuracy per factor: a CG without them means nothing."""
    keys: dict[str, Any] = {"classifier": getattr(classifier, "name", type(classifier).__name__)}
    for name, accuracy in zip(names, getattr(classifier, "accuracy", None) or (), strict=False):
        keys[f"classifier_accuracy_factor_{name}"] = float(accuracy)
    return keys
