"""What this plugin registers."""

from __future__ import annotations

from causal_disent.data.properties import describe
from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent_datasets.cars3d import Cars3d
from causal_disent_datasets.dsprites import (
    ColorDsprites,
    DspritesFull,
    DspritesNoshape,
    DspritesRegenerated,
    NoisyDsprites,
    ScreamDsprites,
)
from causal_disent_datasets.files import FromFiles
from causal_disent_datasets.image_folders import Falcor3d, Isaac3d
from causal_disent_datasets.mpi3d import Mpi3dReal, Mpi3dRealistic, Mpi3dToy
from causal_disent_datasets.shapes3d import Shapes3d
from causal_disent_datasets.smallnorb import SmallNorb

#: Name -> class and summary of each data set that is read from files.
FROM_FILES: dict[str, tuple[type[FromFiles], str]] = {
    "dsprites_full": (DspritesFull, "dSprites: 5 factors, 737,280 images, 64x64x1"),
    "dsprites_noshape": (DspritesNoshape, "dSprites, the shape a nuisance: 4 factors, 64x64x1"),
    "color_dsprites": (ColorDsprites, "dSprites in random colours: 5 factors, 64x64x3"),
    "noisy_dsprites": (NoisyDsprites, "dSprites before noise: 5 factors, 64x64x3"),
    "scream_dsprites": (ScreamDsprites, "dSprites before The Scream: 5 factors, 64x64x3"),
    "shapes3d": (Shapes3d, "3D Shapes: 6 factors, 480,000 images, 64x64x3"),
    "cars3d": (Cars3d, "Cars3D: 3 factors, 17,568 images, 64x64x3"),
    "smallnorb": (SmallNorb, "Small NORB: 4 factors, 48,600 images, 64x64x1"),
    "mpi3d_toy": (Mpi3dToy, "MPI3D, simple renderings: 7 factors, 64x64x3"),
    "mpi3d_realistic": (Mpi3dRealistic, "MPI3D, realistic renderings: 7 factors, 64x64x3"),
    "mpi3d_real": (Mpi3dReal, "MPI3D, photographs: 7 factors, 1,036,800 images, 64x64x3"),
    "falcor3d": (Falcor3d, "Falcor3D: 7 factors, 233,280 images, 128x128x3"),
    "isaac3d": (Isaac3d, "Isaac3D: 9 factors, 737,280 images, 128x128x3"),
}
#: No data set here has confounders: factors are independent, one level above the image.
INDEPENDENT = {"confounders": False, "depth": 1, "various": True, "consistent": True}
#: Two-dimensional sprites, anywhere in the image.
SPRITES = {
    **INDEPENDENT, "resolution": "64x64", "three_d": False, "realistic": False, "foreground": True,
    "off_centre": True, "background": False,
}  # fmt: skip
#: Objects in the centre of a plain background.
CENTRED = {
    **INDEPENDENT, "three_d": True, "realistic": False, "foreground": True, "off_centre": False,
    "background": False, "nuisance": False,
}  # fmt: skip
#: An object at the end of a robot's arm.
ROBOT = {
    **CENTRED, "factors": 7, "images": 1036800, "off_centre": True,
}  # fmt: skip
#: What AAAI 2022, table 4, and the workshop paper, table 1, say, and what the factors tell.
PROPERTIES = {
    "dsprites_full": describe(**SPRITES, factors=5, images=737280, nuisance=False),
    "dsprites_regenerated": describe(**SPRITES, factors=5, images=737280, nuisance=False),
    "dsprites_noshape": describe(**SPRITES, factors=4, images=737280, nuisance=True),
    "color_dsprites": describe(**SPRITES, factors=5, nuisance=True),
    "noisy_dsprites": describe(**SPRITES, factors=5, nuisance=True),
    "scream_dsprites": describe(**SPRITES, factors=5, nuisance=True),
    "shapes3d": describe(**CENTRED, factors=6, images=480000, resolution="64x64"),
    "cars3d": describe(**CENTRED, factors=3, images=17568, resolution="64x64"),
    "smallnorb": describe(**CENTRED | {"nuisance": True}, factors=4, images=48600, resolution="96x96"),
    "mpi3d_toy": describe(**ROBOT, resolution="64x64"),
    "mpi3d_realistic": describe(**ROBOT | {"realistic": True}, resolution="256x256"),
    "mpi3d_real": describe(**ROBOT | {"realistic": True}, resolution="512x512"),
    "falcor3d": describe(
        **CENTRED | {"foreground": False, "background": True}, factors=7, images=233280, resolution="128x128"
    ),
    "isaac3d": describe(
        **CENTRED | {"off_centre": True, "background": True}, factors=9, images=737280, resolution="128x128"
    ),
}


@hookimpl
def register_datasets(register: Register) -> None:
    for name, (data, summary) in FROM_FILES.items():
        register(name, data, summary=summary, properties=PROPERTIES[name], **data.publication.details())
    register(
        "dsprites_regenerated",
        DspritesRegenerated,
        summary="dSprites drawn by formula: 5 factors, 737,280 images, 64x64x1",
        licence="Apache-2.0",
        properties=PROPERTIES["dsprites_regenerated"],
    )
