import json
from pathlib import Path

import pytest

from causal_disent.cli.main import main
from causal_disent.registry import KINDS, Entry, registry


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_listed_with_its_summaries(kind, capsys):
    code, out = run(capsys, kind)
    assert code == 0
    for entry in registry.entries(kind):
        assert entry.name in out and entry.summary in out and entry.summary


def test_what_is_there_for_the_checks_is_not_listed(capsys):
    title = run(capsys, "metrics")[1].splitlines()[0]
    assert title.split() == ["metric", "plugin", "summary"]


def test_plugins_as_a_table_and_as_json(capsys):
    assert "builtin" in run(capsys, "plugins")[1]
    listed = json.loads(run(capsys, "plugins", "--json")[1])
    assert set(listed[0]) == {"name", "version", "status", "reason", "offers", "configs"}
    assert listed[0]["name"] == "builtin" and listed[0]["status"] == "ok"
    assert set(listed[0]["offers"]) == set(KINDS) and "uc" in listed[0]["offers"]["metrics"]


def test_wrong_commands_exit_with_2(capsys):
    with pytest.raises(SystemExit) as raised:
        main(["dance"])
    assert raised.value.code == 2
    assert "invalid choice: 'dance'" in capsys.readouterr().err


def test_plugins_share_a_group_of_commands(capsys):
    """Two owners put a command each below the same word."""

    def prints(text):
        return lambda parser: parser.set_defaults(command=lambda arguments: print(text) or 0)

    restores = [
        registry.replace(Entry("commands", f"paint_{name}", owner, prints(name), f"a {name}", {"under": "paint"}))
        for owner, name in (("first", "tree"), ("second", "house"))
    ]
    try:
        assert run(capsys, "paint", "tree") == (0, "tree\n")
        assert run(capsys, "paint", "house") == (0, "house\n")
        with pytest.raises(SystemExit):
            main(["paint", "--help"])
        said = capsys.readouterr().out
        assert all(words in said for words in ("paint house, tree", "a tree", "a house"))
        with pytest.raises(SystemExit):
            main(["paint", "lake"])
        assert "invalid choice: 'lake'" in capsys.readouterr().err
    finally:
        for restore in restores:
            restore()


@pytest.mark.slow
def test_demo(capsys, tmp_path):
    code, out = run(capsys, "demo", "--output", tmp_path)
    assert code == 0
    table = {line[:37].strip(): line[37:].split() for line in out.splitlines() if line[37:].strip()}
    assert table["perfect oracle"] == ["1.000", "1.000", "1.000"]
    assert table["perfect oracle, fully confounded data"] == ["1.000", "0.000", "0.000"]
    mixed, noise = ([float(score) for score in table[row]] for row in ("mixed codes", "noise encoder"))
    assert mixed[0] < 0.6 and mixed[2] < 0.5 and noise[0] < 0.1 and noise[2] < 0.5
    assert (tmp_path / "candle_mini.png").stat().st_size > 10_000
    for row in ("perfect", "mixed", "noise", "confounded"):
        assert (tmp_path / row / "evaluation/results/aggregate/evaluation.json").is_file()
    shown = out[out.index("representation  ") : out.index("\n\nResults:")]
    assert shown in (Path(__file__).parents[2] / "README.md").read_text()
    assert run(capsys, "demo", "--output", tmp_path)[0] == 0  # it may be run again
