"""``evaluation.bootstrap``, ``evaluation.chance`` and ``evaluation.bins``."""

import pytest

from causal_disent.errors import InvalidInput
from causal_disent.report.remarks import evaluation_table
from causal_disent.runs.evaluate import evaluate_with_gin

BINDINGS = [
    "evaluation.random_seed = 0",
    "dataset.name = 'auto'",
    "uc.num_train = 200",
    "mcc.num_train = 200",
    "factor_vae_score.num_train = 200",
    "factor_vae_score.num_eval = 200",
    "factor_vae_score.num_variance_estimate = 200",
]


MODEL = """representation.name = 'noise_oracle'
dataset.name = 'candle_mini'
dataset.factors = ['object', 'size']
"""


def evaluated(folder, *bindings):
    (folder / "model").mkdir(exist_ok=True)
    (folder / "model" / "representation.gin").write_text(MODEL)
    return evaluate_with_gin(folder / "model", folder / "out", True, [], [*BINDINGS, *bindings])


def test_how_sure_scores_are_stands_beside_them(tmp_path):
    metrics = "evaluation.evaluation_fn = [@uc, @mcc, @factor_vae_score]"
    plain = evaluated(tmp_path, metrics)
    assert not [key for key in plain if "chance" in key or key.endswith("_low")]
    found = evaluated(tmp_path, metrics, "evaluation.bootstrap = 4", "evaluation.chance = 3", "uc.rho = [1, 2]")
    for key in (
        "uc:rho=1:UC",
        "uc:rho=2:UC",
        "mcc:MCC_pearson",
        "mcc:MCC_spearman",
        "factor_vae_score:eval_accuracy",
    ):
        assert found[f"{key}_low"] <= found[key] <= found[f"{key}_high"]
        assert 0 <= found[f"{key}_chance_share"] <= 1 and f"{key}_chance" in found
        # Three permutations cannot tell, unless one of them reaches the score, or the interval has their mean.
        assert found.get(f"{key}_within_chance", True) is True
    shared = [key for key in plain if key.startswith(("mcc:", "factor_vae_score:"))]
    assert {key: found[key] for key in shared} == {key: plain[key] for key in shared}  # the same draws


def test_the_table_has_it_in_words(tmp_path):
    metrics = "evaluation.evaluation_fn = [@uc, @mcc]"
    found = evaluated(tmp_path, metrics, "evaluation.bootstrap = 20", "evaluation.chance = 20", "uc.rho = [1, 2]")
    table = (tmp_path / "out/scores.txt").read_text()
    assert table == f"{evaluation_table(found)}\n"
    head, _, *rows = table.splitlines()
    assert head.split() == ["metric", "score", "value", "better", "95", "%", "interval", "chance", "it", "is"]
    assert [row.split()[1] for row in rows] == ["rho=1:UC", "rho=2:UC", "MCC_pearson", "MCC_spearman"]
    assert all("within chance (" in row for row in rows)  # noise
    assert not [word for word in ("interval", "chance") if word in evaluation_table({"uc:UC": 1.0})]


def test_bins_are_for_tables(tmp_path):
    with pytest.raises(InvalidInput, match="`evaluation.bins` is for data sets with continuous factors"):
        evaluated(tmp_path, "evaluation.evaluation_fn = @uc", "evaluation.bins = 5")


def test_cg_resamples_what_it_has_measured(tmp_path):
    cg = ["evaluation.evaluation_fn = @cg", "cg.classifier = 'nearest_image'", "cg.num_train = 40"]
    plain = evaluated(tmp_path, *cg)
    assert "CG_chance" not in plain and "CG_low" not in plain
    found = evaluated(tmp_path, *cg, "evaluation.bootstrap = 4", "evaluation.chance = 3")
    assert {"CG_low", "CG_high", "CG_chance", "CG_signed_chance"} <= set(found)
    assert found["CG"] == plain["CG"]
