"""Scores of resampled points and shuffled codes from counts, beside the function on those very rows."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent.errors import InvalidInput
from causal_disent.metrics import recount
from causal_disent.metrics.recount import FAST
from causal_disent.metrics.reuse import reusing
from causal_disent.registry import registry

METRICS = [entry for entry in registry.entries("metrics") if entry.name in FAST]
OPTIONS = {
    "mig_sup": [{}, {"normaliser": "log_values", "min_variance": 0.4}],
    "uc": [{}, {"rho": 2}],
    "irs": [{}, {"deviation": "quantile", "diff_quantile": 0.9}],
}
CASES = [(entry, options) for entry in METRICS for options in OPTIONS.get(entry.name, [{}])]


def points(seed, num_points, ties):
    rng = np.random.RandomState(seed)
    factors = np.column_stack([rng.randint(k, size=num_points) for k in (2, 5, 3)])
    codes = np.column_stack([factors @ rng.normal(size=3) + 0.5 * rng.normal(size=num_points) for _ in range(4)])
    codes[:, 1] = np.round(codes[:, 1]) if ties else codes[:, 1]
    codes[:, 2] = 1e12 + np.round(codes[:, 2]) if ties else codes[:, 2]
    return codes, factors, rng


def plain(entry, codes, factors, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return entry.facts["function"](codes, factors, **options).score
        except InvalidInput:
            return None


def told(score_of, rows):
    try:
        return score_of(rows)
    except InvalidInput:
        return None


def test_the_gaps_of_information_are_recounted():
    assert {"mig", "mig_sup", "jemmig", "dcimig", "irs", "uc"} <= {entry.name for entry in METRICS}


@pytest.mark.parametrize(("entry", "options"), CASES, ids=lambda value: getattr(value, "name", ""))
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([12, 60, 300]), st.booleans())
def test_other_draws_score_as_their_rows_do(entry, options, seed, num_points, ties):
    codes, factors, rng = points(seed, num_points, ties)
    again = FAST[entry.name](codes, factors, **options)
    rows, order = rng.randint(num_points, size=num_points), rng.permutation(num_points)
    assert told(again.resampled, rows) == pytest.approx(
        plain(entry, codes[rows], factors[rows], **options), abs=1e-9
    )
    half = np.sort(order[: num_points // 2])
    assert told(again.resampled, half) == pytest.approx(
        plain(entry, codes[half], factors[half], **options), abs=1e-9
    )
    if entry.facts["takes"]:
        assert told(again.permuted, order) == pytest.approx(
            plain(entry, codes[order], factors, **options), abs=1e-9
        )


def test_irs_and_uc_share_the_deviations_of_a_draw(monkeypatch):
    codes, factors, rng = points(0, 60, False)
    made = []
    ends_at = recount._Ends.__init__
    monkeypatch.setattr(recount._Ends, "__init__", lambda self, *given: made.append(1) or ends_at(self, *given))
    rows = rng.randint(60, size=60)
    with reusing():
        FAST["irs"](codes, factors).resampled(rows)
        alone = len(made)
        FAST["uc"](codes, factors).resampled(rows)
    assert len(made) == alone > 0


def test_bins_of_ones_own_are_left_to_the_function():
    codes, factors, _ = points(0, 60, False)
    mig = FAST["mig"]
    assert mig(codes, factors, num_bins=lambda codes: np.round(codes).astype(int)) is None
