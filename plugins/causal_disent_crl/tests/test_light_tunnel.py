"""The light tunnel: the models against figures of the published package, the processes, the reader."""

import csv
import os

import numpy as np
import pytest
from causal_disent_crl.light_tunnel import (
    EXPERIMENTS,
    FACTORS,
    LIMITS,
    LightTunnel,
    colors,
    draw_experiment,
    hexagon,
)
from PIL import Image

from causal_disent import errors

POINTS = np.array([[200.0, 40, 90, 30, -45], [10, 250, 120, 80, 75], [255, 255, 255, 0, 0]])
#: What the simulators of the package causalchamber 0.2.8 give for these points.
PUBLISHED = {
    "F1": [[0.052539057, 0.010507811, 0.023642576], [0.038917799, 0.972944977, 0.467013589], [1, 1, 1]],
    "F2": [[0.036406747, 0.015344018, 0.028663464], [0.195798696, 0.834919619, 0.788058999], [0.843502643, 1, 1]],
    "F3": [[0.064686151, 0.070211171, 0.254126387], [0.177536237, 0.914791007, 0.816078851], [0.76442427, 1, 1]],
}
#: Its hexagon of radius 0.22 in 16x16 pixels.
HEXAGON = """
................
................
................
................
.......###......
......#####.....
......#####.....
.....#######....
......#####.....
......#####.....
.......###......
................
................
................
................
................
"""


@pytest.mark.parametrize("model", PUBLISHED)
def test_the_colors_are_those_of_the_published_simulators(model):
    np.testing.assert_allclose(colors(POINTS, model), PUBLISHED[model], atol=1e-8)


def test_the_hexagon_is_that_of_the_published_simulators():
    drawn = ["".join(".#"[int(inside)] for inside in row) for row in hexagon(16, 0.22)]
    assert drawn == HEXAGON.split()
    assert (hexagon(64, 0.22).sum(), hexagon(64, 0.3).sum(), hexagon(500, 0.22).sum()) == (525, 955, 31489)


def test_an_image_is_a_hexagon_of_its_color():
    data = LightTunnel(num=20, model="F2", size=32)
    image = data.observations([3])[0]
    inside = hexagon(32, 0.22)
    assert (image[~inside] == 0).all()
    np.testing.assert_allclose(
        image[inside], np.tile(colors(data.factor_values([3]), "F2"), (inside.sum(), 1)), rtol=1e-6
    )


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_points_are_settings_of_the_tunnel(experiment):
    points = draw_experiment(experiment, 300, np.random.RandomState(0))
    for column, factor in zip(points.T, FACTORS, strict=True):
        low, high = LIMITS[factor]
        assert column.min() >= low and column.max() <= high and column.std() > 1
        steps = column * (10 if factor.startswith("pol") else 1)
        np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)


def test_the_experiments_have_their_sizes():
    assert len(LightTunnel().factor_table) == 2000
    assert (
        EXPERIMENTS["buchholz_1_pol_2"] == 10_000 and EXPERIMENTS["citris_1"] == 100_000 and len(EXPERIMENTS) == 8
    )


def test_the_linear_process_has_its_moments():
    points = draw_experiment("buchholz_1_obs", 40_000, np.random.RandomState(0))
    # Five standard deviations to each side; whole numbers are cut, which takes half of one away.
    assert points.mean(axis=0) == pytest.approx([127, 127, 127, 0, 0], abs=0.6)
    assert points.std(axis=0) == pytest.approx([25.5, 25.5, 25.5, 18, 18], rel=0.02)
    red, green, blue, first, second = points.T
    assert np.corrcoef(blue, first)[0, 1] == pytest.approx(0, abs=0.02)
    # green = 0.893 blue + noise: the correlation is 0.893 s_b / s_g.
    assert np.corrcoef(blue, green)[0, 1] == pytest.approx(
        0.89303215 * np.sqrt(1.00502177 / (1.16426732 + 0.89303215**2 * 1.00502177)), abs=0.02
    )


@pytest.mark.parametrize("factor", FACTORS)
def test_a_factor_that_is_set_does_not_listen(factor):
    graph = LightTunnel(experiment=f"buchholz_1_{factor}", num=2).graph
    assert not list(graph.predecessors(factor)) and graph.has_edge(factor, "image")
    whole = LightTunnel(experiment="buchholz_1_obs", num=2).graph
    assert set(whole.edges) - set(graph.edges) == {edge for edge in whole.edges if edge[1] == factor}
    points = draw_experiment(f"buchholz_1_{factor}", 20_000, np.random.RandomState(1))
    before = draw_experiment("buchholz_1_obs", 20_000, np.random.RandomState(1))
    column = FACTORS.index(factor)
    for cause in whole.predecessors(factor):
        place = FACTORS.index(cause)
        assert abs(np.corrcoef(points[:, place], points[:, column])[0, 1]) < 0.03
        assert abs(np.corrcoef(before[:, place], before[:, column])[0, 1]) > 0.2


def test_the_walk_follows_its_rules():
    points = draw_experiment("citris_1", 20_000, np.random.RandomState(0))
    red, green, blue, first, second = points.T
    # In 65 % of the steps a factor is set, each in 13 %; else the first polarizer moves by 10 at the most.
    far = np.abs(np.diff(first)) > 10.2
    assert far.mean() == pytest.approx(0.13 * 0.88, abs=0.02)
    # Green goes half of the way to the red of the step before, so that it follows red.
    assert np.corrcoef(red[:-1], green[1:])[0, 1] > np.corrcoef(red[1:], green[:-1])[0, 1] + 0.05
    with pytest.raises(errors.InvalidInput, match="citris_1 is a process in time"):
        LightTunnel(experiment="citris_1", num=5).counterfactual([0], {"red": 3})


def test_the_seed_decides():
    one, same, other = (LightTunnel(num=50, seed=seed).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experiment": "buchholz"}, "Unknown `experiment` 'buchholz'. Did you mean 'buchholz_1"),
        ({"model": "F4"}, "Unknown `model` 'F4'"),
        ({"num": 0}, "`num` is a whole number from 1 to 1,000,000; given: 0"),
        ({"seed": -1}, "`seed` must be a whole number"),
        ({"experiment": 1}, "Unknown `experiment` '1'"),
        ({"size": 0}, "`size` is a whole number from 1 to 1024; given: 0"),
        ({"radius": 0}, "`radius` is above 0"),
        ({"folder": "nowhere"}, "The folder nowhere does not exist"),
        ({"folder": "nowhere", "num": 5}, "`model`, `num`, `seed` and `radius` are for simulated images"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        LightTunnel(**options)


def write(folder, experiment="uniform", rows=4, size=64):
    """An experiment in the published layout; the photographs are of one colour each."""
    images = folder / experiment / f"images_{size}"
    images.mkdir(parents=True)
    generator = np.random.RandomState(0)
    with (folder / experiment / f"{experiment}.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["timestamp", "config", "red", "green", "blue", "current", "pol_1", "pol_2", "image_file"])
        for row in range(rows):
            color = generator.randint(0, 256, 3).tolist()
            angles = generator.uniform(-90, 90, 2).round(1).tolist()
            Image.new("RGB", (size, size), tuple(color)).save(images / f"{row:06d}.png")
            writer.writerow([1.7e9 + row, "camera", *color, 0.5, *angles, f"{row:06d}.png"])
    return folder


def test_photographs_are_read(tmp_path):
    folder = write(tmp_path / "lt_crl_benchmark_v1")
    data = LightTunnel(folder)
    assert len(data.factor_table) == 4 and data.observation_shape == (64, 64, 3)
    images, values = data.observations(np.arange(4)), data.factor_values(np.arange(4))
    np.testing.assert_array_equal(np.rint(images[:, 5, 5] * 255), values[:, :3])
    assert data.factor_table.iloc[0].tolist() == [f"{v:g}" for v in values[0, :3]] + [
        f"{v:.1f}" for v in values[0, 3:]
    ]
    with pytest.raises(errors.InvalidInput, match="counterfactuals of photographs"):
        data.counterfactual([0], {"red": 3})
    assert data.counterfactual_values([0], {"red": 3})[0, 0] == 3
    assert LightTunnel.verify(folder)[-1] == "incomplete: 4 of 2,000 images"


def test_other_experiments_and_twins_are_read(tmp_path):
    write(tmp_path, "buchholz_1_red"), write(tmp_path, "citris_1_synth_det")
    assert not list(LightTunnel(tmp_path, "buchholz_1_red").graph.predecessors("red"))
    assert LightTunnel(tmp_path, "citris_1_synth_det").graph.has_edge("pol_1", "pol_2")


def missing_column(folder):
    path = folder / "uniform/uniform.csv"
    path.write_text(path.read_text().replace("pol_2", "angle"))
    return "uniform.csv cannot be used: it has no column 'pol_2'; it has: timestamp"


def missing_photograph(folder):
    (folder / "uniform/images_64/000002.png").unlink()
    return "uniform.csv cannot be used: line 4 names the photograph '000002.png'"


def path_that_leads_out(folder):
    path = folder / "uniform/uniform.csv"
    path.write_text(path.read_text().replace("000002.png", "../../secret.png"))
    (folder / "secret.png").write_bytes(b"")
    return "line 4 names the photograph '../../secret.png'"


def not_a_number(folder):
    path = folder / "uniform/uniform.csv"
    lines = path.read_text().splitlines()
    cells = lines[1].split(",")
    cells[2] = "bright"
    path.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]))
    return "line 2 should give 'red' from 0 to 255, and gives 'bright'"


def short_line(folder):
    path = folder / "uniform/uniform.csv"
    path.write_text(path.read_text() + "1,2,3\n")
    return "line 6 has 3 cells for 9 columns"


def no_rows(folder):
    path = folder / "uniform/uniform.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    return "uniform.csv cannot be used: it has a head and no line"


def no_text(folder):
    (folder / "uniform/uniform.csv").write_bytes(b"red,green\xff\xfe\n")
    return "it is not a CSV file in UTF-8"


def no_images(folder):
    (folder / "uniform/images_64").rename(folder / "uniform/images_32")
    return "it has no folder uniform/images_64"


def no_folder_of_images(folder):
    no_images(folder)
    (folder / "uniform/images_64").write_text("")
    return "it has no folder uniform/images_64"


def no_table(folder):
    (folder / "uniform/uniform.csv").unlink()
    os.mkfifo(folder / "uniform/uniform.csv")
    return "it has no file uniform/uniform.csv"


def cut_short(folder):
    path = folder / "uniform/images_64/000001.png"
    path.write_bytes(path.read_bytes()[:60])
    return "000001.png cannot be used"


@pytest.mark.parametrize(
    "damage",
    [
        missing_column,
        missing_photograph,
        path_that_leads_out,
        not_a_number,
        short_line,
        no_rows,
        no_text,
        no_images,
        no_folder_of_images,
        no_table,
        cut_short,
    ],
    ids=lambda damage: damage.__name__,
)
def test_a_damaged_experiment_is_an_error_that_names_the_file(tmp_path, damage):
    folder = write(tmp_path / "lt")
    with pytest.raises(errors.InvalidInput, match=damage(folder)):
        LightTunnel(folder, cache=tmp_path / "kept")


def test_experiments_that_do_not_exist(tmp_path):
    with pytest.raises(errors.UnknownName, match="Unknown `experiment` 'unifrom'. Did you mean 'uniform'"):
        LightTunnel(write(tmp_path / "lt"), "unifrom")
