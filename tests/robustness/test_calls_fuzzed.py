"""Functions of arrays, and `score`, answer nonsense in words, and no score becomes no number without one."""

import inspect
import os
import warnings

import numpy as np
import pandas as pd
import pytest
from calls import functions, fuzz, good_arrays, outcome
from nonsense import GUISES, SCALARS, Rude

import causal_disent
from causal_disent import errors
from causal_disent.checks import check_random_state
from causal_disent.compat import load_metric_file, utils
from causal_disent.data import ArrayDataset, FolderDataset
from causal_disent.graphs import CausalGraph
from causal_disent.metrics import irs, mic_matrix, mig, r2, unsupervised_metrics
from causal_disent.metrics.information import histogram_discretizer
from causal_disent.report.published import published, published_table, published_text

#: ``make fuzz`` asks for many.
CALLS, SEED = (
    int(os.environ.get(f"CAUSAL_DISENT_FUZZ_{name}", given)) for name, given in (("CALLS", 150), ("SEED", 0))
)


def test_calls():
    faults = [f"{call.text}: {call.fault}" for call in fuzz(SEED, CALLS) if call.fault]
    assert not faults, f"{len(faults)} of {CALLS}: " + "\n".join(faults)


#: What takes names, paths and things; a wrong one is told by its argument's name.
PUBLIC = [
    *(getattr(causal_disent, name) for name in causal_disent.__all__ if name[:3] in ("get", "eva", "res", "run")),
    *(getattr(utils, name) for name in utils.__all__ if not name.endswith(("cv", "classifier", "_discretize"))),
    CausalGraph, ArrayDataset, FolderDataset, load_metric_file, published, published_table, published_text,
]  # fmt: skip


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_public_functions(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    for number, value in enumerate(SCALARS):
        wrong = parameters[number % len(parameters)].name
        given = {p.name: "x" for p in parameters if p.default is p.empty} | {wrong: value}
        called = outcome(function.__name__, function, given, f"{wrong}={type(value).__name__}")
        assert not called.fault, called


@pytest.mark.parametrize("guise", sorted(GUISES))
def test_score_takes_or_refuses_every_guise(guise):
    random = np.random.RandomState(SEED)
    codes, factors = good_arrays(random)
    for given in ({"codes": GUISES[guise](codes, random), "factors": factors},
                  {"codes": codes, "factors": GUISES[guise](factors, random)}):  # fmt: skip
        called = outcome(
            "score", lambda **a: causal_disent.score(**a, metrics=["irs", "mig", "mcc"]), given, guise
        )
        assert not called.fault, called


def test_a_fault_would_be_seen():
    """The fuzzer can fail: what raises, and what returns infinity, is told."""

    def broken(codes):
        return 1 / 0

    assert outcome("broken", broken, {"codes": 1}, "").kind == "raw"
    assert outcome("endless", lambda: float("inf"), {}, "").kind == "silent"
    assert len(functions()) > 25


def test_more_resamples_than_can_be_kept_are_refused():
    codes, factors = good_arrays(np.random.RandomState(0))
    for call in (
        lambda: causal_disent.metrics.uc(codes, factors, bootstrap=2**32),
        lambda: causal_disent.score(codes, factors, metrics=["mig"], bootstrap=2**32),
        lambda: causal_disent.score(codes, factors, metrics=["mig"], chance=2**32),
    ):
        with pytest.raises(errors.InvalidInput, match="`(bootstrap|chance)` .*100,?000"):
            call()


def test_functions_of_the_callers_that_do_not_fit():
    codes, factors = good_arrays(np.random.RandomState(0))
    with pytest.raises(errors.InvalidInput, match="An estimator makes models with `fit`; this one made 0"):
        causal_disent.metrics.dci(codes, factors, estimator=int)
    with pytest.raises(errors.InvalidInput, match=r"What `redraw` draws cannot be read: TypeError: len\(\)"):
        causal_disent.metrics.tmex(codes, factors, redraw=len)
    with pytest.raises(errors.InvalidInput, match="What the attribution <built-in function len> gives cannot be"):
        causal_disent.metrics.uc(codes, factors, attribution=len)
    with pytest.raises(errors.InvalidInput, match="What the estimator makes cannot be read: TypeError"):
        causal_disent.metrics.downstream_task(codes, factors, estimator=len)
    with pytest.raises(errors.InvalidInput, match="The matrix 'len' cannot be read: TypeError"):
        causal_disent.metrics.reduced_downstream_task(codes, factors, measure=len)
    with pytest.raises(errors.InvalidInput, match="`matrices` is a list of one or more of"):
        causal_disent.metrics.unified_scores(codes, factors, matrices=[])


def test_columns_may_be_an_array():
    codes, factors = good_arrays(np.random.RandomState(0))
    values = factors + codes[:, 2:]
    listed, array = (
        causal_disent.metrics.dci(codes, values, continuous=given) for given in ([0, 1], np.arange(2))
    )
    assert listed.score == array.score
    with pytest.raises(errors.InvalidInput, match="continuous"):
        causal_disent.metrics.dci(codes, values, continuous=np.array([], dtype=int))


def test_trees_predict_discrete_factors():
    codes, factors = good_arrays(np.random.RandomState(0))
    for call in (
        lambda: causal_disent.metrics.uc(codes, factors + 0.5, attribution="dci_importance"),
        lambda: causal_disent.metrics.downstream_task(codes, factors * 1e90),
    ):
        with pytest.raises(errors.InvalidInput, match="A classifier predicts discrete factors.*equally_filled"):
            call()


SAME = ("lists", "tuples", "float32", "longdouble", "object", "big-endian", "fortran", "read only", "frame",
        "named frame", "tensor", "masked nothing")  # fmt: skip


@pytest.mark.parametrize("guise", SAME)
def test_another_guise_of_the_same_numbers_has_the_same_score(guise):
    codes, factors = good_arrays(np.random.RandomState(3))
    codes = codes.astype(np.float32).astype(np.float64)
    if guise == "tensor":
        pytest.importorskip("torch")
    given = GUISES[guise](codes, np.random.RandomState(0))
    assert mig(given, factors).score == mig(codes, factors).score
    assert irs(given, factors).score == pytest.approx(irs(codes, factors).score, abs=1e-6)


def test_masked_entries_are_named_and_not_used():
    codes, factors = good_arrays(np.random.RandomState(3))
    masked = np.ma.masked_array(codes, mask=np.zeros_like(codes, dtype=bool))
    masked.mask[4, 1] = True
    with pytest.raises(errors.InvalidInput, match=r"`codes` has masked entries, the first at \(4, 1\)"):
        mig(masked, factors)


def test_generators():
    old, new = check_random_state(np.random.RandomState(3)), check_random_state(np.random.default_rng(3))
    assert old.randint(1000) == np.random.RandomState(3).randint(1000)
    assert new.randint(1000) == check_random_state(np.random.default_rng(3)).randint(1000)
    for wrong in (0.5, np.bool_(True), -1, 2**32, "0"):
        with pytest.raises(errors.InvalidInput, match="`random_state` is a seed from 0"):
            check_random_state(wrong)


def test_a_large_offset_changes_no_bin():
    values = np.arange(12.0)[:, None]
    for offset in (2.0**53 - 20, 1e15, -1e15):
        assert (histogram_discretizer(values + offset, 4) == histogram_discretizer(values, 4)).all()
    codes = np.array([[1e16], [1e16 + 2], [1e16 + 4]])
    assert (
        histogram_discretizer(codes, 20)[:, 0].tolist() == histogram_discretizer(codes - 1e16, 20)[:, 0].tolist()
    )


def test_exact_copies_are_told_of():
    codes = np.random.RandomState(0).normal(size=(50, 1)).repeat(2, axis=1)
    with pytest.warns(UserWarning, match="unsupervised_metrics: the score is infinite"):
        assert unsupervised_metrics(codes).score == np.inf


def test_frames_keep_their_names_and_refuse_text_among_codes():
    codes, factors = good_arrays(np.random.RandomState(3))
    frame = pd.DataFrame(codes, columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mig(frame, factors).score == mig(codes, factors).score
    with pytest.raises(errors.InvalidInput, match="`codes` must.*name"):
        mig(frame.assign(name="x"), factors)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda v: mic_matrix(v, v, floor_draws=2**63), "`floor_draws` is at most 10,000"),
        (lambda v: r2(v, v, test=Rude()), "`test` must be a pair"),
        (lambda v: unsupervised_metrics(v, num_bins=int), "`num_bins` must be a whole number"),
    ],
)
def test_what_the_fuzzer_has_found(call, told):
    with pytest.raises(errors.InvalidInput, match=told):
        call(good_arrays(np.random.RandomState(0))[0])
