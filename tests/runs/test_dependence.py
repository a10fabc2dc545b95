"""Rows that depend on each other."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats.contingency import association, crosstab

from causal_disent import score
from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics.certainty import _draw_rows, _permute_rows, rows_of_blocks
from causal_disent.runs.dependence import describe_association, describe_dependence, read_blocks

METRICS = ("mig", "irs", "mcc", "r2")


def noise(seed, points=400):
    generator = np.random.RandomState(seed)
    return generator.normal(size=(points, 3)), generator.randint(4, size=(points, 2))


def smooth(columns, width=40):
    window = np.ones(width) / width
    return np.stack([np.convolve(column, window, mode="same") for column in columns.T], axis=1)


def walks(seed):
    """Codes and factors that change slowly, apart from each other."""
    generator = np.random.RandomState(seed)
    numbers = smooth(generator.normal(size=(600, 2)))
    factors = np.stack([np.digitize(one, np.quantile(one, (0.25, 0.5, 0.75))) for one in numbers.T], axis=1)
    return smooth(generator.normal(size=(600, 3))), factors


def repeats(seed):
    codes, factors = noise(seed, 80)
    return codes.repeat(5, axis=0), factors.repeat(5, axis=0)


def false_positives(make, blocks):
    found = [score(*make(seed), METRICS, bootstrap=0, chance=20, blocks=blocks) for seed in range(15)]
    return sum(row.sure.within_chance is False for one in found for row in one.rows)


@pytest.mark.parametrize(("make", "blocks"), [(walks, 60), (repeats, 5)])
def test_blocks_make_chance_levels_right(make, blocks):
    alone, together = false_positives(make, None), false_positives(make, blocks)
    # Of 60 verdicts 3 are wrong at 5 %; without blocks far more.
    assert together <= 9 and alone >= together + 12


@pytest.mark.parametrize("make", [walks, repeats])
def test_dependent_rows_are_noticed(make):
    codes, factors = make(0)
    assert describe_dependence(codes, factors)
    assert "give blocks" in str(score(codes, factors, "mig", bootstrap=0, chance=0))
    assert "give blocks" not in str(score(codes, factors, "mig", bootstrap=0, chance=0, blocks=20))


def test_good_codes_of_a_sorted_data_set_are_not():
    factors = np.indices((4, 5, 30)).reshape(3, -1).T[:, :2]
    assert describe_dependence(factors.astype(float), factors) == ""  # a function of the factors repeats with them
    codes = factors + 0.1 * np.random.RandomState(0).normal(size=factors.shape)
    assert describe_dependence(codes, factors) == "" and describe_dependence(*noise(0)) == ""


def test_blocks_stay_together():
    blocks = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    members, generator = rows_of_blocks(blocks), np.random.RandomState(0)
    for _ in range(5):
        for rows in (_permute_rows(8, members, generator), _draw_rows(8, members, generator)):
            assert len(rows) == 8 and (rows[::2] + 1 == rows[1::2]).all() and (rows[::2] % 2 == 0).all()
    assert sorted(_permute_rows(8, members, generator)) == list(range(8))
    assert len(_draw_rows(9, rows_of_blocks(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])), generator)) == 9


def test_a_block_of_one_row_changes_no_interval():
    codes, factors = noise(1)
    one, none = (score(codes, factors, "mig", blocks=blocks, bootstrap=20, chance=20) for blocks in (1, None))
    assert one.table.loc["mig", "score"] == none.table.loc["mig", "score"]
    assert one.table.loc["mig", "low"] == pytest.approx(none.table.loc["mig", "low"], abs=0.01)


def test_a_column_names_the_blocks(tmp_path, capsys):
    codes, factors = repeats(0)
    table = pd.DataFrame({"size": factors[:, 0], "video": np.arange(400) // 5})
    by_name = score(codes, table, METRICS, bootstrap=0, chance=19, blocks="video").table
    by_length = score(codes, table[["size"]], METRICS, bootstrap=0, chance=19, blocks=5).table
    pd.testing.assert_frame_equal(by_name, by_length)
    np.save(tmp_path / "codes.npy", codes)
    table.to_csv(tmp_path / "factors.csv", index=False)
    files = [str(tmp_path / "codes.npy"), str(tmp_path / "factors.csv")]
    for blocks in ("video", "5"):
        assert main(["score", *files, "--metrics", "mig", "--blocks", blocks]) == 0
    assert "1 factor: size" in capsys.readouterr().out


@pytest.mark.parametrize(("blocks", "kind"), [(0, InvalidInput), (100, InvalidInput), ([1, 2], InvalidInput)])
def test_bad_blocks(blocks, kind):
    with pytest.raises(kind, match="blocks"):
        score(*noise(0), "mig", blocks=blocks)
    with pytest.raises(UnknownName, match="video"):
        score(noise(0)[0], pd.DataFrame(noise(0)[1], columns=["size", "vidio"]), "mig", blocks="video")
    assert read_blocks(None, 3) is None


def test_associated_factors_are_named():
    generator = np.random.RandomState(0)
    shape = generator.randint(3, size=300)
    color = np.where(generator.rand(300) < 0.8, shape, generator.randint(3, size=300))
    factors = np.column_stack([shape, generator.randint(3, size=300), color])
    assert describe_association(factors, ["shape", "size", "color"]).startswith("shape and color are associated")
    assert describe_association(factors[:, :2], ["shape", "size"]) == ""
    expected = crosstab(shape, color).count
    assert f"{association(expected, method='cramer'):.2f}" in describe_association(factors[:, [0, 2]], ["a", "b"])
    table = pd.DataFrame(factors, columns=["shape", "size", "color"])
    assert "shape and color are associated" in str(score(factors + 0.0, table, "mig", bootstrap=0, chance=0))


@pytest.mark.parametrize("label", [None, float("nan"), pd.NA])
def test_each_row_has_a_block(label):
    labels = [label, *(f"video {i // 10}" for i in range(1, 400))]
    for blocks in (labels, pd.Series(labels), [label, *range(1, 400)]):
        with pytest.raises(InvalidInput, match="`blocks`"):
            score(*noise(0), "mig", blocks=blocks)


def test_blocks_are_of_the_rows_before_some_are_left_out():
    codes, factors = noise(0)
    blocks = np.arange(400) // 4
    codes[2, 0] = np.nan
    present = np.delete(np.arange(400), 2)
    expected = score(codes[present], factors[present], "irs", blocks=blocks[present]).table
    for given in (4, blocks, blocks.tolist()):
        found = score(codes, factors, "irs", blocks=given, drop_missing=True)
        assert found.table["low"].tolist() == expected["low"].tolist()
    named = pd.DataFrame(factors).assign(video=blocks)
    found = score(codes, named, "irs", blocks="video", drop_missing=True)
    assert found.table["low"].tolist() == expected["low"].tolist()
    assert any("1 point" in note and "points" not in note for note in found.points.notes)
