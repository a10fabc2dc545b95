"""Pictures of causal models: sheets of interventions, graphs."""

import networkx as nx
import numpy as np
import pytest

from causal_disent.data.array_data import ArrayDataset
from causal_disent.errors import InvalidInput
from causal_disent.figures import pixels
from causal_disent.report.model_sheets import concept_sheet, graph_sheet, is_causal_model


class Shades(ArrayDataset):
    """Two factors: the shade of the left half, and that of the right, which is half of it."""

    def __init__(self, channels=3):
        self.channels = channels
        left = np.linspace(0, 1, 6)
        super().__init__(self._drawn(left, left / 2), {"left": left.tolist(), "right": (left / 2).tolist()})

    def _drawn(self, left, right):
        images = np.ones((len(left), 4, 4, self.channels), dtype=np.float32)
        images[:, :, :2, :3], images[:, :, 2:, :3] = (part[:, None, None, None] for part in (left, right))
        return images

    def counterfactual(self, indices, do):
        left = np.broadcast_to(do.get("left", self.factor_values(indices)[:, 0]), len(indices))
        return self._drawn(left, np.broadcast_to(do.get("right", left / 2), len(indices)))


class Halves:
    """The model that knows."""

    concepts, concept_names, adjacency = [[0], [1]], ["left", "concept 1"], np.array([[0, 0.5], [0, 0]])

    def __init__(self, data):
        self.data = data

    def __call__(self, images):
        return np.stack([images[:, 0, 0, 0], images[:, 0, 3, 0]], axis=1)

    def decode(self, codes):
        return self.data._drawn(*np.asarray(codes).T)

    def concept_values(self, codes):
        return codes

    def intervene(self, codes, do):
        codes = codes.copy()
        for concept, value in do.items():
            codes[:, concept] = value
        if 0 in do and 1 not in do:
            codes[:, 1] = codes[:, 0] / 2
        return codes


@pytest.fixture
def drawn(monkeypatch):
    """What `concept_sheet` gives to be drawn."""
    given = {}

    def take(rows, **options):
        given.update(rows=rows, **options)

    monkeypatch.setattr("causal_disent.report.model_sheets.draw_grid", take)
    return given


@pytest.mark.parametrize("channels", [3, 4])
def test_each_concept_is_set_beside_the_truth(drawn, channels):
    data = Shades(channels)
    concept_sheet(Halves(data), data, 2, num_steps=3)
    assert drawn["row_titles"] == ["", "do(left)", "the truth", "do(concept 1)"]
    rows = drawn["rows"]
    np.testing.assert_allclose(rows[0][0], rows[0][1])
    assert rows[0][2] is None
    np.testing.assert_allclose(rows[1], rows[2], atol=1e-6)  # the model knows
    np.testing.assert_allclose([image[0, 0, 0] for image in rows[1]], [0, 0.5, 1])
    np.testing.assert_allclose([image[0, 3, 0] for image in rows[3]], [0, 0.25, 0.5])  # over what its codes take
    np.testing.assert_allclose([image[0, 0, 0] for image in rows[3]], [0.4] * 3, atol=1e-6)
    assert drawn["captions"][1] == ["0", "0.5", "1"]


@pytest.mark.parametrize("channels", [3, 4])
def test_a_sheet_is_a_picture(channels):
    data = Shades(channels)
    picture = np.asarray(concept_sheet(Halves(data), data, 2))
    assert picture.ndim == 3 and picture.shape[2] == 3 and picture.std() > 0


def test_what_is_transparent_is_white():
    from causal_disent.report.pictures import draw_grid

    clear, solid = np.zeros((4, 4, 4), dtype=np.float32), np.zeros((4, 4, 4), dtype=np.float32)
    solid[..., 3] = 1
    picture = np.asarray(draw_grid([[clear, solid]]))
    assert (picture[8, 8] == 255).all() and (picture == 0).all(axis=2).sum() == 16


def test_the_learned_graph_beside_the_true_one():
    weights = np.array([[0, 0.9, 0.02], [0.3, 0, 0], [0, 0, 0]])
    truth = nx.DiGraph([("a", "b"), ("b", "c")])
    figure = graph_sheet(["a", "b", "c"], weights, truth)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["learned", "0.90", "0.30", "a", "b", "c", "true", "a", "b", "c"]
    assert len(figure.axes[0].patches) == 4
    assert pixels(figure).std() > 0


def test_without_a_truth_of_these_concepts_one_graph_is_drawn():
    for truth in (None, nx.DiGraph([("x", "y")])):
        figure = graph_sheet(["a", "b"], np.zeros((2, 2)), truth)
        assert [text.get_text() for text in figure.axes[0].texts] == ["learned", "a", "b"]
    with pytest.raises(InvalidInput, match="3 concepts"):
        graph_sheet(["a", "b", "c"], np.zeros((2, 2)))


def test_what_a_causal_model_is():
    assert is_causal_model(Halves(None))
    assert not is_causal_model(lambda images: images)
