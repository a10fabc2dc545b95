import json
import os
import re
import subprocess
import sys

import pytest

from causal_disent import __version__
from causal_disent.cli.main import all_commands, main
from causal_disent.registry import KINDS, Entry, registry


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def ended(capsys, *words):
    """Exit code, standard output and error."""
    code = main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["--debug"]])
def test_the_help_names_every_command_in_groups(words, capsys):
    code, out, err = ended(capsys, *words)
    assert code == 0 and err == "" and max(map(len, out.splitlines())) <= 100
    titles = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[:4] == ["measure:", "look up:", "set up:", "of plugins:"]
    lines = [line.strip() for line in out.splitlines()]
    for called, entry in all_commands().items():
        assert any(line.startswith(" ".join(called)) and entry.summary[:40] in line for line in lines)
    assert "dlib_aggregate_results, dlib_evaluate" in out


def test_every_command_tells_what_it_takes(capsys):
    for called, entry in all_commands().items():
        code, out, err = ended(capsys, *called, "--help")
        assert code == 0 and err == "" and f"usage: causal-disent {' '.join(called)} " in out
        assert entry.summary.lower() in " ".join(out.split()).lower()


def test_version(capsys):
    assert ended(capsys, "--version") == (0, f"causal_disent {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["metrcs"], "Unknown command 'metrcs'. Did you mean 'metrics'? There are: attributions, backends"),
        (["mig"], "'mig' is a metric: `causal-disent metrics mig` shows it."),
        (
            ["--versin"],
            "Unknown option '--versin'. Did you mean '--version'? There are: --help, --version, --debug.",
        ),
        (["metrics", "vae"], "'vae' is a model: `causal-disent models vae` shows it."),
        (["metrics", "migg"], "Unknown metric 'migg'. Did you mean 'mig'?"),
        (["paint\x1b"], r"Unknown command 'paint\x1b'."),
    ],
)
def test_wrong_words_exit_with_2_and_the_nearest(words, message, capsys):
    code, out, err = ended(capsys, *words)
    assert code == 2 and out == "" and message in err and err.startswith("error: ") and err.count("\n") == 1


def test_wrong_options_exit_with_2(capsys):
    code, out, err = ended(capsys, "metrics", "--jsn")
    assert code == 2 and out == "" and "unrecognized arguments: --jsn" in err


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
        for words in (["paint"], ["paint", "--help"]):
            assert run(capsys, *words) == (0, "  paint house  a house\n  paint tree   a tree\n")
        code, _, err = ended(capsys, "paint", "trea")
        assert code == 2 and "Unknown command 'paint trea'. Did you mean 'paint tree'?" in err
    finally:
        for restore in restores:
            restore()


def test_plugins_as_a_table_and_as_json(capsys):
    code, out = run(capsys, "plugins")
    assert code == 0 and "builtin" in out and max(map(len, out.splitlines())) <= 100
    listed = json.loads(run(capsys, "plugins", "--json")[1])
    assert set(listed[0]) == {"name", "version", "status", "reason", "offers", "configs"}
    assert listed[0]["name"] == "builtin" and listed[0]["status"] == "ok"
    for plugin in listed:
        for kind in KINDS:
            mine = [entry for entry in registry.entries(kind) if entry.owner == plugin["name"]]
            offers = {entry["name"]: entry for entry in plugin["offers"][kind]}
            assert {entry.name: entry.summary for entry in mine} == {
                name: offer["summary"] for name, offer in offers.items()
            }
            for entry in mine:
                assert set(offers[entry.name]["facts"]) == set(entry.facts)
                assert offers[entry.name].get("target") == (
                    entry.target if isinstance(entry.target, str) else None
                )


def test_one_plugin_shows_all_that_it_offers(capsys):
    code, out = run(capsys, "plugins", "builtin")
    assert code == 0 and out.startswith("builtin 0.") and max(map(len, out.splitlines())) <= 100
    offered = {entry.name for kind in KINDS for entry in registry.entries(kind) if entry.owner == "builtin"}
    assert offered <= {line.split()[0] for line in out.splitlines() if line.strip()}
    assert [plugin["name"] for plugin in json.loads(run(capsys, "plugins", "builtin", "--json")[1])] == ["builtin"]


def test_the_line_that_shows_a_command_is_one_that_works(capsys):
    for entry in registry.entries("commands"):
        line = run(capsys, "commands", entry.name)[1].splitlines()[-1].partition("causal-disent ")[2]
        assert run(capsys, *line.split())[0] == 0, line


def test_a_help_that_nobody_reads_to_its_end_is_no_mistake():
    code = "import sys; from causal_disent.cli.dlib import dlib_train as main; sys.exit(main(['--help']))"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_demo(capsys, tmp_path):
    code, out = run(capsys, "demo", "--output", tmp_path)
    assert code == 0
    printed = out[out.index("representation  ") : out.index("\n\nCG is judged by")]
    table, title = {}, ""
    for line in printed.splitlines()[2:]:
        title = line[:37].strip() or title
        score, *cells = re.split(r"\s{2,}", line[39:].strip())
        table[title, score] = cells
    assert [table["perfect oracle", score][0] for score in ("IRS", "UC", "CG", "CG_signed")] == ["1.000"] * 4
    confounded = "perfect oracle, fully confounded data"
    assert [table[confounded, score][0] for score in ("IRS", "UC", "CG")] == ["1.000", "0.000", "0.000"]
    for score in ("IRS", "UC", "CG", "CG_signed"):
        value, interval, chance, words = table["noise encoder", score]
        low, high = map(float, interval.split(" to "))
        assert words.startswith("within chance (") and low <= float(value) <= high and -1 <= float(chance) <= 1
        assert table["perfect oracle", score][3] == "better than chance"
    assert (tmp_path / "candle_mini.png").stat().st_size > 10_000
    for row in ("perfect", "mixed", "noise", "confounded"):
        assert (tmp_path / row / "evaluation/results/aggregate/evaluation.json").is_file()
    assert run(capsys, "demo", "--output", tmp_path)[0] == 0  # it may be run again
