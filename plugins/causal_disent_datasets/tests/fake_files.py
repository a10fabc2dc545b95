"""Files in the real formats and of the real shapes, as small as they can be on the disk."""

import io
import struct
import zipfile

import numpy as np
from numpy.lib import format as npy

DSPRITES = "dsprites/dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz"
SHAPES3D_NPZ = "3dshapes/look-at-object-room_floor-hueXwall-hueXobj-hueXobj-sizeXobj-shapeXview-azi.npz"
SHAPES3D_H5 = "3dshapes/3dshapes.h5"
NORB_PARTS = {
    "5x46789x9x18x6x2x96x96-training": (4, 6, 7, 8, 9),
    "5x01235x9x18x6x2x96x96-testing": (0, 1, 2, 3, 5),
}


def npy_header(shape, dtype="|u1"):
    stream = io.BytesIO()
    npy.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": dtype})
    return stream.getvalue()


def sparse_npz(path, name, shape):
    """An npz file with one uint8 array of zeros, not compressed; the zeros are a hole in the file.

    Returns:
        Where the numbers begin, and the shape: enough to map them and write some.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    header, file = npy_header(shape), f"{name}.npy".encode()
    size = len(header) + int(np.prod(shape))
    # Sizes of more than four bytes go to an extra field (1), as numpy writes them too.
    extra = struct.pack("<HHQQ", 1, 16, size, size)
    start = struct.pack("<HHHHHIIIHH", 45, 0, 0, 0, 33, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(file), len(extra))
    local = b"PK\3\4" + start + file + extra
    directory = b"PK\1\2" + struct.pack("<H", 45) + start + struct.pack("<HHHII", 0, 0, 0, 0, 0) + file + extra
    place = len(local) + size
    ends = [
        b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, len(directory), place),
        b"PK\6\7" + struct.pack("<IQI", 0, place + len(directory), 1),
        b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), 0xFFFFFFFF, 0),
    ]
    with path.open("wb") as stream:
        stream.write(local + header)
        stream.seek(place)
        stream.write(directory + b"".join(ends))
    return len(local) + len(header), shape


def write_images(path, offset, shape, indices, images):
    """Put images into a `sparse_npz`."""
    array = np.memmap(path, dtype=np.uint8, mode="r+", offset=offset, shape=shape)
    array[indices] = images
    array.flush()


def bits(indices, count=20):
    """(n, count) of 0 and 1: each index, written in a way that an image can show."""
    return (np.asarray(indices)[:, None] >> np.arange(count) & 1).astype(np.uint8)


def raw_npz(path, members, compression=zipfile.ZIP_DEFLATED):
    """An npz file with these bytes as its members."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def npy_bytes(array, allow_pickle=False):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def write_matrix(path, magic, array, *, dims=None):
    """One of NORB's binary matrices; `dims` may lie."""
    path.parent.mkdir(parents=True, exist_ok=True)
    dims = list(dims or array.shape)
    stored = dims + [1] * (3 - len(dims))
    path.write_bytes(struct.pack(f"<{2 + len(stored)}i", magic, len(dims), *stored) + array.tobytes())


def write_norb(root, images=None):
    """All six files. `images` is part, pair -> the left image; the others are black, and a hole in the file."""
    combinations = np.stack(np.unravel_index(np.arange(48_600), (5, 10, 9, 18, 6)), axis=1)
    folder = root / "small_norb"
    folder.mkdir(parents=True, exist_ok=True)
    for number, (part, instances) in enumerate(NORB_PARTS.items()):
        rows = combinations[np.isin(combinations[:, 1], instances)]
        # The published files are in no order.
        rows = rows[np.random.RandomState(number).permutation(len(rows))].astype(np.int32)
        details = rows[:, 1:] * np.array([1, 1, 2, 1], dtype=np.int32)
        write_matrix(folder / f"smallnorb-{part}-cat.mat", 507333716, rows[:, 0])
        write_matrix(folder / f"smallnorb-{part}-info.mat", 507333716, details)
        shape = (len(rows), 2, 96, 96)
        path = folder / f"smallnorb-{part}-dat.mat"
        path.write_bytes(struct.pack("<6i", 507333717, 4, *shape))
        with path.open("r+b") as stream:
            stream.truncate(24 + int(np.prod(shape)))
        pairs = np.memmap(path, dtype=np.uint8, mode="r+", offset=24, shape=shape)
        for (which, pair), image in (images or {}).items():
            if which == number:
                pairs[pair, 0] = image
        pairs.flush()
