"""`celeba_beard` and `celeba_smile`: CelebA with the causal graphs of four of its attributes."""

from __future__ import annotations

import functools
import io
import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from causal_disent_datasets.files import FromFiles, Publication, incomplete
from causal_disent_datasets.pictures import graph_of, open_picture

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_seed, check_truth, is_whole
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.files import path_of, read_bounded, regular, unusable, within
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import networkx as nx


#: The files have 27 MB at the most.
MOST_BYTES = 2**26
#: What an image may be called: no path leads anywhere else.
_FILE = r"\w[\w-]*\.(?:jpg|jpeg|png)"


@dataclass(frozen=True)
class Attributes:
    """The attribute file.

    Attributes:
        files: (images,) their names.
        names: of the attributes.
        values: (images, attributes) whether each has it.
    """

    files: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray

    def column(self, path: Path, name: str) -> np.ndarray:
        """(images,): whether each has the attribute called `name`."""
        if name not in self.names:
            near = errors.nearest(name, self.names)
            raise unusable(path, f"it has no attribute '{name}'.{near} It has: {errors.listing(self.names, 50)}")
        return self.values[:, self.names.index(name)]


def read_attributes(path: Path) -> Attributes:
    """``list_attr_celeba.txt`` or its twin ``.csv``: a file, then 1 or -1 for each attribute.

    The first has the number of images in its first line and the names in its second; the other has names alone.
    """
    text = _text(path)
    first, _, rest = text.partition("\n")
    counted = re.fullmatch(r"\s*([0-9]{1,9})\s*", first)
    if counted:
        names, _, rest = rest.partition("\n")
        header, separator, line = names.split(), r"\s+", 3
    else:
        header, separator, line = [name.strip() for name in first.split(",")][1:], ",", 2
    if not header or len(set(header)) != len(header):
        raise unusable(path, "it begins with neither a number of images nor names of attributes between commas")
    table = _table(path, rest, separator, line, len(header) + 1)
    if counted and len(table) != int(counted[1]):
        raise unusable(
            path, f"its first line says {int(counted[1]):,} images, and {len(table):,} lines follow the names"
        )
    values = np.stack([_whole(path, table[place], line, (-1, 1)) for place in range(1, len(header) + 1)], axis=1)
    return Attributes(_files(path, table[0], line), tuple(header), values == 1)


def read_partition(path: Path) -> dict[str, int]:
    """``list_eval_partition.txt`` or its twin ``.csv``: file -> 0 (training), 1 (validation) or 2 (test)."""
    text = _text(path)
    comma = "," in text.partition("\n")[0]
    line = 2 if comma else 1
    table = _table(path, text.partition("\n")[2] if comma else text, "," if comma else r"\s+", line, 2)
    files, parts = _files(path, table[0], line), _whole(path, table[1], line, (0, 1, 2))
    return dict(zip(files.tolist(), parts.tolist(), strict=True))


def _text(path: Path) -> str:
    try:
        return read_bounded(regular(path), MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise unusable(path, "it is no text in UTF-8") from None


def _table(path: Path, text: str, separator: str, line: int, columns: int) -> Any:
    """Return a data frame with so many columns; the first line of `text` is number `line` of the file."""
    import pandas as pd

    try:
        table = pd.read_csv(
            io.StringIO(text.rstrip() + "\n"),
            sep=separator,
            header=None,
            names=range(columns),
            index_col=False,
            skip_blank_lines=False,
            dtype={0: str},
        )
    except (ValueError, pd.errors.ParserError) as error:
        long = re.search(r"in line (\d+), saw (\d+)", str(error))
        if long:  # counted from the first line of `text`
            reason = f"its line {line - 1 + int(long[1])} has {long[2]} cells, and should have {columns}"
        else:
            reason = f"it is no table of {columns} columns ({str(error).strip()})"
        raise unusable(path, reason) from None
    short = table.isna().any(axis=1).to_numpy()
    if short.any() or not len(table):
        place = int(np.flatnonzero(short)[0]) if short.any() else 0
        raise unusable(path, f"its line {line + place} does not have {columns} cells")
    return table


def _files(path: Path, column: Any, line: int) -> np.ndarray:
    """Check a column of file names."""
    files = column.str.strip()
    wrong = ~files.str.fullmatch(_FILE, flags=re.IGNORECASE).to_numpy(dtype=bool)
    again = files.duplicated().to_numpy()
    for found, reason in ((wrong, "is no name of an image"), (again, "is there twice")):
        if found.any():
            place = int(np.flatnonzero(found)[0])
            raise unusable(path, f"in its line {line + place} {shown_value(files.iloc[place])} {reason}")
    return files.to_numpy(dtype=str)


def _whole(path: Path, column: Any, line: int, allowed: tuple[int, ...]) -> np.ndarray:
    """Check a column of whole numbers."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    right = numbers.isin(allowed).to_numpy()
    if not right.all():
        place = int(np.flatnonzero(~right)[0])
        given = errors.listing(allowed)
        raise unusable(
            path,
            f"in its line {line + place} a value is {shown_value(str(column.iloc[place]))}; there are: {given}",
        )
    return numbers.to_numpy().astype(np.int8)


CURATIONS = ("pairs", "remove")


def curate(curation: str, kept: IntArray, turned: IntArray, random_state: np.random.RandomState) -> IntArray:
    """Return the places of the images that stay, ascending.

    ``pairs``: an image is drawn, then one with the same value of `kept` and the other one of `turned`, for as long
    as there are such pairs among those not drawn yet. Each value of `kept` then goes with both of `turned` equally
    often, so that the chi-square statistic of the two is 0.

    ``remove``: images of one combination of values are removed at random until the two are independent: of the
    combination that leaves the most images, so many that counts are as near to :math:`n_{00} n_{11} = n_{01}
    n_{10}` as whole numbers can be.

    Args:
        curation: one of `CURATIONS`.
        kept: (images,) 0 or 1; in CelebA(BEARD) the age.
        turned: (images,) 0 or 1; there the gender.
        random_state: what is drawn with.

    Example:
        >>> age, gender = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 1, 0, 0, 0, 1])
        >>> places = curate("pairs", age, gender, np.random.RandomState(0))
        >>> [(int(age[place]), int(gender[place])) for place in places]
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    cells = {
        (a, b): random_state.permutation(np.flatnonzero((kept == a) & (turned == b)))
        for a in (0, 1)
        for b in (0, 1)
    }
    counts = {cell: len(places) for cell, places in cells.items()}
    if curation == "pairs":
        stay = {(a, b): min(counts[a, 0], counts[a, 1]) for a, b in cells}
    else:
        stay = _independent(counts)
    if not sum(stay.values()):
        raise errors.InvalidInput(f"The curation '{curation}' leaves no image: no two differ in one factor alone.")
    return np.sort(np.concatenate([cells[cell][:number] for cell, number in stay.items()]))


def _independent(counts: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """So many of each combination that products over the diagonals agree, and as many images as possible stay."""
    best = dict(counts)
    most = -1
    for (a, b), number in counts.items():
        opposite, beside = counts[1 - a, 1 - b], counts[a, 1 - b] * counts[1 - a, b]
        # The nearest whole number; of two that are as near, the one that leaves more.
        wanted = (2 * beside + opposite) // (2 * opposite) if opposite else number
        if wanted <= number and sum(counts.values()) - number + wanted > most:
            most = sum(counts.values()) - number + wanted
            best = counts | {(a, b): wanted}
    return best


#: Width and height of the published images.
WIDTH, HEIGHT = 178, 218
_PLACES = ("img_align_celeba", "img_align_celeba/img_align_celeba")


def find_images(folder: Path) -> Path | None:
    """Return the folder of the aligned images, if there is one with images in it."""
    for place in _PLACES:
        path = folder / place
        if path.is_dir() and any(
            entry.suffix.lower() in (".jpg", ".png") for entry in within(folder, path).iterdir()
        ):
            return path
    return None


def check_sides(size: Any, crop: Any) -> None:
    """Raise unless images can be resized and cropped like this."""
    if not is_whole(size) or not 8 <= size <= 512:
        raise errors.InvalidInput(
            f"Images are resized to 8 to 512 pixels, a whole number; given: size={shown_value(size)}."
        )
    if crop is not None and (not is_whole(crop) or not 8 <= crop <= WIDTH):
        raise errors.InvalidInput(
            f"Of images of {WIDTH}x{HEIGHT} pixels a square of 8 to {WIDTH} is kept; given: "
            f"crop={shown_value(crop)}."
        )


class AlignedImages:
    """The source of a `TableData`: images, each read when it is asked for.

    Args:
        folder: where they are.
        files: their names.
        size: rows and columns that they are resized to, by Lanczos' filter.
        crop: side of the square in the middle that is kept of an image, before it is resized; all of it if not
            given.
        graph: over the factors and ``image``.
    """

    def __init__(self, folder: Path, files: np.ndarray, size: int, crop: int | None, graph: nx.DiGraph) -> None:
        self._folder, self._files, self._size, self._crop, self.graph = folder, files, int(size), crop, graph
        self.observation_shape = (self._size, self._size, 3)

    def observations(self, indices: IntArray) -> FloatArray:
        """Return the images (n, size, size, 3), float32 in [0, 1]."""
        different, places = np.unique(np.asarray(indices), return_inverse=True)
        pixels = np.empty((len(different), *self.observation_shape), dtype=np.uint8)
        for image, index in zip(pixels, different, strict=True):
            image[:] = self._read(self._folder / str(self._files[index]))
        return pixels[places.reshape(-1)].astype(np.float32) / np.float32(255)

    def _read(self, path: Path) -> np.ndarray:
        """Read one image, cropped and resized."""
        from PIL import Image

        picture = open_picture(path, formats=("JPEG", "PNG"), sizes=[(WIDTH, HEIGHT)]).convert("RGB")
        if self._crop is not None:
            left, top = (WIDTH - self._crop) // 2, (HEIGHT - self._crop) // 2
            picture = picture.crop((left, top, left + self._crop, top + self._crop))
        return np.asarray(picture.resize((self._size, self._size), Image.Resampling.LANCZOS))


class AttributeRows:
    """The source of a `TableData` without images: the attributes of each, 0 or 1.

    Args:
        values: (images, attributes) truth values.
        graph: over the factors and ``image``, which stands for what is not there.
    """

    def __init__(self, values: np.ndarray, graph: nx.DiGraph) -> None:
        self._values, self.graph = values, graph
        self.observation_shape = (values.shape[1],)

    def observations(self, indices: IntArray) -> FloatArray:
        """Return the attributes (n, attributes), float32."""
        return self._values[np.asarray(indices)].astype(np.float32)


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
            `causal_disent_crl.celeba`), where the data set has that.
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
        """Return the factors under these names, which cause each other as assumed, and the image."""
        graph = graph_of(names)
        called = dict(zip(cls.faces, names, strict=True))
        graph.add_edges_from((called[cause], called[effect]) for cause, effect in cls.edges)
        return graph

    @classmethod
    def _attribute_file(cls, folder: str | Path | None) -> Path:
        """Find the file of the attributes."""
        if folder is None:
            return cls.publication.find()[0]
        names = [Path(file).name for file in cls.publication.files]
        place = path_of("folder", folder)
        for path in (place / name for name in names):
            if path.is_file():
                return path
        raise unusable(place, f"there is neither {' nor '.join(names)} in it")

    def _chosen(self, found: Attributes, split: str, first: int | None) -> IntArray:
        """Return the images of a split, among those that are listed first."""
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
        """Choose the images that a curation keeps."""
        if self.balanced is None:
            raise errors.InvalidInput(
                f"{type(self).__name__} has no curation; given: curation={shown_value(curation)}."
            )
        check_choice("curation", curation, CURATIONS)
        kept, turned = (rows[:, list(self.faces).index(factor)] for factor in self.balanced)
        return curate(curation, kept, turned, np.random.RandomState(seed))

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
    """Return those of the chosen images that are in the folder."""
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
