"""Which images are made, and how they are counted."""

import itertools

import numpy as np
import pytest
from causal_disent_candle.render.assets import CANDLE, SYNTHETIC
from causal_disent_candle.render.run import make_plan
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors


@pytest.mark.parametrize(
    ("rules", "images"), [([], 21_600), (["candle_released"], 12_546), (["candle_table6"], 16_146)]
)
def test_candle_has_the_published_counts(rules, images):
    assert len(make_plan(CANDLE.factors, rules=rules).indices) == images


def test_the_synthetic_set_has_432_images_of_three_pairs():
    plan = make_plan(SYNTHETIC.factors, rules=["synthetic_full"])
    pairs = {(labels["object"], labels["color"]) for labels in map(plan.labels, plan.indices)}
    assert len(plan.indices) == 432
    assert pairs == {("cylinder", "red"), ("cone", "green"), ("cube", "blue")}


def test_the_index_runs_over_the_product_with_the_rotation_fastest():
    plan = make_plan(CANDLE.factors)
    product = list(itertools.product(*CANDLE.factors.values()))
    for index in (0, 1, 6, 18, 90, 450, 1349, 1350, 12_345, 21_599):
        assert tuple(plan.labels(index).values()) == product[index]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_forbidden_images_are_missing_and_the_others_keep_their_index(data):
    pairs = {
        factor: data.draw(st.lists(st.sampled_from(CANDLE.factors[factor]), min_size=1, unique=True))
        for factor in data.draw(st.lists(st.sampled_from(["object", "size", "light"]), min_size=1, unique=True))
    }
    rule = "never " + " ".join(f"{factor}={'|'.join(labels)}" for factor, labels in pairs.items())
    allowed = [
        index
        for index, row in enumerate(itertools.product(*CANDLE.factors.values()))
        if not all(dict(zip(CANDLE.factors, row, strict=True))[factor] in pairs[factor] for factor in pairs)
    ]
    if allowed:
        assert make_plan(CANDLE.factors, rules=[rule]).indices.tolist() == allowed
    else:
        with pytest.raises(errors.InvalidInput, match="forbids every combination"):
            make_plan(CANDLE.factors, rules=[rule])


def test_a_larger_limit_keeps_the_images_of_a_smaller_one():
    few, more = (make_plan(CANDLE.factors, rules=["candle_released"], limit=limit, seed=3) for limit in (50, 80))
    assert len(few.indices) == 50 and len(more.indices) == 80
    assert set(few.indices) < set(more.indices)
    assert (np.diff(more.indices) > 0).all()
    assert len({few.labels(index)["scene"] for index in few.indices}) > 10
    other = make_plan(CANDLE.factors, rules=["candle_released"], limit=50, seed=4)
    assert set(other.indices) != set(few.indices)


def test_a_limit_above_the_number_of_images_is_all_of_them():
    assert len(make_plan(SYNTHETIC.factors, rules=["synthetic_full"], limit=9999).indices) == 432


@pytest.mark.parametrize(
    ("rules", "kind", "message"),
    [
        (["candle_relased"], errors.UnknownName, "Did you mean 'candle_released'"),
        (["never shape=cube"], errors.UnknownName, "Unknown factor 'shape'"),
        (["never object=cuba"], errors.UnknownName, "Did you mean 'cube'"),
        (["correlate object color 0.2"], errors.InvalidInput, "rendered once"),
    ],
)
def test_rules_that_cannot_be_used(rules, kind, message):
    with pytest.raises(kind, match=message):
        make_plan(CANDLE.factors, rules=rules)


def test_a_full_correlation_is_a_rule():
    plan = make_plan({"object": ("a", "b"), "color": ("c", "d")}, rules=["correlate object color 0"])
    assert plan.indices.tolist() == [0, 3]
