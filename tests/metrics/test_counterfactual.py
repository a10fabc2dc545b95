"""Tests of `causal_disent.metrics.counterfactual`."""

import numpy as np
import pytest

from causal_disent import adapter, errors
from causal_disent.metrics import composition, effectiveness, minimality, reconstruction, reversibility
from causal_disent.metrics.counterfactual import (
    ImageRegressor,
    draw_other_values,
    image_features,
    make_predictor,
    measure_pixel_distance,
)
from causal_disent.testing.stage import CausalStage

DATA = CausalStage((3, 4))
NAMES = tuple(DATA.factor_names)
SIZES = np.array([3, 4, 6])


class Faulty:
    """Reads the bands of the stage, loses a little each time it draws, and lets no effect follow."""

    concepts, concept_names = [[0], [1], [2]], NAMES
    adjacency = np.zeros((3, 3))

    def __init__(self, loss=0.03):
        self.loss = loss

    def __call__(self, images):
        return np.asarray(images)[:, 0, [0, 2, 4], 0] * SIZES - 1.0

    def noise(self, images):
        return self(images)

    def causal_layer(self, noise):
        return noise

    def concept_values(self, codes):
        return np.array(codes)

    def intervene(self, codes, do):
        codes = np.array(codes)
        for place, value in do.items():
            codes[:, place] = value
        return codes

    def decode(self, codes):
        levels = (codes + 1) / SIZES * (1 - self.loss)
        bands = np.column_stack([levels, np.full(len(codes), 0.5)])[:, np.arange(8) * 4 // 8]
        shown = np.broadcast_to(bands[:, None, :, None], (len(codes), 8, 8, 3))
        return np.clip(shown, 0, 1).astype(np.float64)


def of(metric, model, **options):
    return adapter.on_data(metric)(DATA, model, np.random.RandomState(3), num_points=20, **options)


def drawn(number=20):
    """The points and the values that a metric draws with that seed."""
    random_state = np.random.RandomState(3)
    known = DATA.factor_table.index.to_numpy()
    indices = known[np.sort(random_state.choice(len(known), number, replace=False))]
    return indices, draw_other_values(DATA.factor_values(indices), random_state), random_state


def test_values_to_set_differ_and_occur():
    values = np.random.RandomState(0).randint(4, size=(500, 3)).astype(float)
    others = draw_other_values(values, np.random.RandomState(1))
    assert (others != values).all() and set(np.unique(others)) == {0, 1, 2, 3}
    # Each of the three others as often as it occurs.
    counts = np.array([(others[values[:, 0] == 0][:, 0] == v).mean() for v in (1, 2, 3)])
    assert counts == pytest.approx([1 / 3] * 3, abs=0.15)


@pytest.mark.parametrize("metric", [reversibility, effectiveness, minimality])
def test_one_point_has_no_other_value_to_take(metric):
    with pytest.raises(errors.InvalidInput, match="no factor differs between the points, which are 1"):
        adapter.on_data(metric)(DATA, Faulty(), np.random.RandomState(0), num_points=1)


@pytest.mark.parametrize("distance", ["l1", "l2"])
def test_composition_by_hand(distance):
    model = Faulty()
    indices, _, _ = drawn()
    scores = of(composition, model, times=(1, 4), distance=distance, batch_size=7)
    found = []
    for index in indices:
        start = image = DATA.observations([index])
        for _ in range(4):
            image = model.decode(model(image))
            found.append(measure_pixel_distance(start, image, distance)[0])
    table = np.array(found).reshape(20, 4)
    assert scores["composition"] == scores["composition_1"] == pytest.approx(table[:, 0].mean())
    assert scores["composition_4"] == pytest.approx(table[:, 3].mean()) and table[:, 3].mean() > table[:, 0].mean()


def test_reversibility_by_hand():
    model = Faulty()
    indices, targets, _ = drawn()
    scores = of(reversibility, model, batch_size=6)
    for place, name in enumerate(NAMES):
        found = []
        for index, target in zip(indices, targets[:, place], strict=True):
            start = DATA.observations([index])
            own = model(start)[:, place]
            there = model.decode(model.intervene(model(start), {place: target}))
            back = model.decode(model.intervene(model(there), {place: own}))
            found.append(np.abs(back - start).mean())
        assert scores[f"reversibility_factor_{name}"] == pytest.approx(np.mean(found))
    means = [scores[f"reversibility_factor_{name}"] for name in NAMES]
    assert scores["reversibility"] == pytest.approx(np.mean(means)) and min(means) > 0.01


class Reader:
    """A predictor that reads the bands exactly."""

    error = np.zeros(3)

    def predict(self, images):
        return Faulty()(images)


def test_effectiveness_by_hand():
    model = Faulty()
    indices, targets, _ = drawn()
    scores = of(effectiveness, model, predictor=Reader(), bootstrap=30, batch_size=9)
    values = DATA.factor_values(indices)
    span = np.ptp(values, axis=0)
    own, pixels, labels = np.zeros((3, 20)), np.zeros((3, 20)), np.zeros((3, 20))
    for place, name in enumerate(NAMES):
        for row, index in enumerate(indices):
            do = {name: targets[row, place]}
            image = model.decode(model.intervene(model(DATA.observations([index])), {place: targets[row, place]}))
            seen = model(image)[0]
            own[place, row] = abs(seen[place] - targets[row, place]) / span[place]
            pixels[place, row] = np.abs(image - DATA.counterfactual([index], do)).mean()
            labels[place, row] = np.mean(np.abs(seen - DATA.counterfactual_values([index], do)[0]) / span)
    assert scores["effectiveness_error"] == pytest.approx(own.mean())
    assert scores["counterfactual_pixel_error"] == pytest.approx(pixels.mean())
    assert scores["counterfactual_label_error"] == pytest.approx(labels.mean())
    assert scores["effectiveness_error_of_truth"] < 0.02  # pixels of eight bits
    assert scores["effectiveness_error_low"] <= own.mean() <= scores["effectiveness_error_high"]
    # The effect does not follow its causes: setting those is wrong in more pixels than setting the effect.
    per_factor = [scores[f"counterfactual_pixel_error_factor_{name}"] for name in NAMES]
    assert per_factor[2] < min(per_factor[:2])


def test_effectiveness_by_a_classifier():
    found = of(effectiveness, Faulty(loss=0.0), predictor="nearest_image")
    assert 0 < found["effectiveness_accuracy"] <= 1
    idle = Faulty(loss=0.0)
    idle.intervene = lambda codes, do: codes
    assert of(effectiveness, idle, predictor="nearest_image")["effectiveness_accuracy"] == 0


def test_minimality_by_hand():
    model = Faulty()
    indices, targets, random_state = drawn()
    scores = of(minimality, model, neighbours=10, batch_size=8)
    pool = random_state.permutation(DATA.factor_table.index.to_numpy())
    values = DATA.factor_values(pool)
    features = image_features(DATA.observations(pool)).astype(float)
    found = []
    for place in range(3):
        for row, index in enumerate(indices):
            own = image_features(DATA.observations([index])).astype(float)
            image = model.decode(model.intervene(model(DATA.observations([index])), {place: targets[row, place]}))
            moved = np.linalg.norm(image_features(image) - own)
            apart = np.linalg.norm(features - own, axis=1)
            others = np.flatnonzero(pool != index)
            near = {}
            for key, value in (("there", targets[row, place]), ("here", DATA.factor_values([index])[0, place])):
                order = sorted(others, key=lambda i: abs(values[i, place] - value))[:10]
                near[key] = apart[order]
            large, small = np.mean(near["there"] <= moved), np.mean(near["here"] >= moved)
            found.append(np.log(0.8 * np.exp(large) + 0.2 * np.exp(small)))
    assert scores["minimality_CLD"] == pytest.approx(np.mean(found), abs=0.01)  # ties of distances, to a rounding
    assert scores["minimality_CLD_unchanged"] == pytest.approx(np.log(0.8 + 0.2 * np.e), abs=0.06)
    wild = Faulty()
    wild.decode = lambda codes: np.random.RandomState(0).rand(len(codes), 8, 8, 3)
    assert of(minimality, wild, neighbours=10)["minimality_CLD"] > scores["minimality_CLD"] + 0.1


def test_minimality_looks_at_no_more_images_than_it_is_told():
    seen, model = [], Faulty()
    data = CausalStage((3, 4))
    plain = data.observations
    data.observations = lambda indices: seen.append(len(indices)) or plain(indices)
    options = {"num_points": 2, "neighbours": 3, "batch_size": 1}
    adapter.on_data(minimality)(data, model, np.random.RandomState(3), pool=4, **options)
    few = sum(seen)
    seen.clear()
    adapter.on_data(minimality)(data, model, np.random.RandomState(3), **options)
    assert sum(seen) - few == len(data.factor_table) - 4
    with pytest.raises(errors.InvalidInput, match="`pool` must be a whole number, at least 2"):
        adapter.on_data(minimality)(data, model, np.random.RandomState(3), pool=1, **options)


def test_minimality_is_0_where_the_change_is_what_it_must_be():
    # Images of the same value are near, those of the other far, and the counterfactual is as near as one can be.
    from causal_disent.metrics.counterfactual import divergence

    assert divergence(np.array([1.0]), np.array([[1.1, 1.2]]), np.array([[0.1, 0.2]])).tolist() == [0]
    assert divergence(np.array([9.0]), np.array([[1.1, 1.2]]), np.array([[0.1, 0.2]])) == pytest.approx(
        np.log(0.8 * np.e + 0.2)
    )


def test_reconstruction_by_hand():
    model = Faulty()
    indices, _, _ = drawn()
    images = DATA.observations(indices)
    scores = of(reconstruction, model, batch_size=3)
    assert scores["reconstruction_MAE"] == pytest.approx(np.abs(model.decode(model(images)) - images).mean())
    assert scores["reconstruction_MSE"] == pytest.approx(((model.decode(model(images)) - images) ** 2).mean())


def test_the_regressor_reads_images_it_has_not_seen():
    regressor = ImageRegressor(DATA)
    assert regressor.error.max() < 0.05
    index = DATA.factor_table.index.to_numpy()[5]
    assert regressor.predict(DATA.observations([index]))[0] == pytest.approx(
        DATA.factor_values([index])[0], abs=0.3
    )
    with pytest.raises(errors.UnknownName, match="nearest_image"):
        make_predictor("nearest_imge", DATA)


def test_bad_options():
    for options, message in (
        ({"times": ()}, "`times` is a list"),
        ({"times": (0,)}, "at least 1"),
        ({"null": "some"}, "Unknown `null`"),
        ({"distance": "l3"}, "Did you mean 'l"),
        ({"bootstrap": -1}, "`bootstrap`"),
    ):
        with pytest.raises(errors.CausalDisentError, match=message):
            of(composition, Faulty(), **options)
    with pytest.raises(errors.MissingPart, match="'composition' needs a decoder"):
        of(composition, Faulty().__call__)
    nan = Faulty()
    nan.decode = lambda codes: np.full((len(codes), 8, 8, 3), np.nan)
    with pytest.raises(errors.InvalidInput, match="pixels in \\[0, 1\\]"):
        of(reversibility, nan)
