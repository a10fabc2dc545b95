import pytest
from PIL import Image

from causal_disent.cli.dlib import dlib_visualize_dataset as main


def test_a_data_set(tiny, tmp_path, capsys):
    arguments = ["--name=tiny", f"--path={tmp_path / 'pictures'}"]
    assert main(arguments) == 0
    with Image.open(tmp_path / "pictures" / "tiny.png") as picture:
        whole = picture.size
    assert main(arguments) == 2
    assert "tiny.png exists" in capsys.readouterr().err
    # A binding restricts what is shown.
    assert main([*arguments, "--overwrite", "--gin_bindings=dataset.factors = ['shade']"]) == 0
    with Image.open(tmp_path / "pictures" / "tiny.png") as picture:
        assert picture.width == whole[0] and picture.height < whole[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--name is needed"),
        (["--name=candle_mimi"], "Did you mean 'candle_mini'"),
        (["--name=../evil"], "Unknown data set '../evil'"),
    ],
)
def test_mistakes(arguments, message, tmp_path, capsys):
    assert main([*arguments, f"--path={tmp_path}"]) == 2
    assert message in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_help(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "--path" in shown and "dlib_visualize_dataset" in shown
