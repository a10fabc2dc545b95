"""Metric files written for disentanglement_lib 1.5, run as they are.

    >>> with metric_files(["my_metric.py"]):                                            # doctest: +SKIP
    ...     evaluate_with_gin("model", "result", gin_bindings=["evaluation.evaluation_fn = @my_metric"])

Such a file is code that its user chose to run, and is trusted like any other program of theirs.
"""

from causal_disent.compat.metric_file import MetricFile, load_metric_file, metric_files

__all__ = ["MetricFile", "load_metric_file", "metric_files"]
