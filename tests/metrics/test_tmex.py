import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.metrics.tmex import tmex

FACTORS = np.random.RandomState(0).randint(5, size=(800, 3))


def test_perfect_codes_in_another_order_and_scale():
    result = tmex(FACTORS[:, [2, 0, 1]] * [-1.0, 4.0, 0.5], FACTORS)
    assert result.mismatches == result.score == 0
    assert (result.measured == result.expected).all()
    assert result.expected.T.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_mixed_codes_measure_too_much():
    mixed = FACTORS @ np.array([[1.0, 0.6, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    result = tmex(mixed, FACTORS)
    # The second code holds the first factor as well; the others are as they should be.
    assert result.mismatches == 1
    assert result.per_factor.tolist() == [1, 0, 0]
    assert result.measured.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_noise_measures_nothing():
    result = tmex(np.random.RandomState(1).normal(size=(800, 3)), FACTORS)
    assert result.mismatches >= 3
    assert result.score == result.mismatches / 9


def test_codes_of_factors_that_cause_each_other():
    generator = np.random.RandomState(0)
    cause = generator.randint(5, size=1500)
    effect = np.clip(cause + generator.randint(-1, 2, size=1500), 0, 4)
    factors = np.column_stack([cause, effect])
    assert tmex(factors, factors).mismatches == 0
    assert tmex(np.column_stack([cause, cause + effect]), factors).mismatches == 1


def test_a_nominal_factor_is_matched_by_information_not_by_order():
    shuffled = np.array([3.0, 0.0, 4.0, 1.0, 2.0])[FACTORS]
    assert tmex(shuffled, FACTORS).mismatches == 0


def test_continuous_factors():
    factors = np.random.RandomState(2).normal(size=(800, 2))
    assert tmex(np.tanh(factors[:, ::-1]), factors).mismatches == 0


def test_what_is_expected_can_be_said():
    both = np.column_stack([FACTORS[:, 0] + FACTORS[:, 1], FACTORS[:, 2]])
    expected = np.array([[1, 1, 0], [0, 0, 1]])
    result = tmex(both, FACTORS, expected=expected)
    assert result.mismatches == 0 and result.tested.all()
    assert tmex(both, FACTORS, expected=1 - expected).mismatches == 6


def test_codes_without_a_factor_are_not_judged_and_factors_without_a_code_are():
    repeated = np.hstack([FACTORS, FACTORS[:, :1] + FACTORS[:, 1:2]])
    result = tmex(repeated, FACTORS)
    assert result.mismatches == 0 and result.tested[:, 0].tolist() == [True, True, True, False]
    few = tmex(FACTORS[:, :2].astype(float), FACTORS)
    assert few.mismatches == 1 and few.per_factor.tolist() == [0, 0, 1] and few.score == 1 / 7


def test_a_factor_that_never_varies_is_left_out():
    factors = np.column_stack([FACTORS[:, :2], np.full(800, 2)])
    with pytest.warns(UserWarning, match="never var|constant"):
        result = tmex(factors[:, :2].astype(float), factors)
    assert result.mismatches == 0 and np.isnan(result.per_factor[2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 1.5}, "`alpha`.*between 0.005 and 1; given: 1.5"),
        ({"alpha": "x"}, "`alpha`.*given: 'x'"),
        ({"expected": [[1], [0, 1], [1]]}, "`expected`"),
        ({"expected": np.ones((2, 2))}, r"`expected`.*\(3, 3\)"),
        ({"expected": np.full((3, 3), 2)}, "`expected` is a matrix of 0 and 1"),
        ({"codes": FACTORS[:10], "factors": FACTORS[:10]}, "at least 40 points"),
        ({"factors": FACTORS[:, :1]}, "At least 2 factors"),
    ],
)
def test_bad_inputs(change, message):
    arguments = {"codes": FACTORS, "factors": FACTORS, **change}
    with pytest.raises(errors.InvalidInput, match=message):
        tmex(arguments.pop("codes"), arguments.pop("factors"), **arguments)


@pytest.mark.slow
def test_through_the_data_set_confounded_as_well():
    for confounding in (None, "candle_color"):
        data = get_dataset("candle_mini", confounding=confounding)
        perfect, noise = (
            get_metric("tmex")(data, get_representation(name, data), np.random.RandomState(0), num_train=600)
            for name in ("perfect_oracle", "noise_oracle")
        )
        assert perfect["T-MEX"] == 0
        assert noise["T-MEX"] >= 5
