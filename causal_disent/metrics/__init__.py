"""Metrics, array-first: ``mig(codes, factors)`` gives a result with a ``score``.

A metric is one module here, with a function of its name and what it declares by ``@metric(...)``; configs and
commands say that name. What is needed to write one, also in a plugin, stands here too.
"""

from inspect import isfunction

from causal_disent.metrics.beta_vae_sklearn import beta_vae_sklearn as beta_vae_sklearn
from causal_disent.metrics.causal_disentanglement import causal_disentanglement as causal_disentanglement
from causal_disent.metrics.cg import cg as cg
from causal_disent.metrics.dci import dci as dci
from causal_disent.metrics.dci_es import dci_es as dci_es
from causal_disent.metrics.dcimig import dcimig as dcimig
from causal_disent.metrics.downstream_task import downstream_task as downstream_task
from causal_disent.metrics.factor_vae_score import factor_vae_score as factor_vae_score
from causal_disent.metrics.fairness import fairness as fairness
from causal_disent.metrics.infomec import infomec as infomec
from causal_disent.metrics.irs import irs as irs
from causal_disent.metrics.jemmig import jemmig as jemmig
from causal_disent.metrics.mcc import mcc as mcc
from causal_disent.metrics.mic import MicFloor as MicFloor
from causal_disent.metrics.mic import MicMatrix as MicMatrix
from causal_disent.metrics.mic import MicResult as MicResult
from causal_disent.metrics.mic import mic_floor as mic_floor
from causal_disent.metrics.mic import mic_matrix as mic_matrix
from causal_disent.metrics.mic import mic_statistics as mic_statistics
from causal_disent.metrics.mig import mig as mig
from causal_disent.metrics.mig_sup import mig_sup as mig_sup
from causal_disent.metrics.modularity_explicitness import modularity_explicitness as modularity_explicitness
from causal_disent.metrics.r2 import r2 as r2
from causal_disent.metrics.reduced_downstream_task import reduced_downstream_task as reduced_downstream_task
from causal_disent.metrics.sap_score import sap_score as sap_score
from causal_disent.metrics.strong_downstream_task import Shift as Shift
from causal_disent.metrics.strong_downstream_task import strong_downstream_task as strong_downstream_task
from causal_disent.metrics.tmex import tmex as tmex
from causal_disent.metrics.tools.declaration import metric as metric
from causal_disent.metrics.tools.information import entropies as entropies
from causal_disent.metrics.tools.information import mutual_information_matrix as mutual_information_matrix
from causal_disent.metrics.tools.needs import Needs as Needs
from causal_disent.metrics.tools.needs import Sample as Sample
from causal_disent.metrics.tools.needs import Source as Source
from causal_disent.metrics.tools.needs import points as points
from causal_disent.metrics.tools.needs import train_test as train_test
from causal_disent.metrics.tools.result import Result as Result
from causal_disent.metrics.tools.takes import equally_filled as equally_filled
from causal_disent.metrics.uc import uc as uc
from causal_disent.metrics.uc import uc_of_sets as uc_of_sets
from causal_disent.metrics.uc import uc_per_rho as uc_per_rho
from causal_disent.metrics.udr_sklearn import gaussian_kl as gaussian_kl
from causal_disent.metrics.udr_sklearn import udr_sklearn as udr_sklearn
from causal_disent.metrics.unified_scores import unified_scores as unified_scores
from causal_disent.metrics.unsupervised_metrics import unsupervised_metrics as unsupervised_metrics
from causal_disent.registry import declared_in

# Those above are named for type checkers and readers; a metric in a new module is found without a line here.
globals().update({_found.__name__: _found for _found in declared_in(__name__) if isfunction(_found)})
