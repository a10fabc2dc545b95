"""``causal-disent render shadow``: the plan, resuming, and where Blender is, real images."""

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from causal_disent_candle.render import blender as environment
from causal_disent_candle.render import run
from causal_disent_crl.shadow import render as command
from causal_disent_crl.shadow.drawing import Scene, draw
from causal_disent_crl.shadow.folder import ShadowPointlight, ShadowSunlight
from causal_disent_crl.shadow.render import render_shadow, shadow_plan
from causal_disent_crl.shadow.scene import EXTENT, LIGHTS, brightest
from PIL import Image

from causal_disent import errors
from causal_disent.cli._run import run as run_command

FAKE = Path(__file__).with_name("fake_shadow_blender.py")

try:
    environment.find_blender()
    WITHOUT_BLENDER = ""
except errors.InvalidInput as error:
    WITHOUT_BLENDER = error.message


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(run, "find_blender", lambda environment: [sys.executable, str(FAKE)])


def test_the_plan_has_the_published_numbers_and_names():
    assert len(shadow_plan(LIGHTS["sun"], 20).indices) == 41_160
    plan = shadow_plan(LIGHTS["point"], 9)
    assert len(plan.indices) == 18_522
    assert plan.files(0) == (
        "Cube_Red_Size_0.4_LightPosition_0_LightColor_SkyBlue_ShadowArea_0.349_FloorColor_SkyBlue_Brightest_X_1.843"
        "_Y_5.340_RGB_ (190, 215, 215).png",
    )
    assert plan.files(18_521)[0].startswith("Icosahedron_Purple_Size_1.6_LightPosition_8_LightColor_Coral_")
    assert len({plan.files(index) for index in range(0, 18_522, 7)}) == len(range(0, 18_522, 7))


def test_a_run_that_was_stopped_goes_on(tmp_path, fake, monkeypatch):
    output = tmp_path / "images"
    go = {"positions": 3, "size": 16, "limit": 10}
    plan = shadow_plan(LIGHTS["sun"], 3, limit=10)
    monkeypatch.setenv("FAKE_KILL", str(plan.indices[4]))
    with pytest.raises(errors.InvalidInput, match="A Blender process ended with .*The same command goes on"):
        render_shadow(LIGHTS["sun"], output, **go)
    first = {path: path.stat().st_mtime_ns for path in output.glob("*.png")}
    assert len(first) == 4
    monkeypatch.delenv("FAKE_KILL")
    assert render_shadow(LIGHTS["sun"], output, **go) == 10
    assert {path.name for path in output.glob("*.png")} == {
        plan.files(index)[0] for index in plan.indices.tolist()
    }
    assert {path: path.stat().st_mtime_ns for path in first} == first and not list(output.glob(".*.partial"))
    with (output / "table.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["file"] for row in rows] == [plan.files(index)[0] for index in plan.indices.tolist()]
    assert list(rows[0]) == ["file", "shape", "color", "scale", "light_position", "light_color"]
    assert len(ShadowSunlight(output, size=16, cache=tmp_path).factor_table) == 10
    for changed in ({"positions": 4}, {"size": 32}, {"samples": 5}):
        with pytest.raises(errors.InvalidInput, match=f"was begun with {next(iter(changed))}"):
            render_shadow(LIGHTS["sun"], output, **go | changed)
    with pytest.raises(errors.InvalidInput, match="was begun with set shadow, sun"):
        render_shadow(LIGHTS["point"], output, **go)


def typed(*words):
    parser = argparse.ArgumentParser()
    command.add_shadow(parser)
    arguments = parser.parse_args(words)
    return run_command(lambda: arguments.command(arguments), debug=False)


def test_the_command(tmp_path, fake, capsys):
    assert typed("--output", str(tmp_path / "a"), "--light", "point", "--positions", "9", "--limit", "3") == 0
    assert "Complete:" in capsys.readouterr().out and len(list((tmp_path / "a").glob("*_RGB_ (*).png"))) == 3
    assert typed("--output", str(tmp_path / "b"), "--size", "64x32") == 2
    assert "as high as they are wide; given: --size 64x32" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        typed("--output", str(tmp_path / "b"), "--positions", "1")
    assert "no whole number of at least 2" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(bool(WITHOUT_BLENDER), reason=WITHOUT_BLENDER)
@pytest.mark.parametrize(("light", "reader"), [("sun", ShadowSunlight), ("point", ShadowPointlight)])
def test_rendered_images_are_the_drawn_ones(tmp_path, light, reader):
    """Two images of each light: flat parts agree within a few grey levels, edges as far as filters do."""
    size = 64
    assert render_shadow(LIGHTS[light], tmp_path / "out", positions=9, size=size, samples=32, limit=2, seed=5) == 2
    data = reader(tmp_path / "out", size=size, cache=tmp_path)
    compared = 0
    for image in data.factor_table.index:
        row = data.factor_table.loc[image]
        position = float(row["light_position"])
        scene = Scene(row["shape"], row["color"], float(row["scale"]), position, row["light_color"])
        drawn = draw([scene], LIGHTS[light], size)[0][0].astype(float)
        rendered = np.asarray(Image.open(tmp_path / "out" / data.files[image])).astype(float)
        apart = np.abs(drawn - rendered).max(axis=-1)
        assert apart.mean() < 2.5 and np.median(apart) <= 2
        steps = [np.abs(np.diff(rendered, axis=axis)).max(axis=-1) for axis in (0, 1)]
        flat = np.ones((size, size), dtype=bool)
        for axis, step in enumerate(steps):
            for shift in (0, 1):
                edge = np.pad(step > 12, [(shift, 1 - shift) if a == axis else (0, 0) for a in (0, 1)])
                flat &= ~edge
        assert np.quantile(apart[flat], 0.99) <= 8
        if light == "point":
            u, v = brightest(position) / EXTENT * size
            place = int(size - v), min(int(u), size - 1)
            label = [int(part) for part in data.files[image].split("(")[1].split(")")[0].split(",")]
            free = np.abs(drawn[place] - label).max() <= 3  # neither body nor shadow is there
            compared += bool(free)
            assert not free or np.abs(rendered[place] - label).max() <= 3
    assert compared or light == "sun"
