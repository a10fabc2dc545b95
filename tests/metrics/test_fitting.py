"""Classifiers by name, their seeds, and fitting several at once."""

import subprocess
import sys

import numpy as np
import pytest
from fitting_promises import mixture
from sklearn.ensemble import GradientBoostingClassifier

from causal_disent import errors
from causal_disent.adapter import bind
from causal_disent.config import gin_config
from causal_disent.metrics.draw import fork_generator
from causal_disent.metrics.fitting import (
    ESTIMATORS,
    estimator_named,
    fit_each,
    make_problems,
    measure_accuracies,
    measure_importances,
    name_of,
    predictor,
)
from causal_disent.registry import registry


@pytest.fixture(scope="module")
def problems():
    return make_problems(mixture(200), mixture(150, seed=1))


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_each_predicts_and_tells_which_codes_count(name, problems):
    def finish(model, problem):
        return measure_importances(model, 5), measure_accuracies(model, problem)

    fits = fit_each(ESTIMATORS[name], problems, finish, np.random.RandomState(0))
    again = fit_each(ESTIMATORS[name], problems, finish, np.random.RandomState(0), num_jobs=1)
    for i, (weights, (train, test)) in enumerate(fits):
        assert weights.shape == (5,) and weights.argmax() == i and (weights >= 0).all()
        assert min(train, test) > 0.8
        np.testing.assert_array_equal(weights, again[i][0])


def test_every_estimator_can_be_bound_in_gin():
    assert set(ESTIMATORS) | {"predictor"} <= set(registry.names("parts"))
    with gin_config(bindings=["predictor.predictor_fn = @histogram_boosting", "histogram_boosting.num_bins = 16"]):
        model = bind(predictor)()()
    assert type(model).__name__ == "HistogramBoosting" and model.num_bins == 16
    assert isinstance(predictor()(), GradientBoostingClassifier)


def test_a_seed_reaches_nested_models_and_leaves_a_chosen_one(problems):
    seen = []

    def finish(model, problem):
        seen.append({k: v for k, v in model.get_params().items() if k.endswith("random_state")})

    fit_each(ESTIMATORS["l1_logistic"], problems[:1], finish, np.random.RandomState(0))
    assert seen[0] and all(isinstance(seed, int) for seed in seen[0].values())

    def chosen():
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=7)

    fit_each(chosen, problems[:1], finish, np.random.RandomState(0))
    assert seen[1] == {"random_state": 7}


def test_a_factor_with_one_value_is_predicted_by_it(problems):
    problem = make_problems((np.ones((4, 2)), np.full((4, 1), 3)), (np.ones((2, 2)), np.array([[3], [4]])))
    assert fit_each(estimator_named("random_forest"), problem, measure_accuracies, np.random.RandomState(0)) == [
        (1.0, 0.5)
    ]
    found = fit_each(
        estimator_named("random_forest"), problem, lambda m, p: measure_importances(m, 2), np.random.RandomState(0)
    )
    np.testing.assert_array_equal(found[0], [0, 0])


def test_names():
    assert name_of(ESTIMATORS["random_forest"]) == "random_forest"
    assert name_of(mixture) == "mixture"
    with pytest.raises(errors.UnknownName, match="Did you mean 'gradient_boosting'"):
        estimator_named("gradient_bosting")
    with pytest.raises(errors.InvalidInput, match="function without arguments that makes a classifier; given: 3"):
        estimator_named(3)


def test_what_cannot_tell_importance_says_so(problems):
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(errors.InvalidInput, match="KNeighborsClassifier has neither"):
        fit_each(
            KNeighborsClassifier, problems[:1], lambda m, p: measure_importances(m, 5), np.random.RandomState(0)
        )


def test_num_jobs_is_checked(problems):
    with pytest.raises(
        errors.InvalidInput, match="`num_jobs` is a whole number, -1 for all cores, not 0; given: 0"
    ):
        fit_each(
            estimator_named("random_forest"), problems, measure_accuracies, np.random.RandomState(0), num_jobs=0
        )


def test_a_fork_leaves_the_generator_alone():
    generator = np.random.RandomState(5)
    drawn = fork_generator(generator).randint(1000, size=5)
    np.testing.assert_array_equal(drawn, fork_generator(np.random.RandomState(5)).randint(1000, size=5))
    assert generator.randint(1000) == np.random.RandomState(5).randint(1000)


def test_naming_estimators_loads_no_scikit_learn():
    code = "import sys, causal_disent.metrics.fitting; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
