"""What people give by mistake, and what only an adversary gives: values by the type that was asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Random = np.random.RandomState

#: Values of every type; some of them are right for some arguments.
SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 0.0, 0.5, 1.0, -0.5, 1.5, 3.0, 1e-320, 1e308, float("nan"),
    float("inf"), -float("inf"), 10**400, -(2**63), 2**32, 2**63, np.int64(2), np.uint8(1), np.float32(0.5),
    np.float16(3), np.bool_(True), np.longdouble(0.25), 1j, "", "x", "3", "irs", "top", "\x1b[2J\nforged",
    "\ud800", b"bytes", [], [1, 2], [[1], [2, 3]], (1,), {}, {"a": 1}, {1, 2}, np.zeros(0), np.array(3),
    np.array([1, 2]), np.zeros((2, 2)), object(), len, int, slice(3), Ellipsis, range(3), Path("nowhere"),
    np.datetime64("2020-01-01"), pd.NaT, pd.NA, np.ma.masked, iter([1]), Exception("e"),
    np.random.default_rng(0), np.random.RandomState(0), np.random.MT19937(0), np.random.SeedSequence(1),
]  # fmt: skip


class Rude:
    """Its text, its truth and its comparisons raise."""

    def __repr__(self) -> str:
        raise ValueError("no text")

    def __bool__(self) -> bool:
        raise ValueError("no truth")

    def __eq__(self, other: object) -> bool:
        raise ValueError("not comparable")

    __hash__ = None  # type: ignore[assignment]


SCALARS.append(Rude())


def scalar(random: Random) -> Any:
    """Any of `SCALARS`."""
    return SCALARS[random.randint(len(SCALARS))]


def _tensor(values: np.ndarray) -> Any:
    torch = __import__("torch")
    return torch.tensor(np.asarray(values, dtype=np.float32), requires_grad=True)


#: How a good matrix may be given in another guise, or spoiled.
GUISES: dict[str, Callable[[np.ndarray, Random], Any]] = {
    "as it is": lambda a, r: a,
    "lists": lambda a, r: a.tolist(),
    "tuples": lambda a, r: tuple(map(tuple, a.tolist())),
    "float16": lambda a, r: a.astype(np.float16),
    "float32": lambda a, r: a.astype(np.float32),
    "longdouble": lambda a, r: a.astype(np.longdouble),
    "int8": lambda a, r: a.astype(np.int8),
    "uint8": lambda a, r: np.abs(a).astype(np.uint8),
    "uint64": lambda a, r: np.abs(a).astype(np.uint64),
    "huge uint64": lambda a, r: np.abs(a).astype(np.uint64) + np.uint64(2**63),
    "bool": lambda a, r: a > np.median(a),
    "object": lambda a, r: a.astype(object),
    "text": lambda a, r: a.astype(str),
    "complex": lambda a, r: a.astype(complex),
    "dates": lambda a, r: a.astype("datetime64[s]"),
    "big-endian": lambda a, r: a.astype(">f8"),
    "fortran": lambda a, r: np.asfortranarray(a),
    "reversed view": lambda a, r: a[::-1, ::-1],
    "read only": lambda a, r: _read_only(a),
    "frame": lambda a, r: pd.DataFrame(a),
    "named frame": lambda a, r: pd.DataFrame(
        a, columns=[f"c{i}" for i in range(a.shape[1])], index=range(5, 5 + len(a))
    ),
    "mixed frame": lambda a, r: pd.DataFrame(a).assign(name="x"),
    "matrix": lambda a, r: np.asmatrix(a) if hasattr(np, "asmatrix") else a,
    "masked": lambda a, r: np.ma.masked_array(a, mask=r.rand(*a.shape) < 0.1),
    "masked nothing": lambda a, r: np.ma.masked_array(a, mask=False),
    "tensor": lambda a, r: _tensor(a),
    "ragged": lambda a, r: [row[: 1 + i % a.shape[1]] for i, row in enumerate(a.tolist())],
    "ragged objects": lambda a, r: np.array([np.arange(i % 3) for i in range(len(a))], dtype=object),
    "records": lambda a, r: np.rec.fromarrays(list(a.T)),
    "one row": lambda a, r: a[:1],
    "two rows": lambda a, r: a[:2],
    "no rows": lambda a, r: a[:0],
    "no columns": lambda a, r: a[:, :0],
    "one column": lambda a, r: a[:, :1],
    "transposed": lambda a, r: a.T,
    "flat": lambda a, r: a[:, 0],
    "three axes": lambda a, r: a[:, :, None],
    "constant": lambda a, r: np.ones_like(a),
    "one constant": lambda a, r: np.hstack([a[:, :-1], np.zeros((len(a), 1))]),
    "copies": lambda a, r: np.repeat(a[:, :1], a.shape[1], axis=1),
    "offset": lambda a, r: a + 10.0 ** r.randint(6, 18),
    "huge offset": lambda a, r: a + 10.0 ** r.randint(18, 300),
    "one huge": lambda a, r: _with(a, 10.0 ** r.randint(100, 309), r),
    "huge": lambda a, r: a * 10.0 ** r.randint(20, 307),
    "largest": lambda a, r: np.sign(a + 0.5) * np.finfo(float).max,
    "tiny": lambda a, r: a * 10.0 ** -r.randint(20, 323),
    "scales apart": lambda a, r: a * 10.0 ** r.randint(-150, 150, size=a.shape[1]),
    "large labels": lambda a, r: np.round(a) * 10**15,
    "negative": lambda a, r: -a - 1,
    "nan": lambda a, r: _with(a, np.nan, r),
    "inf": lambda a, r: _with(a, -np.inf, r),
    "all different": lambda a, r: r.rand(*a.shape),
}


def _read_only(values: np.ndarray) -> np.ndarray:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _with(values: np.ndarray, value: float, random: Random) -> np.ndarray:
    copy = values.astype(float)
    copy[random.randint(len(copy)), random.randint(copy.shape[1])] = value
    return copy


def guise(good: np.ndarray, random: Random) -> tuple[str, Any]:
    """`good` in one of the `GUISES`, or something that is no matrix at all."""
    if random.rand() < 0.1:
        value = scalar(random)
        return f"a {type(value).__name__}", value
    name = list(GUISES)[random.randint(len(GUISES))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return name, GUISES[name](good, random)
