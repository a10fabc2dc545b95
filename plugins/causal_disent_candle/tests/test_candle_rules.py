"""Which rule set a folder obeys."""

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle.candle import Candle, CandleV1
from causal_disent_candle.rendered import recognise
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent.data.confounding import allowed_combinations
from causal_disent.data.rule_sets import statements

COUNTS = {"none": 21_600, "candle_released": 12_546, "candle_table6": 16_146}


def allowed(space, name):
    rules = () if name == "none" else statements(name)
    return space.to_factors(allowed_combinations(space, rules)[0])


@pytest.mark.parametrize("name", COUNTS)
def test_the_rule_sets_of_the_papers(name):
    found = recognise(written.V2, allowed(written.V2, name), Candle.rule_sets)
    assert (found.name, found.images, found.allowed, found.is_complete) == (name, COUNTS[name], COUNTS[name], True)
    assert str(found) == f"{name}: {COUNTS[name]:,} images show {COUNTS[name]:,} of {COUNTS[name]:,} combinations"


@pytest.mark.parametrize(("name", "count"), [("candle_color", 4050 * 2 // 5), ("candle_size", 4050 // 3)])
def test_the_rule_sets_of_v1(name, count):
    found = recognise(written.V1, allowed(written.V1, name), CandleV1.rule_sets)
    assert (found.name, found.images, found.is_complete) == (name, count, True)


@pytest.mark.parametrize("name", ["candle_released", "candle_table6"])
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_part_of_a_rule_set_is_recognised(name, seed):
    rows = allowed(written.V2, name)
    rows = rows[np.random.RandomState(seed).permutation(len(rows))[:200]]
    found = recognise(written.V2, rows, Candle.rule_sets)
    assert found.name == name and not found.is_complete and found.combinations == 200


def test_one_image_that_breaks_the_rules_makes_it_another():
    rows = allowed(written.V2, "candle_released")
    large_cube_outdoors = [[0, 0, 2, 0, 2, 0]]
    found = recognise(written.V2, np.concatenate([rows, large_cube_outdoors]), Candle.rule_sets)
    assert (found.name, found.combinations, found.allowed, found.obeyed) == ("other", 12_547, 21_600, ())


def test_of_two_rule_sets_the_tighter_one_is_named():
    medium = written.V2.to_factors(np.arange(21_600))
    medium = medium[(medium[:, 2] == 1) & (medium[:, 4] == 2)]
    found = recognise(written.V2, medium, Candle.rule_sets)
    assert found.name == "candle_released" and found.obeyed == ("candle_released", "candle_table6")
    assert str(found).endswith("of 12,546 combinations; they obey candle_table6 too")


def test_one_image_is_one_image():
    found = recognise(written.V2, np.zeros((1, 6), dtype=int), Candle.rule_sets)
    assert str(found).startswith("candle_released: 1 image shows 1 of 12,546 combinations")


def test_the_loader_reports_it(tmp_path):
    rows = allowed(written.V2, "candle_table6")
    rows = rows[np.random.RandomState(1).permutation(len(rows))[:60]]
    data = Candle(written.write(tmp_path / "images", written.V2, rows))
    assert data.rule_set.name == "candle_table6" and data.rule_set.images == 60
