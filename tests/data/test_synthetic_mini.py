import numpy as np
import pytest

from causal_disent import get_dataset, get_metric, get_representation


@pytest.fixture(scope="module")
def confounded():
    return get_dataset("synthetic_mini", factors=("object", "color"), confounding="synthetic_full")


def test_the_papers_432_images_and_all_are_different(confounded):
    images = confounded.factor_table.index.to_numpy()
    assert len(images) == 432
    assert len(np.unique(confounded.observations(images).reshape(432, -1), axis=0)) == 432
    pairs = set(zip(confounded.factor_table["object"], confounded.factor_table["color"], strict=True))
    assert pairs == {("cylinder", "red"), ("cone", "green"), ("cube", "blue")}


@pytest.mark.parametrize(("color", "channel"), [("red", 0), ("green", 1), ("blue", 2)])
def test_the_object_has_its_color_inside_its_box(color, channel):
    data = get_dataset("synthetic_mini")
    rows = data.factor_table[data.factor_table["color"] == color].index.to_numpy()[::40]
    for image, (left, top, right, bottom) in zip(data.observations(rows), data.bounding_boxes(rows), strict=True):
        assert 0 <= left < right <= 64 and 0 <= top < bottom <= 64
        inside = image[top:bottom, left:right].reshape(-1, 3)
        strongest = inside[np.ptp(inside, axis=1) > 0.3]
        assert len(strongest) > 10 and (strongest.argmax(axis=1) == channel).mean() > 0.95


def test_fully_confounded_data_give_the_papers_scores(confounded):
    model = get_representation("perfect_oracle", confounded)
    scores = get_metric("causal_disentanglement")(
        confounded, model, np.random.RandomState(0), num_train=300, classifier="nearest_image"
    )
    assert scores["IRS"] == 1 and scores["UC"] == 0 and scores["CG"] < 0.05
