"""What Python users call: what configs name, and the scores of two matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from os import PathLike
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.checks import check_number, check_options, check_value, checked
from causal_disent.progress import progress_shown
from causal_disent.protocols import GroundTruthData
from causal_disent.registry import registry
from causal_disent.runs.dataset import get_dataset

if TYPE_CHECKING:
    from causal_disent.report.score_table import ScoreTable
    from causal_disent.runs.compare import Comparison

#: Seconds of the longest budget.
LONGEST = 10_000_000

__all__ = ["compare", "get_classifier", "get_dataset", "get_metric", "get_representation", "score"]


@checked
def get_metric(name: str) -> Callable[..., dict[str, Any]]:
    """A registered metric, with disentanglement_lib's signature.

    Example:
        >>> import numpy as np
        >>> uc = get_metric("uc")
        >>> data = get_dataset("candle_mini", factors=["object", "color"])
        >>> uc(data, get_representation("perfect_oracle", data), np.random.RandomState(0), num_train=200)["UC"]
        1.0
    """
    return registry.function("metrics", name)


@checked
def get_representation(name: str, data: Any, **options: Any) -> Any:
    """A registered representation of a data set."""
    return _made("representations", name, data, options)


@checked
def get_classifier(name: str, data: Any, **options: Any) -> Any:
    """A registered classifier for a data set."""
    return _made("classifiers", name, data, options)


def _made(kind: str, name: str, data: Any, options: Mapping[str, Any]) -> Any:
    check_value("`data`", data, GroundTruthData)
    entry = registry.get(kind, name)
    return registry.wrap(entry)(data, **check_options(entry.plain(), options, entry.in_config))


@checked
def score(
    codes: Any,
    factors: Any,
    metrics: str | Iterable[str] | None = None,
    random_state: int | np.random.RandomState = 0,
    *,
    bins: int | None = None,
    fast: bool = False,
    bootstrap: int | None = None,
    chance: int | None = None,
    neighbours: int | None = None,
    factor_groups: Mapping[str, Sequence[str | int]] | None = None,
    code_groups: Sequence[Sequence[str | int]] | None = None,
    drop_missing: bool = False,
    blocks: int | Sequence[Any] | str | None = None,
    robust: bool = False,
    budget: float | None = None,
    progress: bool = True,
) -> ScoreTable:
    """Measure codes by several metrics at once.

    Args:
        codes: (points, codes) numbers: an array, lists, a data frame, a tensor of any framework, or a file
            (``.npy``, ``.npz``, ``.csv``, ``.parquet``).
        factors: (points, factors), the same rows: the same, and columns of text, categories or truth values too.
            The names of columns are kept. Factors that never vary are left out, with a note.
        metrics: their names (``causal-disent metrics`` lists them), or one text with commas between them;
            ``"all"``, of which those that need more or do not take such factors are left out with the reason; or
            ``"dlib"``, those of disentanglement_lib. By default a panel of six, one per question: whether the
            factors are in the codes, have one code each, and so on.
        random_state: seed or generator.
        bins: a factor with nearly as many values as points is continuous. Metrics that group points by factors put
            it into so many equally filled bins (10 unless given, and they say so); others that take discrete
            factors alone are left out unless `bins` is given.
        fast: boosted trees on binned codes where boosted trees are the default (dci, the downstream tasks): much
            faster, and scores that differ by about 0.01; compare like with like.
        bootstrap: resamples of the points for 95 % intervals, the same for all metrics; 200 is usual. By default
            50, and none for those that take long (boosted trees, tmex); 0 for none.
        chance: permutations of the codes' rows, for what codes that say nothing score, and how often they reach
            the score. By default 20, and none for those that take long; 0 for none.
        neighbours: count so many nearest neighbours (10 is usual), and not bins, where a metric is of mutual
            information; continuous factors are then taken as they are.
        factor_groups: columns that are one factor together, such as ``{"position": ["x", "y"]}``: each combination
            of their values (of continuous ones: of their bins) is a value. Metrics that calculate with the numbers
            of factors are left out.
        code_groups: blocks of codes that are one concept each, such as ``[[0, 1], [2, 3]]``; codes in none stay
            alone. Metrics that take codes one by one are left out.
        drop_missing: leave points out that lack a value (NaN, None) in a code or a factor, with a note; by default
            they are an error.
        blocks: for rows that depend on each other, such as frames of a video or several images of one object: how
            many rows in a row are one block, a label for each row, or the name of a column of `factors` with the
            labels, which is no factor then. Blocks are resampled and permuted whole.
        robust: measure metrics that one point may decide by quantiles: bins of equally many points, and a high
            quantile of deviations in place of the largest. The scores are not the published ones.
        budget: seconds for all of it. Quick metrics come first, then their intervals and chance levels, with as
            many resamples as fit, then metrics that take long. What is cut is stated.
        progress: whether to show on the standard error how far long work is, and how much time is left.

    An interrupt (Ctrl-C, or a notebook's stop) ends the work, and the table of what has been measured is returned;
    its ``stopped`` says so.

    Returns:
        `ScoreTable`: print it, or see its ``table`` (a data frame), ``results`` (metric -> what its own function
        returns), ``left_out`` (metric -> why), ``plot()`` and ``to_html()``.

    Example:
        >>> import numpy as np
        >>> factors = np.indices((4, 4, 4)).reshape(3, -1).T
        >>> score(factors * 2.0, factors, metrics=["irs", "mig"], bootstrap=0, chance=0)
        64 points, 3 codes, 3 factors: factor_0, factor_1, factor_2
        <BLANKLINE>
        metric   score  best  question
        ------  ------  ----  ------------------------------------------------------
        irs      1.000     1  do codes stay put when all but one factor change?
        mig      1.000     1  gap between the two codes that say most about a factor
        >>> score(factors * 2.0, factors, metrics=["irs", "mig"]).table["chance"].round(1).to_dict()
        {'irs': -0.1, 'mig': 0.0}
    """
    from causal_disent import errors
    from causal_disent.report.panel import DEFAULT, place_of
    from causal_disent.report.score_table import ScoreTable
    from causal_disent.runs.score import read_points, score_points
    from causal_disent.tables import take_column

    until = inf
    if budget is not None:
        check_number("`budget`", budget, above=0, at_most=LONGEST)
        until = monotonic() + budget
    codes, factors = _read(codes), _read(factors)
    if isinstance(blocks, str):
        blocks, factors = take_column("blocks", blocks, factors)
    points = read_points(
        codes,
        factors,
        bins=bins,
        neighbours=neighbours,
        factor_groups=factor_groups,
        code_groups=code_groups,
        drop_missing=drop_missing,
        blocks=blocks,
        robust=robust,
    )
    names = _names(metrics)
    with progress_shown(progress):
        rows, stopped = score_points(
            points,
            names,
            random_state,
            fast=fast,
            bootstrap=bootstrap,
            chance=chance,
            until=until,
        )
    panel = names in (None, [DEFAULT])
    if panel:
        rows.sort(key=lambda row: place_of(row.entry.name))
    table = ScoreTable(points, tuple(rows), panel=panel, stopped=stopped)
    if not table.results:
        raise errors.InvalidInput("\n".join(["No metric could be measured.", *table.remarks()]))
    return table


@checked
def compare(
    *matrices: Any,
    metrics: str | Iterable[str] | None = None,
    random_state: int | np.random.RandomState = 0,
    bootstrap: int = 200,
    bins: int | None = None,
    fast: bool = False,
    blocks: int | Sequence[Any] | str | None = None,
    num_points: int = 1000,
    classifier: Any = "best",
    progress: bool = True,
) -> Comparison:
    r"""Compare encoders on the same points.

    .. math:: s(A) - s(B) \pm 1.96 \operatorname{sd}_b\,(s_b(A) - s_b(B))

    The difference of two scores has an interval over resampled points, the same points for both encoders. Its
    p-value is corrected for all differences of the table (Holm). That tells encoders apart, not models: a model
    trained with another seed gives another encoder.

    Args:
        matrices: the codes of two or more encoders, then the factors, each as `score` takes them; in place of the
            codes, a mapping from the encoders' names to them. Or two or more models and a data set: all of them
            see the same images, and CG is compared too if each has a decoder.
        metrics: as `score` takes them; by default the panel.
        random_state: seed or generator.
        bootstrap: resamples.
        bins: as `score` takes it.
        fast: as `score` takes it.
        blocks: as `score` takes them.
        num_points: of a data set, how many images are drawn.
        classifier: of a data set, what CG reads generated images with: a name, or an object.
        progress: whether to show on the standard error how far long work is.

    Returns:
        `Comparison`: print it, or see its ``table`` (a data frame), ``rows`` and ``plot()``.

    Example:
        >>> import numpy as np
        >>> generator = np.random.RandomState(0)
        >>> factors = generator.randint(4, size=(300, 2))
        >>> good = factors + 0.1 * generator.normal(size=(300, 2))
        >>> found = compare({"good": good, "mixed": good @ [[1, 1], [-1, 1]]}, factors, metrics="mig,r2")
        >>> found.table[["metric", "better"]].to_dict("list")
        {'metric': ['mig', 'r2'], 'better': ['good', '']}
    """
    from causal_disent import errors
    from causal_disent.checks import check_whole
    from causal_disent.metrics.certainty import MOST_RESAMPLES
    from causal_disent.runs.compare import as_encoders, compare_codes, compare_models
    from causal_disent.tables import take_column

    check_whole("`bootstrap`", bootstrap, 2)
    check_number("`bootstrap`", bootstrap, at_most=MOST_RESAMPLES)
    if len(matrices) < 2:
        raise errors.InvalidInput(
            "`compare` takes the codes of two or more encoders, and the factors, in this order."
        )
    *codes, factors = matrices
    if hasattr(factors, "sample_factors"):
        check_whole("`num_points`", num_points, 1)
        options: dict[str, Any] = {"bootstrap": bootstrap, "bins": bins, "blocks": blocks, "fast": fast}
        with progress_shown(progress):
            return compare_models(
                as_encoders(codes),
                factors,
                _names(metrics),
                random_state,
                num_points=num_points,
                classifier=classifier,
                **options,
            )
    encoders = {name: _read(matrix) for name, matrix in as_encoders(codes).items()}
    factors = _read(factors)
    if isinstance(blocks, str):
        blocks, factors = take_column("blocks", blocks, factors)
    with progress_shown(progress):
        return compare_codes(
            encoders,
            factors,
            _names(metrics),
            random_state,
            bootstrap=bootstrap,
            bins=bins,
            blocks=blocks,
            fast=fast,
        )


def _read(given: Any) -> Any:
    """What a path leads to; anything else as it is."""
    from causal_disent.tables import read_matrix

    return read_matrix(given) if isinstance(given, (str, PathLike)) else given  # type: ignore[arg-type]


def _names(metrics: str | Iterable[str] | None) -> list[str] | None:
    """The names of metrics, of a text with commas or of several."""
    if metrics is None:
        return None
    if isinstance(metrics, str):
        return [name.strip() for name in metrics.split(",") if name.strip()]
    return list(metrics)
