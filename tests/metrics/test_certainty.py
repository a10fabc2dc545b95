"""Tests of `causal_disent.metrics.certainty`."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from causal_disent import score
from causal_disent.errors import InvalidInput
from causal_disent.metrics import irs, mig, r2, sap_score, uc
from causal_disent.metrics.arrays import split_rows
from causal_disent.metrics.certainty import (
    Asked,
    Certainty,
    ConfidenceSequence,
    bootstrap_interval,
    certainty,
    chance_level,
    correct_shares,
    find_interval_of_mean,
    resample_counts,
)
from causal_disent.metrics.deviations import robustness
from causal_disent.metrics.recount import IrsDraws

# --- Intervals and chance levels

RNG = np.random.RandomState(0)
FACTORS = RNG.randint(3, size=(200, 2))
CODES = FACTORS + RNG.normal(size=(200, 2))


def by_hand(function, resamples, seed, **options):
    """Resample and call."""
    generator = np.random.RandomState(seed)
    draws = [generator.randint(200, size=200) for _ in range(resamples)]
    return [function(CODES[rows], FACTORS[rows], **options).score for rows in draws]


@pytest.mark.parametrize("function", [mig, uc])
def test_the_interval_is_the_spread_of_resamples(function):
    own = function(CODES, FACTORS).score
    facts = function.declaration.facts
    found = certainty(facts, function, (CODES, FACTORS), {}, own, Asked(bootstrap=15, seed=3))
    half = 1.96 * np.std(by_hand(function, 15, 3), ddof=1)
    assert found.low == pytest.approx(max(own - half, 0)) and found.high == pytest.approx(min(own + half, 1))
    assert np.isnan(found.chance) and not found.within_chance


def test_points_held_out_stay_apart():
    """Resampled after the split: a point is never on both sides."""
    own = r2(CODES, FACTORS, random_state=5).score
    kept, tested = split_rows(200, 1 / 3, np.random.RandomState(5))
    generator, scores = np.random.RandomState(5), []
    for _ in range(12):
        rows = generator.randint(200, size=200)
        fit, held = rows[np.isin(rows, kept)], rows[np.isin(rows, tested)]
        scores.append(r2(CODES[fit], FACTORS[fit], test=(CODES[held], FACTORS[held])).score)
    found = certainty(r2.declaration.facts, r2, (CODES, FACTORS), {}, own, Asked(bootstrap=12, seed=5))
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.std(scores, ddof=1))


def test_chance_is_the_mean_of_permutations():
    own = mig(CODES, FACTORS).score
    generator = np.random.RandomState(2)
    scores = [mig(CODES[generator.permutation(200)], FACTORS).score for _ in range(9)]
    found = certainty(mig.declaration.facts, mig, (CODES, FACTORS), {}, own, Asked(chance=9, seed=2))
    assert found.chance == pytest.approx(np.mean(scores)) and found.share == np.mean(np.array(scores) >= own)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 40), st.booleans())
def test_share_of_permutations(seed, permutations, lower):
    values = np.random.RandomState(seed).normal(size=permutations)
    left = iter(values)
    mean, share, number = chance_level(0.3, lambda order: next(left), 5, permutations, lower_is_better=lower)
    assert mean == pytest.approx(values.mean()) and number == permutations
    assert share == pytest.approx((values <= 0.3).mean() if lower else (values >= 0.3).mean())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.floats(-5, 5))
def test_an_interval_holds_the_score_and_stays_in_the_range(seed, centre):
    values = np.random.RandomState(seed).normal(size=60)
    low, high, _ = bootstrap_interval(centre, lambda rows: values[rows].mean(), 60, 20, seed=seed, ends=(-5, 5))
    assert -5 <= low <= centre <= high <= 5


def test_intervals_cover():
    """Of 200 samples the true mean is in about 95 % of the intervals, 190: 174 is five deviations below."""
    generator = np.random.RandomState(0)
    hits = 0
    for seed in range(200):
        values = generator.normal(size=50)
        low, high, _ = bootstrap_interval(values.mean(), lambda rows, v=values: v[rows].mean(), 50, 60, seed=seed)
        hits += low <= 0 <= high
    assert hits > 174


def test_fewer_points_are_scaled():
    values = RNG.normal(size=2000)
    whole, part = (
        bootstrap_interval(0.0, lambda rows: values[rows].mean(), 2000, 300, most_points=most)
        for most in (None, 200)
    )
    assert part[1] == pytest.approx(whole[1], rel=0.2)


def failing(*failures):
    """A score that is not defined on these of its draws."""
    number = iter(range(1000))

    def score_of(rows):
        if next(number) in failures:
            raise ValueError("not defined")
        return float(rows[0])

    return score_of


def test_what_fails_on_a_few_resamples_is_left_out_and_counted():
    low, high, number = bootstrap_interval(5.0, failing(0, 7, 30, 39), 10, 40)
    assert low < 5 < high and number == 36


def test_there_is_no_interval_of_the_resamples_that_happen_to_be_defined():
    low, high, number = bootstrap_interval(5.0, failing(*range(5)), 10, 40)
    assert np.isnan([low, high]).all() and number == 35
    assert chance_level(1.0, lambda order: np.nan, 10, 5)[2] == 0


@pytest.mark.parametrize(
    ("low", "resamples", "words"),
    [
        (0.1, 187, "interval from 187 of 200 resamples, on which the score is defined"),
        (np.nan, 150, "no interval, for the score is defined on 150 of 200 resamples only"),
        (0.1, 200, ""),
    ],
)
def test_undefined_resamples_are_told(low, resamples, words):
    sure = Certainty(low=low, high=low, resamples=resamples, permutations=20, asked=Asked(200, 20))
    assert sure.remark == words
    assert sure.keys("UC").get("UC_undefined_resamples", 0) == 200 - resamples


def test_a_table_tells_of_undefined_resamples():
    """A value that one point has is missing in a third of the resamples, where `dcimig` has one factor alone."""
    factors = np.column_stack([np.arange(60) % 3, np.arange(60) == 7])
    codes = factors + 0.1 * RNG.normal(size=(60, 2))
    table = score(codes, factors, metrics=["dcimig", "mcc"], bootstrap=60, chance=0)
    assert np.isnan(table.table.low["dcimig"]) and "no interval, for the score is defined on" in str(table)
    assert "dcimig" in table.record()["remarks"] and np.isfinite(table.table.low["mcc"])


def coded_points(num_points, seed, unbounded=False):
    """Codes of four factors each and noise, which has bounds or not."""
    generator = np.random.RandomState(seed)
    factors = generator.randint(4, size=(num_points, 4))
    noise = generator.normal(size=factors.shape) if unbounded else generator.uniform(-1.5, 1.5, factors.shape)
    return factors + noise, factors


def test_the_limit_covers_the_score_of_many_points():
    """A small version of benchmarks/bench_limit.py."""
    names = ["mig", "mig_sup", "dcimig", "irs", "modularity_explicitness"]
    many = score(*coded_points(50_000, 99), names, bootstrap=0, chance=0).table["score"]
    covered, by_score = [], []
    for seed in range(20):
        found = score(*coded_points(1000, seed), names, seed, bootstrap=20, chance=0).table
        covered.append((found["limit_low"] <= many) & (many <= found["limit_high"]))
        by_score.append((found["low"] <= many) & (many <= found["high"]))
    assert np.mean(covered, axis=0).min() >= 0.85
    assert np.mean(by_score, axis=0).min() <= 0.5  # the score's own interval is of scores of 1,000 points


def test_a_score_that_moves_is_shown_with_its_limit():
    codes, factors = coded_points(300, 0)
    found = score(codes, factors, "mig,mcc", chance=0)
    mig_row, mcc_row = found.rows
    assert mig_row.sure.moves and not mcc_row.sure.moves
    assert "limit" in str(found) and f"{mig_row.sure.limit:.3f}" in str(found)
    assert "limit" not in str(score(codes, factors, "mcc", chance=0))


def test_codes_without_bounds_have_no_limit_but_by_quantiles():
    codes, factors = coded_points(1000, 0, unbounded=True)
    published, robust = (score(codes, factors, "irs,jemmig", chance=0, robust=one).table for one in (False, True))
    assert published["limit"].isna().all() and published["remark"].str.contains("no limit").all()
    assert robust["limit"].notna().all() and not robust["remark"].str.contains("no limit").any()


@pytest.mark.parametrize("metric", ["sap_score", "infomec", "dci"])
def test_what_takes_long_has_no_limit_at_few_points_either(metric):
    """Nor does what is resampled by another estimator than the score."""
    codes, factors = coded_points(150, 0)
    table = score(codes[:, :2], factors[:, :2], metric, bootstrap=2, chance=0, progress=False).table
    assert table["limit"].isna().all() and table["low"].notna().all()


def test_a_code_that_never_varies_does_not_hide_the_limit():
    factors = np.random.RandomState(0).randint(4, size=(1000, 2))
    codes = factors + np.random.RandomState(1).uniform(-0.3, 0.3, size=(1000, 2))
    with_dead = np.column_stack([codes, np.full(1000, 0.1)])  # the mean of which is off by rounding
    expected, found = (score(one, factors, metrics="irs", progress=False).table for one in (codes, with_dead))
    assert found.limit["irs"] == pytest.approx(expected.limit["irs"])


def test_halves_keep_blocks_together():
    """Of repeated rows the halves differ as much as those of the rows without repetition."""
    codes, factors = coded_points(200, 1)
    once = score(codes, factors, "mig", chance=0).rows[0].sure
    five = score(codes.repeat(5, axis=0), factors.repeat(5, axis=0), "mig", chance=0, blocks=5).rows[0].sure
    apart = score(codes.repeat(5, axis=0), factors.repeat(5, axis=0), "mig", chance=0).rows[0].sure
    assert five.half == pytest.approx(once.half, abs=0.01) and abs(apart.half - once.half) > 0.02


def test_verdicts_are_corrected_for_the_metrics_of_a_table():
    """Of twelve scores of noise, one is often above all permutations; after the correction seldom."""
    rng = np.random.RandomState(0)
    scores, permuted = rng.normal(size=(400, 12)), rng.normal(size=(400, 12, 19))
    alone = (permuted < scores[..., None]).all(axis=2)
    corrected = np.stack([correct_shares(*one) for one in zip(scores, permuted, strict=True)]) == 0
    assert alone.any(axis=1).mean() > 0.3 and corrected.any(axis=1).mean() < 0.09
    scores[:, 3] += 20
    assert np.mean([correct_shares(*one)[3] for one in zip(scores, permuted, strict=True)]) < 0.01


def test_a_score_that_cannot_vary_spoils_no_other():
    permuted = np.stack([np.ones(20), np.linspace(0, 0.01, 20), np.full(20, np.nan)])
    assert correct_shares(np.array([1.0, 0.5, 0.3]), permuted)[:2].tolist() == [1.0, 0.0]


def test_a_table_tells_corrected_verdicts():
    rng = np.random.RandomState(1)
    factors = rng.randint(3, size=(200, 2))
    found = score(rng.normal(size=(200, 3)), factors, "mig,irs,mcc,jemmig", chance=40, bootstrap=0).table
    assert (found["p"] >= (1 + 40 * found["share"]) / 41 - 1e-12).all()
    assert found["verdict"].str.startswith("within chance").all()
    good = score(factors + 0.1 * rng.normal(size=(200, 2)), factors, "mig,irs,mcc", chance=40, bootstrap=0).table
    assert (good["p"] < 0.05).all() and (good["verdict"] == "better than chance").all()


def test_within_chance_counts_the_codes_themselves():
    assert Certainty(chance=0.5, share=0.0, permutations=20).within_chance is False
    assert Certainty(chance=0.5, share=0.05, permutations=20).within_chance is True
    assert Certainty(chance=0.5, share=0.02, permutations=100).within_chance is False
    assert Certainty().within_chance is None


def test_an_interval_that_holds_the_chance_level_is_within_chance():
    assert Certainty(0.4, 0.6, chance=0.5, share=0.0, permutations=20).within_chance is True
    assert Certainty(0.51, 0.6, chance=0.5, share=0.0, permutations=20).within_chance is False


def test_too_few_permutations_give_no_verdict():
    """1 of 19 is more than 5 %: of 18 permutations that do not reach a score nobody knows."""
    few = Certainty(chance=0.1, share=0.0, permutations=18, asked=Asked(chance=18))
    assert few.within_chance is None and "UC_within_chance" not in few.keys("UC")
    assert few.remark == "18 permutations cannot tell it from chance, 19 can"
    assert replace(few, share=1 / 18).within_chance is True
    assert replace(few, permutations=19).within_chance is False
    table = score(FACTORS + 0.0, FACTORS, "mig", chance=3)
    assert "within_chance" in table.record() and not table.record()["within_chance"]
    assert "3 permutations cannot tell it from chance" in str(table)


def test_a_good_score_within_chance_is_explained():
    """With as many codes as factors, two, half of all draws have one each: UC alone tells nothing."""
    said = str(score(FACTORS + 0.0, FACTORS, ["uc", "mig"]))
    assert "permutations: cannot decide" in " ".join(
        said.split()
    ).lower() and "So it alone tells nothing here" in " ".join(said.split())
    keys = Certainty(0.1, 0.3, 0.2, 0.5, 10).keys("UC")
    assert keys == {
        "UC_low": 0.1, "UC_high": 0.3, "UC_chance": 0.2, "UC_chance_share": 0.5, "UC_within_chance": True,
    }  # fmt: skip


def test_noise_is_within_chance_and_good_codes_are_not():
    names = ["irs", "mcc", "mig", "r2", "uc", "sap_score"]
    noise = score(RNG.normal(size=(200, 2)), FACTORS, names)
    good = score(FACTORS + 0.1 * RNG.normal(size=(200, 2)), FACTORS, names)
    said = {name: row.sure.within_chance for name, row in zip(noise.table.index, noise.rows, strict=True)}
    assert sum(said.values()) >= 4  # each is wrong in about 5 % of cases
    assert set(good.record()["within_chance"]) <= {"uc"}  # of two factors, many have codes of their own
    assert (good.table["low"] <= good.table["score"]).all() and (good.table["high"] >= good.table["score"]).all()
    assert "WITHIN CHANCE" in str(noise)
    assert "WITHIN CHANCE" in noise.to_html() and noise.plot()


def test_resamples_are_the_same_whichever_metrics_are_asked():
    together = score(CODES, FACTORS, ["mig", "irs"], bootstrap=10, chance=5)
    alone = score(CODES, FACTORS, "irs", bootstrap=10, chance=5)
    pd.testing.assert_series_equal(together.table.loc["irs"], alone.table.loc["irs"])


def test_what_takes_long_is_sure_if_asked():
    quick = score(CODES, FACTORS, ["dci", "mig"], fast=True)
    assert quick.table["low"].isna().to_dict() == {"mig": False, "dci": True}
    asked = score(CODES, FACTORS, ["dci"], fast=True, bootstrap=3, chance=3)
    assert asked.table["low"].notna().all() and asked.table["chance"].notna().all()
    assert "dci: by histogram boosting; no interval and chance level" in str(quick)
    none = score(CODES, FACTORS, ["mig"], bootstrap=0, chance=0)
    assert none.table["low"].isna().all() and "interval" not in str(none)
    with pytest.raises(InvalidInput, match="`bootstrap` must be a whole number, at least 0; given: -1"):
        score(CODES, FACTORS, ["mig"], bootstrap=-1)


def test_a_metric_that_looks_at_no_factor_has_no_chance():
    assert np.isnan(score(CODES, FACTORS, "unsupervised_metrics").table["chance"]).all()


def test_a_seed_decides():
    first, second = (sap_score.declaration.facts, score(CODES, FACTORS, "sap_score", 4))
    assert first["resampling"]["points"] == 500
    pd.testing.assert_frame_equal(second.table, score(CODES, FACTORS, "sap_score", 4).table)


# --- bootstrap


def resampled_matrices(codes, factors, counts, quantile=0.99):
    return [robustness(*pair) for pair in zip(*IrsDraws(codes, factors, quantile).resampled(counts), strict=True)]


@example(27595451, 700, 0.5, False)  # of the binary code no point is drawn that is among the lowest
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 40, 700]),
    st.sampled_from([0.5, 0.9, 0.99, 1.0]),
    st.booleans(),
)
def test_resampled_matrices_equal_those_of_the_repeated_points(seed, num_points, quantile, ties):
    generator = np.random.RandomState(seed)
    factors = np.column_stack([generator.randint(k, size=num_points) for k in (2, 3)])
    codes = np.column_stack(
        [generator.standard_cauchy(num_points), factors[:, 0], generator.normal(size=num_points)]
    )
    if ties:
        codes = np.round(codes, 1)
    counts = resample_counts(num_points, 3, generator)
    matrices = resampled_matrices(codes, factors, counts, quantile)
    for count, matrix in zip(counts, matrices, strict=True):
        chosen = np.repeat(np.arange(num_points), count)
        expected = irs(codes[chosen], factors[chosen], diff_quantile=quantile).matrix
        np.testing.assert_allclose(matrix, expected, atol=1e-9)


def test_an_end_with_too_few_points_is_computed_in_full():
    codes = np.arange(4000.0)[:, None]
    factors = np.zeros((4000, 1), dtype=int)
    counts = np.zeros((1, 4000), dtype=int)
    counts[0, 1500:2500] = 4  # neither end is drawn at all
    chosen = np.repeat(np.arange(4000), counts[0])
    expected = irs(codes[chosen], factors[chosen]).matrix
    np.testing.assert_allclose(resampled_matrices(codes, factors, counts)[0], expected)


def test_counts_are_those_of_a_resample(random_state):
    counts = resample_counts(50, 20, random_state)
    assert counts.shape == (20, 50) and (counts.sum(axis=1) == 50).all()
    assert resample_counts(50, 0, random_state).shape == (0, 50)


def test_intervals_are_reproducible_and_hold_the_score():
    generator = np.random.RandomState(0)
    factors = generator.randint(4, size=(200, 4))
    codes = factors @ generator.normal(size=(4, 6)) + generator.normal(size=(200, 6))
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        first, again, other = (uc(codes, factors, bootstrap=200, random_state=seed).interval for seed in (1, 1, 2))
    assert first == again
    assert 0 <= first[0] <= uc(codes, factors).score <= first[1] <= 1
    assert first[0] < first[1]
    assert other[0] == pytest.approx(first[0], abs=0.2)


def test_any_attribution_can_be_resampled(random_state):
    factors = random_state.randint(3, size=(60, 2))
    codes = factors + random_state.normal(size=(60, 2))
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        low, high = uc(codes, factors, attribution="mutual_information", bootstrap=3).interval
    assert low <= high


def test_an_interval_is_about_the_mean_and_takes_two():
    points, counts = np.array([0.2, 0.8]), np.array([[2, 0], [1, 1]])
    half = 1.96 * np.std([0.2, 0.5], ddof=1)
    assert find_interval_of_mean(points, counts, (0, 1)) == pytest.approx((0.5 - half, 0.5 + half))
    assert find_interval_of_mean(points, counts[:1]) is None and find_interval_of_mean(points, counts[:0]) is None


# --- confidence sequence

RUNS = 500


def populations(generator):
    """Numbers in [0, 1] as effects are: in the middle, mostly 0 with some 1, and nearly all alike."""
    return {
        "middling": generator.beta(2, 3, size=2000),
        "rare": (generator.uniform(size=2000) < 0.05).astype(float),
        "coins": (generator.uniform(size=2000) < 0.5).astype(float),
        "alike": np.clip(generator.normal(0.3, 0.01, size=2000), 0, 1),
    }


def runs(numbers, generator):
    """(numbers, runs): each run draws all of them, in an order of its own."""
    return np.stack([generator.permutation(numbers) for _ in range(RUNS)], axis=1)


@pytest.mark.parametrize("kind", ["middling", "rare", "coins", "alike"])
def test_the_mean_is_in_every_interval_at_once(kind):
    """The intervals only ever shrink, so that the last one has lost the mean if any has."""
    generator = np.random.RandomState(1)
    numbers = populations(generator)[kind]
    drawn = runs(numbers, generator)
    sequence = ConfidenceSequence(len(numbers), tolerance=0.03)
    for start in range(0, 1000, 50):
        sequence.add(drawn[start : start + 50])
    assert sequence.half_widths.max() < 0.1
    missed = (sequence.low > numbers.mean()) | (sequence.high < numbers.mean())
    assert missed.mean() <= 0.05


def test_intervals_for_one_look_miss_the_mean_when_one_looks_often():
    """The test above can fail: mean plus and minus 1.96 standard errors, at every look, does."""
    generator = np.random.RandomState(1)
    numbers = populations(generator)["coins"]
    drawn = runs(numbers, generator)[:1000]
    missed = np.zeros(RUNS, bool)
    for stop in range(50, 1001, 50):
        half = 1.96 * drawn[:stop].std(axis=0, ddof=1) / np.sqrt(stop)
        missed |= np.abs(drawn[:stop].mean(axis=0) - numbers.mean()) > half
    assert missed.mean() > 0.1


def test_it_is_not_much_wider_than_an_interval_for_one_look():
    generator = np.random.RandomState(2)
    numbers = generator.beta(2, 3, size=10_000)
    sequence, needed = ConfidenceSequence(len(numbers), tolerance=0.02), 0
    while not needed or sequence.half_widths[0] > 0.02:
        sequence.add(numbers[needed : needed + 50, None])
        needed += 50
    one_look = (1.96 * numbers.std() / 0.02) ** 2
    assert one_look < needed < 3 * one_look


def test_batches_do_not_matter_and_columns_are_apart():
    numbers = np.random.RandomState(3).uniform(size=(300, 2)) ** [1, 4]
    whole, parts, alone = (ConfidenceSequence(400, 0.05) for _ in range(3))
    whole.add(numbers)
    for part in np.array_split(numbers, 7):
        parts.add(part)
    alone.add(numbers[:, 1:])
    np.testing.assert_allclose([whole.low, whole.high], [parts.low, parts.high])
    np.testing.assert_allclose([whole.low[1], whole.high[1]], [alone.low[0], alone.high[0]])


def test_when_all_is_drawn_the_mean_is_known():
    numbers = np.random.RandomState(4).uniform(size=(60, 1))
    sequence = ConfidenceSequence(60, 0.02)
    sequence.add(numbers)
    np.testing.assert_allclose([sequence.low[0], sequence.high[0]], numbers.mean())
