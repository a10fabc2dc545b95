"""Metrics, array-first: give them codes and factors, get a result.

The ``compute_*`` functions have disentanglement_lib's signature and are what gin configs name.
"""

from causal_disent.metrics.beta_vae import BetaVaeResult, beta_vae
from causal_disent.metrics.cg import CgResult, counterfactual_generativeness
from causal_disent.metrics.dci import DciResult, dci
from causal_disent.metrics.dci_es import DciEsResult, dci_es
from causal_disent.metrics.dcimig import DcimigResult, dcimig
from causal_disent.metrics.downstream_task import DownstreamResult, downstream_task
from causal_disent.metrics.factor_vae import FactorVaeResult, factor_vae
from causal_disent.metrics.fairness import FairnessResult, fairness
from causal_disent.metrics.infomec import InfomecResult, infomec
from causal_disent.metrics.irs import IrsResult, irs
from causal_disent.metrics.jemmig import JemmigResult, jemmig
from causal_disent.metrics.mcc import MccResult, mcc
from causal_disent.metrics.mic import MicFloor, MicMatrix, MicResult, mic_floor, mic_matrix, mic_statistics
from causal_disent.metrics.mig import MigResult, mig
from causal_disent.metrics.mig_sup import MigSupResult, mig_sup
from causal_disent.metrics.modularity_explicitness import ModularityExplicitnessResult, modularity_explicitness
from causal_disent.metrics.r2 import R2Result, linear_r2
from causal_disent.metrics.reduced_downstream_task import ReducedDownstreamResult, reduced_downstream_task
from causal_disent.metrics.sap_score import SapResult, sap
from causal_disent.metrics.strong_downstream_task import Shift, StrongDownstreamResult, strong_downstream_task
from causal_disent.metrics.tmex import TmexResult, tmex
from causal_disent.metrics.tools.information import entropies, mutual_information_matrix
from causal_disent.metrics.uc import (
    UcResult,
    unconfoundedness,
    unconfoundedness_curve,
    unconfoundedness_of_sets,
)
from causal_disent.metrics.udr import UdrResult, gaussian_kl, udr
from causal_disent.metrics.unified_scores import UnifiedResult, unified_scores
from causal_disent.metrics.unsupervised_metrics import UnsupervisedResult, unsupervised_scores

__all__ = [
    "BetaVaeResult",
    "CgResult",
    "DciEsResult",
    "DciResult",
    "DcimigResult",
    "DownstreamResult",
    "FactorVaeResult",
    "FairnessResult",
    "InfomecResult",
    "IrsResult",
    "JemmigResult",
    "MccResult",
    "MicFloor",
    "MicMatrix",
    "MicResult",
    "MigResult",
    "MigSupResult",
    "ModularityExplicitnessResult",
    "R2Result",
    "ReducedDownstreamResult",
    "SapResult",
    "Shift",
    "StrongDownstreamResult",
    "TmexResult",
    "UcResult",
    "UdrResult",
    "UnifiedResult",
    "UnsupervisedResult",
    "beta_vae",
    "counterfactual_generativeness",
    "dci",
    "dci_es",
    "dcimig",
    "downstream_task",
    "entropies",
    "factor_vae",
    "fairness",
    "gaussian_kl",
    "infomec",
    "irs",
    "jemmig",
    "linear_r2",
    "mcc",
    "mic_floor",
    "mic_matrix",
    "mic_statistics",
    "mig",
    "mig_sup",
    "modularity_explicitness",
    "mutual_information_matrix",
    "reduced_downstream_task",
    "sap",
    "strong_downstream_task",
    "tmex",
    "udr",
    "unconfoundedness",
    "unconfoundedness_curve",
    "unconfoundedness_of_sets",
    "unified_scores",
    "unsupervised_scores",
]
