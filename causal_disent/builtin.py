"""What comes with the core, registered through the same hooks as any plugin's."""

from __future__ import annotations

from math import inf

from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.synthetic_mini import SyntheticMini
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.beta_vae import compute_beta_vae_sklearn
from causal_disent.metrics.causal_disentanglement import compute_causal_disentanglement
from causal_disent.metrics.cg import compute_cg
from causal_disent.metrics.dci import compute_dci
from causal_disent.metrics.dci_es import compute_dci_es
from causal_disent.metrics.dcimig import compute_dcimig
from causal_disent.metrics.downstream_task import compute_downstream_task
from causal_disent.metrics.factor_vae import compute_factor_vae
from causal_disent.metrics.fairness import compute_fairness
from causal_disent.metrics.infomec import compute_infomec
from causal_disent.metrics.irs import compute_irs
from causal_disent.metrics.jemmig import compute_jemmig
from causal_disent.metrics.mcc import compute_mcc
from causal_disent.metrics.mig import compute_mig
from causal_disent.metrics.mig_sup import compute_mig_sup
from causal_disent.metrics.modularity_explicitness import compute_modularity_explicitness
from causal_disent.metrics.r2 import compute_r2
from causal_disent.metrics.reduced_downstream_task import compute_reduced_downstream_task
from causal_disent.metrics.sap_score import compute_sap
from causal_disent.metrics.strong_downstream_task import compute_strong_downstream_task
from causal_disent.metrics.tmex import compute_tmex
from causal_disent.metrics.tools.attribution import dci_importance, irs_attribution, mutual_information
from causal_disent.metrics.uc import compute_uc
from causal_disent.metrics.unified_scores import compute_unified_scores
from causal_disent.metrics.unsupervised_metrics import compute_unsupervised_metrics
from causal_disent.registry import Register
from causal_disent.representation import oracles
from causal_disent.representation.nearest_image import NearestImageClassifier


@hookimpl
def register_datasets(register: Register) -> None:
    licence = "Apache-2.0"
    register(
        "candle_mini",
        CandleMini,
        summary="CANDLE in miniature: 6 factors, 4,050 images, 64x64x3, drawn",
        licence=licence,
    )
    register(
        "synthetic_mini",
        SyntheticMini,
        summary="3 objects in 3 colors; the paper's 432 images with its rules",
        licence=licence,
    )
    register("dummy_data", DummyData, summary="10 factors of 5 values; images are noise, 64x64x1", licence=licence)
    register(
        "identity_data",
        IdentityData,
        summary="10 factors of 10 values, observed as they are",
        licence=licence,
        known_failures={
            "factors_within_range": "they are 1 to 10, as in disentanglement_lib",
            "observations_are_images": "they are the factors",
        },
    )


@hookimpl
def register_representations(register: Register) -> None:
    register("perfect_oracle", oracles.perfect_oracle, summary="one code per factor: its value")
    register("permuted_oracle", oracles.permuted_oracle, summary="the perfect oracle's codes in another order")
    register("mixed_oracle", oracles.mixed_oracle, summary="the factors' values, rotated (strength 0 to 1)")
    register("duplicated_oracle", oracles.duplicated_oracle, summary="the perfect oracle's codes, each twice")
    register(
        "missing_factor_oracle", oracles.missing_factor_oracle, summary="perfect codes, but one factor has none"
    )
    register("merged_oracle", oracles.merged_oracle, summary="perfect codes, but two factors share one")
    register("extra_noise_oracle", oracles.extra_noise_oracle, summary="perfect codes, then codes of noise")
    register("noise_oracle", oracles.noise_oracle, summary="codes that say nothing")


@hookimpl
def register_metrics(register: Register) -> None:
    register(
        "irs",
        compute_irs,
        summary="do codes stay put when all but one factor change?",
        assumes="discrete factors, possibly confounded; any number of codes",
        headline="IRS",
        better="higher",
        range=(0.0, 1.0),
        invariances=("permutation",),
    )
    register(
        "uc",
        compute_uc,
        summary="are the factors captured by separate codes?",
        assumes="discrete factors, at least two, possibly confounded; any number of codes",
        headline="UC",
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "cg",
        compute_cg,
        summary="do interventions on a factor's codes change it, and only they?",
        assumes="discrete factors, possibly confounded; a decoder; any number of codes",
        headline="CG",
        also=("CG_average",),
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "causal_disentanglement",
        compute_causal_disentanglement,
        summary="irs, uc and cg of one sample",
        assumes="discrete factors, at least two, possibly confounded; a decoder",
        headline="CG",
        also=(
            "IRS",
            "UC",
        ),
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "mig",
        compute_mig,
        summary="gap between the two codes that say most about a factor",
        assumes="discrete, independent factors; two or more codes",
        headline="discrete_mig",
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "sap_score",
        compute_sap,
        summary="gap between the two codes that predict a factor best",
        assumes="independent factors, discrete unless continuous_factors; two or more codes",
        headline="SAP_score",
        better="higher",
        range=(0.0, 1.0),
        invariances=("permutation",),
    )
    register(
        "modularity_explicitness",
        compute_modularity_explicitness,
        summary="does a code tell of one factor, and do all tell every factor plainly?",
        assumes="discrete, independent factors, two or more",
        headline="modularity_score",
        also=("explicitness_score_test",),
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "unsupervised_metrics",
        compute_unsupervised_metrics,
        summary="how far the codes are from independent",
        assumes="nothing of the factors; two or more codes",
        headline="gaussian_total_correlation",
        also=(
            "gaussian_wasserstein_correlation_norm",
            "mutual_info_score",
        ),
        better="lower",
        range=(0.0, inf),
        invariances=(
            "permutation",
            "rescaling",
        ),
        known_failures={"perfect_beats_noise": "codes of noise are as independent as perfect ones"},
    )
    register(
        "beta_vae_sklearn",
        compute_beta_vae_sklearn,
        summary="do differences of codes tell which factor two points share?",
        assumes="discrete, independent factors, two or more",
        headline="eval_accuracy",
        better="higher",
        range=(0.0, 1.0),
    )
    register(
        "factor_vae_score",
        compute_factor_vae,
        summary="does the code that varies least tell which factor was fixed?",
        assumes="discrete, independent factors",
        headline="eval_accuracy",
        better="higher",
        range=(0.0, 1.0),
        invariances=("permutation",),
    )
    register(
        "mcc",
        compute_mcc,
        summary="does each factor correlate with a code of its own?",
        assumes="ordered factors, discrete or continuous; independent; at least as many codes as factors",
        headline="MCC_pearson",
        also=("MCC_spearman",),
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "tmex",
        compute_tmex,
        summary="does each factor's code depend on that factor alone, given the others?",
        assumes="discrete factors that vary given the others, confounded or not; any number of codes",
        headline="T-MEX_share",
        also=("T-MEX (lower)",),
        better="lower",
        range=(0.0, 1.0),
        invariances=("permutation",),
    )
    register(
        "r2",
        compute_r2,
        summary="do linear maps predict factors from codes, and codes from factors?",
        assumes="ordered factors, discrete or continuous; any number of codes",
        headline="R2",
        also=("R2_reverse",),
        better="higher",
        range=(-inf, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "mig_sup",
        compute_mig_sup,
        summary="gap between the two factors each code says most about",
        assumes="discrete, independent factors, at least two; any number of codes",
        headline="MIG_sup",
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "jemmig",
        compute_jemmig,
        summary="one code per factor, and nothing else in that code?",
        assumes="discrete, independent factors; at least two codes",
        headline="JEMMIG",
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "dcimig",
        compute_dcimig,
        summary="entropy captured by codes that tell one factor from the others",
        assumes="discrete, independent factors, at least two; at least as many codes as factors",
        headline="DCIMIG",
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "infomec",
        compute_infomec,
        summary="modularity, explicitness and compactness by information",
        assumes="discrete, independent factors, at least two; any number of codes",
        headline="InfoM",
        also=(
            "InfoE",
            "InfoC",
        ),
        better="higher",
        range=(-inf, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )
    register(
        "dci_es",
        compute_dci_es,
        summary="how small a probe reads the factors off, and how few codes?",
        assumes="ordered factors unless named categorical; any number of codes",
        headline="DCI_ES_explicitness",
        also=(
            "DCI_ES_size",
            "DCI_ES_informativeness",
        ),
        better="higher",
        range=(-1.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "dci",
        compute_dci,
        summary="does each code matter to one factor, and each factor need one code?",
        assumes="discrete, independent factors; any number of codes",
        headline="disentanglement",
        also=(
            "completeness",
            "informativeness_test",
        ),
        better="higher",
        range=(0.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "downstream_task",
        compute_downstream_task,
        summary="how well are the factors predicted from so many codes?",
        assumes="discrete factors; any number of codes",
        headline="100:mean_test_accuracy",
        better="higher",
        range=(0.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "reduced_downstream_task",
        compute_reduced_downstream_task,
        summary="how well without the codes that matter most?",
        assumes="discrete factors; several codes",
        headline="100:mean_test_accuracy_other_factors",
        also=("mean_test_accuracy_reduced_factor (lower)",),
        better="higher",
        range=(0.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "strong_downstream_task",
        compute_strong_downstream_task,
        summary="are the factors predicted where a factor takes values never trained on?",
        assumes="discrete factors, several; any number of codes",
        headline="100:mean_strong_test_accuracy",
        also=("mean_test_accuracy",),
        better="higher",
        range=(0.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "fairness",
        compute_fairness,
        summary="do predictions of one factor depend on another?",
        assumes="discrete, independent factors, several; any number of codes",
        headline="mean_fairness:mean_pred:mean_sens",
        better="lower",
        range=(0.0, 1.0),
        invariances=("rescaling",),
    )
    register(
        "unified_scores",
        compute_unified_scores,
        summary="several aggregations of several matrices of codes and factors",
        assumes="discrete, independent factors; two or more codes",
        headline="mutual_information_matrix.mig",
        also=(
            "importance_gbt_matrix.dci",
            "mutual_information_matrix.modularity",
            "accuracy_svm_matrix.sap",
        ),
        better="higher",
        range=(0.0, 1.0),
        invariances=(
            "permutation",
            "rescaling",
        ),
    )


@hookimpl
def register_attributions(register: Register) -> None:
    register("irs", irs_attribution, summary="the IRS matrix (the papers' choice)")
    register("mutual_information", mutual_information, summary="mutual information of binned codes")
    register("dci_importance", dci_importance, summary="importance in gradient boosted trees")


@hookimpl
def register_classifiers(register: Register) -> None:
    register("nearest_image", NearestImageClassifier, summary="kernel over the data set's images, no training")


@hookimpl
def register_engines(register: Register) -> None:
    register(
        "local",
        "causal_disent.runs.local_engine:LocalEngine",
        summary="processes on this machine",
    )


@hookimpl
def register_commands(register: Register) -> None:
    here = "causal_disent.cli"
    register(
        "study",
        f"{here}.study:add_arguments",
        summary="run many models, data sets, seeds and metrics from one config; tell how it stands",
    )
    register(
        "results",
        f"{here}.results:add_arguments",
        summary="print the scores of any tree of result folders, model by data set by metric",
    )


@hookimpl
def register_parts(register: Register) -> None:
    runs = "causal_disent.runs"
    register("dataset", f"{runs}.dataset:dataset", summary="which data set a run uses, and what of it")
    register("representation", f"{runs}.representation:representation", summary="what an input folder stands for")
    register(
        "evaluation", f"{runs}.evaluate:settings", summary="which metrics a run measures, and with which seed"
    )
    register("study", f"{runs}.study.settings:study", summary="what a study compares")
    register("study_task", f"{runs}.study.steps:study_task", summary="what a task of a study was done with")
    tools = "causal_disent.metrics.tools"
    register("discretizer", f"{tools}.discretize:discretizer", summary="how codes are put into bins, if at all")
    for name, summary in (("histogram_discretizer", "equally wide bins from the smallest to the largest value"),):
        register(name, f"{tools}.discretize:{name}", summary=summary)
    for name, summary in (
        ("predictor", "what downstream tasks predict with"),
        ("gradient_boosting", "scikit-learn's gradient boosted trees, as disentanglement_lib's"),
        ("gradient_boosting_classifier", "the same by disentanglement_lib's name"),
        ("histogram_boosting", "the same trees on binned codes, twenty to forty times as fast"),
        ("random_forest", "random forest"),
        ("l1_logistic", "logistic regression with an L1 penalty on standardised codes"),
        ("logistic_regression_cv", "logistic regression, its penalty chosen by cross-validation"),
    ):
        register(name, f"{tools}.estimators:{name}", summary=summary)
    metrics = "causal_disent.metrics"
    register("prune_dims", f"{metrics}.factor_vae:prune_dims", summary="which codes vary enough to count")
    register("factorwise_dci", f"{metrics}.reduced_downstream_task:factorwise_dci", summary="codes by importance")
    register(
        "reduced_representation",
        f"{metrics}.reduced_downstream_task:reduced_representation",
        summary="how codes are left out",
    )
    for name, summary in (
        ("importance_gbt_matrix", "importance in gradient boosted trees"),
        ("mutual_information_matrix", "mutual information of binned codes"),
        ("accuracy_svm_matrix", "accuracy of a linear classifier on one code"),
    ):
        register(name, f"{metrics}.unified_scores:{name}", summary=summary)
    for name, target in (
        ("mig_validation", "mig:compute_mig_on_fixed_data"),
        ("sap_score_validation", "sap_score:compute_sap_on_fixed_data"),
        ("dci_validation", "dci:compute_dci_on_fixed_data"),
        ("unified_score_validation", "unified_scores:compute_unified_scores_on_fixed_data"),
    ):
        register(name, f"{metrics}.{target}", summary="the metric on given observations and labels")
    register("udr_sklearn", f"{metrics}.udr:compute_udr", summary="how alike models of one kind are")
