"""What the renderer plans and describes, `candle` reads and recognises."""

import json

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle.candle import Candle, Synthetic
from causal_disent_candle.render.assets import CANDLE, SYNTHETIC
from causal_disent_candle.render.in_blender.boxes import describe
from causal_disent_candle.render.run import make_plan
from PIL import Image

SIZES = {"small": 1.5, "medium": 2, "large": 2.5}


def write_planned(folder, plan):
    """The images of a plan as the renderer leaves them, blank; the picture is Blender's part."""
    folder.mkdir()
    (folder / ".render").mkdir()
    (folder / "table.csv").write_text("file\n")
    for index in plan.indices.tolist():
        labels = plan.labels(index)
        values = {"size": SIZES[labels["size"]], "rotation": int(labels["rotation"])}
        content = describe(labels, values, [[30, 20], [60, 50]])
        (folder / f"{index}.json").write_text(json.dumps(content))
        Image.new("RGB", (160, 120), labels["color"]).save(folder / f"{index}.png")
    return folder


@pytest.mark.parametrize("rules", ["candle_released", "candle_table6"])
def test_candle(tmp_path, rules):
    plan = make_plan(CANDLE.factors, rules=[rules], limit=150)
    data = Candle(write_planned(tmp_path / "rendered", plan), size="120x160")
    assert (data.rule_set.name, data.rule_set.images) == (rules, 150)
    for image in (0, 80, 149):
        labels = plan.labels(plan.indices[image])
        assert data.files[image] == f"{plan.indices[image]}.png"
        assert data.factor_table.loc[image].to_dict() == {name: labels[name] for name in data.factor_names}
    np.testing.assert_array_equal(data.bounding_boxes(np.arange(2)), [[30, 70, 60, 100]] * 2)


def test_the_factors_and_values_are_the_same():
    assert {name: set(values) for name, values in CANDLE.factors.items()} == {
        name: set(values) for name, values in written.V2.value_names.items()
    }


def test_synthetic(tmp_path):
    plan = make_plan(SYNTHETIC.factors, rules=["synthetic_full"])
    data = Synthetic(write_planned(tmp_path / "rendered", plan))
    assert (data.rule_set.name, data.rule_set.images, data.rule_set.is_complete) == ("synthetic_full", 432, True)
    counts = data.factor_table.groupby(["object", "color"], observed=True).size()
    assert counts.to_dict() == {("cylinder", "red"): 144, ("cone", "green"): 144, ("cube", "blue"): 144}
