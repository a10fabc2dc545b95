"""A causal model made of functions is measured as a class that has the whole protocol."""

import numpy as np
import pytest

from causal_disent import CausalFunctions, errors
from causal_disent.metrics.concepts import has_layer

CHAIN = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]])


def encode(images):
    return images.reshape(len(images), -1)


def do(codes, values):
    """Solve the linear equations anew, with the same noise where nothing is set."""
    noise, changed = codes @ (np.eye(3) - CHAIN), np.array(codes)
    for i in range(3):
        changed[:, i] = values.get(i, noise[:, i] + changed @ CHAIN[:, i] - changed[:, i] * CHAIN[i, i])
    return changed


@pytest.fixture
def images():
    return np.random.RandomState(0).rand(20, 1, 3, 1)


def test_it_has_a_whole_causal_layer(images):
    model = CausalFunctions(encode, do=do, adjacency=CHAIN)
    assert has_layer(model)
    np.testing.assert_allclose(model.causal_layer(model.noise(images)), model(images))
    changed = model.intervene(model(images), {1: 0.5})
    np.testing.assert_array_equal(changed[:, 0], model(images)[:, 0])
    np.testing.assert_allclose(model.noise(changed.reshape(images.shape))[:, 2], model.noise(images)[:, 2])


def test_blocks_and_functions_of_ones_own(images):
    model = CausalFunctions(
        encode, do=do, adjacency=np.zeros((1, 1)), concepts=[[0, 2]], concept_names=["size"], noise=encode,
        causal_layer=lambda noise: noise + 1, concept_values=lambda codes: 2 * codes[:, :1],
    )  # fmt: skip
    assert model.concept_names == ["size"] and model.concepts == [[0, 2]]
    np.testing.assert_allclose(model.causal_layer(model.noise(images)), encode(images) + 1)
    np.testing.assert_allclose(model.concept_values(encode(images)), 2 * encode(images)[:, :1])
    plain = CausalFunctions(encode, do=do, adjacency=np.zeros((1, 1)), concepts=[[0, 2]])
    np.testing.assert_allclose(plain.concept_values(encode(images))[:, 0], encode(images)[:, [0, 2]].mean(axis=1))


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"adjacency": np.zeros((2, 3))}, "adjacency"),
        ({"adjacency": "x"}, "adjacency"),
        ({"adjacency": CHAIN, "concepts": [[0]]}, "concepts"),
        ({"adjacency": CHAIN, "concept_names": ["a"]}, "concept_names"),
        ({"adjacency": CHAIN, "noise": encode}, "causal_layer"),
        ({"adjacency": CHAIN, "concepts": [[0, 1], [2], [3]]}, "causal_layer"),
        ({"adjacency": CHAIN, "do": 3}, "do"),
        ({"adjacency": np.zeros((0, 0))}, "adjacency"),
        ({"adjacency": CHAIN * np.nan}, "adjacency"),
        ({"adjacency": CHAIN, "concepts": [[0], [1], []]}, "concepts"),
        ({"adjacency": CHAIN, "concepts": []}, "concepts"),
        ({"adjacency": CHAIN, "concepts": [[0], [1], [-1]]}, "concepts"),
        ({"adjacency": CHAIN, "concepts": [[0], [1], [1]]}, "causal_layer"),
    ],
)
def test_what_does_not_fit_is_named(options, argument):
    with pytest.raises(errors.InvalidInput, match=argument):
        CausalFunctions(encode, **{"do": do, **options})


def test_concepts_and_their_names_may_be_arrays():
    model = CausalFunctions(
        encode, do=do, adjacency=CHAIN, concepts=np.arange(3)[:, None], concept_names=np.array(["a", "b", "c"])
    )
    assert model.concepts == [[0], [1], [2]] and model.concept_names == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("adjacency", "codes"),
    [(np.ones((2, 2)) - np.eye(2), np.ones((4, 2))), (CHAIN, np.ones((4, 2))), (CHAIN, np.ones(4))],
    ids=["cycle", "too few codes", "no columns"],
)
def test_what_the_linear_layer_cannot_use_is_refused(adjacency, codes):
    with pytest.raises(errors.InvalidInput):
        CausalFunctions(encode, do=do, adjacency=adjacency).causal_layer(codes)


def test_an_intervention_of_another_shape_is_refused(images):
    model = CausalFunctions(encode, do=lambda codes, values: codes[:, :1], adjacency=CHAIN)
    with pytest.raises(errors.InvalidInput, match="do"):
        model.intervene(model(images), {0: 1.0})
