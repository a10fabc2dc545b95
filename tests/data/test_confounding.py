import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors, get_dataset
from causal_disent.data import view
from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.candle_mini import drawing as candle_drawing
from causal_disent.data.confounding import Correlate, Never, Only, allowed_combinations, parse_statement
from causal_disent.data.rule_sets import RULE_SETS, statements
from causal_disent.data.state_space import StateSpace

CANDLE_V2 = StateSpace(candle_drawing.VALUE_NAMES)
CANDLE_V1 = StateSpace({**candle_drawing.VALUE_NAMES, "scene": candle_drawing.VALUE_NAMES["scene"][:3]})
DSPRITES = StateSpace(
    {
        "color": ["white"],
        "shape": ["square", "ellipse", "heart"],
        "scale": range(6),
        "orientation": range(40),
        "x": range(32),
        "y": range(32),
    }
)
MPI3D = StateSpace(
    {
        "color": ["white", "green", "red", "blue"],
        "shape": ["cone", "cube", "cylinder", "sphere"],
        "size": ["small", "large"],
        "camera_height": ["top", "center", "bottom"],
        "background": ["purple", "sea green", "salmon"],
        "horizontal": range(40),
        "vertical": range(40),
    }
)
SYNTHETIC = StateSpace(
    {"object": ["cylinder", "cone", "cube"], "color": ["red", "green", "blue"], "other": range(144)}
)
COUNTS = {
    "candle_color": (CANDLE_V1, 4050 * 2 // 5),
    "candle_size": (CANDLE_V1, 4050 // 3),
    "candle_one_to_one": (CANDLE_V1, 4050 // 5),
    "candle_table6": (CANDLE_V2, 16_146),
    "candle_released": (CANDLE_V2, 12_546),
    # square 2*13*11*11, ellipse 2*13*10*10, heart 2*14*11*11
    "dsprites_confounded": (DSPRITES, 2 * 13 * 121 + 2 * 13 * 100 + 2 * 14 * 121),
    # 3 backgrounds, one camera height, 11x11 places; green 2 shapes x 1 size, red the same, blue 2 x 2
    "mpi3d_confounded": (MPI3D, 3 * 121 * (2 + 2 + 4)),
    "synthetic_full": (SYNTHETIC, 432),
}


def test_every_rule_set_is_counted():
    assert set(COUNTS) == set(RULE_SETS)


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    space, count = COUNTS[name]
    indices, probabilities = allowed_combinations(space, statements(name))
    assert len(indices) == count
    np.testing.assert_allclose(probabilities, 1 / count)


def test_nothing_is_left_out_without_statements():
    assert len(allowed_combinations(CANDLE_V1, [])[0]) == 4050


values = st.fixed_dictionaries(
    {"object": st.lists(st.sampled_from(["cube", "cone"]), min_size=1, unique=True)},
    optional={"color": st.lists(st.sampled_from(["red", "blue", "yellow"]), min_size=1, unique=True)},
)


def matches(row, space, wanted):
    return all(space.value_names[factor][row[space.position(factor)]] in names for factor, names in wanted.items())


@given(values, values)
def test_allowed_and_forbidden_make_all(first, second):
    rows = CANDLE_V1.to_factors(np.arange(4050))
    never = Never(first).weights(CANDLE_V1, rows)
    only = Only(first, second).weights(CANDLE_V1, rows)
    for row, never_weight, only_weight in list(zip(rows, never, only, strict=True))[::97]:
        assert (never_weight == 0) == matches(row, CANDLE_V1, first)
        assert (only_weight == 0) == (matches(row, CANDLE_V1, first) and not matches(row, CANDLE_V1, second))


def test_unless_spares():
    rule = parse_statement("never size=large scene=indoor unless object=torus")
    rows = CANDLE_V1.to_factors(np.arange(4050))
    forbidden = rows[rule.weights(CANDLE_V1, rows) == 0]
    assert len(forbidden) == 4 * 5 * 6 * 3
    assert CANDLE_V1.value("object", "torus") not in forbidden[:, 0]


def test_text_and_objects_say_the_same():
    assert parse_statement("only object=cube: color=red|blue") == Only(
        {"object": ("cube",)}, {"color": ("red", "blue")}
    )
    assert parse_statement("correlate object color 0.5") == Correlate("object", "color", 0.5)


@pytest.mark.parametrize(
    "text",
    ["cube in red", "only object=cube", "never", "never cube", "correlate a b", "correlate a b wide", "only : "],
)
def test_what_cannot_be_read_shows_the_forms(text):
    with pytest.raises(errors.InvalidInput, match="Cannot read the confounding statement .* Write 'only FACTOR"):
        parse_statement(text)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("never shape=cube", "Unknown factor 'shape'.* There are: object, color"),
        ("never object=cub", "value of the factor 'object' 'cub'. Did you mean 'cube'"),
        ("never scene=hall", "value of the factor 'scene' 'hall'.* There are: indoor, playground, outdoor"),
        ("only object=cube: colr=red", "Unknown factor 'colr'. Did you mean 'color'"),
    ],
)
def test_unknown_names_list_what_exists(statement, message):
    with pytest.raises(errors.UnknownName, match=message):
        allowed_combinations(CANDLE_V1, [parse_statement(statement)])


def test_forbidding_everything_is_an_error():
    with pytest.raises(errors.InvalidInput, match="forbids every combination of object: cube, sphere"):
        allowed_combinations(CANDLE_V1, [parse_statement("never light=left|middle|right")])


def test_an_unknown_rule_set_suggests_the_nearest():
    with pytest.raises(
        errors.UnknownName, match=r"Unknown rule set 'candle_colour'. Did you mean 'candle_color'\?"
    ):
        statements("candle_colour")


@pytest.mark.parametrize("confounding", [5, 0, False, [5], [None], b"x", Only, {3: 4}, ""])
def test_what_is_no_statement_is_refused_at_once(confounding):
    with pytest.raises(errors.CausalDisentError, match="rule set"):
        get_dataset("candle_mini", confounding=confounding)
    with pytest.raises(errors.CausalDisentError, match="rule set"):
        ArrayDataset(np.zeros((2, 2, 2)), [[0], [1]]).restricted(confounding=confounding)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("never object=cube..torus..x", "Unknown value of the factor 'object' 'torus..x'"),
        ("never object=torus..cube", "range torus..cube of the factor 'object' is empty.*Write cube..torus"),
        ("never object=cone unless colour=red", "Unknown factor 'colour'. Did you mean 'color'"),
        ("only object=cone: color=green", "Unknown value of the factor 'color' 'green'"),
        ("correlate object weather 0.5", "Unknown factor 'weather'"),
    ],
)
def test_faulty_rules_are_found_when_the_data_set_is_made(statement, message, monkeypatch):
    monkeypatch.setattr(view, "allowed_combinations", None)  # nothing is enumerated
    with pytest.raises(errors.CausalDisentError, match=message):
        get_dataset("candle_mini", confounding=statement)


def test_too_many_combinations_are_refused():
    with pytest.raises(errors.InvalidInput, match="10,000,000,000"):
        allowed_combinations(StateSpace({f"f{i}": range(10) for i in range(10)}), [])


def joint(width, first=5, second=5):
    space = StateSpace({"a": range(first), "b": range(second)})
    indices, probabilities = allowed_combinations(space, [Correlate("a", "b", width)])
    table = np.zeros((first, second))
    table.flat[indices] = probabilities
    return table


def test_correlation_goes_from_full_confounding_to_independence():
    np.testing.assert_allclose(joint(0), np.eye(5) / 5)
    np.testing.assert_allclose(joint(1e6), np.full((5, 5), 1 / 25), rtol=1e-6)
    np.testing.assert_allclose(joint(float("inf")), np.full((5, 5), 1 / 25))
    traces = [np.trace(joint(width)) for width in (0.01, 0.1, 0.3, 1.0)]
    assert traces == sorted(traces, reverse=True)


def test_correlation_is_a_bell_over_the_diagonal():
    table = joint(0.25)
    np.testing.assert_allclose(table[0, 1] / table[0, 0], np.exp(-0.5))


@pytest.mark.parametrize("width", [-1.0, float("nan")])
def test_a_width_below_zero_is_refused(width):
    with pytest.raises(errors.InvalidInput, match="width of a correlation is 0"):
        Correlate("a", "b", width)
