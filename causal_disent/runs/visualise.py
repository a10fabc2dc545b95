"""``visualize_model.*``: pictures, as ``dlib_visualize_model`` and ``dlib_visualize_dataset`` draw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.adapter import AttributedSample, attributed_sample, classifier_name, make_classifier
from causal_disent.checks import check_choice, check_whole, checked
from causal_disent.config import bind_missing, gin_config, rebind
from causal_disent.figures import save_figure
from causal_disent.files import check_free, check_place, new_file, new_folder
from causal_disent.metrics.cg import BASELINES, BEST, check_accuracy, not_judged
from causal_disent.metrics.irs_uc import CodeSets, select_codes
from causal_disent.progress import track
from causal_disent.protocols import Attribution, is_finite
from causal_disent.registry import part, registry
from causal_disent.report.model_sheets import (
    concept_sheet,
    decoder_of,
    graph_sheet,
    is_causal_model,
    reconstruction_sheet,
    sample_sheet,
    sampled_indices,
    sheet_of_sample,
    traversal_frames,
    traversal_sheet,
)
from causal_disent.report.pictures import check_drawable, dataset_sheet, save_picture
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.representation import AS_FOUND, AUTO, Reading, bind_folder, check_folder, load_model
from causal_disent.runs.results import check_apart
from causal_disent.text import say

if TYPE_CHECKING:
    from PIL.Image import Image

#: Milliseconds that a frame of an animation is shown.
FRAME = 120
#: Images that an animation shows side by side, at the most.
MOST_COLUMNS = 4


@dataclass(frozen=True)
class Settings:
    """``visualize_model.*``; with the values of ``cg`` and its seed the sheets show the codes it intervenes on."""

    rho: int = 1
    attribution_fn: str | Attribution = "irs"
    selection: str = "top"
    baseline: str = "max_deviation"
    classifier: Any = BEST
    num_train: int = 10_000
    batch_size: int = 16
    num_steps: int = 11
    random_seed: int = 0


#: What the config binds.
settings = part("visualize_model")(Settings)


@checked
def visualize_with_gin(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    num_images: int = 8,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    reading: Reading = AS_FOUND,
    counterfactuals: bool = True,
) -> tuple[dict[str, float], list[str]]:
    """`visualize` under a config that is cleared afterwards, also when the run fails."""
    with gin_config(gin_config_files, gin_bindings):
        return visualize(model_dir, output_dir, overwrite, num_images, reading, counterfactuals)


@checked
def visualize(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    num_images: int = 8,
    reading: Reading = AS_FOUND,
    counterfactuals: bool = True,
) -> tuple[dict[str, float], list[str]]:
    """Draw what the model in `model_dir` has learned.

    Args:
        model_dir: a folder as ``dlib_evaluate`` reads; its record names the data set.
        output_dir: the folder to write: ``reconstructions/``, ``sampled/``, ``traversals/``,
            ``animated_traversals/``, of a `causal_disent.protocols.CausalModel` also ``concepts/`` (the graph, and
            for each image a sheet with each concept set), and ``counterfactuals/``, a sheet for each image, for
            which a classifier may have to be trained first.
        overwrite: replace `output_dir` if it exists.
        num_images: how many images of the data set to show.
        reading: what reads the model, and the device, which is the classifier's as well.
        counterfactuals: draw these; they are left out as well where ``visualize_model.classifier`` is None.

    Returns:
        The accuracy of the classifier on held-out images, by factor, and the factors that it tells hardly better
        than chance.
    """
    source, target = Path(model_dir), Path(output_dir)
    check_folder(source, "--model_dir")
    check_apart([target], reading.folders(source))
    check_free(target, overwrite=overwrite)
    check_whole("--num_images", num_images, 1)
    chosen = settings()
    check_choice("baseline", chosen.baseline, list(BASELINES))
    described = bind_folder(source)
    bind_dataset(source, described)
    judge = chosen.classifier if counterfactuals else None
    if isinstance(judge, str):
        registry.get("classifiers", classifier_name(judge))  # a wrong name is told before anything is drawn
    if reading.device != AUTO:
        _bind_device("classifiers", classifier_name(judge) if isinstance(judge, str) else judge, reading.device)
        _bind_device("representations", described.get("representation.name"), reading.device)
    data = dataset()
    check_drawable(data.observation_shape)
    representation = load_model(source, data, reading)[0]
    decoder_of(representation)
    random_state = np.random.RandomState(chosen.random_seed)
    sample = attributed_sample(
        data, representation, random_state, chosen.num_train, chosen.batch_size, chosen.attribution_fn, chosen.rho
    )
    sets = select_codes(sample.scores, chosen.rho, chosen.selection)
    factors, images = data.sample(num_images, random_state)
    codes = np.asarray(representation(images))
    low, high = sample.codes.min(axis=0), sample.codes.max(axis=0)
    titles = _titles(sample, sets)
    moving: dict[str, Any] = {"num_steps": chosen.num_steps, "titles": titles, "dead": sample.dead}
    classifier = None
    if judge is not None:
        say("the sheets of counterfactuals need a classifier (visualize_model.classifier); making it", error=True)
        classifier = make_classifier(judge, data, "visualize_model.classifier")
    with new_folder(target, overwrite=overwrite) as folder:
        rebuilt = reconstruction_sheet(representation, images)
        save_picture(np.asarray(rebuilt), folder / "reconstructions" / "reconstructions.png")
        samples = sample_sheet(representation, codes.shape[1], 8 * num_images, random_state)
        save_picture(np.asarray(samples), folder / "sampled" / "samples.png")
        traversals = traversal_sheet(representation, codes[0], low, high, **moving)
        save_picture(np.asarray(traversals), folder / "traversals" / "traversals.png")
        frames = traversal_frames(representation, codes[:MOST_COLUMNS], low, high, **moving)
        _save_animation(frames, folder / "animated_traversals" / "traversals.gif")
        if is_causal_model(representation):
            _draw_concepts(representation, data, num_images, chosen, folder / "concepts")
        for n in track(range(num_images if classifier else 0), "counterfactuals", unit="sheet"):
            shown = factors[n : n + 1], images[n : n + 1]
            sheet = sheet_of_sample(sample, representation, classifier, data, *shown, sets, chosen.baseline)
            save_picture(np.asarray(sheet), folder / "counterfactuals" / f"image_{n}.png")
    if classifier is None:
        return {}, []
    accuracy = check_accuracy(getattr(classifier, "accuracy", None), len(sets))
    if accuracy is None:
        return {}, []
    names = [sample.names[i] for i in not_judged(accuracy, sample.factors)]
    return dict(zip(sample.names, accuracy.tolist(), strict=True)), names


@checked
def visualize_dataset_with_gin(
    name: str,
    folder: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
) -> Path:
    """Draw the data set `name`, with what the config binds for it, into ``<folder>/<name>.png``."""
    with gin_config(gin_config_files, gin_bindings):
        rebind("dataset.name", name)
        data = dataset()
    # The name is a registered one by now, so that it is a file's name as well.
    target = Path(folder) / f"{name}.png"
    if target.exists() and not overwrite:
        raise errors.OutputExists(f"{target} exists. Choose another --path, or replace it with --overwrite.")
    check_place(target)
    save_picture(dataset_sheet(data, np.random.RandomState(0)), target)
    return target


def _draw_concepts(model: Any, data: Any, num_images: int, chosen: Settings, folder: Path) -> None:
    """The graph that was learned beside the true one, and sheets of images of a finite data set."""
    graph = graph_sheet(model.concept_names, model.adjacency, getattr(data, "graph", None))
    save_figure(graph, folder / "graph.png")
    if not is_finite(data):
        return
    indices = sampled_indices(data, num_images, np.random.RandomState(chosen.random_seed))
    for n, index in enumerate(indices):
        sheet = concept_sheet(model, data, index, num_steps=chosen.num_steps)
        save_picture(np.asarray(sheet), folder / f"image_{n}.png")


def _bind_device(kind: str, name: Any, device: str) -> None:
    """Let a registered classifier or representation run on `device`, if it takes one and the config binds none."""
    if isinstance(name, str) and "device" in signature(registry.get(kind, name).plain()).parameters:
        bind_missing({f"{name}.device": device}, "--device")


def _titles(sample: AttributedSample, sets: CodeSets) -> list[str]:
    """Each code with the factors it is attributed to, on a line of their own."""
    titles = []
    for code in range(sample.codes.shape[1]):
        owners = [name for name, own in zip(sample.names, sets, strict=True) if code in own]
        titles.append("\n".join([sample.code_title(code), *([", ".join(owners)] if owners else [])]))
    return titles


def _save_animation(frames: Iterable[Image], path: Path) -> None:
    """A GIF that runs forward, then back, for ever."""
    from PIL.Image import Quantize

    # The usual method gives no color to what is small, such as the only purple object of a frame.
    forward = [frame.quantize(256, method=Quantize.MAXCOVERAGE) for frame in frames]
    cycle = [*forward, *forward[-2:0:-1]]
    with new_file(path) as temporary:
        cycle[0].save(temporary, format="GIF", save_all=True, append_images=cycle[1:], duration=FRAME, loop=0)
