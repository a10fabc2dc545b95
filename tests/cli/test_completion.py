"""``causal-disent completion``: bash itself is asked what it completes."""

import contextlib
import io
import shlex
import subprocess
from pathlib import Path

import pytest

from causal_disent.cli.main import all_commands, dlib_scripts, main
from causal_disent.plugins import shipped_configs
from causal_disent.registry import KINDS, registry


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A file with the script for bash."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main(["completion", "bash"]) == 0
    path = tmp_path_factory.mktemp("completion") / "script"
    path.write_text(text.getvalue())
    return path


def completed(script, line, cwd=None):
    """What bash would offer at the end of `line`, its words split as bash splits them."""
    words = []
    for word in line.split(" "):
        flag, sign, value = word.partition("=")
        words += [flag, sign, *([value] if value else [])] if sign else [word]
    code = (
        f"source {script}\n"
        f"COMP_WORDS=({' '.join(map(shlex.quote, words))})\nCOMP_CWORD={len(words) - 1}\n"
        # A command is looked up by the last part of its path.
        f"function=$(complete -p {Path(words[0]).name} | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
        '$function\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=True, cwd=cwd)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_subcommands(script):
    assert set(completed(script, "causal-disent ")) >= {called[0] for called in all_commands()}
    assert completed(script, "causal-disent metr") == ["metrics"]
    assert completed(script, "causal-disent dem") == ["demo", "demo_model"]
    assert set(completed(script, "causal-disent datasets ")) >= {
        "verify",
        "graph",
        "show",
        "candle_mini",
        "--json",
    }
    assert completed(script, "causal-disent datasets ver") == ["verify"]


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_each_kind_and_options(kind, script):
    assert set(completed(script, f"causal-disent {kind} ")) >= {*registry.names(kind), "--json", "--help"}
    first = registry.names(kind)[0]
    assert completed(script, f"causal-disent {kind} {first}")[0] == first
    assert completed(script, f"causal-disent {kind} {first} --js") == ["--json"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("causal-disent check candle_mi", ["candle_mini"]),
        ("causal-disent datasets verify candle_mi", ["candle_mini"]),
        ("causal-disent datasets graph --al", ["--alpha"]),
        ("causal-disent calibrate --metrics mig", ["mig", "mig_sup"]),
        ("causal-disent score --metrics irs", ["irs"]),
        ("causal-disent calibrate --output ", []),  # a file: bash's own
        ("causal-disent completion z", ["zsh"]),
        ("causal-disent configs metrics/mig", ["metrics/mig.gin", "metrics/mig_sup.gin"]),
        ("dlib_evaluate --gin_con", ["--gin_config"]),
        ("dlib_evaluate --gin_config metrics/mig", ["metrics/mig.gin", "metrics/mig_sup.gin"]),
        ("dlib_evaluate --gin_config=metrics/mig", ["metrics/mig.gin", "metrics/mig_sup.gin"]),
        ("dlib_evaluate --overwrite --gin_config metrics/uc", ["metrics/uc.gin"]),
        ("dlib_evaluate --gin_config metrics/uc.gin --output_d", ["--output_dir"]),
        ("dlib_evaluate --input_dir ", []),
        ("/somewhere/bin/dlib_evaluate --gin_con", ["--gin_config"]),
        ("dlib_udr --model_d", ["--model_dirs"]),
    ],
)
def test_values_and_flags(line, offered, script):
    assert completed(script, line) == offered


def test_a_value_after_the_sign_alone(script):
    assert completed(script, "dlib_evaluate --gin_config=") == shipped_configs()


def test_backends(script):
    assert completed(script, "dlib_evaluate --backend ") == registry.names("backends")


def test_every_command_is_completed(script):
    commands = script.read_text().splitlines()[-1].split()
    assert commands[:5] == ["complete", "-o", "default", "-F", "_causal_disent"]
    assert commands[5:] == ["causal-disent", *dlib_scripts()] and len(dlib_scripts()) >= 3


def test_zsh_gets_the_same_with_its_own_head(script, capsys):
    assert main(["completion", "zsh"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "autoload -Uz compinit bashcompinit && compinit && bashcompinit"
    assert lines[2:] == script.read_text().splitlines()[1:]


def test_another_shell_is_refused(capsys):
    assert main(["completion", "fish"]) == 2
    assert "invalid choice: 'fish'" in capsys.readouterr().err
