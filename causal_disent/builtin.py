"""What comes with the core, registered through the same hooks as any plugin's."""

from __future__ import annotations

from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.synthetic_mini import SyntheticMini
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.tools.attribution import dci_importance, irs_attribution, mutual_information
from causal_disent.registry import Register, declared_in
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
    for package in ("causal_disent.metrics", "causal_disent.metrics.tools"):
        for declared in declared_in(package):
            register(declared)


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
        summary="this process, or a pool of processes on this machine",
    )


@hookimpl
def register_parts(register: Register) -> None:
    runs = "causal_disent.runs"
    register("dataset", f"{runs}.dataset:dataset", summary="which data set a run uses, and what of it")
    register("representation", f"{runs}.representation:representation", summary="what an input folder stands for")
    register(
        "evaluation", f"{runs}.evaluate:settings", summary="which metrics a run measures, and with which seed"
    )
