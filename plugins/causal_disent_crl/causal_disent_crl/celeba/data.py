"""`celeba_beard` and `celeba_smile`: attributes of faces as factors, with or without the images."""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from causal_disent_datasets.files import FromFiles, Publication, incomplete
from causal_disent_datasets.stacked import graph_of

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_seed, check_truth
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.files import path_of, unusable
from causal_disent.protocols import IntArray
from causal_disent.text import shown_value
from causal_disent_crl.celeba.curation import CURATIONS, curated
from causal_disent_crl.celeba.images import AlignedImages, AttributeRows, check_sides, find_images
from causal_disent_crl.celeba.tables import Attributes, read_attributes, read_partition

if TYPE_CHECKING:
    import networkx as nx

SIZE = 128
#: Images of the published set.
TOTAL = 202_599
#: The parts that CelebA's authors made, in the numbers of their file.
PARTS = ("train", "validation", "test")
_NO_YES = ("no", "yes")


class Face(NamedTuple):
    """A factor: the attribute that says it, the names of its values, whether it is the attribute's opposite."""

    attribute: str
    values: tuple[str, str] = _NO_YES
    opposite: bool = False


class _Celeba(FromFiles, TableData):
    """Four attributes of faces, with the causal graph that CausalVAE assumes of them.

    Args:
        folder: with ``list_attr_celeba.txt`` (or its twin ``.csv``) and perhaps ``img_align_celeba/``; ``celeba``
            below the root folder if not given.
        images: whether images are observed; without them the 40 attributes are. If not given, they are where the
            folder has any.
        size: rows and columns of the images.
        crop: side of the square in the middle of an image that is kept (SCM-VAE: 128); all of it if not given.
        inverted: whether factors say what their names say (beard, open eyes); else they are the attributes as they
            are (no_beard, narrow_eyes), as SCM-VAE and others have them.
        curation: ``pairs`` or ``remove``, which make age and gender independent by leaving out images (see
            `causal_disent_crl.celeba.curation`), where the data set has that.
        seed: of the curation.
        split: ``train``, ``validation`` or ``test`` of ``list_eval_partition.txt``; ``all`` needs no such file.
        first: so many of the images that the file lists first (CausalVAE: 200,000).
        skip_broken: leave out images that are listed and not there, where otherwise they are an error.

    Attributes:
        folder: where the files are.
        files: the name of each image's file, by image.
        has_images: whether images are observed.
    """

    publication = Publication(
        title="CelebA",
        files=("celeba/list_attr_celeba.txt", "celeba/list_attr_celeba.csv"),
        any_file=True,
        published="https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
        licence="research only; not for commercial use",
        size="27 MB; 1.4 GB with the images",
    )
    #: Factor -> what says it.
    faces: ClassVar[dict[str, Face]]
    edges: ClassVar[tuple[tuple[str, str], ...]]
    #: What a curation makes independent: the factor whose share is kept, and the one that is turned.
    balanced: ClassVar[tuple[str, str] | None] = None
    #: What whoever opens the data set has to know.
    warning: ClassVar[str] = ""

    def __init__(
        self,
        folder: str | Path | None = None,
        images: bool | None = None,
        size: int = SIZE,
        crop: int | None = None,
        inverted: bool = True,
        curation: str | None = None,
        seed: int = 0,
        split: str = "all",
        first: int | None = None,
        skip_broken: bool = False,
    ) -> None:
        if self.warning:
            _warn(self.warning)
        check_choice("split", split, ("all", *PARTS))
        check_seed("`seed`", seed)
        check_truth("`inverted`", inverted)
        check_truth("`skip_broken`", skip_broken)
        if images is not None:
            check_truth("`images`", images)
        check_sides(size, crop)
        path = self._attribute_file(folder)
        self.folder = path.parent
        found = read_attributes(path)
        self.files = found.files
        chosen = self._chosen(found, split, first)
        place = find_images(self.folder) if images is not False else None
        if images and place is None:
            raise unusable(self.folder, "it has no folder img_align_celeba with images")
        self.has_images = place is not None
        if place is not None:
            chosen = _there(place, found.files, chosen, skip_broken)
        columns = {}
        for factor, face in self.faces.items():
            has = found.column(path, face.attribute)[chosen]
            name = face.attribute.lower() if face.opposite and not inverted else factor
            columns[name] = (~has if face.opposite and inverted else has).astype(np.int64)
        values = [face.values for face in self.faces.values()]
        space = StateSpace(dict(zip(columns, values, strict=True)))
        rows = np.stack(list(columns.values()), axis=1)
        if curation is not None:
            stay = self._curated(curation, rows, seed)
            rows, chosen = rows[stay], chosen[stay]
        graph = self.make_graph(tuple(columns))
        source: ImageSource = (
            AttributeRows(found.values, graph)
            if place is None
            else AlignedImages(place, found.files, size, crop, graph)
        )
        super().__init__(source, space, rows, images=chosen)

    @classmethod
    def make_graph(cls, names: tuple[str, ...]) -> nx.DiGraph:
        """The factors under these names, which cause each other as assumed, and the image."""
        graph = graph_of(names)
        called = dict(zip(cls.faces, names, strict=True))
        graph.add_edges_from((called[cause], called[effect]) for cause, effect in cls.edges)
        return graph

    @classmethod
    def _attribute_file(cls, folder: str | Path | None) -> Path:
        if folder is None:
            return cls.publication.find()[0]
        names = [Path(file).name for file in cls.publication.files]
        place = path_of("folder", folder)
        for path in (place / name for name in names):
            if path.is_file():
                return path
        raise unusable(place, f"there is neither {' nor '.join(names)} in it")

    def _chosen(self, found: Attributes, split: str, first: int | None) -> IntArray:
        """The images of a split, among those that are listed first."""
        total = len(found.files)
        if first is not None:
            check_at_least(1, first=first)
            total = min(total, first)
        if split == "all":
            return np.arange(total)
        names = [f"list_eval_partition{suffix}" for suffix in (".txt", ".csv")]
        path = next((self.folder / name for name in names if (self.folder / name).is_file()), None)
        if path is None:
            raise unusable(self.folder, f"the split '{split}' needs {' or '.join(names)}, and there is neither")
        part_of = read_partition(path)
        missing = [file for file in found.files[:total].tolist() if file not in part_of]
        if missing:
            raise unusable(path, f"{missing[0]} is not in it")
        parts = np.array([part_of[file] for file in found.files[:total].tolist()])
        chosen = np.flatnonzero(parts == PARTS.index(split))
        if not len(chosen):
            raise unusable(path, f"none of the {total:,} images is in the split '{split}'")
        return chosen

    def _curated(self, curation: str, rows: IntArray, seed: int) -> IntArray:
        if self.balanced is None:
            raise errors.InvalidInput(
                f"{type(self).__name__} has no curation; given: curation={shown_value(curation)}."
            )
        check_choice("curation", curation, CURATIONS)
        kept, turned = (rows[:, list(self.faces).index(factor)] for factor in self.balanced)
        return curated(curation, kept, turned, np.random.RandomState(seed))

    @classmethod
    def verify(cls, folder: str | Path | None = None, skip_broken: bool = False) -> list[str]:
        """Read the attributes, and open some of the images."""
        data = cls(folder, skip_broken=skip_broken)
        number = len(data.factor_table)
        lines = [f"{data.folder}: the attributes of {len(data.files):,} images"]
        if data.has_images:
            opened = data.factor_table.index.to_numpy()[np.unique(np.linspace(0, number - 1, 100).astype(int))]
            data.observations(opened)
            lines.append(
                f"{number:,} of them are there; {len(opened)}, evenly spaced, are whole and have the right size"
            )
        else:
            lines.append("there are no images: attributes are observed")
        return lines if number == TOTAL else [*lines, incomplete(number, TOTAL, "images")]


class CelebaBeard(_Celeba):
    """CelebA(BEARD): age and gender, assumed to be causes of baldness and beard; 202,599 images.

    The data contradict the graph: age and gender depend on each other. ``curation="pairs"`` mends that, and no
    curation mends that bald and bearded depend on each other among young men.
    """

    faces = {
        "age": Face("Young", ("old", "young")),
        "gender": Face("Male", ("female", "male")),
        "bald": Face("Bald"),
        "beard": Face("No_Beard", opposite=True),
    }
    edges = (("age", "bald"), ("age", "beard"), ("gender", "bald"), ("gender", "beard"))
    balanced = ("age", "gender")


class CelebaSmile(_Celeba):
    """CelebA(SMILE): gender and smile, assumed to be causes of open eyes and mouth; 202,599 images.

    It is here to be read; a warning says why nobody should evaluate on it.
    """

    faces = {
        "gender": Face("Male", ("female", "male")),
        "smile": Face("Smiling"),
        "eyes_open": Face("Narrow_Eyes", opposite=True),
        "mouth_open": Face("Mouth_Slightly_Open"),
    }
    edges = (("gender", "eyes_open"), ("smile", "eyes_open"), ("smile", "mouth_open"))
    warning = (
        "The authors of the Shadow data sets ask the field not to evaluate on CelebA(SMILE): its graph has gender "
        "for a cause of open eyes, an assumption that is ethically troubling, and the data contradict it."
    )


@functools.cache  # once per process, however often the data set is opened
def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=3)


def _there(folder: Path, files: np.ndarray, chosen: IntArray, skip_broken: bool) -> IntArray:
    """Those of the chosen images that are in the folder."""
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries}
    there = np.array([file in names for file in files[chosen].tolist()])
    if not there.all() and not skip_broken:
        lacking = files[chosen[~there]]
        raise errors.InvalidInput(
            f"In {folder} {len(lacking):,} of {len(chosen):,} images are missing, such as {lacking[0]}. Add them, "
            "or leave them out with the option skip_broken=True."
        )
    if not there.any():
        raise unusable(folder, "none of the images that the attributes name is in it")
    return chosen[there]
