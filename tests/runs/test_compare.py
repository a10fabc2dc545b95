"""Encoders beside each other."""

import numpy as np
import pandas as pd
import pytest

from causal_disent import compare, get_dataset, get_metric, get_representation, score
from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput, MissingPart
from causal_disent.metrics import mig
from causal_disent.report.panel import PANEL
from causal_disent.runs.compare import names_of

RNG = np.random.RandomState(0)
FACTORS = RNG.randint(4, size=(400, 3))
GOOD = FACTORS + 0.1 * RNG.normal(size=FACTORS.shape)
MIXED = np.column_stack([GOOD[:, 0], GOOD[:, 1] + 0.7 * FACTORS[:, 2], GOOD[:, 2]])


def test_the_scores_are_those_of_score():
    found = compare({"good": GOOD, "mixed": MIXED}, FACTORS, bootstrap=20)
    for codes, column in ((GOOD, "score_first"), (MIXED, "score_second")):
        alone = score(codes, FACTORS, bootstrap=0, chance=0).table["score"]
        assert found.table.set_index("metric")[column].to_dict() == pytest.approx(alone.to_dict())
    assert list(found.table["metric"]) == [question.metrics[0] for question in PANEL]


def test_the_interval_is_of_paired_resamples():
    found = compare(GOOD, MIXED, FACTORS, metrics="mig", bootstrap=30).rows[0]
    generator = np.random.RandomState(0)
    draws = [generator.randint(400, size=400) for _ in range(30)]
    both = [[mig(codes[rows], FACTORS[rows]).score for codes in (GOOD, MIXED)] for rows in draws]
    spread = np.std(np.subtract(*np.transpose(both)), ddof=1)
    assert (found.low, found.high) == pytest.approx(
        (found.difference - 1.96 * spread, found.difference + 1.96 * spread), abs=0.01
    )


def test_the_better_one_is_named_whatever_the_order():
    for encoders in ({"good": GOOD, "mixed": MIXED}, {"mixed": MIXED, "good": GOOD}):
        found = compare(encoders, FACTORS, metrics=["mig", "mig_sup"], bootstrap=50)
        assert [row.better for row in found.rows] == ["good", "good"] and "cannot tell" not in str(found)


def test_an_encoder_beside_itself():
    found = compare(GOOD, GOOD, FACTORS, bootstrap=10)
    assert all(row.difference == 0 and row.better == "" for row in found.rows)


def test_rounding_makes_no_encoder_better():
    generator = np.random.RandomState(3)
    for _ in range(6):  # the last is one where the difference of 1e-15 is beyond its interval
        factors = generator.randint(3, size=(150, 3))
        codes = factors + generator.normal(size=(150, 3))
    (row,) = compare(codes, -codes, factors, metrics="mig", bootstrap=20, random_state=5).rows
    assert (row.p, row.better) == (1.0, "")


def test_notes_name_the_encoder():
    dead = np.column_stack([GOOD, np.ones(len(GOOD))])
    (note,) = compare({"good": GOOD, "dead": dead}, FACTORS, bootstrap=2, metrics="irs").notes
    assert note.startswith("dead: ") and "code_3" in note


def test_resamples_are_bounded():
    with pytest.raises(InvalidInput, match="`bootstrap`"):
        compare(GOOD, MIXED, FACTORS, bootstrap=10**9)


def test_blocks_are_drawn_whole():
    repeated = [np.repeat(matrix[:100], 4, axis=0) for matrix in (GOOD, MIXED, FACTORS)]
    rows, blocks = (compare(*repeated, metrics="mig", bootstrap=100, blocks=n).rows[0] for n in (1, 4))
    assert blocks.high - blocks.low > 1.4 * (rows.high - rows.low)
    factors = pd.DataFrame(repeated[2]).assign(video=np.arange(400) // 4)
    assert compare(*repeated[:2], factors, metrics="mig", bootstrap=100, blocks="video").rows[0].low == blocks.low


def test_lower_scores_may_be_better():
    noise = np.random.RandomState(1).normal(size=(400, 3))
    tied = noise @ np.array([[1, 0.9, 0.9], [0, 0.3, 0], [0, 0, 0.3]])
    found = compare({"tied": tied, "apart": noise}, FACTORS, metrics="unsupervised_metrics", bootstrap=30)
    assert found.rows[0].better == "apart"


def test_encoders_alike_are_rarely_told_apart():
    wrong = 0
    for seed in range(20):
        generator = np.random.RandomState(seed)
        factors = generator.randint(4, size=(200, 2))
        both = [factors + 0.3 * generator.normal(size=factors.shape) for _ in range(2)]
        found = compare(*both, factors, metrics=["mig", "r2", "mcc"], bootstrap=50, random_state=seed)
        wrong += any(row.better for row in found.rows)
    assert wrong <= 4  # of 20 at a level of 5 %: more has a probability of 0.3 %


def test_three_encoders():
    found = compare(GOOD, MIXED, GOOD[:, ::-1], FACTORS, metrics="mig", bootstrap=10)
    assert [(row.first, row.second) for row in found.rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(row.corrected >= row.p for row in found.rows) and len(names_of(30)) == 30
    assert found.plot().axes


@pytest.mark.parametrize(
    ("matrices", "named"),
    [
        ((GOOD,), "compare"),
        ((GOOD, FACTORS), "two or more"),
        ((GOOD, MIXED[:-1], FACTORS), "codes"),
        (({1: GOOD, "1": MIXED, "other": GOOD}, FACTORS), "matrices"),
        (({"": GOOD, "other": MIXED}, FACTORS), "matrices"),
    ],
)
def test_bad_input(matrices, named):
    with pytest.raises(InvalidInput, match=named):
        compare(*matrices)


def test_the_help_has_single_percent_signs(capsys):
    main(["compare", "--help"])
    assert "%%" not in capsys.readouterr().out


def test_the_command(tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("good.npy", "mixed.npy", "factors.npy")]
    for file, matrix in zip(files, (GOOD, MIXED, FACTORS), strict=True):
        np.save(file, matrix)
    options = ["--metrics", "mig", "--bootstrap", "20"]
    outputs = [str(tmp_path / name) for name in ("found.csv", "found.png")]
    assert main(["compare", *files, *options, "--output", *outputs]) == 0
    assert "good" in capsys.readouterr().out and (tmp_path / "found.png").stat().st_size > 1000
    assert (tmp_path / "found.csv").read_text().startswith("metric,first,second,")
    assert main(["compare", files[0], files[0], files[2], *options]) == 2
    assert "NAME=FILE" in capsys.readouterr().err
    assert main(["compare", f"one={files[0]}", f"two={files[0]}", files[2], *options]) == 0


def test_models_on_a_data_set():
    """CG is paired as the other metrics are: by the same images, and the same resamples of them."""
    data = get_dataset("candle_mini", factors=["object", "color"])
    models = {name: get_representation(f"{name}_oracle", data) for name in ("perfect", "noise")}
    given = {"num_points": 60, "classifier": "nearest_image", "bootstrap": 30}
    found = compare(models, data, metrics="mcc,cg", **given).table.set_index("metric")
    alone = [
        get_metric("cg")(data, model, np.random.RandomState(0), num_train=60, classifier="nearest_image")["CG"]
        for model in models.values()
    ]
    assert found.loc["cg", ["score_first", "score_second"]].tolist() == pytest.approx(alone)
    assert found["better"].tolist() == ["perfect", "perfect"] and found["low"].gt(0).all()
    assert found.loc["cg", "p_corrected"] >= found.loc["cg", "p"]
    same = compare({"one": models["noise"], "other": models["noise"]}, data, metrics="cg", **given).rows[0]
    assert (same.low, same.high, same.difference, same.better) == (0, 0, 0, "")


def test_models_without_decoders_are_compared_by_their_codes():
    data = get_dataset("candle_mini", factors=["object", "color"])
    models = [lambda images: images.mean(axis=(1, 2)), lambda images: images.max(axis=(1, 2))]
    found = compare(*models, data, num_points=100, bootstrap=20)
    assert list(found.table["metric"]) == [question.metrics[0] for question in PANEL]
    with pytest.raises(MissingPart):
        compare(*models, data, metrics="cg", num_points=100, bootstrap=20)
