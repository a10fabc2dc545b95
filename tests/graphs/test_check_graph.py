import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from causal_disent import errors, get_dataset
from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.candle_mini.data_set import candle_graph
from causal_disent.data.dummy import DummyData
from causal_disent.graphs.causal_graph import CausalGraph
from causal_disent.graphs.check_graph import check_graph
from causal_disent.graphs.chi_square import chi_square
from causal_disent.graphs.independences import implied_independences
from causal_disent.report.graph_check import graph_check_text

CANDLE = ("object", "color", "size", "rotation", "scene", "light")


def brute_force(first, second, given):
    """Scipy's test in each stratum, on the values that occur there; few expected points counted cell by cell."""
    total, degrees, expected_counts = 0.0, 0, []
    for stratum in np.unique(given, axis=0):
        here = (given == stratum).all(axis=1)
        rows, columns = np.unique(first[here]), np.unique(second[here])
        table = np.array(
            [[(here & (first == row) & (second == column)).sum() for column in columns] for row in rows]
        )
        statistic, _, dof, expected = chi2_contingency(table, correction=False)
        total, degrees = total + statistic, degrees + dof
        expected_counts += expected.ravel().tolist()
    few = np.mean(np.array(expected_counts) < 5) > 0.2
    return total, degrees, chi2.sf(total, degrees) if degrees else 1.0, few


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(0, 3), st.integers(1, 4))
def test_the_statistic_is_scipys_in_each_stratum(seed, num, num_given, most):
    random_state = np.random.RandomState(seed)
    rows = random_state.randint(most + 1, size=(num, 2 + num_given))
    rows[:, 1] = np.where(random_state.random_sample(num) < 0.3, rows[:, 0], rows[:, 1])
    found = chi_square(rows[:, 0], rows[:, 1], rows[:, 2:])
    statistic, degrees, p, few = brute_force(rows[:, 0], rows[:, 1], rows[:, 2:])
    assert found.statistic == pytest.approx(statistic, abs=1e-9) and found.degrees == degrees
    assert found.p == pytest.approx(p, abs=1e-12) and found.too_few_points == few


def test_no_continuity_correction():
    first, second = np.repeat([0, 0, 1, 1], [8, 2, 3, 7]), np.repeat([0, 1, 0, 1], [8, 2, 3, 7])
    assert chi_square(first, second).statistic == pytest.approx(20 * (8 * 7 - 2 * 3) ** 2 / (10 * 10 * 11 * 9))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(deadline=None)
def test_what_is_implied_is_separated(seed, num):
    random_state = np.random.RandomState(seed)
    edges = [(f"v{i}", f"v{j}") for i in range(num) for j in range(i + 1, num) if random_state.rand() < 0.4]
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(f"v{i}" for i in range(num))
    factors = sorted(f"v{i}" for i in range(num) if random_state.rand() < 0.7)
    assume(len(factors) > 1)
    found = list(implied_independences(graph, factors))
    assert len(found) == len(set(found))
    for independence in found:
        assert nx.is_d_separator(graph, {independence.first}, {independence.second}, set(independence.given))
    linked = {frozenset(edge) for edge in graph.edges}
    listed = {frozenset((independence.first, independence.second)) for independence in found}
    pairs = {frozenset((a, b)) for i, a in enumerate(factors) for b in factors[i + 1 :]}
    assert listed == pairs - linked  # in a graph, what is not adjacent can be separated


def test_candle():
    found = {(i.first, i.second): i.given for i in implied_independences(candle_graph(), CANDLE)}
    assert len(found) == 15
    testable = {pair for pair, given in found.items() if given == ()}
    alone = {frozenset(("rotation", other)) for other in CANDLE if other != "rotation"}
    alone |= {frozenset(("light", other)) for other in ("object", "color", "size")}
    assert set(map(frozenset, testable)) == alone
    assert found["scene", "light"] == ("U",) and found["object", "color"] == ("C",)


def test_parents_are_a_second_condition():
    graph = nx.DiGraph([("age", "bald"), ("gender", "bald"), ("gender", "beard")])
    found = {
        (i.first, i.second, i.given) for i in implied_independences(graph, ["age", "gender", "bald", "beard"])
    }
    assert found == {
        ("age", "gender", ()),
        ("age", "beard", ()),
        ("age", "beard", ("gender",)),
        ("bald", "beard", ("gender",)),
        ("bald", "beard", ("age", "gender")),
    }


def test_all_combinations_break_nothing(candle):
    check = check_graph(candle)
    assert [test.test.statistic for test in check.tested] == pytest.approx([0] * 8, abs=1e-9)
    assert not check.broken and not any(hidden.is_linked for hidden in check.untestable)
    assert check.num_points == 4050


def test_a_confounding_shows():
    check = check_graph(get_dataset("candle_mini", confounding="candle_color"))
    assert not check.broken  # the graph has a confounder for it
    assert [(hidden.first, hidden.second) for hidden in check.untestable if hidden.is_linked] == [
        ("object", "color")
    ]
    check = check_graph(get_dataset("candle_mini", confounding=["candle_color", "never light=left size=small"]))
    assert [(test.first, test.second) for test in check.broken] == [("size", "light")]


def test_the_confounder_can_be_left_out(candle):
    graph = nx.DiGraph((factor, "image") for factor in CANDLE)
    check = check_graph(get_dataset("candle_mini", confounding="candle_size"), graph=graph)
    assert not check.untestable and len(check.tested) == 15
    assert [(test.first, test.second) for test in check.broken] == [("object", "size")]


def test_a_soft_confounding_needs_a_sample(random_state):
    data = get_dataset("candle_mini", confounding="correlate object light 0.3")
    with pytest.raises(errors.InvalidInput, match="some of its images are likelier than others.*num_points"):
        check_graph(data)
    check = check_graph(data, num_points=3000, random_state=random_state)
    assert ("object", "light") in {(test.first, test.second) for test in check.broken}
    assert check.num_points == 3000


def own_data(rows, **options):
    rows = np.asarray(rows)
    return ArrayDataset(np.zeros((len(rows), 1, 1)), rows, factor_names=["cause", "middle", "effect"], **options)


def test_conditions_are_strata(random_state):
    graph = nx.DiGraph([("cause", "middle"), ("middle", "effect")])
    cause = random_state.randint(3, size=3000)
    middle = np.where(random_state.random_sample(3000) < 0.7, cause, random_state.randint(3, size=3000))
    effect = np.where(random_state.random_sample(3000) < 0.7, middle, random_state.randint(3, size=3000))
    check = check_graph(own_data(np.stack([cause, middle, effect], axis=1), graph=graph))
    (test,) = check.tested
    assert test.given == ("middle",) and test.verdict == "holds" and test.test.degrees == 12
    shortcut = np.stack([cause, middle, cause], axis=1)
    assert check_graph(own_data(shortcut, graph=graph)).tested[0].verdict == "broken"


def test_a_soft_confounding_of_own_data_needs_a_sample():
    graph = nx.DiGraph([("cause", "image"), ("middle", "image"), ("effect", "image")])
    rows = [(a, b, c) for a in range(2) for b in range(2) for c in range(2)]
    data = own_data(rows, graph=graph)
    check_graph(data)
    with pytest.raises(errors.InvalidInput, match="likelier than others"):
        check_graph(data.restricted(confounding="correlate cause effect 0.4"))


def test_verdicts_admit_doubt():
    graph = nx.DiGraph([("cause", "image"), ("middle", "image"), ("effect", "image")])
    tests = check_graph(own_data([[0, 0, 0], [1, 0, 1]], graph=graph)).tested
    assert [test.verdict for test in tests] == [
        "cannot tell: no variation", "holds (few points)", "cannot tell: no variation",
    ]  # fmt: skip
    assert tests[0].test.p == 1


def test_the_text():
    lines = graph_check_text(check_graph(get_dataset("candle_mini", confounding="candle_color"))).splitlines()
    assert lines[0].split() == ["variables", "given", "chi2", "dof", "p", "verdict"]
    assert lines[2].split() == ["object,", "rotation", "-", "0.000", "20", "1.000", "holds"]
    color = next(line for line in lines if line.startswith("object, color"))
    assert color.split()[2:] == ["C", "2430.000", "16", "0.000", "dependent"]
    assert lines[-1] == "0 of 8 independences are broken (1,620 points, alpha 0.05)."


def test_the_text_where_nothing_is_implied():
    graph = nx.DiGraph([("cause", "middle"), ("middle", "effect"), ("cause", "effect")])
    text = graph_check_text(check_graph(own_data([[0, 0, 0], [1, 1, 1]], graph=graph)))
    assert text == "The graph implies no independence that can be tested (2 points, alpha 0.05)."


def test_wrong_calls_are_explained(candle, random_state):
    with pytest.raises(errors.InvalidInput, match="DummyData has no causal graph"):
        check_graph(DummyData())
    with pytest.raises(errors.InvalidInput, match="`alpha` is between 0 and 1; given: 5"):
        check_graph(candle, alpha=5)
    with pytest.raises(errors.InvalidInput, match="`alpha` must be a finite number; given: 'a'"):
        check_graph(candle, alpha="a")
    with pytest.raises(errors.InvalidInput, match="`num_bins` must be a whole number, at least 2; given: 1"):
        check_graph(candle, num_bins=1)
    with pytest.raises(errors.InvalidInput, match="needs a `random_state` that it is drawn with; none is given"):
        check_graph(candle, num_points=100)
    for number in (1, 2.5, "9"):
        with pytest.raises(errors.InvalidInput, match=f"a whole number.*; given: {number!r}.$"):
            check_graph(candle, num_points=number, random_state=random_state)
    with pytest.raises(errors.InvalidInput, match="`graph` must be a networkx.DiGraph .*given: str"):
        check_graph(candle, graph="object -> image")
    with pytest.raises(errors.InvalidInput, match="no cycles; this one has object -> color -> object"):
        check_graph(candle, graph=nx.DiGraph([("object", "color"), ("color", "object")]))
    with pytest.raises(errors.UnknownName, match="Unknown node 'color'. Did you mean 'colour'?"):
        check_graph(candle, graph=nx.DiGraph([("object", "colour")]))


def test_a_causal_graph_can_be_given(candle):
    graph = CausalGraph((factor, "image") for factor in CANDLE)
    assert len(check_graph(candle, graph=graph).tested) == 15


# Counts in the first 20,000 rows of CelebA, by cells of bits: Young, Male, Bald, No_Beard, and Male, Smiling,
# Narrow_Eyes, Mouth_Slightly_Open.
BEARD = [5, 1373, 0, 0, 961, 1713, 136, 214, 8, 10182, 0, 1, 2166, 3128, 82, 31]
SMILE = [3783, 1071, 334, 171, 1349, 4107, 85, 669, 3638, 965, 334, 117, 792, 1979, 103, 503]


def faces(counts, names, edges):
    """A data set with so many points in each cell."""
    cells = np.array([[cell >> 3 & 1, cell >> 2 & 1, cell >> 1 & 1, cell & 1] for cell in range(16)])
    rows = np.repeat(cells, counts, axis=0)
    return ArrayDataset(np.zeros((len(rows), 1, 1)), rows, factor_names=names, graph=nx.DiGraph(edges))


def statistics(check):
    return {
        (test.first, test.second, *test.given): (round(test.test.statistic, 1), test.test.degrees)
        for test in check.tested
    }


def test_what_celeba_says_of_its_graphs():
    names = ["age", "gender", "bald", "beard"]
    check = check_graph(faces(BEARD, names, [(a, b) for a in names[:2] for b in names[2:]]))
    # Women have no bald values but one: strata with a zero margin add nothing.
    assert statistics(check) == {("age", "gender"): (1630.5, 1), ("bald", "beard", "age", "gender"): (46.8, 3)}
    assert len(check.broken) == 2
    alone = next(pair for pair in check.opened if (pair.given, pair.value) == (("beard",), "0"))
    assert alone.test.p == pytest.approx(0.66, abs=0.01) and not alone.agrees  # among those with a beard
    names = ["gender", "smile", "eyes", "mouth"]
    edges = [("gender", "eyes"), ("smile", "eyes"), ("smile", "mouth")]
    check = check_graph(faces(SMILE, names, edges))
    found = statistics(check)
    assert found["gender", "smile"] == (362.7, 1) and found["gender", "mouth"] == (185.6, 1)
    assert found["gender", "mouth", "smile"] == (18.5, 2)
    eyes = next(pair for pair in check.pairs if (pair.first, pair.second) == ("gender", "eyes"))
    assert eyes.test.statistic == pytest.approx(13.0, abs=0.05) and eyes.agrees


def continuous(num, seed=0):
    """A chain of numbers, each with noise of its own, and a factor apart from it."""
    random_state = np.random.RandomState(seed)
    cause = random_state.standard_normal(num)
    middle = cause + 0.5 * random_state.standard_normal(num)
    effect = middle + 0.5 * random_state.standard_normal(num)
    values = {"cause": cause, "middle": middle, "effect": effect, "apart": random_state.standard_normal(num)}
    graph = nx.DiGraph([("cause", "middle"), ("middle", "effect"), ("apart", "image")])
    return ArrayDataset(np.zeros((num, 1, 1)), values, graph=graph)


def test_continuous_factors_are_cut_into_intervals():
    check = check_graph(continuous(4000), alpha=0.001, num_bins=5)
    assert check.cut == ("cause", "middle", "effect", "apart")
    tests = {(test.first, test.second, test.given): test for test in check.tested}
    apart = tests["cause", "apart", ()]
    assert apart.test.degrees == 16 and apart.verdict == "holds" and not apart.test.too_few_points
    # What varies inside an interval of the condition links its neighbours: nothing can be said against the graph.
    chain = tests["cause", "effect", ("middle",)]
    assert chain.test.p < 0.001 and chain.verdict == "cannot tell: given intervals" and not chain.is_broken
    assert not check.broken
    assert graph_check_text(check).endswith("; in intervals: cause, middle, effect, apart).")
    broken = check_graph(continuous(4000), graph=nx.DiGraph([("cause", "image"), ("middle", "image"),
                         ("effect", "image"), ("apart", "image")]), num_bins=5, alpha=0.001)  # fmt: skip
    assert {(test.first, test.second) for test in broken.broken} == {
        ("cause", "middle"), ("cause", "effect"), ("middle", "effect"),
    }  # fmt: skip


def test_intervals_have_equally_many_points():
    data = ArrayDataset(np.zeros((200, 1, 1)), {"a": np.arange(200) ** 2 / 3, "b": np.arange(200) % 2})
    check = check_graph(data, graph=nx.DiGraph([("a", "image"), ("b", "image")]), num_bins=4)
    assert check.cut == ("a",) and check.tested[0].test.degrees == 3 and check.tested[0].test.statistic < 1


def test_few_values_are_not_cut():
    few = {"angle": np.repeat([0.5, 1.5, 2.5], 40), "count": np.tile(np.arange(12), 10), "x": np.tile([0, 1], 60)}
    check = check_graph(ArrayDataset(np.zeros((120, 1, 1)), few), graph=nx.DiGraph((f, "image") for f in few))
    assert check.cut == ("count",)  # 12 values squared, 5 points each, are more than 120
    many = {name: np.repeat(column, 6) for name, column in few.items()}
    check = check_graph(ArrayDataset(np.zeros((720, 1, 1)), many), graph=nx.DiGraph((f, "image") for f in few))
    assert check.cut == ()


def test_data_without_a_table_are_sampled(random_state):
    graph = nx.DiGraph((f"factor_{i}", "image") for i in range(10))
    with pytest.raises(errors.InvalidInput, match="no factor table"):
        check_graph(DummyData(), graph=graph)
    check = check_graph(DummyData(), graph=graph, num_points=2000, random_state=random_state)
    assert len(check.tested) == 45 and len(check.broken) < 10
