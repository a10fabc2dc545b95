"""Metrics, array-first: ``mig(codes, factors)`` gives a result with a ``score``.

A metric is a function with a record (`@metric`), in the file of its family; configs and commands say its name.
What is needed to write one, also in a plugin, stands here too. Everything is loaded on first use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causal_disent.metrics.cg import causal_disentanglement as causal_disentanglement
    from causal_disent.metrics.cg import cg as cg
    from causal_disent.metrics.contract import Result as Result
    from causal_disent.metrics.contract import equally_filled as equally_filled
    from causal_disent.metrics.contract import metric as metric
    from causal_disent.metrics.counterfactual import composition as composition
    from causal_disent.metrics.counterfactual import effectiveness as effectiveness
    from causal_disent.metrics.counterfactual import minimality as minimality
    from causal_disent.metrics.counterfactual import reconstruction as reconstruction
    from causal_disent.metrics.counterfactual import reversibility as reversibility
    from causal_disent.metrics.crl import crl_scores as crl_scores
    from causal_disent.metrics.crl import graph_recovery as graph_recovery
    from causal_disent.metrics.dci import dci as dci
    from causal_disent.metrics.dci import dci_es as dci_es
    from causal_disent.metrics.downstream import Shift as Shift
    from causal_disent.metrics.downstream import downstream_task as downstream_task
    from causal_disent.metrics.downstream import reduced_downstream_task as reduced_downstream_task
    from causal_disent.metrics.downstream import strong_downstream_task as strong_downstream_task
    from causal_disent.metrics.draw import Needs as Needs
    from causal_disent.metrics.draw import Sample as Sample
    from causal_disent.metrics.draw import Source as Source
    from causal_disent.metrics.draw import points as points
    from causal_disent.metrics.draw import train_test as train_test
    from causal_disent.metrics.fixed_factor import beta_vae_sklearn as beta_vae_sklearn
    from causal_disent.metrics.fixed_factor import factor_vae_score as factor_vae_score
    from causal_disent.metrics.gaps import dcimig as dcimig
    from causal_disent.metrics.gaps import jemmig as jemmig
    from causal_disent.metrics.gaps import mig as mig
    from causal_disent.metrics.gaps import mig_sup as mig_sup
    from causal_disent.metrics.infomec import infomec as infomec
    from causal_disent.metrics.information import entropies as entropies
    from causal_disent.metrics.information import mutual_information_matrix as mutual_information_matrix
    from causal_disent.metrics.irs_uc import irs as irs
    from causal_disent.metrics.irs_uc import uc as uc
    from causal_disent.metrics.irs_uc import uc_of_sets as uc_of_sets
    from causal_disent.metrics.irs_uc import uc_per_rho as uc_per_rho
    from causal_disent.metrics.linear import mcc as mcc
    from causal_disent.metrics.linear import modularity_explicitness as modularity_explicitness
    from causal_disent.metrics.linear import r2 as r2
    from causal_disent.metrics.linear import sap_score as sap_score
    from causal_disent.metrics.mic import MicFloor as MicFloor
    from causal_disent.metrics.mic import MicMatrix as MicMatrix
    from causal_disent.metrics.mic import MicResult as MicResult
    from causal_disent.metrics.mic import mic_floor as mic_floor
    from causal_disent.metrics.mic import mic_matrix as mic_matrix
    from causal_disent.metrics.mic import mic_statistics as mic_statistics
    from causal_disent.metrics.others import fairness as fairness
    from causal_disent.metrics.others import unified_scores as unified_scores
    from causal_disent.metrics.others import unsupervised_metrics as unsupervised_metrics
    from causal_disent.metrics.tmex import tmex as tmex
    from causal_disent.metrics.udr import gaussian_kl as gaussian_kl
    from causal_disent.metrics.udr import udr_sklearn as udr_sklearn

#: File -> what it offers here.
_HOME = {
    "contract": ("Result", "equally_filled", "metric"),
    "draw": ("Needs", "Sample", "Source", "points", "train_test"),
    "information": ("entropies", "mutual_information_matrix"),
    "gaps": ("mig", "mig_sup", "dcimig", "jemmig"),
    "infomec": ("infomec",),
    "mic": ("MicFloor", "MicMatrix", "MicResult", "mic_floor", "mic_matrix", "mic_statistics"),
    "irs_uc": ("irs", "uc", "uc_of_sets", "uc_per_rho"),
    "cg": ("cg", "causal_disentanglement"),
    "dci": ("dci", "dci_es"),
    "downstream": ("Shift", "downstream_task", "reduced_downstream_task", "strong_downstream_task"),
    "fixed_factor": ("beta_vae_sklearn", "factor_vae_score"),
    "linear": ("mcc", "modularity_explicitness", "r2", "sap_score"),
    "counterfactual": ("composition", "effectiveness", "minimality", "reconstruction", "reversibility"),
    "crl": ("crl_scores", "graph_recovery"),
    "tmex": ("tmex",),
    "others": ("fairness", "unified_scores", "unsupervised_metrics"),
    "udr": ("gaussian_kl", "udr_sklearn"),
}
_FILES = {name: file for file, names in _HOME.items() for name in names}
__all__ = sorted(_FILES)


class _Metrics(ModuleType):
    """The package, in which `cg` is the function also when the file cg.py has been imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        function = getattr(value, name, None) if isinstance(value, ModuleType) else None
        super().__setattr__(name, function if hasattr(function, "declaration") else value)


def __getattr__(name: str) -> Any:
    file = _FILES.get(name, name)  # a new metric is in a file of its name
    if name.startswith("_") or not find_spec(f"{__name__}.{file}"):
        raise AttributeError(f"module 'causal_disent.metrics' has no attribute '{name}'")
    found = getattr(import_module(f"{__name__}.{file}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})


sys.modules[__name__].__class__ = _Metrics
