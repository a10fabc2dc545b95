import argparse

import pytest
from PIL import Image

from causal_disent.cli._run import run
from causal_disent.cli.listing import add_graph


def graph(*arguments):
    """The exit code of ``datasets graph``."""
    parser = argparse.ArgumentParser()
    add_graph(parser)
    parsed = parser.parse_args([*map(str, arguments)])
    return run(lambda: parsed.command(parsed), debug=False)


def test_the_table_is_printed(capsys):
    assert graph("candle_mini") == 0
    out = capsys.readouterr().out
    assert "object, rotation  -      0.000   20  1.000  holds" in out
    assert out.endswith("0 of 8 independences are broken (4,050 points, alpha 0.05).\n")


def test_rules_and_options(capsys):
    rules = ["candle_color", "never size=small light=left"]
    assert graph("candle_mini", "--options", "scenes=2", "--confounding", *rules, "--alpha", "0.01") == 0
    out = capsys.readouterr().out
    assert "1 of 8 independences are broken" in out and "alpha 0.01" in out
    assert any(line.startswith("size, light") and line.endswith("broken") for line in out.splitlines())
    assert "\nBroken: size, light.\n" in out


def test_a_sample_is_seeded(capsys):
    shown = []
    for seed in (1, 1, 2):
        assert graph("candle_mini", "--num_points", 500, "--seed", seed) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != shown[2] and "(500 points" in shown[0]


@pytest.mark.parametrize("name", ["graph.png", "graph.svg"])
def test_the_graph_is_drawn(capsys, tmp_path, name):
    path = tmp_path / "new folder" / name
    assert graph("candle_mini", "--output", path) == 0
    assert f"The graph: {path}" in capsys.readouterr().out
    if path.suffix == ".png":
        assert Image.open(path).width > 800
    else:
        assert "<svg" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["candle_min"], "Unknown data set 'candle_min'. Did you mean 'candle_mini'?"),
        (["dummy_data"], "The data set DummyData has no causal graph"),
        (["candle_mini", "--output", "graph.pdf"], "a .svg or a .png file; given: graph.pdf"),
        (
            ["candle_mini", "--options", "scene=2"],
            "'candle_mini' has no parameter 'scene'. Did you mean 'scenes'?",
        ),
        (["candle_mini", "--options", "scenes=abc"], "candle_mini.scenes must be a whole number"),
        (["candle_mini", "--seed", "-1"], "--seed must be a whole number from 0 to 2**32 - 1; given: -1"),
        (["candle_mini", "--seed", str(2**32)], "--seed must be a whole number from 0 to 2**32 - 1"),
        (["candle_mini", "--options", "scenes"], "given as KEY=VALUE; given: 'scenes'"),
        (["candle_mini", "--confounding", "candle_colour"], "Did you mean 'candle_color'?"),
        (["candle_mini", "--confounding", "correlate object light 1"], "--num_points"),
    ],
)
def test_wrong_calls_exit_with_2(capsys, arguments, message):
    assert graph(*arguments) == 2
    assert message in capsys.readouterr().err
