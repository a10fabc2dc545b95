"""What comes with the core, registered through the same hooks as any plugin's."""

from __future__ import annotations

from causal_disent.data.candle_mini import CandleMini
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.properties import describe
from causal_disent.data.synthetic_mini import SyntheticMini
from causal_disent.hookspecs import hookimpl
from causal_disent.metrics.irs_uc import ATTRIBUTIONS
from causal_disent.registry import KINDS, Register, declared_in
from causal_disent.representation import oracles
from causal_disent.representation.nearest_image import NearestImageClassifier


@hookimpl
def register_datasets(register: Register) -> None:
    scene = {"three_d": True, "foreground": True, "off_centre": True, "nuisance": True, "various": True}
    for name, target, summary, properties in (
        (
            "candle_mini",
            CandleMini,
            "CANDLE in miniature: 6 factors, 4,050 images, 64x64x3, drawn",
            describe(
                **scene, factors=6, images=4050, resolution="64x64", realistic=False, background=True,
                confounders=True, depth=2, consistent=True,
            ),
        ),
        (
            "synthetic_mini",
            SyntheticMini,
            "3 objects in 3 colors; the paper's 432 images with its rules",
            describe(
                **scene, factors=6, images=1296, resolution="64x64", realistic=False, background=False,
                confounders=True, depth=2,
            ),
        ),
        (
            "dummy_data",
            DummyData,
            "10 factors of 5 values; images are noise, 64x64x1",
            describe(factors=10, resolution="64x64"),
        ),
    ):  # fmt: skip
        register(name, target, summary=summary, licence="Apache-2.0", properties=properties)
    register(
        "identity_data",
        IdentityData,
        summary="10 factors of 10 values, observed as they are",
        licence="Apache-2.0",
        known_failures={
            "factors_within_range": "they are 1 to 10, as in disentanglement_lib",
            "observations_are_images": "they are the factors",
        },
    )

    register(
        "folder",
        "causal_disent.data:FolderDataset",
        summary="your own images: folder.path, with a table of their factors",
        licence="yours",
    )


@hookimpl
def register_representations(register: Register) -> None:
    for oracle, summary in (
        (oracles.perfect_oracle, "one code per factor: its value"),
        (oracles.permuted_oracle, "the perfect oracle's codes in another order"),
        (oracles.mixed_oracle, "the factors' values, rotated (strength 0 to 1)"),
        (oracles.duplicated_oracle, "the perfect oracle's codes, each twice"),
        (oracles.missing_factor_oracle, "perfect codes, but one factor has none"),
        (oracles.merged_oracle, "perfect codes, but two factors share one"),
        (oracles.extra_noise_oracle, "perfect codes, then codes of noise"),
        (oracles.noise_oracle, "codes that say nothing"),
    ):
        register(oracle.__name__, oracle, summary=summary)


@hookimpl
def register_metrics(register: Register) -> None:
    # The trees import scikit-learn or numba, which takes longer than a listing, and declare nothing.
    for declared in declared_in("causal_disent.metrics", without=("boosting", "trees")):
        register(declared)


@hookimpl
def register_attributions(register: Register) -> None:
    for name, summary in (
        ("irs", "the IRS matrix (the papers' choice)"),
        ("robust_irs", "the IRS matrix by quantiles, which single points do not decide"),
        ("mutual_information", "mutual information of binned codes"),
        ("neighbour_information", "mutual information by nearest neighbours"),
        ("dci_importance", "importance in gradient boosted trees"),
    ):
        register(name, ATTRIBUTIONS[name], summary=summary)


@hookimpl
def register_classifiers(register: Register) -> None:
    register(
        "nearest_image",
        NearestImageClassifier,
        summary="kernel over the data set's images, no training",
        rank=90,
    )


@hookimpl
def register_engines(register: Register) -> None:
    register("local", "causal_disent.runs.engine:LocalEngine", summary="processes on this machine")


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
            "score": ("score:add_score", "measures codes by a panel of metrics, from two files"),
            "compare": ("score:add_compare", "compares encoders on the same points, from files"),
            "demo": ("tools:add_demo", "IRS, UC and CG of representations whose quality is known"),
            "study": ("study:add_study", "run many models, data sets, seeds and metrics from one config"),
            "results": ("study:add_results", "print the scores of any tree of result folders"),
            "report": ("study:add_report", "write one page about any tree of result folders"),
            "calibrate": (
                "tools:add_calibrate",
                "what each metric says of representations whose quality is known",
            ),
            "check": ("tools:add_check", "run the common checks of a metric, data set or model"),
        },
        "look up": {
            **{
                kind: ("listing:add_listing", f"list the {what.thing}s, or show one")
                for kind, what in KINDS.items()
            },
            "datasets": ("datasets:add_datasets", "list the data sets, compare them, or show one"),
            "datasets_show": ("listing:add_show", "show data sets, all if none is named"),
            "datasets_verify": ("listing:add_verify", "check the counts and checksums of a data set's files"),
            "datasets_graph": ("listing:add_graph", "test a data set against its causal graph, and draw it"),
            "datasets_counterfactual": (
                "datasets:add_counterfactual",
                "ask what images of a data set would be, had factors been set, and draw them",
            ),
            "datasets_discover": (
                "datasets:add_discover",
                "find causal graphs in a data set's factors, and compare them with the true one",
            ),
            "plugins": (
                "listing:add_plugins",
                "list the plugins, those that failed as well, or show what one offers",
            ),
            "configs": ("listing:add_configs", "list the configs that are shipped, or print one"),
            "cite": ("tools:add_cite", "print BibTeX of the papers of metrics, and of this software"),
            "published": ("listing:add_published", "list the result tables of the papers, or print one"),
        },
        "set up": {
            "convert": (
                "tools:add_convert",
                "write a model's folder in another format: to disentanglement_lib and back",
            ),
            "completion": ("tools:add_completion", "print a script that completes commands in bash or zsh"),
        },
    }.items():
        for name, (target, summary) in commands.items():
            under = {"under": "datasets"} if name.startswith("datasets_") else {}
            register(name, f"{cli}.{target}", summary=summary, group=group, **under)


@hookimpl
def register_parts(register: Register) -> None:
    for name, target, summary in (
        ("dataset", "runs.dataset:dataset", "which data set a run uses, and what of it"),
        ("representation", "runs.representation:representation", "what an input folder stands for"),
        ("evaluation", "runs.evaluate:settings", "which metrics a run measures, and with which seed"),
        ("study", "runs.study_plan:study", "what a study compares"),
        ("study_task", "runs.study_work:study_task", "what a task of a study was done with"),
        ("postprocess", "runs.postprocess:settings", "what the codes of a representation are"),
        ("mean_representation", "runs.postprocess:mean_representation", "codes are the means"),
        ("sampled_representation", "runs.postprocess:sampled_representation", "codes are drawn"),
        ("visualize_model", "runs.visualise:settings", "which pictures of a model are drawn"),
        ("model", "training.settings:model_settings", "what is trained, for how long, with which seeds"),
        ("encoder", "training.networks:encoder", "which encoder, with how many codes"),
        ("decoder", "training.networks:decoder", "which decoder"),
        ("discriminator", "training.networks:discriminator", "which discriminator"),
        ("vae_optimizer", "training.objective:vae_optimizer", "of encoder and decoder"),
        ("discriminator_optimizer", "training.objective:discriminator_optimizer", "of the discriminator"),
        (
            "reconstruction_loss",
            "training.objective:reconstruction_loss",
            "how images and reconstructions are compared",
        ),
        ("supervised_loss", "training.objective:supervised_loss", "how codes and labels are compared"),
        ("tracking", "training.trackers:tracking", "what follows a training while it goes on"),
        ("labeller", "training.batches:labeller", "where the labels come from"),
        ("dynamics", "training.batches:dynamics", "in how many factors the images of a pair differ"),
        ("group_vae", "training.objectives:group_vae", "what group_vae_labels and group_vae_argmax share"),
        ("mlvae", "training.objectives:mlvae", "what mlvae_labels and mlvae_argmax share"),
        ("annealer", "training.objectives:annealer", "how the weight of the supervised loss changes"),
    ):
        register(name, f"causal_disent.{target}", summary=summary)
    for module, role, name, summary in (
        ("batches", "labeller", "perfect_labeller", "labels are the factors"),
        ("batches", "labeller", "bin_labeller", "the factors in bins"),
        ("batches", "labeller", "noisy_labeller", "the factors, some of them wrong"),
        ("batches", "labeller", "permuted_labeller", "the factors with their values permuted"),
        ("batches", "labeller", "partial_labeller", "some of the factors"),
        ("objectives", "annealer", "fixed", "the weight of the supervised loss stays"),
        ("objectives", "annealer", "anneal", "it grows"),
        ("objectives", "annealer", "fine_tune", "it begins late"),
    ):
        register(name, f"causal_disent.training.{module}:{name}", summary=summary, role=role)
