"""``dlib_visualize_model`` of a causal model."""

import pytest

torch = pytest.importorskip("torch")

from small_models import small_data  # noqa: E402

from causal_disent.cli.dlib import dlib_visualize_model as main  # noqa: E402
from causal_disent.registry import Entry, registry  # noqa: E402
from causal_disent.runs.train import train_with_gin  # noqa: E402

SHORT = [
    "dataset.name = 'pictured_crl'",
    "model.training_steps = 1",
    "model.batch_size = 4",
    "model.eval_steps = 1",
    "causal_decoder.hidden = [8]",
    "crl_encoder.hidden = [8]",
]


def test_concepts_are_drawn(tmp_path):
    restore = registry.replace(Entry("datasets", "pictured_crl", "tests", small_data, "small", {}))
    try:
        train_with_gin(tmp_path / "model", gin_config_files=["models/causal_vae.gin"], gin_bindings=SHORT)
        lines = [
            "visualize_model.classifier = None",
            "visualize_model.num_train = 20",
            "visualize_model.num_steps = 3",
        ]
        bound = [f"--gin_bindings={line}" for line in lines]
        folders = [f"--model_dir={tmp_path / 'model'}", f"--output_dir={tmp_path / 'pictures'}"]
        assert not main([*folders, "--num_images=2", "--device=cpu", *bound])
    finally:
        restore()
    written = {str(path.relative_to(tmp_path / "pictures")) for path in (tmp_path / "pictures").rglob("*.png")}
    assert {"concepts/graph.png", "concepts/image_0.png", "concepts/image_1.png"} < written
    assert not any(name.startswith("counterfactuals") for name in written)
