"""Codes and factors from whatever people keep them in."""

from collections import deque

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from causal_disent.errors import InvalidInput
from causal_disent.tables import check_same_points, read_table

NUMBERS = [[0.5, 1.0], [2.0, -3.0], [0.25, 8.0]]


class Tensor:
    """What TensorFlow's eager tensors offer of themselves, and numpy does not see."""

    def __init__(self, values):
        self._values = np.array(values)

    def numpy(self):
        return self._values


def torch_tensor(values):
    torch = pytest.importorskip("torch")
    return torch.tensor(values, requires_grad=True)


CONTAINERS = {
    "lists": lambda values: values,
    "tuples": lambda values: tuple(map(tuple, values)),
    "array": np.array,
    "float32": lambda values: np.array(values, dtype=np.float32),
    "float16": lambda values: np.array(values, dtype=np.float16),
    "fortran order": np.asfortranarray,
    "every second": lambda values: np.repeat(np.array(values), 2, axis=0)[::2],
    "objects": lambda values: np.array(values, dtype=object),
    "nothing masked": lambda values: np.ma.masked_array(values),
    "frame": lambda values: pd.DataFrame(values),
    "nullable frame": lambda values: pd.DataFrame(values).convert_dtypes(),
    "sparse": lambda values: scipy.sparse.csr_matrix(values),
    "tensor": Tensor,
    "torch": torch_tensor,
    "torch in half": lambda values: torch_tensor(values).bfloat16(),
    "torch rows": lambda values: list(torch_tensor(values)),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_the_same_numbers_come_out_of_any_container(container):
    table = read_table("codes", container(NUMBERS))
    np.testing.assert_array_equal(table.values, NUMBERS)
    assert table.values.dtype == np.float64
    assert table.names == ("code_0", "code_1")


def test_a_frame_keeps_names_and_what_its_columns_are():
    table = read_table(
        "factors",
        pd.DataFrame(
            {
                "object": ["cube", "ball", "cone"],
                "red": [True, False, True],
                "size": pd.Categorical(["small", "big", "small"], ["small", "big", "huge"], ordered=True),
                "count": pd.array([3, 1, 2], dtype="Int64"),
                7: [0.5, 1.5, 0.5],
            }
        ),
    )
    assert table.names == ("object", "red", "size", "count", "7")
    assert table.categories == {
        "object": ("ball", "cone", "cube"),
        "red": ("False", "True"),
        "size": ("small", "big"),  # no point is huge
    }
    assert table.unordered == ("object",)
    np.testing.assert_array_equal(table.values, [[2, 1, 0, 3, 0.5], [0, 0, 1, 1, 1.5], [1, 1, 0, 2, 0.5]])


@pytest.mark.parametrize(
    "factors",
    [
        [["cube", 3], ["ball", 4]],
        {"factor_0": ["cube", "ball"], "factor_1": [3, 4]},
        np.array([("cube", 3), ("ball", 4)], dtype=[("factor_0", "S4"), ("factor_1", "i2")]),
    ],
    ids=["lists", "mapping", "records"],
)
def test_text_and_numbers_side_by_side(factors):
    table = read_table("factors", factors)
    assert table.categories == {"factor_0": ("ball", "cube")}
    np.testing.assert_array_equal(table.values, [[1, 3], [0, 4]])


def test_one_column_may_be_flat():
    assert read_table("factors", pd.Series([3, 4], name="hue")).names == ("hue",)
    np.testing.assert_array_equal(read_table("codes", [3.0, 4.0]).values, [[3], [4]])


def test_names_cannot_steer_a_terminal():
    table = read_table("factors", {"\x1b[2Jhue": ["\x1b[2Jred", "blue"]})
    assert table.names == (r"\x1b[2Jhue",) and table.categories[table.names[0]] == (r"\x1b[2Jred", "blue")


WRONG = {
    "text": ([["a", "b"]], "must be numbers; column 'code_0'.*'a'.*among the factors"),
    "a column of text": (pd.DataFrame({"z": [1.0], "label": ["cube"]}), r"column 'label' \(2 of 2\) holds 'cube'"),
    "ragged": ([[1, 2], [3]], "differ in length"),
    "ragged objects": (np.array([[1, 2], [3]], dtype=object), "rows given differ in length"),
    "masked": (
        np.ma.masked_array(NUMBERS, np.eye(3, 2)),
        r"masked entries, the first at \(0, 0\).*Leave",
    ),
    "complex": (np.ones((2, 2), complex), r"real numbers; given: dtype complex128.*np.hstack\(\[codes.real"),
    "none": ([[1.0, None]], "'code_1' of `codes` has no value at point 0"),
    "not available": (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "point 1 has nan in column 'a'"),
    "nan": ([[1.0, 2.0], [3.0, np.nan]], "finite; point 1 has nan in column 'code_1'"),
    "infinite": ([[np.inf, 2.0]], "finite; point 0 has inf in column 'code_0'"),
    "empty": ([], "empty"),
    "no column": (np.ones((3, 0)), "empty"),
    "no column of a frame": (pd.DataFrame(), "empty"),
    "no row of a frame": (pd.DataFrame({"a": []}), "empty"),
    "images": (np.ones((2, 3, 4)), r"given: \(2, 3, 4\).*codes.reshape\(len\(codes\), -1\)"),
    "a number": (5, "given: int"),
    "a generator": ((i for i in range(3)), "given: generator"),
    "a name twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "there twice: a"),
    "a missing date": (pd.DataFrame({"d": pd.to_datetime(["2020-01-01", None])}), "column 'd'.*point 1"),
    "mixed": (np.array([[1.5], ["?"]], dtype=object), r"holds 1.5 at point 0 and '\?' at point 1"),
    "strange": (np.array([[{}]], dtype=object), "holds {} at point 0"),
    "unequal columns": ({"a": [1, 2], "b": [1]}, "equally long; given: a: 2, b: 1"),
    "wide columns": ({"a": [[1, 2], [3, 4]]}, "one value per point"),
}


@pytest.mark.parametrize(("codes", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_place(codes, message):
    with pytest.raises(InvalidInput, match=message):
        read_table("codes", codes)


def test_a_missing_category_has_a_place():
    factors = pd.DataFrame({"hue": pd.Categorical(["red", None, None])})
    with pytest.raises(InvalidInput, match="column 'hue' of `factors` has no value at point 1, and at 2 points"):
        read_table("factors", factors)


def tables(codes, factors):
    return read_table("codes", np.ones(codes)), read_table("factors", np.ones(factors))


@pytest.mark.parametrize(
    ("codes", "factors", "message"),
    [
        ((4, 100), (100, 3), "`codes` seems transposed: give `codes.T`"),
        ((100, 4), (3, 100), "`factors` seems transposed: give `factors.T`"),
        ((4, 100), (3, 100), "Both seem transposed"),
        ((4, 100), (4, 100), "Both seem transposed"),
        ((100, 4), (99, 3), "a row more: is a line of names"),
        ((100, 4), (80, 3), "`codes` is 100 x 4 and `factors` is 80 x 3.*the same points"),
    ],
)
def test_shapes_that_do_not_fit(codes, factors, message):
    with pytest.raises(InvalidInput, match=message):
        check_same_points(*tables(codes, factors))


def test_shapes_that_fit():
    check_same_points(*tables((100, 4), (100, 3)))
    check_same_points(*tables((5, 20), (5, 2)))


def test_rows_in_another_order_are_refused():
    codes = read_table("codes", pd.DataFrame({"z": [1.0, 2.0, 3.0]}, index=["a", "b", "c"]))
    moved = pd.DataFrame({"g": [1, 2, 3]}, index=["c", "a", "b"])
    with pytest.raises(InvalidInput, match=r"factors.loc\[codes.index\]"):
        check_same_points(codes, read_table("factors", moved))
    check_same_points(codes, read_table("factors", moved.loc[["a", "b", "c"]]))
    check_same_points(codes, read_table("factors", moved.reset_index(drop=True)))


def test_dates_are_days_since_the_earliest():
    days = pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-01"])
    for given in (days, days.tz_localize("UTC"), [day.to_pydatetime() for day in days]):
        assert read_table("factors", pd.DataFrame({"d": given})).values[:, 0].tolist() == [2.0, 0.0, 0.0]


LARGE = {
    "uint64": np.array([2**63, 2**63 + 1, 2**63], dtype=np.uint64),
    "int64": np.array([2**60, 2**60 + 1, 2**60]),
    "hashes": np.array([-(2**62), 2**62, -(2**62)]),
    "Python's": np.array([10**30, 10**31, 10**30], dtype=object),
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_whole_numbers_stay_apart(kind):
    assert read_table("factors", LARGE[kind][:, None]).values[:, 0].tolist() in ([0, 1, 0],)
    assert read_table("factors", {"a": LARGE[kind]}).values[:, 0].tolist() in ([0, 1, 0],)


def test_other_containers():
    pa = pytest.importorskip("pyarrow")
    rows = [[1.0, 2.0], [3.0, 4.0]]
    for given in (deque(rows), pa.table({"a": [1.0, 3.0], "b": [2.0, 4.0]}), ArrayOfOthers(np.array(rows))):
        assert read_table("codes", given).values.tolist() == rows


class ArrayOfOthers:
    """An array that numpy can read by DLPack alone."""

    def __init__(self, array):
        self._array = array
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__
