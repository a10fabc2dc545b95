"""Tests of `causal_disent.metrics.contract`."""

import inspect
import json
import re
import sys
import warnings
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture
from fitting_promises import encode, mixture
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from causal_disent import adapter, errors, get_metric, score
from causal_disent.adapter import takers
from causal_disent.checks import check_at_least, check_train_test, varying_factors
from causal_disent.config import gin_config, given_to_gin
from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.dummy import IdentityData
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics import (
    Needs,
    Result,
    Sample,
    beta_vae_sklearn,
    dci,
    dcimig,
    downstream_task,
    equally_filled,
    factor_vae_score,
    infomec,
    irs,
    jemmig,
    mcc,
    metric,
    mig,
    mig_sup,
    modularity_explicitness,
    points,
    r2,
    sap_score,
    tmex,
    train_test,
    uc,
)
from causal_disent.metrics.arrays import split_points
from causal_disent.metrics.contract import Declaration, continuous_columns, count_fits, count_fits_of, report_keys
from causal_disent.metrics.draw import encode_fixed, sample_codes, split
from causal_disent.metrics.tmex import generalised_covariance_test, projected_covariance_test
from causal_disent.registry import Register, declared_in, registry
from causal_disent.representation.oracles import mixed_oracle
from causal_disent.runs.evaluate import run_metric
from causal_disent.testing.metric_checks import MetricTrial, small_parameters

# --- What a declaration makes of a function on arrays, and what all declared metrics have in common

BUILT_IN = [entry for entry in registry.entries("metrics") if entry.owner == "builtin"]
VALUES = np.random.RandomState(0).randint(4, size=(90, 2))


@dataclass(frozen=True)
class MeanResult(Result):
    score: float
    per_factor: np.ndarray
    test_rows: int = 0


def mean(codes, factors, *, test=None, weight=1.0, bins=3, random_state=0):
    drawn = random_state.randint(100) if isinstance(random_state, np.random.RandomState) else -1
    found = factors.mean(axis=0) * weight + np.array([np.nan] + [0.0] * (factors.shape[1] - 1))
    return MeanResult(float(codes.mean()) * weight, found, (len(test[0]) if test else 0) + 1000 * bins + drawn)


def declared(**options):
    stated = {"needs": points(50), "reports": {"mean": "score", "rows": "test_rows"}, "range": (0, 20), **options}
    return metric("mean_value", **stated)(mean).declaration


def measured(declaration, seed=0, **options):
    return adapter.on_data(declaration.function)(
        IdentityData(), np.asarray, np.random.RandomState(seed), **options
    )


def test_the_function_stays_what_it_is():
    function = metric("mean_value", needs=points(), reports={"mean": "score"}, range=(0, 1))(mean)
    assert function(VALUES, VALUES).score == VALUES.mean()
    assert inspect.signature(function) == inspect.signature(mean) and function.__name__ == "mean"


def test_the_signature_is_what_gin_and_disentanglement_lib_expect():
    parameters = inspect.signature(adapter.on_data(declared(renamed={"weight": "weight_fn"}).function)).parameters
    assert list(parameters) == [
        "ground_truth_data", "representation_function", "random_state", "artifact_dir",
        "num_train", "batch_size", "test", "weight_fn", "bins",
    ]  # fmt: skip
    assert parameters["num_train"].default == 50 and parameters["weight_fn"].default == 1.0
    assert "test" not in inspect.signature(adapter.on_data(declared(needs=train_test()).function)).parameters
    with pytest.raises(TypeError, match="unexpected keyword argument 'num_points'"):
        measured(declared(), num_points=3)


def test_points_are_those_of_sample_codes_and_the_generator_goes_on():
    generator = np.random.RandomState(3)
    codes, _ = sample_codes(IdentityData(), np.asarray, 40, generator, 16)
    scores = measured(declared(), seed=3, num_train=40, weight=2.0)
    assert scores == {"mean": codes.mean() * 2, "rows": 3000 + generator.randint(100)}


def test_train_and_test_points_are_drawn_one_after_the_other():
    generator = np.random.RandomState(3)
    codes, _ = sample_codes(IdentityData(), np.asarray, 30, generator, 7)
    sample_codes(IdentityData(), np.asarray, 20, generator, 7)
    scores = measured(declared(needs=train_test(30, 20, batch_size=7)), seed=3)
    assert scores == {"mean": codes.mean(), "rows": 3020 + generator.randint(100)}


def test_supplied_arguments_cannot_be_bound():
    declaration = declared(supplies={"bins": lambda data: data.num_factors})
    assert measured(declaration)["rows"] // 1000 == 10
    with pytest.raises(TypeError, match="unexpected keyword argument 'bins'"):
        measured(declaration, bins=4)


def test_one_call_for_each_value():
    declaration = declared(reports={"mean_{weight}": "score"}, each=("weight", (1.0, 3.0)))
    scores = measured(declaration)
    assert scores["mean_3.0"] == pytest.approx(3 * scores["mean_1.0"])
    assert "weight" not in inspect.signature(adapter.on_data(declaration.function)).parameters


def test_a_list_is_given_to_the_function_that_takes_lists():
    def of_several(codes, factors, *, weight, **options):
        return {one: mean(codes, factors, weight=one, **options) for one in weight}

    declaration = declared(several=("weight", of_several), once=("rows",))
    scores = measured(declaration, weight=[1.0, 2.0])
    assert set(scores) == {"weight=1.0:mean", "weight=2.0:mean", "rows"}
    assert set(measured(declaration, weight=2.0)) == {"mean", "rows"}
    with pytest.raises(errors.InvalidInput, match="`weight` is one value or a list of them; given: an empty list"):
        measured(declaration, weight=[])


def test_checks_come_before_draws():
    def check(num_factors, weight):
        raise errors.InvalidInput(f"{num_factors} factors, weight {weight}")

    def not_called(images):
        raise AssertionError("nothing must be encoded")

    with pytest.raises(errors.InvalidInput, match=r"10 factors, weight 5"):
        adapter.on_data(declared(check=check).function)(
            IdentityData(), not_called, np.random.RandomState(0), weight=5
        )
    with pytest.raises(errors.InvalidInput, match="`num_train` must be a whole number, at least 40; given: 39"):
        measured(declared(needs=points(at_least=40)), num_train=39)


def test_files_are_saved_where_there_is_a_folder(tmp_path):
    def save(result, folder, names):
        (folder / "names.txt").write_text(names[0])
        return {"saved": 1}

    declaration = declared(saves=save)
    assert "saved" not in measured(declaration)
    assert measured(declaration, artifact_dir=str(tmp_path))["saved"] == 1
    assert (tmp_path / "names.txt").read_text() == "factor_0"


def test_the_variant_of_given_observations():
    declaration = declared(needs=train_test(), validation="mean_value_validation")
    names = [entry.name for entry in adapter.entries_of(declaration.function, "me")]
    assert names == ["mean_value", "mean_value_validation"]
    # Nobody gives a generator here, so the function's own default holds.
    assert adapter.on_fixed_data(declaration.function)(VALUES, VALUES.T, np.asarray)["rows"] == 3009 - 1
    assert (
        adapter.on_fixed_data(declaration.function)(VALUES, VALUES.T, np.asarray, train_percentage=0.5)["rows"]
        == 3045 - 1
    )


def test_keys_of_arrays_leave_out_what_is_not_there():
    class Found:
        score, per_factor, low = np.float64(0.5), np.array([np.nan, 0.25]), None
        sets = [(1,), (0, 2)]

    reports = {
        "a": "score",
        "a_{factor}": "per_factor",
        "a_{index}_n": "per_factor",
        "low": "low",
        "c_{code}": "sets",
    }
    found = report_keys(reports, Found, ["hue", "size"], {})
    assert found == {"a": 0.5, "a_size": 0.25, "a_1_n": 0.25, "c_0": [1], "c_1": [0, 2]}
    assert json.loads(json.dumps(found)) == found
    assert report_keys(lambda result, names: {names[0]: result.score}, Found, ["hue"], {}) == {"hue": 0.5}


def test_a_need_of_ones_own():
    @dataclass(frozen=True)
    class Twice(Needs):
        words = "two samples"

        @property
        def parameters(self):
            return {"size": 5}

        def draw(self, source, *, size):
            for n in (1, 2):
                codes, factors = source.points(n * size, 16)
                yield Sample((codes, factors), source.random_state, prefix=f"{n}:", keys=lambda: {"n": 2})

    declaration = declared(needs=Twice())
    assert set(measured(declaration, size=3)) == {"1:mean", "1:rows", "2:mean", "2:rows", "n"}


def test_gin_binds_the_draws_and_the_function(tmp_path):
    (entry,) = adapter.entries_of(declared().function, "tests")
    restore = registry.replace(entry)
    try:
        with gin_config(bindings=["mean_value.num_train = 20", "mean_value.weight = 2.0"]):
            scores = given_to_gin(entry)(IdentityData(), np.asarray, np.random.RandomState(0))
        assert scores == measured(declared(), num_train=20, weight=2.0)
        with (
            pytest.raises(errors.ConfigError, match="no parameter 'weigth'.*Did you mean 'weight'"),
            gin_config(bindings=["mean_value.weigth = 2.0"]),
        ):
            pass
    finally:
        restore()


def test_a_failure_names_the_file_of_the_function(tmp_path):
    from causal_disent.runs.evaluate import run_metric

    def broken(codes, factors):
        raise KeyError("oh")

    function = metric("broken", needs=points(5), reports={"a": "score"}, range=(0, 1))(broken)
    with pytest.raises(errors.MetricFailed, match=f"(?s)broken.*{__name__}"):
        run_metric(adapter.on_data(function), "broken", IdentityData(), np.asarray, 0, tmp_path)


def test_the_modules_of_a_package_are_walked(tmp_path, monkeypatch):
    package = tmp_path / "walked"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "own.py").write_text(
        "from causal_disent.metrics import metric, points, mig\nfrom causal_disent.registry import part\n"
        "@metric('own', needs=points(), reports={'own': 'score'}, range=(0, 1))\n"
        "def own(codes, factors):\n    'Does it?'\n"
        "@part('own_part')\ndef own_part():\n    'Parts of it.'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    entries = []
    for found in declared_in("walked"):
        Register("metrics", "tests", entries.append)(found)
    monkeypatch.delitem(sys.modules, "walked.own")
    assert [(e.kind, e.name, e.summary) for e in entries] == [
        ("metrics", "own", "Does it?"),
        ("parts", "own_part", "Parts of it"),
    ]


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.name)
def test_function_and_entry_have_one_name(entry):
    function = entry.facts["function"]
    assert function.__name__ == entry.name
    assert getattr(sys.modules["causal_disent.metrics"], entry.name) is function
    assert isinstance(entry.target.declaration, Declaration) and set(entry.facts["takes"]) <= {
        "discrete",
        "continuous",
        "binned",
        "neighbours",
        "code_groups",
    }
    if not entry.facts["needs"].causal:
        first, second = list(inspect.signature(function).parameters.values())[:2]
        assert (first.name, second.name) == ("codes", "factors")


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.name)
def test_the_score_is_the_headline(entry, monkeypatch):
    """What the adapter reports first is the `score` of what the function returned."""
    found, results = [], adapter._results

    def recorded(*args):
        for prefix, labels, result, options in results(*args):
            found.append(result)
            yield prefix, labels, result, options

    monkeypatch.setattr(adapter, "_results", recorded)
    data = MetricTrial(entry).data
    quick = [
        "predictor.predictor_fn = @histogram_boosting",
        "gae_discovery.steps = 20",
        "gae_discovery.rounds = 2",
    ]
    with gin_config(bindings=quick):
        scores = get_metric(entry.name)(
            data, mixed_oracle(data, strength=0.5), np.random.RandomState(0), **small_parameters(entry.load())
        )
    assert scores[entry.facts["headline"]] == pytest.approx(found[0].score)
    assert isinstance(found[0], Result) and repr(found[0]).startswith(f"{type(found[0]).__name__}(score=")
    assert len(repr(found[0])) < 700


def test_a_result_may_call_its_score_otherwise():
    @dataclass(frozen=True)
    class GapResult(Result, score="gap"):
        gap: float
        names: list

    found = GapResult(1 / 3, [str(i) for i in range(100)])
    assert found.score == found.gap and [field.name for field in fields(found)] == ["gap", "names"]
    assert repr(found) == "GapResult(score=0.3333, names=list of 100)"


@pytest.mark.parametrize("share", [0.2, 1 / 3, 0.5])
def test_points_held_out_are_chosen_at_random_and_none_is_lost(share):
    codes = np.arange(90)[:, None].repeat(2, axis=1)
    (kept, labels), (held_out, others) = split_points(codes, codes[:, :1], share, np.random.RandomState(0))
    assert len(held_out) == round(90 * share)
    assert sorted([*kept[:, 0], *held_out[:, 0]]) == list(range(90))
    assert (np.diff(kept[:, 0]) < 0).any()
    assert (kept[:, :1] == labels).all() and (held_out[:, :1] == others).all()


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, 0.001, "half", None, True])
def test_a_share_leaves_points_on_both_sides(share):
    with pytest.raises(errors.InvalidInput, match="`test` is a pair .* given: .* of 90 points"):
        split_points(VALUES, VALUES, share, np.random.RandomState(0))


@pytest.mark.parametrize(
    "entry", [e for e in BUILT_IN if e.facts["needs"].arrays_suffice], ids=lambda entry: entry.name
)
def test_codes_and_factors_are_enough(entry):
    quick = dict(entry.facts["fast"] or {})
    if "matrices" in quick:
        quick["matrices"] = ["mutual_information_matrix"]
    assert np.isfinite(entry.facts["function"](VALUES.astype(float), VALUES, **quick).score)


# --- Continuous factors: refused, in bins, or taken as they are

RNG = np.random.RandomState(0)
UNIFORM = RNG.rand(600, 3)
CODES = UNIFORM + 0.02 * RNG.normal(size=UNIFORM.shape)
#: What codes = factors + 2 % noise score at least; 1 is not within reach of all (of 20 bins, say).
GOOD = {"sap_score": 0.9, "irs": 0.7, "jemmig": 0.55, "mig": 0.7, "mig_sup": 0.7, "dcimig": 0.7}


@pytest.mark.parametrize("name", sorted(takers()))
def test_good_codes_of_continuous_factors_score_well(name):
    found = score(CODES, UNIFORM, name, fast=True, bootstrap=0, chance=0)
    value = found.table.loc[name, "score"]
    assert value <= 0.2 if name == "tmex" else value > GOOD.get(name, 0.85)
    binned = "binned" in registry.get("metrics", name).facts["takes"]
    assert ("10 equally filled bins" in found.table.loc[name, "remark"]) == binned


@pytest.mark.parametrize("metric", [uc, mig, irs, factor_vae_score, infomec])
def test_a_function_refuses_what_it_does_not_take(metric):
    with pytest.raises(InvalidInput) as caught:
        metric(CODES, UNIFORM)
    said = str(caught.value)
    assert f"{metric.__name__} takes discrete factors" in said and "bins=10" in said and "equally_filled" in said
    assert metric(CODES, equally_filled(UNIFORM, 5)).score > 0.5


def test_dci_is_told_which_are_continuous():
    mixed = np.column_stack([UNIFORM[:, 0], UNIFORM[:, 1] > 0.5])
    with pytest.raises(InvalidInput, match="factor 0.*or say so, `continuous=...`"):
        dci(CODES, mixed, estimator="histogram_boosting")
    found = dci(CODES, mixed, continuous=[0], estimator="random_forest")
    assert found.disentanglement > 0.8 and found.informativeness_test > 0.95
    with pytest.raises(InvalidInput, match="`continuous` holds indices of factors, from 0 to 1; given: 2"):
        dci(CODES, mixed, continuous=[0, 2])
    noise = dci(RNG.normal(size=CODES.shape), UNIFORM, continuous=[0, 1, 2])
    assert noise.informativeness_test == 0.0


def test_what_counts_as_continuous():
    whole = np.arange(100)
    assert continuous_columns(np.column_stack([whole, whole // 2, whole // 3, whole % 7])) == [0]
    assert continuous_columns(np.column_stack([whole / 7, whole % 2])) == [0]
    assert continuous_columns(np.arange(10)[:, None]) == []  # too few to tell
    assert continuous_columns(np.linspace(0, 1, 10)[:, None]) == [0]
    assert continuous_columns(np.full((50, 1), np.nan)) == []


def test_equally_filled_bins_hold_equal_values_together():
    values = np.repeat([0.0, 1.0, 2.0], [50, 5, 5])[:, None]
    assert len(np.unique(equally_filled(values, 4, [0]))) <= 3
    assert np.bincount(equally_filled(UNIFORM, 6)[:, 0].astype(int)).tolist() == [100] * 6
    with pytest.raises(InvalidInput, match="`bins` must be a whole number, at least 2"):
        equally_filled(UNIFORM, 1)


@pytest.fixture(scope="module")
def data():
    images = np.zeros((400, 2, 2), dtype=np.float32)
    images[:, 0, 0], images[:, 1, 1] = UNIFORM[:400, 0], UNIFORM[:400, 1]
    return ArrayDataset(images, UNIFORM[:400, :2], factor_names=["x", "y"])


def encode_takes(images):
    return np.asarray(images)[:, [0, 1], [0, 1], 0]


def test_data_sets_with_continuous_factors(data):
    with pytest.raises(InvalidInput, match=r"takes discrete.*x, y.*`evaluation.bins.*: dci, dci_es"):
        get_metric("uc")(data, encode_takes, np.random.RandomState(0))
    binned = data.in_bins(8)
    assert binned.factors_num_values == [8, 8] and binned.continuous == [] and data.continuous == [0, 1]
    assert get_metric("uc")(binned, encode_takes, np.random.RandomState(0), num_train=500)["UC"] == 1.0
    # Numbers, not their places among the values.
    assert get_metric("mcc")(data, encode_takes, np.random.RandomState(0), num_train=500)["MCC_pearson"] > 0.9999
    assert get_metric("sap_score")(data, encode_takes, np.random.RandomState(0), num_train=500)["SAP_score"] > 0.9
    np.testing.assert_array_equal(binned.factor_values(np.arange(5)), data.factor_values(np.arange(5)))


@pytest.mark.parametrize("metric", [dcimig, infomec, irs, jemmig, mcc, mig, mig_sup, r2, uc])
@pytest.mark.parametrize("convert", [np.float32, np.float16, "fortran", "strided", "list", "frame"])
def test_the_numbers_alone_decide(metric, convert):
    factors = RNG.randint(3, size=(120, 2))
    codes = (factors + RNG.normal(size=(120, 2))).astype(np.float16).astype(np.float64)
    other = {
        "fortran": np.asfortranarray,
        "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
        "list": lambda array: array.tolist(),
        "frame": lambda array: pytest.importorskip("pandas").DataFrame(array, columns=["a", "b"]),
    }.get(convert, lambda array: array.astype(convert))(codes)
    assert metric(other, factors).score == metric(codes, factors).score


def chain(seed, num=1200, noise=0.6):
    """Three numbers, each a cause of the next."""
    rng = np.random.RandomState(seed)
    a = rng.normal(size=num)
    b = 0.8 * a + noise * rng.normal(size=num)
    return np.column_stack([a, b, 0.7 * b - 0.5 * a + noise * rng.normal(size=num)])


def test_identity_codes_of_a_linear_model_are_exclusive():
    found = [tmex(chain(seed), chain(seed)).mismatches for seed in range(6)]
    assert max(found) <= 1 and np.mean(found) <= 0.5
    mixed = tmex(chain(0) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0.5, 0, 1]]), chain(0))
    assert mixed.mismatches >= 2


@pytest.mark.parametrize("test", [generalised_covariance_test, projected_covariance_test])
def test_the_level_of_residual_tests(test):
    """Codes with noise of their own depend on their factor alone; level 5 %, 3 deviations above."""
    columns, rejected, found = np.array([0, 1, 2]), 0, 0
    for seed in range(60):
        factors = chain(seed, 500)
        target = factors[:, 0] + np.random.RandomState(seed + 1000).normal(size=500)
        p_values = test(target, factors, columns, np.random.RandomState(seed))
        rejected += (p_values[1:] < 0.05).sum()
        found += p_values[0] < 0.05
    assert rejected <= 120 * 0.05 + 3 * np.sqrt(120 * 0.05) and found == 60


def test_even_functions_need_the_projected_test():
    factors = RNG.normal(size=(1000, 2))
    args = factors[:, 0] ** 2, factors, np.array([0]), np.random.RandomState(0)
    assert projected_covariance_test(*args)[0] < 0.01 < generalised_covariance_test(*args)[0]


def test_tmex_warns_where_its_test_is_not_valid():
    factors = chain(0, 300, noise=0.1)
    with pytest.warns(UserWarning, match="without `redraw` the randomisation test finds dependences"):
        found = tmex(factors, factors, independence_test="randomization", expected=np.eye(3))
    assert (found.measured & ~found.expected).sum() >= 2  # which the default does not find
    with pytest.warns(UserWarning, match="need some 400 points"):
        assert (tmex(factors, factors, expected=np.eye(3)).measured & ~np.eye(3, dtype=bool)).sum() <= 1
    with pytest.warns(UserWarning, match="residual test need some 400 points"):
        tmex(chain(0, 100), chain(0, 100))
    with pytest.raises(
        UnknownName, match="Unknown `independence_test` 'gcm'. There are: randomization, projected"
    ):
        tmex(chain(0, 100), chain(0, 100), independence_test="gcm")


def test_irs_below_zero():
    factor = np.repeat([0, 1], 500)[:, None]
    code = np.where(np.arange(1000)[:, None] % 10 == 0, 1 - factor, factor)
    assert irs(code.astype(float), factor).score == pytest.approx(-0.8)


def test_mcc_takes_them_as_they_are():
    assert mcc(CODES, UNIFORM).score > 0.99


# --- Fits that stop before the optimum are told once for each call of a metric; others say nothing

on_data = adapter.on_data(downstream_task)

TRAIN, TEST = mixture(200), mixture(100, seed=1)
FEW = {"num_train": 200, "num_eval": 50}
SIZES = {"num_train": [30, 60], "num_test": 40}


def few_steps():
    return LogisticRegression(max_iter=1)


def newton():
    return LogisticRegression(solver="newton-cholesky")


def one_warning(function, *args, **kwargs):
    """What the only warning of a call says."""
    with pytest.warns() as caught:
        function(*args, **kwargs)
    assert [w.category for w in caught] == [ConvergenceWarning]
    return str(caught[0].message)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: downstream_task(*TRAIN, test=TEST, estimator=few_steps),
            "downstream_task: 3 of 3 fits stopped",
        ),
        (lambda: infomec(TRAIN[0][:, :4], TRAIN[1], max_iterations=1), "infomec: 3 of 3 fits stopped"),
        # Codes of so unlike sizes that 100 steps are too few.
        (
            lambda: beta_vae_sklearn(TRAIN[0] * [1e4, 1, 1e-3, 1e3, 10], TRAIN[1], **FEW),
            "beta_vae_sklearn: 1 of 1 fits stopped",
        ),
    ],
    ids=["downstream_task", "infomec", "beta_vae"],
)
def test_a_call_says_it_once(call, said):
    message = one_warning(call)
    assert message.startswith(said)
    assert "may differ in the second decimal on another processor" in message


def test_the_own_regression_says_it_too():
    message = one_warning(modularity_explicitness, *TRAIN, test=TEST, max_iterations=1)
    assert message.startswith("modularity_explicitness: 3 of 3 fits")


def test_all_sizes_of_a_metric_are_one_call(tmp_path):
    # Each of its fits tries fifty penalties and folds, and warns of many; it is one fit all the same.
    with gin_config(bindings=["predictor.predictor_fn = @logistic_regression_cv"]):
        message = one_warning(on_data, NoisyMixture(), encode, np.random.RandomState(0), **SIZES)
        assert re.match("downstream_task: [1-6] of 6 fits", message)
        # A run calls it what the user does.
        bound = partial(on_data, **SIZES)
        assert one_warning(run_metric, bound, "my_task", NoisyMixture(), encode, 0, tmp_path) == message.replace(
            "downstream_task", "my_task"
        )


def test_only_fits_that_stopped_are_counted():
    made = iter([few_steps(), newton(), few_steps()])
    assert one_warning(downstream_task, *TRAIN, test=TEST, estimator=lambda: next(made)).startswith(
        "downstream_task: 2 of 3 fits"
    )


def test_converged_fits_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        downstream_task(*TRAIN, test=TEST, estimator=newton)
        dci(*TRAIN, test=TEST, estimator=newton)
        beta_vae_sklearn(*TRAIN, **FEW)
        sap_score(*TRAIN, test=TEST)
        infomec(TRAIN[0][:, :4], TRAIN[1])  # the last code is of noise, of which it warns
        modularity_explicitness(*TRAIN, test=TEST)


def test_a_failed_call_leaves_no_count_behind():
    with pytest.raises(ZeroDivisionError), count_fits_of("failing"):
        count_fits(1, 1)
        raise ZeroDivisionError
    test_converged_fits_say_nothing()


# --- What metrics with training and test points accept

POINTS = (np.zeros((4, 3)), np.arange(8).reshape(4, 2))


@pytest.mark.parametrize("value", [0, -1, 1.5, "3", None, True])
def test_counts_are_whole_and_positive(value):
    with pytest.raises(errors.InvalidInput, match="`num_train` must be a whole number, at least 1; given: "):
        check_at_least(1, num_train=value)


def test_train_and_test_come_back_as_arrays():
    train, test = check_train_test(([[0.0, 1.0]], [[1]]), ([[0.0, 1.0]], [[1]]))
    assert train[0].shape == test[0].shape == (1, 2) and train[1].shape == (1, 1)


def test_the_set_at_fault_is_named():
    with pytest.raises(errors.InvalidInput, match="^`test`: `codes` must be finite; point 1 has nan in column 2"):
        codes = np.zeros((4, 3))
        codes[1, 2] = np.nan
        check_train_test(POINTS, (codes, POINTS[1]))
    with pytest.raises(errors.InvalidInput, match="^`train`: .* same points; given: 3 and 4 rows"):
        check_train_test((POINTS[0][:3], POINTS[1]), POINTS)


def test_both_sets_have_the_same_columns():
    with pytest.raises(errors.InvalidInput, match="given: 3 codes, 2 factors and 2 codes, 2 factors"):
        check_train_test(POINTS, (POINTS[0][:, :2], POINTS[1]))


def test_a_set_is_a_pair():
    with pytest.raises(errors.InvalidInput, match=r"`train` must be a pair \(codes, factors\); given: ndarray"):
        check_train_test(POINTS[0], POINTS)


def test_factors_that_vary_pass_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert varying_factors(POINTS[1], "x").tolist() == [0, 1]


def test_constant_factors_are_named():
    with pytest.warns(UserWarning, match="mig leaves out factors that never vary: 1, 2"):
        assert varying_factors(np.array([[0, 1, 2], [1, 1, 2]]), "mig").tolist() == [0]
    with pytest.raises(errors.InvalidInput, match="mig needs a factor that varies; all 2 are constant"):
        varying_factors(np.ones((3, 2)), "mig")


def encode_arguments(observations):
    return np.asarray(observations, dtype=float)


def test_fixed_data_is_encoded_in_batches():
    sizes = []

    def counted(observations):
        sizes.append(len(observations))
        return encode_arguments(observations)

    codes, factors = encode_fixed(POINTS[1], POINTS[1].T, counted, 3)
    assert sizes == [3, 1]
    assert np.array_equal(codes, POINTS[1]) and np.array_equal(factors, POINTS[1])


def test_labels_have_a_column_per_observation():
    with pytest.raises(errors.InvalidInput, match=r"shape \(factors, 4\), .*; given: \(4, 2\)"):
        encode_fixed(POINTS[1], POINTS[1], encode_arguments, 3)
    with pytest.raises(errors.InvalidInput, match="`observations` must hold at least one"):
        encode_fixed(POINTS[1][:0], POINTS[1][:0].T, encode_arguments, 3)


def test_the_first_points_are_for_training():
    train, test = split(*POINTS, 0.6)
    assert len(train[0]) == len(train[1]) == 3
    assert np.array_equal(test[1], POINTS[1][3:])


@pytest.mark.parametrize("part", [0, 1, 1.5, -0.1, 0.9])
def test_some_points_must_be_left_for_testing(part):
    with pytest.raises(
        errors.InvalidInput, match="leaves points for training and for testing; given: .* 4 points"
    ):
        split(*POINTS, part)
