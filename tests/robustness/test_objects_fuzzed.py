"""Methods of data sets, graphs and oracles, and what is made of data sets, answer nonsense in words."""

import inspect
import os
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from calls import outcome
from nonsense import GUISES, SCALARS, guise

from causal_disent import errors, get_dataset, get_representation
from causal_disent.checks import checked
from causal_disent.data import ArrayDataset
from causal_disent.data.confounding import Correlate, Never, Only
from causal_disent.data.do_pairs import do_pairs
from causal_disent.data.view import view
from causal_disent.data.weak_supervision import (
    bounding_boxes,
    differing_pairs,
    match_pairs,
    rank_pairs,
    restricted_labels,
)
from causal_disent.graphs import CausalGraph
from causal_disent.graphs.check_graph import check_graph
from causal_disent.metrics import equally_filled
from causal_disent.representation.nearest_image import NearestImageClassifier

#: ``make fuzz`` asks for many.
CALLS, SEED = (
    int(os.environ.get(f"CAUSAL_DISENT_FUZZ_{name}", given)) for name, given in (("CALLS", 150), ("SEED", 0))
)


class Rough:
    """Whatever is asked of it fails, and not by an AttributeError."""

    def __getattr__(self, name):
        raise OSError(name)

    def __iter__(self):
        raise RuntimeError("no end")


ENDLESS = [1]
ENDLESS.append(ENDLESS)
STRANGE = [
    *SCALARS,
    Rough(),
    ENDLESS,
    [Rough()],
    {"color": Rough()},
    np.timedelta64(3, "s"),
    range(10**12),
    "a" * 5000,
    10**5000,
]


def _data_sets():
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    graph, boxes = nx.DiGraph([("rain", "wet")]), [[0, 0, 1, 1]] * 4
    own = ArrayDataset(np.zeros((4, 2, 2)), rows, factor_names=["rain", "wet"], graph=graph, bounding_boxes=boxes)
    confounded = get_dataset("synthetic_mini", factors=["color", "object"], confounding="synthetic_full")
    return own, own.restricted(factors=["rain"]), confounded, *map(get_dataset, ("synthetic_mini", "dummy_data"))


def _methods(thing):
    found = (getattr(thing, name) for name in dir(type(thing)) if not name.startswith("_"))
    return [method for method in found if inspect.ismethod(method)]


def _functions():
    """Each with good arguments, by the names that parameters have."""
    found = []
    for data in _data_sets():
        own = {
            "num": 2,
            "random_state": 0,
            "factors": np.zeros((2, data.num_factors), int),
            "indices": [0, 1],
            "columns": [0],
            "values": [[0], [0]],
            "rows": np.zeros((2, data.num_factors), int),
            "row": [0] * data.num_factors,
            "factor": data.factor_names[0],
            "value": 0,
            "bins": 3,
        }
        found += [(method, own) for method in (*_methods(data), *_methods(getattr(data, "space", None)))]
    mini, graph = get_dataset("synthetic_mini"), CausalGraph([("a", "b"), ("b", "c")])
    found += [(method, {"node": "a", "nodes": ["a"], "path": "graph.svg"}) for method in _methods(graph)]
    drawn = {"data": mini, "base": mini, "num": 2, "random_state": 0, "images": [0, 1], "factor": "color"}
    for function in (view, match_pairs, rank_pairs, restricted_labels, bounding_boxes):
        found.append((function, {**drawn, "factors": ["color"]}))
    found.append((differing_pairs, {**drawn, "k": 1}))
    found += [(do_pairs, {**drawn, "data": _data_sets()[0]}), (check_graph, drawn)]
    found += [(CausalGraph, {"graph": [("a", "b")]}), (equally_filled, {"factors": np.eye(3), "bins": 2})]
    stated = {"condition": {"color": ["red"]}, "then": {"object": ["cube"]}, "values": {"color": ["red"]}}
    found += [
        (kind, {**stated, "first": "color", "second": "size", "width": 1.0}) for kind in (Only, Never, Correlate)
    ]
    oracle = get_representation("perfect_oracle", mini)
    found.append((oracle.decode, {"codes": np.zeros((2, mini.num_factors))}))
    found.append((NearestImageClassifier, {"data": mini}))
    return found


def test_every_method_answers_nonsense_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    functions, faults = _functions(), []
    for number in range(CALLS):
        random = np.random.RandomState([SEED, number])
        function, good = functions[random.randint(len(functions))]
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL]
        if not parameters:
            continue
        wrong = parameters[random.randint(len(parameters))].name
        given = {p.name: good.get(p.name, "x") for p in parameters if p.default is p.empty or p.name in good}
        matrix = np.asarray(good.get(wrong, "x"))
        if matrix.ndim == 2 and matrix.dtype.kind != "U" and random.rand() < 0.5:
            told, given[wrong] = guise(matrix, random)
        else:
            given[wrong] = STRANGE[random.randint(len(STRANGE))]
            told = type(given[wrong]).__name__
        called = outcome(function.__qualname__, function, given, f"{wrong}={told}")
        faults += [f"{called.text}: {called.fault}"] if called.fault else []
    assert not faults, f"{len(faults)} of {CALLS}: " + "\n".join(faults)


@pytest.mark.parametrize("indices", [[True, False], np.array([True]), [0.5], [-1], ["0"], 0])
def test_what_is_no_index_is_refused(indices):
    data = get_dataset("synthetic_mini")
    for method in (data.observations, data.space.to_factors):
        with pytest.raises(errors.InvalidInput, match="`indices`|counted from 0"):
            method(indices)


def test_data_sets_take_seeds_and_new_generators():
    data = get_dataset("synthetic_mini")
    factors = data.sample_factors(3, np.random.RandomState(5))
    assert (data.sample_factors(3, 5) == factors).all()
    assert data.sample_factors(3, np.random.default_rng(5)).shape == factors.shape


@pytest.mark.parametrize(
    "call",
    [
        lambda data: data.sample_factors(-1, 0),
        lambda data: data.sample_factors(2**62, 0),
        lambda data: data.sample_observations_from_factors([[0.5] * 6], 0),
        lambda data: data.observations([-1]),
        lambda data: data.observations([10**6]),
        lambda data: data.bounding_boxes([0.0]),
        lambda data: data.space.subspace([9]),
        lambda data: data.space.describe(range(10**12)),
        lambda data: view(data, confounding=ENDLESS),
        lambda data: view(data, confounding=Rough()),
        lambda data: view(data, factors=range(10**12)),
        lambda data: view(data, factors=[Rough()]),
        lambda data: match_pairs(Rough(), ["color"], 1, 0),
        lambda data: Never({"color": "red"}),
        lambda data: Correlate("color", "object", "wide"),
        lambda data: get_representation("perfect_oracle", data).decode(np.full((1, 6), 1e300)),
        lambda data: get_representation("noise_oracle", data, seed=-1),
        lambda data: NearestImageClassifier(data, num_dimensions=0),
        lambda data: CausalGraph([({}, {})]),
        lambda data: CausalGraph([("a", "b")]).adjacency(["a", "a"]),
    ],
)
def test_what_was_a_raw_exception_or_a_wrong_answer(call):
    with pytest.raises(errors.InvalidInput) as told:
        call(get_dataset("synthetic_mini"))
    assert told.value.message.isprintable()


def test_a_span_of_time_is_no_number():
    with pytest.raises(errors.InvalidInput, match="is a seed"):
        get_dataset("synthetic_mini").sample_factors(1, np.timedelta64(3, "s"))


def test_what_does_not_fit_into_memory_is_told():
    @checked
    def asked(number: int) -> None:
        raise MemoryError(f"Unable to allocate {number}")

    with pytest.raises(errors.OutOfMemory, match="There is no memory for that: Unable to allocate 3"):
        asked(3)


def test_messages_hold_no_control_characters():
    assert errors.InvalidInput("a\x1b[2J\nb").message == "a\\x1b[2J\nb"
    assert "\x1b" not in str(errors.InvalidInput("a\x1b[2J"))


def test_messages_show_what_was_given_by_the_one_function():
    """A ``repr`` may raise, has no end, or, of an integer of 5,000 digits, is refused by Python."""
    package = Path(errors.__file__).parent
    by_hand = [
        file for file in package.rglob("*.py") if re.search(r"given: \{[^{}]*!r\}", file.read_text("utf-8"))
    ]
    shown = {file.relative_to(package).parts[0] for file in by_hand}
    assert shown <= {"testing", "cli"}  # whose values are those of plugins' authors, and words of a command line


def test_the_fuzzer_reaches_many():
    assert len(_functions()) > 60
    assert len(GUISES) > 20
