"""What `score` makes of factors of all kinds, and of values that are missing."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from causal_disent import score
from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput
from causal_disent.metrics import mig

RNG = np.random.RandomState(0)
PLACES = RNG.randint(2, size=(200, 3))
CODES = PLACES + 0.1 * RNG.normal(size=(200, 3))
WORDS = np.array(["ball", "cube"])
QUICK = {"metrics": ["mig", "uc", "irs"], "bootstrap": 0, "chance": 0}


def kinds():
    """The same factors in other words."""
    yield "numbers", PLACES
    yield "text", WORDS[PLACES]
    yield "lists of text", WORDS[PLACES].tolist()
    yield "truth values", PLACES == 1
    yield "categories", pd.DataFrame(WORDS[PLACES]).astype("category")
    yield "pandas' text", pd.DataFrame(WORDS[PLACES]).astype("string")
    yield "pandas' truth values", pd.DataFrame(PLACES == 1).astype("boolean")
    yield "pandas' whole numbers", pd.DataFrame(PLACES).astype("Int64")
    yield "mixed", {"a": PLACES[:, 0], "b": WORDS[PLACES[:, 1]], "c": pd.Categorical(PLACES[:, 2] == 1)}
    yield "fractions", PLACES / 7 - 3
    yield "decimals", {name: [Decimal(int(place)) / 4 for place in PLACES[:, i]] for i, name in enumerate("abc")}


@pytest.mark.parametrize(("kind", "factors"), list(kinds()), ids=[kind for kind, _ in kinds()])
def test_factors_are_taken_for_what_they_are(kind, factors):
    found, plain = score(CODES, factors, **QUICK), score(CODES, PLACES, **QUICK)
    np.testing.assert_allclose(found.table.score, plain.table.score)


def lacking():
    holes = np.arange(200) % 50 == 7
    numbers = np.where(holes[:, None], np.nan, PLACES)
    words = WORDS[PLACES].astype(object)
    words[holes, 1] = None
    yield "nan", CODES, numbers
    yield "none", CODES, words
    yield "lists", CODES.tolist(), words.tolist()
    yield "a frame", pd.DataFrame(CODES), pd.DataFrame(words)
    yield "categories", CODES, pd.DataFrame(words).astype("category")
    yield "pandas", CODES, pd.DataFrame(np.where(holes[:, None], -1, PLACES)).astype("Int64").replace(-1, pd.NA)
    yield "codes", np.where(holes[:, None], np.nan, CODES), PLACES
    yield (
        "columns",
        {"z0": CODES[:, 0], "z1": CODES[:, 1], "z2": CODES[:, 2]},
        {"a": list(words[:, 1]), "b": PLACES[:, 0]},
    )
    # numpy makes the text "nan" of such a list
    yield "nan among text", CODES, {"a": [float("nan") if word is None else word for word in words[:, 1]]}


@pytest.mark.parametrize(
    ("codes", "factors"), [case[1:] for case in lacking()], ids=[case[0] for case in lacking()]
)
def test_missing_values_are_an_error_or_left_out(codes, factors):
    with pytest.raises(InvalidInput, match="point 7.*`drop_missing=True`"):
        score(codes, factors, **QUICK)
    found = score(codes, factors, **QUICK, drop_missing=True)
    assert found.record()["points"] == 196 and "left out, for a value is missing: 4 points" in str(found)


def test_nothing_is_left_out_where_nothing_is_missing():
    found, plain = score(CODES, PLACES, **QUICK, drop_missing=True), score(CODES, PLACES, **QUICK)
    assert str(found) == str(plain)


def test_what_is_no_missing_value_stays_an_error():
    codes = CODES.copy()
    codes[3, 1] = np.inf
    with pytest.raises(InvalidInput, match="point 3 has inf"):
        score(codes, PLACES, **QUICK, drop_missing=True)
    with pytest.raises(InvalidInput, match="Each of the 200 points lacks a value"):
        score(CODES, np.full((200, 1), np.nan), **QUICK, drop_missing=True)
    with pytest.raises(InvalidInput, match="Each point needs a row in both"):
        score(CODES[:150], PLACES, **QUICK, drop_missing=True)


def test_missing_values_in_files(tmp_path, capsys):
    np.save(tmp_path / "codes.npy", CODES)
    factors = pd.DataFrame(WORDS[PLACES].astype(object), columns=list("abc"))
    factors.loc[5, "b"] = None
    factors.to_csv(tmp_path / "factors.csv", index=False)
    call = ["score", str(tmp_path / "codes.npy"), str(tmp_path / "factors.csv"), "--metrics", "mig"]
    assert main(call) == 2 and "point 5" in capsys.readouterr().err
    assert main([*call, "--drop_missing"]) == 0 and "199 points" in capsys.readouterr().out


def test_too_little_to_measure():
    with pytest.raises(InvalidInput, match="One point"):
        score(np.ones((1, 3)), np.ones((1, 3)))
    with pytest.raises(InvalidInput, match="`bootstrap`"):
        score(np.eye(9)[:, :2], np.indices((3, 3)).reshape(2, -1).T, bootstrap=1)


def test_one_distant_point_is_noted():
    generator = np.random.RandomState(0)
    factors = generator.randint(3, size=(300, 2))
    codes = factors + 0.2 * generator.normal(size=factors.shape)
    spoiled = codes.copy()
    spoiled[0, 1] += 100
    options = {"bootstrap": 0, "chance": 0}
    noted = [score(one, factors, "mig,mcc", **options).points.notes for one in (codes, spoiled)]
    assert not any("one point" in note for note in noted[0])
    assert any("one point" in note and "code_1" in note and "code_0" not in note for note in noted[1])
    robust = [score(one, factors, "mig,mcc", robust=True, **options).table["score"] for one in (codes, spoiled)]
    assert (abs(robust[1] - robust[0]) < 0.03).all()


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_matrix", "dok_matrix", "lil_matrix", "csr_array"])
def test_every_sparse_matrix_is_a_matrix(kind):
    sparse = getattr(scipy.sparse, kind)(CODES)
    assert (
        score(sparse, PLACES, **QUICK).table["score"]["mig"] == score(CODES, PLACES, **QUICK).table["score"]["mig"]
    )


def test_a_memoryview_is_an_array():
    viewed = score(memoryview(np.ascontiguousarray(CODES)), PLACES, **QUICK)
    assert viewed.table["score"]["mig"] == score(CODES, PLACES, **QUICK).table["score"]["mig"]


def test_scores_can_be_pickled():
    scores = score(CODES, PLACES, **QUICK)
    again = pickle.loads(pickle.dumps(scores))
    assert again.table.equals(scores.table) and repr(again) == repr(scores)


def test_the_hint_names_the_table_that_lies_on_its_side():
    for codes, factors, name in ((CODES, PLACES.T, "`factors.T`"), (CODES.T, PLACES, "`codes.T`")):
        with pytest.raises(InvalidInput, match=name):
            score(codes, factors, **QUICK)


def test_bins_of_ones_own_keep_the_shape():
    with pytest.raises(InvalidInput, match="num_bins"):
        mig(CODES, PLACES, num_bins=len)
