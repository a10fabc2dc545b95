"""Pictures that Blender makes; skipped where there is no Blender."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from causal_disent_candle.candle import Candle, Synthetic
from causal_disent_candle.render import blender
from causal_disent_candle.render.assets import CANDLE, SYNTHETIC, as_job, find_assets
from causal_disent_candle.render.run import Settings, make_plan, render
from PIL import Image

from causal_disent import errors

HERE = Path(__file__).parent
SIZE = (160, 120)

try:
    BLENDER = blender.find_blender()
except errors.InvalidInput as error:
    pytestmark = pytest.mark.skip(reason=error.message)
else:
    pytestmark = pytest.mark.slow


def pixels(path):
    return np.asarray(Image.open(path), dtype=np.float64)


def run_in_blender(script, argument):
    ended = subprocess.run(
        [*BLENDER, str(HERE / script), "--", str(argument)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_two_images_load_back_and_do_not_depend_on_each_other(tmp_path):
    settings = Settings((64, 48), samples=2, rules=("candle_released",))
    assert render(CANDLE, tmp_path / "two", settings, limit=2) == 2
    data = Candle(folder=tmp_path / "two", size=(48, 64), cache=tmp_path / "cache")
    assert data.rule_set.name == "candle_released" and data.rule_set.images == 2
    assert data.observations(data.factor_table.index.to_numpy()).std() > 0.05
    # The second image alone is the same as after the first.
    indices = make_plan(CANDLE.factors, rules=settings.rules, limit=2).indices
    labels = make_plan(CANDLE.factors).labels(int(indices[1]))
    alone = Settings((64, 48), 2, 0, tuple(f"only light=left|middle|right: {f}='{v}'" for f, v in labels.items()))
    assert render(CANDLE, tmp_path / "one", alone) == 1
    name = f"{indices[1]}.json"
    assert (tmp_path / "one" / name).read_text() == (tmp_path / "two" / name).read_text()
    first, second = (pixels(tmp_path / folder / f"{indices[1]}.png") for folder in ("one", "two"))
    assert np.abs(first - second).max() <= 2


def test_bounds_are_within_a_pixel_of_what_is_seen(tmp_path):
    """Every object, size and rotation somewhere, after all jitter; against the pixels that rays find it in."""
    assets = find_assets(CANDLE)
    plan = make_plan(CANDLE.factors)
    chosen = [
        ("indoor", "left", "cube", "red", "large", "15"),
        ("street", "right", "sphere", "blue", "small", "0"),
        ("garage", "middle", "cylinder", "yellow", "medium", "90"),
        ("hall", "left", "cone", "purple", "small", "60"),
        ("beach", "right", "torus", "orange", "large", "45"),
        ("bridge", "middle", "cube", "red", "small", "45"),
    ]
    rows = np.array(
        [[CANDLE.factors[f].index(v) for f, v in zip(CANDLE.factors, row, strict=True)] for row in chosen]
    )
    jobs = [{"index": index, "labels": plan.labels(index)} for index in plan.space.to_index(rows).tolist()]
    files = {
        factor: {label: as_job(value) for label, value in values.items()}
        for factor, values in assets.values.items()
    }
    work = {
        "output": str(tmp_path),
        "size": SIZE,
        "samples": 1,
        "seed": 7,
        "threads": 1,
        "stage": as_job(assets.stage),
    }
    work |= {"assets": files, "jobs": jobs, "render": str(blender.SCRIPT.parents[1])}
    (tmp_path / "jobs.json").write_text(json.dumps(work))
    run_in_blender("render_masks.py", tmp_path / "jobs.json")
    for job in jobs:
        mask = pixels(tmp_path / f"{job['index']}_mask.png")[..., 3] > 0
        (xmin, ymin), (xmax, ymax) = json.loads((tmp_path / f"{job['index']}_mask.json").read_text())
        columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
        seen = [columns[0], SIZE[1] - 1 - rows[-1], columns[-1] + 1, SIZE[1] - rows[0]]
        assert np.abs(np.array(seen) - [xmin, ymin, xmax, ymax]).max() <= 1, job["labels"]


def write_panorama(path, color):
    """A Radiance picture of one color, its pixels not compressed."""
    brightest = max(color)
    mantissa, exponent = np.frexp(brightest)
    bytes_ = [int(part / brightest * mantissa * 256) for part in color] + [int(exponent) + 128]
    header = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 7\n"
    path.write_bytes(header + bytes(bytes_) * 28)


def test_assets_of_ones_own_need_no_code(tmp_path):
    """Two blocks, green, in a scene of its own and before a panorama, from files alone."""
    run_in_blender("render_own_assets.py", tmp_path / "own")
    (tmp_path / "hdri").mkdir()
    write_panorama(tmp_path / "hdri" / "red_void.hdr", (1.0, 0.1, 0.1))
    rules = ("never object=cube|sphere|cylinder|cone|torus", "never color=red|blue|yellow|purple|orange")
    rules += ("never light=left|middle|right", "never size=small|medium", "never rotation=15|30|45|60|90")
    shipped = "|".join(f"'{scene}'" for scene in CANDLE.factors["scene"])
    settings = Settings((64, 48), samples=8, rules=(*rules, f"never scene={shipped}"))
    total = render(CANDLE, tmp_path / "out", settings, overlays=[tmp_path / "own"], panoramas=tmp_path / "hdri")
    assert total == 2
    for path in (tmp_path / "out").glob("*.json"):
        content = json.loads(path.read_text())
        thing = content["objects"]["Two blocks_0"]
        assert thing["object_type"] == "two blocks" and thing["color"] == "green"
        (xmin, ymin), (xmax, ymax) = thing["bounds"]
        # 2 m wide and 6 m high before it is brought to size.
        assert 2.0 <= (ymax - ymin) / (xmax - xmin) < 3.5
        picture = pixels(path.with_suffix(".png"))
        lower = 48 - round(ymin + (ymax - ymin) / 6)  # the middle of the lower block
        assert picture[lower, (xmin + xmax) // 2].argmax() == 1
        channel = {"blue void": 2, "red void": 0}[content["scene"]]
        assert picture[2, 2].argmax() == channel and picture[2, 2, channel] > 150
        if content["scene"] == "red void":
            # The floor shows the world, and the shadow on it.
            assert picture[-2, 2].argmax() == 0 and picture[-2, 2, 0] > 100
    data = Candle(
        folder=tmp_path / "out",
        cache=tmp_path / "cache",
        extra_values={
            "object": ["two blocks"], "color": ["green"], "light": ["noon"], "scene": ["blue void", "red void"],
        },
    )  # fmt: skip
    assert len(data.factor_table) == 2


@pytest.mark.parametrize(
    ("name", "recipe", "message"),
    [
        (
            "objects/cube.py",
            "def build(kit):\n    return kit.nonsense()\n",
            r"cube\.py, line 2 failed: AttributeError",
        ),
        ("objects/cube.py", "height = 2\n", r"cube\.py must define build\(kit\)"),
        ("objects/cube.py", "def build(kit):\n    pass\n", r"cube\.py must consist of one mesh or more"),
        ("objects/cube.blend", "no file of Blender", r"cube\.blend is no \.blend file"),
        ("sizes/small.py", "VALUE = 'little'\n", r"small\.py must define VALUE, a number; it is 'little'"),
        ("stage.py", "LENS = 50\n", r"stage\.py must define .*; it lacks CAMERA, PITCH"),
    ],
)
def test_a_faulty_asset_is_named(tmp_path, name, recipe, message):
    (tmp_path / "own" / name).parent.mkdir(parents=True)
    (tmp_path / "own" / name).write_text(recipe)
    settings = Settings((32, 24), samples=1, rules=("only light=left|middle|right: object=cube size=small",))
    with pytest.raises(errors.InvalidInput, match=message):
        render(CANDLE, tmp_path / "out", settings, overlays=[tmp_path / "own"], limit=1)
    assert not list((tmp_path / "out").glob("*.png"))


def test_the_recipe_of_the_docs_is_one(tmp_path):
    page = (HERE.parents[2] / "docs" / "render.md").read_text()
    (recipe,) = re.findall(r'```python\n("""objects/pyramid.py.*?)```', page, flags=re.S)
    (tmp_path / "own" / "objects").mkdir(parents=True)
    (tmp_path / "own" / "objects" / "pyramid.py").write_text(recipe)
    settings = Settings((32, 24), samples=1, rules=("never object=cube|sphere|cylinder|cone|torus",))
    assert render(CANDLE, tmp_path / "out", settings, overlays=[tmp_path / "own"], limit=1) == 1
    (path,) = (tmp_path / "out").glob("*.json")
    assert "Pyramid_0" in json.loads(path.read_text())["objects"]


def test_the_synthetic_set_shows_its_three_pairs(tmp_path):
    settings = Settings(
        (32, 32), samples=2, rules=("synthetic_full", "never size=small|medium", "never rotation=45")
    )
    rules = (*settings.rules, "never light=left|right", "never position=0|1|3|4|5|6|7")
    assert render(SYNTHETIC, tmp_path / "out", Settings((32, 32), samples=2, rules=rules)) == 3
    data = Synthetic(folder=tmp_path / "out", size=32, cache=tmp_path / "cache")
    assert data.rule_set.name == "synthetic_full"
    for path in (tmp_path / "out").glob("*.json"):
        (thing,) = json.loads(path.read_text())["objects"].values()
        (xmin, ymin), (xmax, ymax) = thing["bounds"]
        middle = pixels(path.with_suffix(".png"))[32 - (ymin + ymax) // 2, (xmin + xmax) // 2]
        assert middle.argmax() == ["red", "green", "blue"].index(thing["color"])
