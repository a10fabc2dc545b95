"""What programs do with the package: their own data, metrics and models, runs, sweeps, results, pictures."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from disentanglement_lib._core import NeedsTensorFlow1
from disentanglement_lib.config import reproduce
from disentanglement_lib.config.unsupervised_study_v1 import sweep
from disentanglement_lib.data.ground_truth import dummy_data, ground_truth_data, named_data, util
from disentanglement_lib.evaluation import evaluate
from disentanglement_lib.evaluation.metrics import (
    dci,
    fairness,
    irs,
    mig,
    modularity_explicitness,
    sap_score,
    unified_scores,
    utils,
)
from disentanglement_lib.methods.unsupervised import train, vae
from disentanglement_lib.postprocessing import postprocess
from disentanglement_lib.utils import aggregate_results, hyperparams, resources, results
from disentanglement_lib.validation import validate
from disentanglement_lib.visualize import dendrogram, visualize_dataset, visualize_model, visualize_util

import causal_disent

import gin.tf  # isort: skip  an alias of gin by now
from causal_disent import errors, metrics

BINS = {"discretizer.discretizer_fn": utils._histogram_discretize, "discretizer.num_bins": 7}
SMALL = resources.get_file("config/tests/methods/unsupervised/train_test.gin")
MEAN = resources.get_file("config/tests/postprocessing/postprocess_test_configs/mean.gin")


def bind(bindings):
    for name, value in bindings.items():
        gin.bind_parameter(name, value)


class Grid(ground_truth_data.GroundTruthData):
    """A program's own data set: two factors, and images that show them."""

    num_factors = 2
    factors_num_values = [3, 4]
    observation_shape = [2, 2, 1]

    def __init__(self):
        self.state_space = util.SplitDiscreteStateSpace(self.factors_num_values, [0, 1])

    def sample_factors(self, num, random_state):
        return self.state_space.sample_latent_factors(num, random_state)

    def sample_observations_from_factors(self, factors, random_state):
        return np.repeat(factors, 2, axis=1).reshape(-1, 2, 2, 1) / 4.0


def encode(images):
    return np.asarray(images)[:, :, 0, 0] * [1.0, -2.0]


def points(num=200, seed=0):
    """Codes and factors, a row each."""
    return utils.generate_batch_factor_code(Grid(), encode, num, np.random.RandomState(seed), 16)


# --- Data ---


def test_a_data_set_of_ones_own_is_measured():
    bind(BINS)
    assert utils.make_discretizer(np.arange(14.0)[None]).tolist() == [sorted([*range(1, 8), *range(1, 8)])]
    scores = mig.compute_mig(Grid(), encode, np.random.RandomState(0), None, 500)
    assert scores["discrete_mig"] > 0.95
    assert irs.compute_irs(Grid(), encode, np.random.RandomState(0), None, 0.99, 500, 16)["IRS"] > 0.4


def test_named_data_as_gin_or_the_program_names_it():
    assert isinstance(named_data.get_named_ground_truth_data("dummy_data"), dummy_data.DummyData)
    gin.bind_parameter("dataset.name", "candle_mini")
    assert named_data.get_named_ground_truth_data().num_factors == 6
    with pytest.raises(errors.UnknownName, match="dsprite"):
        named_data.get_named_ground_truth_data("dsprite_full")


def test_dummy_data_is_ours_with_lists_for_shapes():
    data = dummy_data.DummyData()
    assert [None, *data.observation_shape] == [None] + data.observation_shape == [None, 64, 64, 1]
    ours = causal_disent.get_dataset("dummy_data").sample_factors(5, np.random.RandomState(1))
    assert (data.sample_factors(5, np.random.RandomState(1)) == ours).all()


class Mini(util.NamedData):
    """As the classes of published data sets are made, of a data set that needs no file."""

    def __init__(self):
        sizes = causal_disent.get_dataset("candle_mini").factors_num_values
        super().__init__("candle_mini", sizes, range(6))


def test_classes_draw_as_the_data_sets_and_subclasses_as_they_like():
    data, ours = Mini(), causal_disent.get_dataset("candle_mini")
    drawn, expected = (one.sample(4, np.random.RandomState(0)) for one in (data, ours))
    assert all((one == other).all() for one, other in zip(drawn, expected, strict=True))
    assert data.observation_shape == [64, 64, 3] and data.sample_indices(drawn[0], np.random.RandomState(0)).size
    everything = data.state_space.sample_all_factors(drawn[0], np.random.RandomState(0))
    assert (data.images[np.dot(everything, data.factor_bases).astype(int)] == drawn[1]).all()

    class Dark(Mini):
        def sample_observations_from_factors(self, factors, random_state):
            return super().sample_observations_from_factors(factors, random_state) * 0

    codes = []
    bind({**BINS, "mig.num_train": 20})
    mig.compute_mig(
        Dark(), lambda images: codes.append(images.max()) or images[:, 0, :2, 0], np.random.RandomState(0)
    )
    assert codes and max(codes) == 0


def test_a_split_state_space_draws_latent_factors_then_the_others():
    space, random_state = util.SplitDiscreteStateSpace([3, 4, 5], [2, 0]), np.random.RandomState(0)
    latent = space.sample_latent_factors(6, random_state)
    drawn = np.random.RandomState(0)
    expected = [drawn.randint(5, size=6), drawn.randint(3, size=6)]
    assert (latent == np.transpose(expected)).all()
    whole = space.sample_all_factors(latent, random_state)
    assert (whole[:, [2, 0]] == latent).all() and (whole[:, 1] == drawn.randint(4, size=6)).all()


def test_an_index_of_atoms_refuses_what_is_outside():
    index = util.StateSpaceAtomIndex([2, 2], np.array([[0, 1], [1, 0], [1, 1], [0, 0]]))
    assert index.features_to_index(np.array([[1, 1], [0, 0]])).tolist() == [2, 3]
    with pytest.raises(ValueError, match="factor_size"):
        index.features_to_index(np.array([[2, 0]]))
    with pytest.raises(ValueError, match="state space"):
        util.StateSpaceAtomIndex([2, 2], np.array([[0, 1], [1, 0], [1, 1]]))


# --- Metrics of arrays, a column per point ---


def test_scores_of_arrays_are_ours():
    bind(BINS)
    (codes, factors), (test, test_factors) = points(), points(100, seed=1)
    both = (test.T, test_factors.T)
    assert mig._compute_mig(codes, factors)["discrete_mig"] == pytest.approx(
        metrics.mig(codes.T, factors.T, num_bins=7).score
    )
    found = dci._compute_dci(codes, factors, test, test_factors)
    assert found["disentanglement"] == metrics.dci(codes.T, factors.T, test=both).disentanglement
    assert sap_score._compute_sap(codes, factors, test, test_factors, False)["SAP_score"] == pytest.approx(
        metrics.sap_score(codes.T, factors.T, test=both).score
    )
    information = utils.discrete_mutual_info(utils.make_discretizer(codes), factors)
    ours = metrics.modularity_explicitness(codes.T, factors.T, test=both, num_bins=7)
    assert modularity_explicitness.modularity(information) == pytest.approx(ours.modularity)
    explicit = modularity_explicitness.explicitness_per_factor(codes.T, factors[1], test.T, test_factors[1])
    assert explicit == pytest.approx((ours.explicitnesses_train[1], ours.explicitnesses_test[1]))
    matrix = irs.scalable_disentanglement_score(factors.T, codes.T)
    assert matrix["avg_score"] == metrics.irs(codes.T, factors.T).score and matrix["parents"].shape == (2,)


def test_scores_of_dci_are_numbers():
    given = (Grid(), encode, np.random.RandomState(0), None, 60, 30)
    gin.parse_config("evaluation.evaluation_fn = @dci")
    for measure in (dci.compute_dci, gin.query_parameter("evaluation.evaluation_fn").scoped_configurable_fn):
        scores = measure(*given)
        assert len(scores) == 4 and all(isinstance(score, float) for score in scores.values())


def test_unified_scores_are_named_by_the_matrix(tmp_path):
    bind(BINS)
    (codes, factors), (test, test_factors) = points(), points(100, seed=1)
    functions = [unified_scores.mutual_information_matrix, unified_scores.importance_gbt_matrix]
    given = (codes, factors, test, test_factors, functions, str(tmp_path), ["a", "b"])
    scores = unified_scores.unified_scores(*given)
    assert scores["mutual_information_matrix.mig"] > 0.9 and scores["importance_gbt_matrix.dci"] > 0.9
    assert {path.suffix for path in tmp_path.iterdir()} == {".png"}


def test_fairness_of_counts():
    assert fairness.inter_group_fairness(np.array([[0, 100], [100, 100]])) == pytest.approx((2 / 9, 1 / 3))
    scores = fairness.compute_scores_dict(np.array([[0.0, 2.0], [4.0, 0.0]]), "x")
    assert scores["x:pred1:sens0"] == 4 and scores["x:mean_sens:max_pred"] == 3


def test_discretizers_have_a_row_per_code():
    with gin.config.interactive_mode():

        @gin.configurable("rounded", blacklist=["target"])
        def rounded(target, num_bins):
            assert target.shape[0] < target.shape[1]
            return np.round(target * 4)

    codes, factors = points()
    assert rounded(codes, 3).shape == codes.shape
    for fn in (rounded, lambda target, num_bins: rounded(target, num_bins)):
        gin.bind_parameter("discretizer.discretizer_fn", fn)
        scores = mig.compute_mig(Grid(), encode, np.random.RandomState(0), None, 500)
        assert scores["discrete_mig"] > 0.9
    gin.parse_config("discretizer.discretizer_fn = @rounded")
    assert mig._compute_mig(codes, factors)["discrete_mig"] > 0.9
    assert (utils.make_discretizer(codes, 3, rounded) == np.round(codes * 4)).all()


def test_gin_names_are_known_and_a_programs_own_come_first():
    gin.parse_config("discretizer.discretizer_fn = @histogram_discretizer\ndiscretizer.num_bins = 5")
    gin.bind_parameter("disentanglement_lib.evaluation.metrics.mig.mig.num_train", 50)
    with gin.config.interactive_mode():

        @gin.configurable("mcc", blacklist=["ground_truth_data"])
        def own_mcc(ground_truth_data, num=1):
            return num

    gin.bind_parameter("mcc.num", 4)  # causal_disent has a metric of that name
    assert own_mcc(None) == 4
    with pytest.raises(ValueError, match="never_was"):
        gin.bind_parameter("never_was.num", 4)


# --- Runs ---


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model and its representation."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("runs")
    train.train_with_gin(str(folder / "model"), True, [SMALL])
    postprocess.postprocess_with_gin(str(folder / "model"), str(folder / "mean"), True, [MEAN])
    return folder


@gin.configurable("own_metric", blacklist=["ground_truth_data", "representation_function", "random_state"])
def own_metric(ground_truth_data, representation_function, random_state, num_train=gin.REQUIRED):
    codes, factors = utils.generate_batch_factor_code(
        ground_truth_data, representation_function, num_train, random_state, batch_size=16
    )
    return {"shapes": [codes.shape, factors.shape]}


def test_the_pipeline_of_the_examples(trained, tmp_path):
    bindings = [
        "evaluation.evaluation_fn = @own_metric",
        "own_metric.num_train = 20",
        "evaluation.random_seed = 0",
        "dataset.name = 'auto'",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a metric without `artifact_dir`
        evaluate.evaluate_with_gin(str(trained / "mean"), str(tmp_path / "own"), False, None, bindings)
    pattern = str(tmp_path / "*/results/aggregate/evaluation.json")
    aggregate_results.aggregate_results_to_json(pattern, str(tmp_path / "all.json"))
    (row,) = aggregate_results.load_aggregated_json_results(str(tmp_path / "all.json")).to_dict("records")
    assert row["evaluation_results.shapes"] == [[10, 20], [10, 20]] and row["train_config.vae.beta"] == 1
    assert not gin.config._CONFIG


def test_bindings_of_the_program_stay_for_a_run(trained, tmp_path):
    bind(BINS)
    bindings = ["evaluation.evaluation_fn = @mig", "evaluation.random_seed = 0", "dataset.name = 'auto'"]
    evaluate.evaluate_with_gin(str(trained / "mean"), str(tmp_path), True, [], [*bindings, "mig.num_train = 50"])
    config = json.loads((tmp_path / "results/json/evaluation_config.json").read_text())
    assert config["discretizer.num_bins"] == "7"


def test_settings_as_arguments(trained, tmp_path):
    gin.bind_parameter("dataset.name", "auto")
    bind({**BINS, "mig.num_train": 50})
    evaluate.evaluate(str(trained / "mean"), str(tmp_path), True, mig.compute_mig, 3)
    found = json.loads((tmp_path / "results/json/evaluation_results.json").read_text())
    assert 0 <= found["discrete_mig"] <= 1


def test_labelled_points_are_validated(trained, tmp_path):
    bindings = [
        "validation.validation_fn = @mig_validation",
        "validation.random_seed = 0",
        "validation.num_labelled_samples = 60",
        "labeller.labeller_fn = @perfect_labeller",
        "discretizer.discretizer_fn = @histogram_discretizer",
        "discretizer.num_bins = 5",
        "dataset.name = 'auto'",
    ]
    validate.validate_with_gin(str(trained / "mean"), str(tmp_path), True, [], bindings)
    assert "discrete_mig" in json.loads((tmp_path / "results/json/validation_results.json").read_text())


def test_pictures_of_a_model_and_a_data_set(trained, tmp_path):
    visualize_model.visualize(str(trained / "model"), str(tmp_path / "model"), True, 1, 4, 10, 100)
    visualize_dataset.visualize_dataset("dummy_data", str(tmp_path), num_animations=1, num_frames=3)
    assert (tmp_path / "dummy_data/animation0.gif").is_file()
    assert len(list((tmp_path / "dummy_data").glob("variations_of_factor*.png"))) == 10


class Bottleneck(vae.BaseVAE):
    """A program's own model, whose term is arithmetic alone."""

    def __init__(self, target=gin.REQUIRED):
        self.target = target

    def regularizer(self, kl_loss, z_mean, z_logvar, z_sampled):
        return abs(kl_loss - self.target)


def test_a_model_with_a_regularizer_of_its_own(tmp_path):
    pytest.importorskip("torch")
    gin.external_configurable(Bottleneck, "Bottleneck", blacklist=[])
    bindings = ["model.model = @Bottleneck()", "Bottleneck.target = 10."]
    train.train_with_gin(str(tmp_path), True, [SMALL], bindings)
    found = json.loads((tmp_path / "results/json/train_results.json").read_text())
    assert found["regularizer"] == pytest.approx(abs(found["kl_loss"] - 10), abs=0.5)


def test_models_of_the_package_can_be_derived_from(tmp_path):
    assert vae.BetaVAE(4.0).regularizer(2.0, None, None, None) == 8.0
    gin.bind_parameter("vae.beta", 3.0)
    assert vae.BetaVAE().beta == 3.0
    with pytest.raises(errors.ConfigError, match="factor_vae.gamma"):
        vae.FactorVAE()


def test_graphs_of_tensorflow_1_are_refused_with_what_to_do_instead():
    class Own(vae.BaseVAE):
        def model_fn(self, features, labels, mode, params):
            return None

    with pytest.raises(NeedsTensorFlow1, match="Own overrides `model_fn`.*regularizer"):
        Own()
    with pytest.raises(NotImplementedError, match="encoder_fn"):
        from disentanglement_lib.methods.shared import architectures

        architectures.make_gaussian_encoder(None)


# --- Sweeps and results ---


def test_the_studies_have_the_models_of_the_papers():
    settings = sweep.get_config()
    assert len(settings) == 7 * 36 * 50
    assert settings[0]["dataset.name"] == "dsprites_full" and settings[-1]["model.random_seed"] == 49
    for name, number in (("fairness_study_v1", 7 * 36 * 50), ("abstract_reasoning_study_v1", 2 * 36 * 5)):
        study = reproduce.STUDIES[name]
        bindings, file = study.get_model_config(number - 1)
        assert "annealed_vae.c_max = 100.0" in bindings and Path(file).is_file()
        with pytest.raises(IndexError, match=str(number)):
            study.get_model_config(number)
    names = {Path(file).stem for file in reproduce.STUDIES["fairness_study_v1"].get_eval_config_files()}
    assert {"fairness", "dci", "factor_vae_metric"} <= names and len(names) == 10


@pytest.mark.parametrize(
    "file", reproduce.STUDIES["test"].get_eval_config_files(), ids=lambda file: Path(file).stem
)
def test_every_config_can_be_parsed(file):
    gin.parse_config_files_and_bindings([file], ["evaluation.random_seed = 1"])
    assert gin.query_parameter("dataset.name") == "auto"


def test_lists_of_settings():
    both = hyperparams.zipit([hyperparams.fixed("a", 1), hyperparams.sweep("b", [1, 2])])
    assert both == [{"a": 1, "b": 1}, {"a": 1, "b": 2}]
    assert hyperparams.product([both, hyperparams.sweep("c", "xy")])[1] == {"a": 1, "b": 1, "c": "y"}
    assert hyperparams.to_bindings({"m.a": "x", "m.b": "@f", "m.c": 1.0}) == ["m.a = 'x'", "m.b = @f", "m.c = 1.0"]
    with pytest.raises(ValueError, match="lengths"):
        hyperparams.zipit([hyperparams.sweep("a", [1, 2]), hyperparams.sweep("b", [1, 2, 3])])


def test_results_are_written_wherever_a_program_wants(tmp_path):
    results.update_result_directory(str(tmp_path / "first"), "train", {"loss": np.float32(0.5)})
    found = {"IRS": np.arange(2)}
    results.update_result_directory(str(tmp_path / "second"), "evaluation", found, str(tmp_path / "first"))
    merged = json.loads((tmp_path / "second/aggregate/evaluation.json").read_text())
    assert merged["train_results.loss"] == 0.5 and merged["evaluation_results.IRS"] == [0, 1]
    assert merged["evaluation_results.uuid"] == found["uuid"]


def test_merges_of_factors(tmp_path):
    matrix = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.0]])
    merges = dendrogram.dendrogram_plot(matrix, str(tmp_path / "tree"), ["a", "b", "c"])
    assert (tmp_path / "tree.png").is_file() and len(merges) == 3


def test_frames_go_up_and_down():
    assert visualize_util.cycle_factor(1, 3, 6).tolist() == [1, 2, 2, 1, 0, 0]
    assert visualize_util.cycle_interval(0.0, 4, 0.0, 1.0).tolist() == [0.0, 0.5, 1.0, 0.5]
    assert visualize_util.padded_grid([np.zeros((2, 2, 3))] * 3, padding_px=1).shape == (2, 8, 3)
