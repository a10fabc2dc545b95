"""What a declaration makes of a function on arrays, and what all declared metrics have in common."""

import inspect
import json
import sys
from dataclasses import dataclass, fields

import numpy as np
import pytest

from causal_disent import adapter, errors, get_metric
from causal_disent.config import gin_config, given_to_gin
from causal_disent.data.dummy import IdentityData
from causal_disent.metrics import Needs, Result, Sample, metric, points, train_test
from causal_disent.metrics.arrays import fit_and_test
from causal_disent.metrics.contract import Declaration, keys_of
from causal_disent.metrics.draw import sample_codes
from causal_disent.registry import Register, declared_in, registry
from causal_disent.representation.oracles import mixed_oracle
from causal_disent.testing.metric_checks import MetricTrial, small_parameters

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
    found = keys_of(reports, Found, ["hue", "size"], {})
    assert found == {"a": 0.5, "a_size": 0.25, "a_1_n": 0.25, "c_0": [1], "c_1": [0, 2]}
    assert json.loads(json.dumps(found)) == found
    assert keys_of(lambda result, names: {names[0]: result.score}, Found, ["hue"], {}) == {"hue": 0.5}


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
    assert len(repr(found[0])) < 600


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
    (kept, labels), (held_out, others) = fit_and_test(codes, codes[:, :1], share, np.random.RandomState(0))
    assert len(held_out) == round(90 * share)
    assert sorted([*kept[:, 0], *held_out[:, 0]]) == list(range(90))
    assert (np.diff(kept[:, 0]) < 0).any()
    assert (kept[:, :1] == labels).all() and (held_out[:, :1] == others).all()


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, 0.001, "half", None, True])
def test_a_share_leaves_points_on_both_sides(share):
    with pytest.raises(errors.InvalidInput, match="`test` is a pair .* given: .* of 90 points"):
        fit_and_test(VALUES, VALUES, share, np.random.RandomState(0))


@pytest.mark.parametrize(
    "entry", [e for e in BUILT_IN if e.facts["needs"].arrays_suffice], ids=lambda entry: entry.name
)
def test_codes_and_factors_are_enough(entry):
    quick = dict(entry.facts["fast"] or {})
    if "matrices" in quick:
        quick["matrices"] = ["mutual_information_matrix"]
    assert np.isfinite(entry.facts["function"](VALUES.astype(float), VALUES, **quick).score)
