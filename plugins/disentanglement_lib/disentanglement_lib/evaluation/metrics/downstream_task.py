"""Accuracy of classifiers on codes."""

from disentanglement_lib._core import metric

compute_downstream_task = metric("downstream_task")
