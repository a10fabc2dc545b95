"""``causal-disent render`` as people type it, and where it looks for Blender."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest
from causal_disent_candle.render import blender as environment
from causal_disent_candle.render import cli

from causal_disent import errors
from causal_disent.cli._run import run


def command(name, *words):
    parser = argparse.ArgumentParser(prog=f"causal-disent render {name}")
    {"candle": cli.add_candle, "synthetic": cli.add_synthetic}[name](parser)
    arguments = parser.parse_args(words)
    return run(lambda: arguments.command(arguments), debug=False)


@pytest.fixture
def no_blender(monkeypatch, tmp_path):
    """A machine on which there is nothing to render with."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_without_blender_it_says_what_to_do_and_writes_nothing(no_blender, capsys):
    output = no_blender / "images"
    assert command("candle", "--output", str(output)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: Rendering needs Blender") and "--install" in said and "--environment" in said
    assert not output.exists()


def test_a_wrong_rule_is_found_before_blender_is_looked_for(no_blender, capsys):
    assert command("candle", "--output", str(no_blender / "images"), "--rules", "candle_relesed") == 2
    assert "Did you mean 'candle_released'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "320"], "is no size such as 320x240"),
        (["--size", "8x240"], "sides of 16 to 4096 pixels"),
        (["--workers", "0"], "no whole number of at least 1"),
        (["--samples", "many"], "no whole number of at least 1"),
        (["--seed", "-1"], "expected one argument|no whole number"),
    ],
)
def test_arguments_that_cannot_be_used(words, message, capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        command("candle", "--output", str(tmp_path), *words)
    assert ended.value.code == 2
    import re

    assert re.search(message, capsys.readouterr().err)


def test_help_says_that_recipes_are_run(capsys):
    with pytest.raises(SystemExit):
        command("candle", "--help")
    said = " ".join(capsys.readouterr().out.split())
    assert "recipes are code and are run, so use only assets that you trust" in said


def test_the_named_environment_is_used(no_blender):
    python = script(no_blender / "env" / "bin" / "python", "exit 0")
    assert environment.find_blender(no_blender / "env") == [str(python)]


def test_a_named_environment_without_bpy_is_an_error(no_blender):
    with pytest.raises(errors.InvalidInput, match="There is no interpreter in the environment"):
        environment.find_blender(no_blender / "env")
    script(no_blender / "env" / "bin" / "python", "exit 1")
    with pytest.raises(errors.InvalidInput, match="has no bpy. Run .* -m pip install 'bpy==4.5"):
        environment.find_blender(no_blender / "env")


def test_the_variable_comes_before_the_default_environment_and_that_before_blender(no_blender, monkeypatch):
    blender = script(no_blender / "blender", "exit 0")
    assert environment.find_blender()[0] == str(blender)
    default = script(environment.default_environment() / "bin" / "python", "exit 0")
    assert environment.find_blender() == [str(default)]
    named = script(no_blender / "named", "exit 0")
    monkeypatch.setenv(environment.VARIABLE, str(named))
    assert environment.find_blender() == [str(named)]


def test_a_broken_default_environment_is_passed_over(no_blender):
    script(environment.default_environment() / "bin" / "python", "exit 1")
    with pytest.raises(errors.InvalidInput, match="Rendering needs Blender"):
        environment.find_blender()


def test_install_makes_the_environment_once(no_blender, monkeypatch):
    commands = []

    def call(command, **options):
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(environment.subprocess, "run", call)
    monkeypatch.setattr(environment.sys, "version_info", (3, 11, 0))
    (no_blender / "env").mkdir()
    python = environment.install(no_blender / "env")
    assert [command[1:3] for command in commands] == [["-m", "venv"], ["-m", "pip"]]
    assert commands[0][0] == sys.executable and commands[1][0] == str(python)
    assert commands[1][-1] == "bpy==4.5.*"
    environment.install(no_blender / "env")
    assert len(commands) == 2


def test_an_install_that_failed_is_begun_again(no_blender, monkeypatch):
    monkeypatch.setattr(environment.sys, "version_info", (3, 11, 0))
    monkeypatch.setattr(
        environment.subprocess, "run", lambda command, **options: subprocess.CompletedProcess(command, 1)
    )
    with pytest.raises(errors.InvalidInput, match="could not be made: .* ended with 1"):
        environment.install(no_blender / "env")
    assert not (no_blender / "env" / environment.READY).exists()


def test_install_needs_the_python_that_bpy_is_built_for(no_blender, monkeypatch):
    monkeypatch.setattr(environment.sys, "version_info", (3, 12, 0))
    with pytest.raises(errors.InvalidInput, match=r"needs Python 3\.11, this is Python 3\.12"):
        environment.install(no_blender / "env")
    python = script(no_blender / "python3.11", "exit 7")
    with pytest.raises(errors.InvalidInput, match="python3.11 -m venv .* ended with 7"):
        environment.install(no_blender / "env")
    assert python.is_file()
