"""Matrices in files: what people write is read, what strangers make up is refused."""

import contextlib
import io
import os
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import tables
from causal_disent.errors import InvalidInput
from causal_disent.tables import read_matrix, read_table

CODES = np.random.RandomState(0).normal(size=(6, 3))
FACTORS = np.array([[0, 1, 2], [1, 1, 0], [0, 2, 2], [1, 1, 1]])

WRITERS = {
    "a.npy": lambda path, values: np.save(path, values),
    "fortran.npy": lambda path, values: np.save(path, np.asfortranarray(values)),
    "alone.npz": lambda path, values: np.savez_compressed(path, values),
    "index.csv": lambda path, values: pd.DataFrame(values).to_csv(path),
    "no_index.csv": lambda path, values: pd.DataFrame(values).to_csv(path, index=False),
    "no_head.csv": lambda path, values: pd.DataFrame(values).to_csv(path, index=False, header=False),
    "names.csv": lambda path, values: pd.DataFrame(values, columns=list("abc")).to_csv(path, index=False),
    "semicolons.csv": lambda path, values: pd.DataFrame(values, columns=list("abc")).to_csv(path, sep=";"),
    "tabs.tsv": lambda path, values: pd.DataFrame(values, columns=list("abc")).to_csv(path, sep="\t"),
    "spaces.txt": lambda path, values: np.savetxt(path, values),
    "spaces_and_names.txt": lambda path, values: np.savetxt(path, values, header="a b c"),
    "numpy.csv": lambda path, values: np.savetxt(path, values, delimiter=",", header="a,b,c"),
    "a.parquet": lambda path, values: pd.DataFrame(values, columns=list("abc")).to_parquet(path),
}


@pytest.mark.parametrize(("name", "write"), WRITERS.items(), ids=WRITERS)
def test_numbers_come_back_as_they_were(tmp_path, name, write):
    write(tmp_path / name, CODES)
    table = read_table("codes", read_matrix(tmp_path / name))
    np.testing.assert_array_equal(table.values, CODES)
    assert table.names in (("a", "b", "c"), ("code_0", "code_1", "code_2"))


def test_whole_numbers_without_a_head(tmp_path):
    np.savetxt(tmp_path / "a.csv", FACTORS, fmt="%d", delimiter=",")
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.csv"), FACTORS)


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("object,color\ncube,red\nball,red\ncube,blue\n", ("object", "color"), 3),
        ("cube,red\nball,red\ncube,blue\n", ("factor_0", "factor_1"), 3),
        ("\ufeff\nobject, size\r\nball, 3\r\ncube, 4\r\n", ("object", "size"), 2),
        ("cube,3\nball,4", ("factor_0", "factor_1"), 2),
        ('"the, object"\ncube\ncube\n', ("the, object",), 2),
        ("flag\nTrue\nFalse\n", ("flag",), 2),
        ("7\n", ("factor_0",), 1),
    ],
)
def test_the_first_line_is_told_from_the_points(tmp_path, text, names, rows):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8", newline="")
    table = read_table("factors", read_matrix(str(tmp_path / "a.csv")))
    assert table.names == names and len(table.values) == rows


def test_categories_survive_parquet(tmp_path):
    pd.DataFrame({"hue": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)}).to_parquet(tmp_path / "a.parquet")
    table = read_table("factors", read_matrix(tmp_path / "a.parquet"))
    assert table.categories == {"hue": ("b", "a")} and table.unordered == ()


def test_an_array_of_many(tmp_path):
    np.savez(tmp_path / "a.npz", codes=CODES, factors=FACTORS)
    np.testing.assert_array_equal(read_matrix(f"{tmp_path}/a.npz:factors"), FACTORS)
    for place, message in (
        ("a.npz", "2 arrays; .*codes, factors"),
        ("a.npz:code", "Did you mean 'codes'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_matrix(f"{tmp_path}/{place}")
    np.savez(f"{tmp_path}/odd.npz:codes.npz", CODES)
    np.testing.assert_array_equal(read_matrix(f"{tmp_path}/odd.npz:codes.npz"), CODES)


def npy_bytes(values, **options):
    stream = io.BytesIO()
    np.save(stream, values, **options)
    return stream.getvalue()


def head_only(shape, descr="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def archive(content, size=None):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.npy", content)
        if size is not None:
            file.infolist()[0].file_size = size
    return stream.getvalue()


HOSTILE = {
    "pickled.npy": (npy_bytes(np.array([{}]), allow_pickle=True), "pickles can run programs"),
    "pickled.npz": (archive(npy_bytes(np.array([{}]), allow_pickle=True)), "pickles can run programs"),
    "cut.npy": (npy_bytes(CODES)[:-8], "136 bytes follow; it may be cut short"),
    "huge.npy": (head_only((2**40, 2**20)), "0 bytes follow"),
    "negative.npy": (head_only((-2, -3)) + bytes(48), "cannot be used"),
    "nothing_each.npy": (head_only((3, 3), "|V0"), "cannot be used"),
    "text.npy": (b"hello", "cannot be used"),
    "empty.npy": (b"", "cannot be used"),
    "new.npy": (b"\x93NUMPY\x09\x00" + bytes(100), "version"),
    "bomb.npz": (archive(npy_bytes(CODES), 2**40), "unpacks to 1,099,511,627,776 bytes"),
    "broken.npz": (b"PK\x03\x04zzz", "not a zip file"),
    "nothing.npz": (archive(b""), "cannot be used"),
    "empty.csv": (b"\n\n", "cannot be used"),
    "binary.csv": (b"\xff\xfe\x00", "utf-8"),
    "ragged.csv": (b"a,b\n1,2\n3,4,5\n", "cannot be used"),
    "nameless.csv": (b"a,b\n1,2,3\n4,5,6\n", "does not match length of data"),
    "broken.parquet": (b"PAR1xx", "cannot be used"),
}


@pytest.mark.parametrize(("name", "made"), HOSTILE.items(), ids=HOSTILE)
def test_what_a_stranger_makes_up_is_refused(tmp_path, name, made):
    content, message = made
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_matrix(tmp_path / name)
    assert str(tmp_path / name) in caught.value.message


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(tables.READERS)), st.data())
def test_damage_is_always_one_message(tmp_path_factory, ending, data):
    path = tmp_path_factory.mktemp("damaged") / f"a{ending}"
    write = next(write for name, write in WRITERS.items() if name.endswith(ending))
    write(path, CODES)
    content = bytearray(path.read_bytes())
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), max_size=8)
    ):
        content[place] = byte
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    with contextlib.suppress(InvalidInput):
        read_table("factors", read_matrix(path))


def test_too_large_a_file_is_not_read(tmp_path):
    with (tmp_path / "a.npy").open("wb") as file:
        file.truncate(2**31 + 1)  # a hole, which takes no space
    with pytest.raises(InvalidInput, match="2,147,483,649 bytes"):
        read_matrix(tmp_path / "a.npy")


def test_a_table_that_would_unpack_to_too_much_is_not_read(tmp_path, monkeypatch):
    pd.DataFrame({"a": np.zeros(100_000)}).to_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(tables, "MOST", 100_000)
    with pytest.raises(InvalidInput, match="unpacks to 800,000 bytes or more, and 100,000 are the most"):
        read_matrix(tmp_path / "a.parquet")


def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("pipe.csv", "missing.npy"):
        with pytest.raises(InvalidInput, match="not there, or is no regular file"):
            read_matrix(tmp_path / name)
    with pytest.raises(InvalidInput, match=r"model.pt ends in none of .npy, .npz, .csv"):
        read_matrix("model.pt")


def test_a_text_that_is_repeated_takes_its_memory_once(tmp_path):
    """Some thousand bytes that stand for a terabyte: a million times a text of a million letters."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    words = arrow.DictionaryArray.from_arrays(arrow.array(np.zeros(10**6, np.int32)), arrow.array(["x" * 10**6]))
    parquet.write_table(arrow.table({"text": words}), tmp_path / "bomb.parquet", store_schema=False)
    assert (tmp_path / "bomb.parquet").stat().st_size < 200_000
    column = read_matrix(tmp_path / "bomb.parquet")["text"]
    assert len(column) == 10**6 and column.iloc[0] is column.iloc[-1]


def test_columns_of_lists_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [[1, 2], [3]]}).to_parquet(tmp_path / "lists.parquet")
    with pytest.raises(InvalidInput, match="columns of lists"):
        read_matrix(tmp_path / "lists.parquet")


def test_a_return_within_a_line_of_names(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\rc,d\n1,2,3\n4,5,6\n")
    with pytest.raises(InvalidInput, match="a.csv cannot be used"):
        read_matrix(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_matrices_of_scipy(tmp_path, kind):
    from scipy import sparse

    matrix = sparse.random_array((50, 9), density=0.2, format=kind, rng=np.random.default_rng(0))
    sparse.save_npz(tmp_path / "codes.npz", matrix)
    found = read_matrix(tmp_path / "codes.npz")
    assert found.format == kind and (found != matrix).nnz == 0
    damaged = {**dict(np.load(tmp_path / "codes.npz")), "indices": np.full(matrix.nnz, 1000)}
    np.savez(tmp_path / "damaged.npz", **damaged)
    with pytest.raises(InvalidInput):
        read_matrix(tmp_path / "damaged.npz")
