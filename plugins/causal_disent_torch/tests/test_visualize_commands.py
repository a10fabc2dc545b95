import shutil

import numpy as np
import pytest
from causal_disent_torch.networks import LinearDecoder, LinearEncoder
from causal_disent_torch.saved import save_model
from PIL import Image

from causal_disent.cli.dlib import dlib_visualize_model as main
from causal_disent.report.write import write_report
from causal_disent.runs.results import write_results

PICTURES = {
    "reconstructions/reconstructions.png",
    "sampled/samples.png",
    "traversals/traversals.png",
    "animated_traversals/traversals.gif",
    "counterfactuals/image_0.png",
    "counterfactuals/image_1.png",
}
QUICK = [
    "--gin_bindings=visualize_model.num_train = 100",
    "--gin_bindings=visualize_model.num_steps = 4",
    "--gin_bindings=conv_classifier.num_steps = 5",
    "--gin_bindings=conv_classifier.channels = (4, 4, 8)",
    "--num_images=2",
    "--device=cpu",
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSAL_DISENT_CLASSIFIERS", str(tmp_path / "classifiers"))


@pytest.fixture
def model_dir(tiny, tmp_path):
    """A saved torch model whose record names the data set."""
    folder = tmp_path / "model_dir"
    encoder, decoder = LinearEncoder((16, 16, 1), 3), LinearDecoder((16, 16, 1), 3)
    save_model(folder / "model", encoder, decoder)
    (folder / "results" / "gin").mkdir(parents=True)
    (folder / "results" / "gin" / "train.gin").write_text(
        "dataset.name = 'tiny'\nmodel.model = @vae()\ndataset.factors = ['shade']\n"
    )
    return folder


def written(folder):
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.filterwarnings("ignore:The classifier's accuracy")
def test_a_saved_model(model_dir, tmp_path, capsys):
    out = tmp_path / "pictures"
    assert main([f"--model_dir={model_dir}", f"--output_dir={out}", *QUICK]) == 0
    assert written(out) == PICTURES
    shown = capsys.readouterr().out
    # The record's choice of factors counts: the sheets are about the shade alone.
    assert "accuracy of the classifier on held-out images: shade " in shown and "place" not in shown
    with Image.open(out / "animated_traversals" / "traversals.gif") as animation:
        assert animation.n_frames == 2 * 3 and animation.info["loop"] == 0
        frames = []
        for number in range(animation.n_frames):
            animation.seek(number)
            frames.append(np.asarray(animation.convert("RGB")))
    # Forward and back: the first and the last step are shown once, those between twice.
    assert all((frames[i] == frames[-i]).all() for i in range(1, 3)) and (frames[0] != frames[3]).any()


def test_a_device_that_is_not_there(model_dir, tmp_path, capsys):
    places = [f"--model_dir={model_dir}", f"--output_dir={tmp_path / 'x'}"]
    assert main([*places, *QUICK, "--device=tpu"]) == 2
    assert "Unknown device 'tpu'" in capsys.readouterr().err and not (tmp_path / "x").exists()


def test_the_model_is_never_replaced(model_dir, tmp_path, capsys):
    before = written(tmp_path)
    for target in (model_dir, tmp_path, model_dir / "model"):
        assert main([f"--model_dir={model_dir}", f"--output_dir={target}", "--overwrite", *QUICK]) == 2
        assert "Choose another output folder" in capsys.readouterr().err
    assert written(tmp_path) == before


def test_a_report_draws_what_the_first_run_of_a_model_has_learned(model_dir, tmp_path, capsys):
    for number in range(2):
        run = tmp_path / "study" / str(number)
        shutil.copytree(model_dir, run / "model")
        bindings = {"evaluation.evaluation_fn": "@irs", "dataset.name": "'tiny'", "evaluation.random_seed": "0"}
        earlier = {"json/train_config.json": b'{"model.name": "\'mine\'", "dataset.name": "\'tiny\'"}'}
        write_results(run / "metrics/mean/irs", "evaluation", {"IRS": 0.5}, "", bindings, earlier)
    page = write_report(tmp_path / "study", tmp_path / "page.html", draw=True)
    drawn = tmp_path / "study/0/visualized"
    assert written(drawn) == {name for name in PICTURES if not name.startswith("counterfactuals")}
    assert not (tmp_path / "study/1/visualized").exists()
    assert "0/visualized/traversals/traversals.png: traversals" in page.read_text()
    shutil.rmtree(drawn)
    (tmp_path / "study/0/model/model/model.json").write_text("{}")
    write_report(tmp_path / "study", tmp_path / "page.html", draw=True)
    assert "run 0 is not drawn: " in capsys.readouterr().err
