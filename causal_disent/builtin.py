"""What comes with the core, registered through the same hooks as any plugin's."""

from __future__ import annotations

from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.synthetic_mini import SyntheticMini
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.tools.attribution import dci_importance, irs_attribution, mutual_information
from causal_disent.parts import declared_in
from causal_disent.registry import KINDS, Register
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
        # It imports scikit-learn, which takes longer than a listing, and declares nothing.
        for declared in declared_in(package, without=("histogram_boosting",)):
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
        summary="processes on this machine",
    )


@hookimpl
def register_trackers(register: Register) -> None:
    trackers = "causal_disent.training.trackers"
    register("curves", f"{trackers}:CurvesFile", summary="curves.csv: step, term of the loss, value", always=True)
    register("trackio", f"{trackers}:TrackioRun", summary="a run that `trackio show` shows", package="trackio")


@hookimpl
def register_commands(register: Register) -> None:
    cli = "causal_disent.cli"
    for group, commands in {
        "measure": {
            "score": ("score:add", "every metric that codes and factors suffice for, from two files"),
            "demo": ("demo:add", "IRS, UC and CG of representations whose quality is known"),
            "study": ("study:add_arguments", "run many models, data sets, seeds and metrics from one config"),
            "results": ("results:add_arguments", "print the scores of any tree of result folders"),
            "report": ("report:add_arguments", "write one page about any tree of result folders"),
            "calibrate": ("calibrate:add", "what each metric says of representations whose quality is known"),
            "check": ("check:add", "run the common checks of a metric, data set or model"),
        },
        "look up": {
            **{kind: ("listing:add", f"list the {what.thing}s, or show one") for kind, what in KINDS.items()},
            "datasets_show": ("listing:add_show", "show data sets, all if none is named"),
            "datasets_verify": ("datasets:add_verify", "check the counts and checksums of a data set's files"),
            "datasets_graph": (
                "datasets_graph:add",
                "test a data set against its causal graph, and draw it",
            ),
            "plugins": ("plugins:add", "list the plugins, what they offer, and those that failed"),
            "configs": ("configs:add", "list the configs that are shipped, or print one"),
            "published": ("published:add", "list the result tables of the papers, or print one"),
        },
        "set up": {"completion": ("completion:add", "print a script that completes commands in bash or zsh")},
    }.items():
        for name, (target, summary) in commands.items():
            under = {"under": "datasets"} if name.startswith("datasets_") else {}
            register(name, f"{cli}.{target}", summary=summary, group=group, **under)


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
    for name, target, summary in (
        ("postprocess", "postprocess:settings", "what the codes of a representation are"),
        ("mean_representation", "postprocess:mean_representation", "codes are the means"),
        ("sampled_representation", "postprocess:sampled_representation", "codes are drawn"),
        ("visualize_model", "visualise:settings", "which pictures of a model are drawn"),
    ):
        register(name, f"{runs}.{target}", summary=summary)
    training = "causal_disent.training"
    register("tracking", f"{training}.trackers:tracking", summary="what follows a training while it goes on")
    for name, target, summary in (
        ("model", "settings:model_settings", "what is trained, for how long, with which seeds"),
        ("encoder", "parts:encoder", "which encoder, with how many codes"),
        ("decoder", "parts:decoder", "which decoder"),
        ("discriminator", "parts:discriminator", "which discriminator"),
        ("vae_optimizer", "parts:vae_optimizer", "of encoder and decoder"),
        ("discriminator_optimizer", "parts:discriminator_optimizer", "of the discriminator"),
        ("reconstruction_loss", "parts:reconstruction_loss", "how images and reconstructions are compared"),
        ("supervised_loss", "parts:supervised_loss", "how codes and labels are compared"),
        ("labeller", "labellers:labeller", "where the labels come from"),
        ("annealer", "annealers:annealer", "how the weight of the supervised loss changes"),
    ):
        register(name, f"{training}.{target}", summary=summary)
    for name, summary in (
        ("perfect_labeller", "labels are the factors"),
        ("bin_labeller", "the factors in bins"),
        ("noisy_labeller", "the factors, some of them wrong"),
        ("permuted_labeller", "the factors with their values permuted"),
        ("partial_labeller", "some of the factors"),
    ):
        register(name, f"{training}.labellers:{name}", summary=summary, role="labeller")
    for name, summary in (
        ("fixed", "the weight of the supervised loss stays"),
        ("anneal", "it grows"),
        ("fine_tune", "it begins late"),
    ):
        register(name, f"{training}.annealers:{name}", summary=summary, role="annealer")
