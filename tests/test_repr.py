"""What objects say of themselves at a prompt."""

import numpy as np
import pytest

from causal_disent import errors, get_classifier, get_dataset, get_representation
from causal_disent.data import ArrayDataset
from causal_disent.registry import registry
from causal_disent.representation.code_table import CodeTable
from causal_disent.representation.remembering_classifier import RememberingClassifier

CANDLE = "object 5, color 5, size 3, rotation 6, scene 3, light 3"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, f"CandleMini(4,050 images 64x64x3; {CANDLE})"),
        ({"factors": ["color"]}, "FiniteDataView(of CandleMini; 4,050 images 64x64x3; color 5)"),
        (
            {"confounding": "candle_color"},
            f"FiniteDataView(of CandleMini; images 64x64x3, confounded; {CANDLE})",
        ),
    ],
)
def test_data_sets_and_views(options, text):
    assert repr(get_dataset("candle_mini", **options)) == text


def test_own_and_drawn_data():
    own = ArrayDataset(np.zeros((3, 8, 8)), [[0, 0], [0, 1], [1, 0]], factor_names=["object", "color"])
    assert repr(own) == "ArrayDataset(3 images 8x8x1; object 2, color 2)"
    assert repr(own.restricted(factors=["color"])) == "TableData(3 images 8x8x1; color 2)"
    assert repr(get_dataset("dummy_data")).startswith("DummyData(images 64x64x1; factor_0 5, factor_1 5")


def test_every_data_set_that_can_be_made_has_a_short_repr():
    made = 0
    for entry in registry.entries("datasets"):
        try:
            data = entry.load()()
        except (errors.CausalDisentError, ImportError):
            continue  # its files, or what draws it, are not here
        made += 1
        assert repr(data).startswith(f"{type(data).__name__}(") and data.factor_names[0] in repr(data)
        assert len(repr(data)) < 250
    assert made >= 4


def test_representations_and_classifiers(candle):
    oracle = get_representation("perfect_oracle", candle)
    table = CodeTable(candle, oracle)
    table.codes_of(np.arange(3))
    assert repr(table) == "CodeTable(Oracle(6 codes of 4,050 images); 3 images encoded)"
    classifier = RememberingClassifier(get_classifier("nearest_image", candle))
    known = f"NearestImageClassifier(4,050 images; {CANDLE})"
    assert repr(classifier) == f"RememberingClassifier({known}; 0 images remembered)"
