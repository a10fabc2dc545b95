"""What this plugin registers."""

from __future__ import annotations

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


@hookimpl
def register_datasets(register: Register) -> None:
    for name, (data, summary) in FROM_FILES.items():
        register(name, data, summary=summary, **data.publication.details())
    register(
        "dsprites_regenerated",
        DspritesRegenerated,
        summary="dSprites drawn by formula: 5 factors, 737,280 images, 64x64x1",
        licence="Apache-2.0",
    )
