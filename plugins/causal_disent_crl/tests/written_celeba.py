"""CelebA's files, written from joint counts: those of the first 20,000 images of the real file."""

import numpy as np
from PIL import Image

#: Counts by cell; the cell's number has a bit for each attribute, the first the highest, 1 for +1.
BEARD = ("Young", "Male", "Bald", "No_Beard")
BEARD_COUNTS = (5, 1373, 0, 0, 961, 1713, 136, 214, 8, 10182, 0, 1, 2166, 3128, 82, 31)
SMILE = ("Male", "Smiling", "Narrow_Eyes", "Mouth_Slightly_Open")
SMILE_COUNTS = (3783, 1071, 334, 171, 1349, 4107, 85, 669, 3638, 965, 334, 117, 792, 1979, 103, 503)
#: The columns that the factors have in the real file, counted from 1 after the name of the image.
COLUMNS = {
    "Bald": 5,
    "Male": 21,
    "Mouth_Slightly_Open": 22,
    "Narrow_Eyes": 24,
    "No_Beard": 25,
    "Smiling": 32,
    "Young": 40,
}
NAMES = [
    next((name for name, place in COLUMNS.items() if place == column), f"Other_{column}")
    for column in range(1, 41)
]


def table(attributes, counts, seed=0):
    """(images, 40) of -1 and 1, in no order."""
    cells = np.random.RandomState(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    values = np.random.RandomState(seed + 1).choice([-1, 1], (len(cells), len(NAMES)))
    for place, name in enumerate(attributes):
        bit = cells >> (len(attributes) - 1 - place) & 1
        values[:, NAMES.index(name)] = np.where(bit, 1, -1)
    return values


def files(number):
    return [f"{image + 1:06d}.jpg" for image in range(number)]


def as_text(values, names=NAMES):
    """The published layout: a count, the names, and values two or one space apart."""
    lines = [str(len(values)), " ".join(names) + " "]
    lines += [
        f"{file} " + " ".join(f"{v:2d}" for v in row) for file, row in zip(files(len(values)), values, strict=True)
    ]
    return "\n".join(lines) + "\n"


def as_commas(values, names=NAMES):
    """The twin that circulates."""
    lines = [",".join(["image_id", *names])]
    lines += [",".join([file, *map(str, row)]) for file, row in zip(files(len(values)), values, strict=True)]
    return "\n".join(lines) + "\n"


def write(folder, attributes=BEARD, counts=BEARD_COUNTS, layout=as_text):
    """A folder with an attribute file."""
    folder.mkdir(parents=True, exist_ok=True)
    suffix = "txt" if layout is as_text else "csv"
    (folder / f"list_attr_celeba.{suffix}").write_text(layout(table(attributes, counts)))
    return folder


def write_images(folder, number, size=(178, 218)):
    """Images whose brightness tells which they are, with a frame of another color."""
    place = folder / "img_align_celeba"
    place.mkdir(parents=True, exist_ok=True)
    for image, file in enumerate(files(number)):
        picture = Image.new("RGB", size, (255, 0, 0))
        picture.paste((5 * image, 5 * image, 5 * image), (10, 30, size[0] - 10, size[1] - 30))
        picture.save(place / file, format="JPEG", quality=95, subsampling=0)
    return place
