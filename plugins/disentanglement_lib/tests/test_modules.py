"""Modules and names at the original's places, with its signatures."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import disentanglement_lib
import pytest

MODULES = [found.name for found in pkgutil.walk_packages(disentanglement_lib.__path__, "disentanglement_lib.")]
METRICS = "disentanglement_lib.evaluation.metrics."
GIVEN = "ground_truth_data representation_function random_state artifact_dir"
#: The first parameters of the original's functions, in its order.
SIGNATURES = {
    METRICS + "beta_vae.compute_beta_vae_sklearn": f"{GIVEN} batch_size num_train num_eval",
    METRICS + "dci.compute_dci": f"{GIVEN} num_train num_test batch_size",
    METRICS + "dci.compute_importance_gbt": "x_train y_train x_test y_test",
    METRICS + "downstream_task.compute_downstream_task": f"{GIVEN} num_train num_test batch_size",
    METRICS + "factor_vae.compute_factor_vae": f"{GIVEN} batch_size num_train num_eval num_variance_estimate",
    METRICS + "fairness.compute_fairness": f"{GIVEN} num_train num_test_points_per_class batch_size",
    METRICS + "irs.compute_irs": f"{GIVEN} diff_quantile num_train batch_size",
    METRICS + "mig.compute_mig": f"{GIVEN} num_train batch_size",
    METRICS + "modularity_explicitness.compute_modularity_explicitness": f"{GIVEN} num_train num_test batch_size",
    METRICS + "reduced_downstream_task.compute_reduced_downstream_task": (
        f"{GIVEN} num_factors_to_remove num_train num_test batch_size"
    ),
    METRICS + "sap_score.compute_sap": f"{GIVEN} num_train num_test batch_size continuous_factors",
    METRICS + "strong_downstream_task.compute_strong_downstream_task": f"{GIVEN} num_train num_test n_experiment",
    METRICS + "unified_scores.compute_unified_scores": f"{GIVEN} num_train num_test matrix_fns batch_size",
    METRICS + "unsupervised_metrics.unsupervised_metrics": f"{GIVEN} num_train batch_size",
    METRICS + "utils.generate_batch_factor_code": (
        "ground_truth_data representation_function num_points random_state batch_size"
    ),
    "disentanglement_lib.evaluation.evaluate.evaluate_with_gin": (
        "model_dir output_dir overwrite gin_config_files gin_bindings"
    ),
    "disentanglement_lib.evaluation.evaluate.evaluate": (
        "model_dir output_dir overwrite evaluation_fn random_seed name"
    ),
    "disentanglement_lib.methods.unsupervised.train.train_with_gin": (
        "model_dir overwrite gin_config_files gin_bindings"
    ),
    "disentanglement_lib.methods.unsupervised.train.train": (
        "model_dir overwrite model training_steps random_seed batch_size eval_steps name model_num"
    ),
    "disentanglement_lib.postprocessing.postprocess.postprocess_with_gin": (
        "model_dir output_dir overwrite gin_config_files gin_bindings"
    ),
    "disentanglement_lib.utils.results.update_result_directory": (
        "result_directory step_name results_dict old_result_directory"
    ),
    "disentanglement_lib.visualize.visualize_model.visualize": (
        "model_dir output_dir overwrite num_animations num_frames fps num_points_irs"
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_is_imported(name):
    if not name.endswith("__main__"):
        assert importlib.import_module(name).__doc__ is not None or not vars(importlib.import_module(name)).get(
            "x"
        )


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_are_in_the_original_order(name):
    module, _, function = name.rpartition(".")
    taken = list(inspect.signature(getattr(importlib.import_module(module), function)).parameters)
    expected = SIGNATURES[name].split()
    assert taken[: len(expected)] == expected


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_no_framework_is_loaded():
    names = [name for name in MODULES if not name.endswith("__main__")]
    done = run(f"import sys, {', '.join(names)}\nprint(sorted({{'torch', 'tensorflow'}} & set(sys.modules)))")
    assert done.stdout == "[]\n", done.stderr


def test_gin_tf_is_gin_after_the_import_alone():
    before = run(
        "import causal_disent\ncausal_disent.get_metric('mig')\nimport sys\nprint('gin.tf' in sys.modules)"
    )
    assert before.stdout == "False\n", before.stderr
    after = run(
        "import disentanglement_lib\nimport gin.tf\nimport gin.tf.external_configurables\n"
        "@gin.configurable('mine', blacklist=['x'])\ndef mine(x, y=1): return y\n"
        "gin.bind_parameter('mine.y', 3)\nprint(mine(0))\n"
        "gin.external_configurable(abs, 'theirs', whitelist=['x'])"
    )
    assert after.stdout == "3\n", after.stderr


def test_a_program_that_imports_gin_tf_first(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport gin.tf\nfrom disentanglement_lib.config import reproduce\nprint(sys.argv)\n"
    )
    command = [sys.executable, "-m", "disentanglement_lib", str(program), "--flag"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == f"['{program}', '--flag']\n", done.stderr


def test_the_original_beside_it(tmp_path):
    """Its metadata is enough to know."""
    info = tmp_path / "disentanglement_lib-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: disentanglement_lib\nVersion: 1.5\n")
    done = run(f"import sys\nsys.path.append({str(tmp_path)!r})\nimport disentanglement_lib")
    assert "RuntimeWarning" in done.stderr and "disentanglement_lib 1.5" in done.stderr


def test_old_names_that_never_existed():
    with pytest.raises(ImportError):
        importlib.import_module("disentanglement_lib.evaluation.metrics.migg")
    from disentanglement_lib.methods.shared import architectures

    with pytest.raises(AttributeError):
        architectures.resnet_encoder  # noqa: B018
