"""What comes with the core, registered through the same hooks as any plugin's."""

from __future__ import annotations

from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.evaluation.local_engine import LocalEngine
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.attribution import dci_importance, irs_attribution, mutual_information
from causal_disent.metrics.causal_disentanglement import compute_causal_disentanglement
from causal_disent.metrics.cg import compute_cg
from causal_disent.metrics.irs import compute_irs
from causal_disent.metrics.uc import compute_uc
from causal_disent.registry import Register
from causal_disent.representation import oracles
from causal_disent.representation.nearest_image import NearestImageClassifier


@hookimpl
def register_datasets(register: Register) -> None:
    register("candle_mini", CandleMini, summary="CANDLE in miniature: 6 factors, 4,050 images, 64x64x3, drawn")
    register("dummy_data", DummyData, summary="10 factors of 5 values; images are noise, 64x64x1")
    register("identity_data", IdentityData, summary="10 factors of 10 values, observed as they are")


@hookimpl
def register_models(register: Register) -> None:
    register("perfect_oracle", oracles.perfect_oracle, summary="one code per factor: its value")
    register("permuted_oracle", oracles.permuted_oracle, summary="the perfect oracle's codes in another order")
    register("mixed_oracle", oracles.mixed_oracle, summary="the factors' values, rotated (strength 0 to 1)")
    register("extra_noise_oracle", oracles.extra_noise_oracle, summary="perfect codes, then codes of noise")
    register("noise_oracle", oracles.noise_oracle, summary="codes that say nothing")


@hookimpl
def register_metrics(register: Register) -> None:
    register(
        "irs",
        compute_irs,
        summary="do codes stay put when all but one factor change?",
        assumes="discrete factors, possibly confounded; any number of codes",
    )
    register(
        "uc",
        compute_uc,
        summary="are the factors captured by separate codes?",
        assumes="discrete factors, at least two, possibly confounded; any number of codes",
    )
    register(
        "cg",
        compute_cg,
        summary="do interventions on a factor's codes change it, and only they?",
        assumes="discrete factors, possibly confounded; a decoder; any number of codes",
    )
    register(
        "causal_disentanglement",
        compute_causal_disentanglement,
        summary="irs, uc and cg of one sample",
        assumes="discrete factors, at least two, possibly confounded; a decoder",
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
    register("local", LocalEngine, summary="this process, or a pool of processes on this machine")
