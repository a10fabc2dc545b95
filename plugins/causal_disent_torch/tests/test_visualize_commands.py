import numpy as np
import pytest
from causal_disent_torch.architectures.linear import LinearDecoder, LinearEncoder
from causal_disent_torch.saved_model import describe, save_model
from causal_disent_torch.visualize.cli import main_dataset, main_model
from PIL import Image

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
    save_model(folder / "model", encoder, decoder, describe(encoder, decoder, "logits"))
    (folder / "results" / "gin").mkdir(parents=True)
    (folder / "results" / "gin" / "train.gin").write_text(
        "dataset.name = 'tiny'\nmodel.model = @vae()\ndataset.factors = ['shade']\n"
    )
    return folder


@pytest.fixture
def oracle_dir(tiny, tmp_path):
    folder = tmp_path / "oracle"
    folder.mkdir()
    (folder / "representation.gin").write_text(
        "representation.name = 'perfect_oracle'\ndataset.name = 'tiny'\n", encoding="utf-8"
    )
    return folder


def written(folder):
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.filterwarnings("ignore:The classifier's accuracy")
def test_a_saved_model(model_dir, tmp_path, capsys):
    out = tmp_path / "pictures"
    assert main_model([f"--model_dir={model_dir}", f"--output_dir={out}", *QUICK]) == 0
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


def test_an_oracle_and_the_classifier_of_the_core(oracle_dir, tmp_path):
    out = tmp_path / "pictures"
    bound = "--gin_bindings=visualize_model.classifier = 'nearest_image'"
    arguments = [f"--model_dir={oracle_dir}", f"--output_dir={out}", *QUICK, bound]
    assert main_model(arguments) == 0
    assert written(out) == PICTURES
    first = (out / "counterfactuals/image_0.png").read_bytes()
    assert main_model([*arguments, "--overwrite"]) == 0
    assert (out / "counterfactuals/image_0.png").read_bytes() == first
    assert not list(tmp_path.glob(".*"))  # nothing half-written is left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output_dir=x"], "--model_dir is needed"),
        (["--model_dir=m"], "--output_dir is needed"),
        (["--model_dir=oracle", "--output_dir=there"], "there exists"),
        (["--model_dir=nowhere", "--output_dir=x"], "The folder nowhere given by --model_dir does not exist"),
        (["--model_dir=empty", "--output_dir=x"], "empty holds no model"),
        (["--model_dir=oracle", "--output_dir=x", "--num_images=0"], "--num_images must be at least 1"),
        (["--model_dir=oracle", "--output_dir=x", "--device=tpu"], "Unknown device 'tpu'"),
        (["--model_dir=oracle", "--output_dir=x", "--gin_bindings=visualize_model.rhp = 2"], "Did you mean 'rho'"),
        (["--model_dir=oracle", "--output_dir=x", "--gin_bindings=visualize_model.rho = 9"], "rho"),
        (["--model_dri=m"], "Did you mean '--model_dir'"),
    ],
)
def test_mistakes(oracle_dir, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name in ("there", "empty"):
        (tmp_path / name).mkdir()
    before = written(tmp_path)
    assert main_model(arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown and "Traceback" not in shown
    assert written(tmp_path) == before


def test_a_model_without_a_decoder(tiny, tmp_path, monkeypatch, capsys):
    from causal_disent.registry import Entry, registry

    def only_codes(data):
        return lambda images: images.mean(axis=(1, 2))

    restore = registry.replace(Entry("representations", "only_codes", "tests", only_codes, "for tests"))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "representation.gin").write_text(
        "representation.name = 'only_codes'\ndataset.name = 'tiny'\n"
    )
    try:
        assert main_model([f"--model_dir={tmp_path / 'model'}", f"--output_dir={tmp_path / 'x'}"]) == 2
    finally:
        restore()
    assert "drawn by its decoder, and the representation has none" in capsys.readouterr().err


def test_a_data_set(tiny, tmp_path, capsys):
    arguments = ["--name=tiny", f"--path={tmp_path / 'pictures'}"]
    assert main_dataset(arguments) == 0
    with Image.open(tmp_path / "pictures" / "tiny.png") as picture:
        whole = picture.size
    assert main_dataset(arguments) == 2
    assert "tiny.png exists" in capsys.readouterr().err
    # A binding restricts what is shown.
    assert main_dataset([*arguments, "--overwrite", "--gin_bindings=dataset.factors = ['shade']"]) == 0
    with Image.open(tmp_path / "pictures" / "tiny.png") as picture:
        assert picture.width == whole[0] and picture.height < whole[1]


def test_mistakes_about_data_sets(tmp_path, capsys):
    assert main_dataset([]) == 2
    assert "--name is needed" in capsys.readouterr().err
    assert main_dataset(["--name=candle_mimi", f"--path={tmp_path}"]) == 2
    assert "Did you mean 'candle_mini'" in capsys.readouterr().err
    assert main_dataset(["--name=../evil", f"--path={tmp_path}"]) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("main", "flag"), [(main_model, "--num_images"), (main_dataset, "--path")])
def test_help(main, flag, capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert flag in shown and "dlib_visualize" in shown


def test_the_model_is_never_replaced(model_dir, tmp_path, capsys):
    before = written(tmp_path)
    for target in (model_dir, tmp_path, model_dir / "model"):
        assert main_model([f"--model_dir={model_dir}", f"--output_dir={target}", "--overwrite", *QUICK]) == 2
        assert "Choose another output folder" in capsys.readouterr().err
    assert written(tmp_path) == before
