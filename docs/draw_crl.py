"""Draw the pictures of docs/datasets.md that show counterfactuals: in each row one factor of an image is set.

Of CelebA, whose images are not ours to show and have no known mechanism, the assumed graphs are drawn.

python docs/draw_crl.py [NAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from causal_disent_crl.celeba import CelebaBeard, CelebaSmile

from causal_disent import get_dataset
from causal_disent.graphs import CausalGraph
from causal_disent.report.pictures import draw_grid, save_picture

#: Name -> options, the image, and factor -> what it is set to.
PICTURES: dict[str, tuple[dict, int, dict[str, list]]] = {
    "pendulum": (
        {"channels": "rgb"},
        4400,
        {
            "angle": [-40, -20, 0, 20, 40],
            "light": [60, 80, 100, 120, 140],
            "length": [3, 5, 7, 9, 12],
            "position": [4, 7, 10, 13, 16],
        },
    ),
    "flow": (
        {"channels": "rgb"},
        4000,
        {
            "ball": [5, 15, 25, 30, 34],
            "height": [1, 2, 3, 4, 5],
            "flow": [15, 25, 35, 50, 65],
            "hole": [6, 8, 10, 12, 14],
        },
    ),
    "light_tunnel": (
        {"experiment": "buchholz_1_obs", "num": 50, "size": 96},
        7,
        {
            "red": [0, 60, 120, 180, 240],
            "green": [0, 60, 120, 180, 240],
            "blue": [0, 60, 120, 180, 240],
            "pol_1": [-80, -40, 0, 40, 80],
            "pol_2": [-80, -40, 0, 40, 80],
        },
    ),
    "shadow_mini": (
        {"light": "point"},
        9060,
        {
            "shape": ["cube", "tetrahedron", "octahedron", "dodecahedron"],
            "color": ["red", "yellow", "blue", "purple"],
            "scale": [0.4, 0.8, 1.2, 1.6],
            "light_position": [0, 3, 5, 8],
            "light_color": ["Plum", "Khaki", "Lavender", "Coral"],
            "shadow_area": [0, 2, 6, 12],
            "floor_color": ["Plum", "Khaki", "Lavender", "Coral"],
            "brightest": [2, 5, 10, 13],
        },
    ),
}
GRAPHS = {"celeba_beard": CelebaBeard, "celeba_smile": CelebaSmile}


def draw(name: str, folder: Path) -> Path:
    """Write the picture of a data set."""
    path = folder / f"{name}.png"
    if name in GRAPHS:
        factors = tuple(GRAPHS[name].faces)
        CausalGraph(GRAPHS[name].make_graph(factors)).draw(path, factors=factors, title=name)
        return path
    options, index, settings = PICTURES[name]
    data = get_dataset(name, **options)
    rows, captions = [], []
    for factor, values in settings.items():
        places = np.full(len(values), index)
        rows.append([data.observations(places[:1])[0], *data.counterfactual(places, {factor: values})])
        captions.append(["as it is", *(f"do({factor} = {value})" for value in values)])
    # A floor in soft light needs more colors than a palette has.
    colors = None if name == "shadow_mini" else 64
    save_picture(np.asarray(draw_grid(rows, captions=captions)), path, colors=colors)
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or (*PICTURES, *GRAPHS):
        print(draw(name, Path(__file__).with_name("images")))
