"""``causal-disent datasets counterfactual``: figure 3 of the workshop paper's appendix."""

import pytest
from PIL import Image

from causal_disent.cli.main import main


def ask(capsys, *arguments):
    code = main(["datasets", "counterfactual", *arguments])
    return code, capsys.readouterr()


def test_the_questions_of_figure_3(capsys, tmp_path):
    picture = tmp_path / "questions.png"
    questions = ["--do", "color=yellow", "--do", "object=cube", "--do", "object=cube", "color=blue"]
    sphere = ["--given", "object=sphere", "color=red"]
    code, told = ask(capsys, "candle_mini", *sphere, *questions, "--num_images", "2", "--output", str(picture))
    assert code == 0 and told.out.count("do(object=cube, color=blue)") == 2
    width, height = Image.open(picture).size
    assert width > 4 * 64 and height > 2 * 64


def test_an_answer_outside_the_data_is_marked(capsys):
    cube = ["--given", "object=cube", "color=red", "--do", "color=blue", "--do", "color=yellow"]
    code, told = ask(capsys, "candle_mini", "--confounding", "candle_color", *cube)
    lines = told.out.splitlines()
    assert code == 0
    assert [line for line in lines if "do(color=blue)" in line][0].endswith("  in the data")
    assert [line for line in lines if "do(color=yellow)" in line][0].endswith("not in the data")


@pytest.mark.parametrize(
    "arguments",
    [
        ["candle_mini", "--do", "color"],
        ["candle_mini", "--do", "=red"],
        ["candle_mini", "--do", "color=pink"],
        ["candle_mini", "--do", "hue=red"],
        ["candle_mini", "--do", "color=red", "--given", "object=cat"],
        ["candle_mini", "--do", "color=red", "--given", "color=blue", "object=cube", "--num_images", "0"],
        ["candle_mini", "--do", "color=red", "--output", "answers.svg"],
        [
            "candle_mini",
            "--confounding",
            "candle_color",
            "--do",
            "color=red",
            "--given",
            "object=cube",
            "color=orange",
        ],
        ["identity_data", "--do", "factor_0=1"],
        ["candle_mini", "--do", "color=red", "--seed", "-1"],
    ],
)
def test_questions_that_cannot_be_asked(capsys, arguments):
    code, told = ask(capsys, *arguments)
    assert code == 2 and told.err.count("error: ") == 1 and not told.out
