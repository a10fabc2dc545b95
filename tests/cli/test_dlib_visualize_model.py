import pytest

from causal_disent.cli.dlib import dlib_visualize_model as main
from causal_disent.registry import Entry, registry

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
    "--gin_bindings=visualize_model.classifier = 'nearest_image'",
    "--num_images=2",
]


@pytest.fixture
def oracle_dir(tiny, oracle_folder):
    return oracle_folder("representation.name = 'perfect_oracle'\ndataset.name = 'tiny'\n", "oracle")


def written(folder):
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_an_oracle(oracle_dir, tmp_path, capsys):
    """No framework is needed for it."""
    out = tmp_path / "pictures"
    arguments = [f"--model_dir={oracle_dir}", f"--output_dir={out}", *QUICK]
    assert main(arguments) == 0
    assert written(out) == PICTURES
    assert "accuracy of the classifier on held-out images: place" in capsys.readouterr().out
    first = (out / "counterfactuals/image_0.png").read_bytes()
    assert main([*arguments, "--overwrite"]) == 0
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
        (
            ["--model_dir=oracle", "--output_dir=x", "--num_images=0"],
            "--num_images must be a whole number, at lea",
        ),
        (["--model_dir=oracle", "--output_dir=x", "--gin_bindings=visualize_model.rhp = 2"], "Did you mean 'rho'"),
        (["--model_dir=oracle", "--output_dir=x", "--gin_bindings=visualize_model.rho = 9"], "rho"),
        (
            ["--model_dir=oracle", "--output_dir=x", "--gin_bindings=visualize_model.classifier = 'nearest'"],
            "Unknown classifier 'nearest'",
        ),
        (["--model_dir=oracle", "--output_dir=x", "--backend=toch"], "Unknown backend 'toch'"),
        (["--model_dri=m"], "Did you mean '--model_dir'"),
    ],
)
def test_mistakes(oracle_dir, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name in ("there", "empty"):
        (tmp_path / name).mkdir()
    before = written(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown and "Traceback" not in shown
    assert written(tmp_path) == before


def failing(data):
    raise KeyboardInterrupt


@pytest.fixture
def endless(tiny):
    """A classifier whose making is interrupted."""
    restore = registry.replace(Entry("classifiers", "endless", "tests", failing, "for tests"))
    yield "--gin_bindings=visualize_model.classifier = 'endless'"
    restore()


def test_nothing_is_written_without_the_classifier(oracle_dir, tmp_path, capsys, endless):
    out = tmp_path / "pictures"
    assert main([f"--model_dir={oracle_dir}", f"--output_dir={out}", *QUICK, endless]) != 0
    assert not out.exists()
    assert "visualize_model.classifier" in capsys.readouterr().err


def test_no_classifier_is_made_where_nothing_shows_it(oracle_dir, tmp_path, capsys, endless):
    out = tmp_path / "pictures"
    arguments = [f"--model_dir={oracle_dir}", f"--output_dir={out}", *QUICK, endless, "--nocounterfactuals"]
    assert main(arguments) == 0
    assert written(out) == {name for name in PICTURES if not name.startswith("counterfactuals")}
    assert "accuracy" not in capsys.readouterr().out


def test_a_model_without_a_decoder(tiny, oracle_folder, tmp_path, capsys):
    def only_codes(data):
        return lambda images: images.mean(axis=(1, 2))

    restore = registry.replace(Entry("representations", "only_codes", "tests", only_codes, "for tests"))
    folder = oracle_folder("representation.name = 'only_codes'\ndataset.name = 'tiny'\n")
    try:
        assert main([f"--model_dir={folder}", f"--output_dir={tmp_path / 'x'}", *QUICK]) == 2
    finally:
        restore()
    assert "drawn by its decoder, and the representation has none" in capsys.readouterr().err


def test_help(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "--num_images" in shown and "dlib_visualize_model" in shown
