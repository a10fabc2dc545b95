"""Reseed noise and discriminability."""

import numpy as np
import pytest

from causal_disent.errors import InvalidInput
from causal_disent.report.calibration import reseeding_text, write_reseeding
from causal_disent.runs.calibrate import FROM_GOOD_TO_BAD, reseed, reseeded

NAMES = [case.name for case in FROM_GOOD_TO_BAD]


def test_good_metrics_have_the_cases_in_order(tmp_path):
    found = reseed(["mig", "mcc"], sizes=[100, 300], seeds=2)
    assert {(row.metric, row.num_train) for row in found} == {(m, n) for m in ("mig", "mcc") for n in (100, 300)}
    assert NAMES == ["perfect", "mixed 0.25", "mixed 1", "noise"]
    for row in found:
        assert row.right == (1.0, 1.0, 1.0) and list(row.means) == sorted(row.means, reverse=True)
        assert max(row.noise) < 0.2
    write_reseeding(tmp_path, found, NAMES)
    assert {path.name for path in tmp_path.iterdir()} == {"reseeding.csv", "reseeding.md", "reseeding.png"}
    assert "mixed 1 > noise" in reseeding_text(found, NAMES)


def test_shares_by_hand():
    values = np.array([[0.3, 0.3, np.nan], [0.1, 0.2, 0.5]])
    row = reseeded("m", "s", 5, values, False)
    assert row.right[0] == 0.375 and np.isnan(row.right[1])  # of four pairs one is right, and one tied
    assert reseeded("m", "s", 5, values, True).right[0] == 0.625


def test_one_seed_has_no_noise():
    with pytest.raises(InvalidInput, match="`seeds` must be a whole number, at least 2"):
        reseed(["mig"], seeds=1)
