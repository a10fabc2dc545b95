"""Thousands of codes, dense or sparse: a block of columns at a time, and nothing quadratic in their number.

Scores are those of the functions on arrays, up to rounding. A sparse matrix costs what it holds: points at which a
code is 0 are counted together.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_random_state
from causal_disent.metrics.arrays import (
    TEST_SHARE,
    find_varying,
    find_varying_in_both,
    place_values,
    split_rows,
)
from causal_disent.metrics.dci import DciResult, dci
from causal_disent.metrics.deviations import (
    find_largest_deviations,
    irs_score,
    measure_deviations_within,
    robustness,
)
from causal_disent.metrics.fitting import count_jobs, run_in_processes
from causal_disent.metrics.gaps import dcimig_from, jemmig_from, mig_from, mig_sup_from
from causal_disent.metrics.information import (
    Information,
    Labels,
    bin_edges,
    count_information,
    drop_rounding,
    equal_width_bins,
    label_columns,
    measure_variances,
    tabulate_times_log,
)
from causal_disent.metrics.irs_uc import IrsResult, UcResult, uc_of_scores
from causal_disent.metrics.linear import MccResult, R2Result, SapResult, find_top_two_gaps, match_codes
from causal_disent.metrics.reuse import reused
from causal_disent.processes import usable_cores
from causal_disent.protocols import FloatArray, IntArray

#: (points, codes): an array of floats, or a sparse matrix by columns.
Codes = Any
#: Bytes of float64 from which on codes are read in blocks.
LARGE = 2**28
#: Bytes of a block, and of the largest that any other metric gets as an array.
BLOCK, MOST_DENSE = 2**27, 2**32
#: Bytes that the work on one entry of a block takes, sorting and counting it; where codes are sparse, that on one
#: code and one value of a factor, whose counts are a table.
BYTES_OF_ENTRY, BYTES_OF_VALUE = 80, 400
#: Bins of a code, and the quantile of the deviations, as the functions on arrays have them.
NUM_BINS, QUANTILE = 20, 0.99
#: Steps of the linear regression at the most, and the part of the first gradient at which it stops, of dense codes
#: in single precision too.
STEPS, STILL, STILL_SINGLE = 300, 1e-7, 1e-4
#: Standard deviations from 0 to the mean of a code, up to which its products are in single precision if it is.
MOST_OFFSET = 100
#: So many codes, those with the most information, are what boosted trees see.
SCREENED = 64


def as_large(codes: Any) -> Codes | None:
    """A sparse matrix, or an array of floats, that is too large to be handled as other codes are; else None.

    Example:
        >>> as_large(np.zeros((100, 3))) is None
        True
        >>> from scipy import sparse
        >>> as_large(sparse.csr_array((100_000, 16_384))).format
        'csc'
    """
    if hasattr(codes, "to_sparse_coo"):  # a tensor of torch
        if "sparse" in str(codes.layout):
            tensor = codes.detach().cpu().to_sparse_coo().coalesce()
            from scipy import sparse

            codes = sparse.coo_array((tensor.values().numpy(), tensor.indices().numpy()), tuple(tensor.shape))
        elif _is_large(tuple(codes.shape)) and str(codes.dtype) in ("torch.float32", "torch.float64"):
            codes = codes.detach().cpu().numpy()
    if _is_sparse(codes):
        return _as_columns(codes) if _is_large(codes.shape) else None
    if isinstance(codes, np.ndarray) and _is_large(codes.shape) and codes.dtype in (np.float32, np.float64):
        return codes
    return None


def _is_sparse(codes: Any) -> bool:
    """Whether it is a sparse matrix of scipy, which is not loaded for this."""
    return hasattr(codes, "tocsc")


def _is_large(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and shape[0] * shape[1] * 8 >= LARGE


def _as_columns(codes: Any) -> Codes:
    """A sparse matrix by columns, each entry once, and no zero among them."""
    if codes.dtype.kind not in "biuf":
        raise errors.InvalidInput(f"`codes` must hold real numbers; given: dtype {codes.dtype}.")
    kept = codes.dtype if codes.dtype in (np.float32, np.float64) else np.float64
    from scipy import sparse

    columns = sparse.csc_array(codes, dtype=kept, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    if max(columns.nnz, *columns.shape) < 2**31:
        columns.indices, columns.indptr = columns.indices.astype(np.int32), columns.indptr.astype(np.int32)
    for array in (columns.data, columns.indices, columns.indptr):
        array.flags.writeable = False  # all metrics get the same
    return columns


@reused
def as_dense(codes: Codes) -> FloatArray:
    """An array of float64."""
    return np.array(codes.toarray() if _is_sparse(codes) else codes, dtype=np.float64)


def check_large(codes: Codes) -> None:
    """Raise unless all entries are finite, some of them not 0, and the squares of none overflow."""
    entries = codes.data if _is_sparse(codes) else codes
    if not codes.shape[0] or not entries.size:
        raise errors.InvalidInput(f"`codes` has no entry that is not 0; its shape is {codes.shape}.")
    if not max(-float(entries.min()), float(entries.max())) <= np.sqrt(np.finfo(entries.dtype).max):
        raise errors.InvalidInput("`codes` must be finite, and small enough that their squares do not overflow.")


def describe_large(codes: Codes) -> str:
    """What the codes take, and what measuring them takes besides."""
    points, number = codes.shape
    if _is_sparse(codes):
        held = codes.data.nbytes + codes.indices.nbytes
        kind, rows = f"sparse, {codes.nnz / points / number:.1%} filled", 3 * held  # rows to fit to and to test on
    else:
        held, kind, rows = codes.nbytes, f"dense {codes.dtype}", codes.nbytes
    width = _width(codes)
    block = width * BYTES_OF_ENTRY * (codes.nnz / number if _is_sparse(codes) else points)
    work = max(rows, 2 * block * (1 if count_jobs(None) == 1 else usable_cores())) / 1e9
    return (
        f"{points:,} x {number:,} codes ({kind}) take {held / 1e9:.1f} GB and are read {width:,} at a time, "
        f"which takes about {work:.1f} GB more"
    )


def _width(codes: Codes, values: int = 1) -> int:
    """How many codes are in a block, where factors have so many values at the most."""
    points, number = codes.shape
    entries = codes.nnz / number if _is_sparse(codes) else points
    each = max(entries * BYTES_OF_ENTRY, values * BYTES_OF_VALUE if _is_sparse(codes) else BYTES_OF_ENTRY)
    return int(max(1, min(number, BLOCK // each)))


class _Calls:
    """The calls for all blocks, made when they are asked for."""

    def __init__(self, function: Callable[..., Any], codes: Codes, labels: Sequence[Labels], *others: Any) -> None:
        self._function, self._codes, self._arguments = function, codes, (labels, *others)
        self._width = _width(codes, max(size for _, size in labels))

    def __len__(self) -> int:
        return -(-self._codes.shape[1] // self._width)

    def __iter__(self) -> Iterator[Any]:
        from joblib import delayed

        for start in range(0, self._codes.shape[1], self._width):
            yield delayed(self._function)(self._codes[:, start : start + self._width], *self._arguments)


def _over_blocks(
    function: Callable[..., Any], codes: Codes, labels: Sequence[Labels], *others: Any
) -> list[FloatArray]:
    """What a function says of the codes of each block, put together."""
    calls = _Calls(function, codes, labels, *others)
    jobs = count_jobs(None) if len(calls) > 1 else 1
    parts = list(run_in_processes(jobs, calls, function.__name__.strip("_"), "block"))  # type: ignore[arg-type]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


# --- Information


@reused
def inform(codes: Codes, factors: IntArray) -> Information:
    """What `measure_information` finds, of codes in equally wide bins."""
    columns = find_varying(factors, "information", 1)
    labels = label_columns(factors[:, columns])
    matrix, of_codes, variances = _over_blocks(_count_block, codes, labels)
    of_factors = count_information([], labels, len(factors))[2]
    num_values = np.array([np.count_nonzero(np.bincount(values)) for values, _ in labels])
    return Information(
        matrix, of_codes, of_factors, columns, factors.shape[1], num_values, variances, float(np.log(NUM_BINS))
    )


def _count_block(block: Codes, labels: Sequence[Labels]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Information (codes, factors), entropies (codes,) and variances (codes,)."""
    if not _is_sparse(block):
        dense = np.asarray(block, dtype=np.float64)
        matrix, of_codes, _ = count_information(
            label_columns(equal_width_bins(dense, NUM_BINS)), labels, len(dense)
        )
        return matrix, of_codes, measure_variances(dense)
    (points, number), table = block.shape, tabulate_times_log(block.shape[0])
    filled, low, high, column = _describe_columns(block)
    values = block.data.astype(np.float64)
    bins, zero_bins = np.empty(len(values), dtype=np.intp), np.empty(number, dtype=np.intp)
    for j, (start, end) in enumerate(zip(block.indptr[:-1], block.indptr[1:], strict=True)):
        offset, edges = bin_edges(low[j], high[j], NUM_BINS)
        bins[start:end] = np.searchsorted(edges, values[start:end] - offset, side="right")
        zero_bins[j] = np.searchsorted(edges, 0.0 - offset, side="right")
    places, everywhere = column * (NUM_BINS + 1) + bins, np.arange(number)

    def count(of_entries: IntArray, totals: IntArray) -> FloatArray:
        """(codes,): the sum of c log c over bins and values; 0 is in a bin of its own points."""
        size = len(totals)
        cells = np.bincount(places * size + of_entries, minlength=number * (NUM_BINS + 1) * size)
        cells = cells.reshape(number, NUM_BINS + 1, size)
        cells[everywhere, zero_bins] += totals - cells.sum(axis=1)
        return table[cells].sum(axis=(1, 2))

    of_codes = count(np.zeros(len(values), dtype=np.intp), np.array([points]))
    together = [count(own[block.indices], np.bincount(own, minlength=size)) for own, size in labels]
    of_factors = [table[np.bincount(own)].sum() for own, _ in labels]
    matrix = np.log(points) + (np.stack(together, axis=1) - np.add.outer(of_codes, of_factors)) / points
    means = np.bincount(column, values, number) / points
    squares = np.bincount(column, np.square(values - means[column]), number)
    variances = np.where(low == high, 0.0, (squares + (points - filled) * np.square(means)) / points)
    return drop_rounding(matrix), drop_rounding(np.log(points) - of_codes / points), variances


def _describe_columns(block: Codes) -> tuple[IntArray, FloatArray, FloatArray, IntArray]:
    """Of a sparse block: entries, least and largest value of each code, and the code of each entry."""
    filled = np.diff(block.indptr)
    low, high = (
        np.asarray(bound.toarray(), dtype=np.float64).ravel() for bound in (block.min(axis=0), block.max(axis=0))
    )
    return filled, low, high, np.repeat(np.arange(block.shape[1]), filled)


def large_mig(codes: Codes, factors: IntArray, **_: Any) -> Any:
    """`mig`."""
    return mig_from(inform(codes, factors))


def large_mig_sup(codes: Codes, factors: IntArray, **_: Any) -> Any:
    """`mig_sup`."""
    find_varying(factors, "mig_sup", 2)
    return mig_sup_from(inform(codes, factors))


def large_dcimig(codes: Codes, factors: IntArray, **_: Any) -> Any:
    """`dcimig`."""
    find_varying(factors, "dcimig", 2)
    return dcimig_from(inform(codes, factors))


def large_jemmig(codes: Codes, factors: IntArray, **_: Any) -> Any:
    """`jemmig`."""
    return jemmig_from(inform(codes, factors))


# --- Deviations


@reused
def deviate(codes: Codes, factors: IntArray) -> tuple[FloatArray, FloatArray]:
    """Largest deviations (codes,), and mean quantiles within the values of each factor (codes, factors)."""
    largest, within = _over_blocks(_deviate_block, codes, label_columns(factors), factors)
    return largest, within


def _deviate_block(block: Codes, labels: Sequence[Labels], factors: IntArray) -> tuple[FloatArray, FloatArray]:
    """The same of one block."""
    if not _is_sparse(block):
        by_code = np.ascontiguousarray(block.T, dtype=np.float64)
        return find_largest_deviations(by_code), measure_deviations_within(by_code, factors, QUANTILE)
    points, number = block.shape
    _, low, high, column = _describe_columns(block)
    values = block.data.astype(np.float64)
    means = np.bincount(column, values, number) / points
    largest = np.where(low == high, 0.0, np.maximum(high - means, means - low))
    within = [
        _quantiles(values, column, own[block.indices], np.bincount(own, minlength=size), number)
        for own, size in labels
    ]
    return largest, np.stack(within, axis=1)


def _quantiles(values: FloatArray, column: IntArray, own: IntArray, totals: IntArray, number: int) -> FloatArray:
    """(codes,): the quantile of the distances from the mean of the points with each value, averaged over values.

    Of the points of one value, those at which a code is 0 have one distance; so the quantile is found among the
    sorted entries and that distance, repeated.
    """
    size, shape = len(totals), (number, len(totals))
    group = column * size + own
    filled = np.bincount(group, minlength=number * size)
    everyone = np.broadcast_to(totals, shape).ravel()
    means = np.bincount(group, values, number * size) / np.maximum(everyone, 1)
    distances, of_zeros = np.abs(values - means[group]), np.abs(means)
    few = number * size < 2**16  # such numbers are sorted many times as fast
    ascending = distances[np.argsort(group.astype(np.uint16) if few else group, kind="stable")]
    ends = np.cumsum(filled)
    for start, end in zip((ends - filled).tolist(), ends.tolist(), strict=True):
        ascending[start:end].sort()
    ascending = np.append(ascending, 0.0)
    above = np.bincount(group, distances > of_zeros[group], number * size).astype(np.intp)
    zeros = everyone - filled

    def at(rank: IntArray) -> FloatArray:
        """The distance of a rank, from the largest on."""
        rank = np.minimum(rank, np.maximum(everyone - 1, 0))
        place = np.where(rank < above, rank, rank - zeros)
        found = ascending[np.clip(ends - 1 - place, 0, len(distances))]
        return np.where((rank >= above) & (rank < above + zeros), of_zeros, found)

    from_top = (np.maximum(everyone, 1) - 1) * (1.0 - QUANTILE)
    rank = np.floor(from_top + 1e-9).astype(np.intp)
    upper = at(rank)
    quantiles = upper + (at(rank + 1) - upper) * np.maximum(from_top - rank, 0.0)
    return quantiles.reshape(shape)[:, totals > 0].mean(axis=1)


def large_irs(codes: Codes, factors: IntArray, **_: Any) -> IrsResult:
    """`irs`."""
    largest, within = deviate(codes, factors)
    matrix = robustness(within, largest)
    return IrsResult(irs_score(matrix, largest), matrix, largest.copy(), int((largest > 0).sum()))


def large_uc(codes: Codes, factors: IntArray, **_: Any) -> UcResult:
    """`uc`, by the attribution of the IRS."""
    return uc_of_scores(large_irs(codes, factors).matrix, 1, "top", 2)


# --- Products with factors


def _by_columns(codes: Any) -> Codes:
    return codes.tocsc() if _is_sparse(codes) else codes


def _centre(codes: Codes) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each code; infinite of one that never varies, which becomes 0 by it."""
    points, number = codes.shape
    if _is_sparse(codes):
        _, low, high, column = _describe_columns(codes)
        means = np.bincount(column, codes.data, number) / points
        squares = np.bincount(column, np.square(codes.data - means[column]), number)
        variances = (squares + (points - np.diff(codes.indptr)) * np.square(means)) / points
    else:
        low, high, means = codes.min(axis=0), codes.max(axis=0), codes.mean(axis=0, dtype=np.float64)
        variances = np.concatenate(
            [
                codes[:, start : start + _width(codes)].var(axis=0, dtype=np.float64)
                for start in range(0, number, _width(codes))
            ]
        )
    return means, np.where((low == high) | (variances <= 0), np.inf, np.sqrt(variances))


@dataclass(frozen=True)
class _Standard:
    """Standardised codes, as a product with vectors needs them: by rows, and what to take off and divide by."""

    codes: Any
    means: FloatArray
    deviations: FloatArray

    @cached_property
    def _far(self) -> list[IntArray]:
        """Blocks of codes in single precision, the products of which would lose their spread."""
        if _is_sparse(self.codes) or self.codes.dtype == np.float64:
            return []
        far = np.flatnonzero(np.abs(self.means) > MOST_OFFSET * self.deviations)
        return [far[start : start + _width(self.codes)] for start in range(0, len(far), _width(self.codes))]

    def _centred(self, columns: IntArray) -> FloatArray:
        return self.codes[:, columns] - self.means[columns]

    def times(self, weights: FloatArray) -> FloatArray:
        """(points, columns) of weights (codes, columns)."""
        exact = weights / self.deviations[:, None]
        scaled = exact.astype(self.codes.dtype)
        for far in self._far:
            scaled[far] = 0.0
        product = self.codes @ scaled - self.means @ scaled
        for far in self._far:
            product += self._centred(far) @ exact[far]
        return product

    def back(self, columns: FloatArray) -> FloatArray:
        """(codes, columns) of numbers (points, columns): the transposed product."""
        single = columns.astype(self.codes.dtype, copy=False)
        product = self.codes.T @ single - np.outer(self.means, single.sum(axis=0, dtype=np.float64))
        for far in self._far:
            product[far] = self._centred(far).T @ columns
        return product / self.deviations[:, None]


@reused
def _correlate(codes: Codes, factors: FloatArray) -> FloatArray:
    """Absolute correlations (codes, factors), of factors that vary."""
    scaled = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    standard = _Standard(codes, *_centre(codes))
    return np.minimum(np.abs(standard.back(scaled)) / len(factors), 1.0)


def large_mcc(codes: Codes, factors: FloatArray | IntArray, **_: Any) -> MccResult:
    """`mcc` by Pearson's correlation."""
    columns = find_varying(factors, "mcc", 1)
    correlations = _correlate(codes, np.asarray(factors[:, columns], dtype=np.float64))
    values, matches = match_codes(correlations)
    matrix = np.full((codes.shape[1], factors.shape[1]), np.nan)
    matrix[:, columns] = correlations
    code_of = dict(zip(columns.tolist(), matches, strict=True))
    return MccResult(
        float(values.mean()),
        place_values(values, columns, factors.shape[1]),
        tuple(code_of.get(factor) for factor in range(factors.shape[1])),
        matrix,
    )


def large_sap(codes: Codes, factors: FloatArray | IntArray, **_: Any) -> SapResult:
    """`sap_score` in closed form: squared correlations, of all points, as it has them for continuous factors."""
    columns = find_varying(factors, "sap_score", 1)
    matrix = np.full((codes.shape[1], factors.shape[1]), np.nan)
    matrix[:, columns] = np.square(_correlate(codes, np.asarray(factors[:, columns], dtype=np.float64)))
    per_factor = place_values(find_top_two_gaps(matrix[:, columns]), columns, factors.shape[1])
    return SapResult(float(np.nanmean(per_factor)), per_factor, matrix)


def _split(codes: Codes, factors: Any, test: Any, random_state: Any) -> tuple[Pairs, Pairs]:
    """Points to fit to and points to test on, sparse ones by rows."""

    def by_row(matrix: Codes) -> Any:
        return matrix.tocsr().astype(np.float64) if _is_sparse(matrix) else matrix

    if isinstance(test, (tuple, list)):
        return (by_row(codes), factors), (by_row(test[0]), test[1])
    codes = by_row(codes)
    kept, held_out = split_rows(len(factors), test, check_random_state(random_state))
    return (codes[kept], factors[kept]), (codes[held_out], factors[held_out])


def large_r2(
    codes: Codes, factors: FloatArray | IntArray, *, test: Any = TEST_SHARE, random_state: Any = 0, **_: Any
) -> R2Result:
    """`r2`, by conjugate gradients that need products with the codes alone."""
    train, held_out = _split(codes, factors, test, random_state)
    columns = find_varying_in_both(train[1], held_out[1], "r2")
    means, deviations = train[1][:, columns].mean(axis=0), train[1][:, columns].std(axis=0)
    targets, truth = ((points[1][:, columns] - means) / deviations for points in (train, held_out))
    own, tests = _centre(_by_columns(train[0])), _centre(_by_columns(held_out[0]))
    inputs, tested = _Standard(train[0], *own), _Standard(held_out[0], *own)
    weights = _fit_linear(inputs, targets)
    total = np.square(truth - truth.mean(axis=0)).sum(axis=0)
    forward = 1.0 - np.square(truth - tested.times(weights)).sum(axis=0) / total
    # The other way there are few inputs: products with them say all of the errors.
    back = np.linalg.lstsq(targets.T @ targets, inputs.back(targets).T, rcond=None)[0]
    active, number = np.isfinite(own[1]) & np.isfinite(tests[1]), len(truth)
    spread = np.divide(tests[1], own[1], out=np.ones(len(active)), where=active)
    offset = (tests[0] - own[0]) / own[1]
    squares = number * (np.square(spread) + np.square(offset))
    errors_of = (
        squares - 2 * (tested.back(truth) * back.T).sum(axis=1) + ((truth.T @ truth) @ back * back).sum(axis=0)
    )
    backward = np.where(active, 1.0 - errors_of / (number * np.square(spread)), np.nan)
    return R2Result(
        float(forward.mean()),
        place_values(forward, columns, factors.shape[1]),
        float(np.nanmean(backward)) if active.any() else 0.0,
        backward,
    )


def _fit_linear(inputs: _Standard, targets: FloatArray) -> FloatArray:
    """The smallest least-squares weights (codes, targets), by conjugate gradients for all targets at once."""
    weights, rest = np.zeros((len(inputs.means), targets.shape[1])), targets.copy()
    gradient = inputs.back(rest)
    direction, size = gradient, np.square(gradient).sum(axis=0)
    first = np.maximum(size, np.finfo(float).tiny)
    still = STILL if inputs.codes.dtype == np.float64 else STILL_SINGLE
    for _ in range(STEPS):
        ahead = inputs.times(direction)
        step = size / np.maximum(np.square(ahead).sum(axis=0), np.finfo(float).tiny)
        weights += step * direction
        rest -= step * ahead
        gradient = inputs.back(rest)
        before, size = size, np.square(gradient).sum(axis=0)
        if (size <= still**2 * first).all():
            return weights
        direction = gradient + size / np.maximum(before, np.finfo(float).tiny) * direction
    part = float(np.sqrt(size / first).max())
    warnings.warn(
        f"r2: the regression stopped after {STEPS} steps, at {part:.0e} of the first gradient", stacklevel=2
    )
    return weights


# --- Trees, which see the codes that matter


def large_dci(
    codes: Codes, factors: IntArray, *, test: Any = TEST_SHARE, random_state: Any = 0, **options: Any
) -> DciResult:
    """`dci` by histogram boosting on the codes with the most information, among which each factor has its best."""
    found = inform(codes, factors)
    share = found.matrix / found.factor_entropies
    # Each factor names its best in turn, until there are enough.
    ranked = np.argsort(-share, axis=0, kind="stable").ravel()
    chosen = np.sort(list(dict.fromkeys(ranked.tolist()))[:SCREENED])

    def dense(matrix: Codes) -> FloatArray:
        columns = matrix[:, chosen]
        return np.asarray(columns.toarray() if _is_sparse(columns) else columns, dtype=np.float64)

    if isinstance(test, (tuple, list)):
        test = (dense(test[0]), test[1])
    options = {**options, "estimator": "histogram_boosting"}
    result = dci(dense(codes), factors, test=test, random_state=random_state, **options)
    importance, per_code = np.zeros((codes.shape[1], factors.shape[1])), np.zeros(codes.shape[1])
    importance[chosen], per_code[chosen] = result.importance, result.disentanglement_per_code
    return replace(result, importance=importance, disentanglement_per_code=per_code)


#: Metric -> what measures it of large codes, and what to say of how.
MEASURED: dict[str, tuple[Callable[..., Any], str]] = {
    "mig": (large_mig, ""),
    "mig_sup": (large_mig_sup, ""),
    "dcimig": (large_dcimig, ""),
    "jemmig": (large_jemmig, ""),
    "irs": (large_irs, ""),
    "uc": (large_uc, ""),
    "mcc": (large_mcc, ""),
    "r2": (large_r2, ""),
    "sap_score": (large_sap, "by squared correlations, in closed form"),
    "dci": (large_dci, f"by histogram boosting on the {SCREENED} codes with the most information"),
}
