import re
import subprocess
import sys

import pytest

from causal_disent import config, errors
from causal_disent.plugins import shipped_configs
from causal_disent.registry import registry


def parse(*bindings, files=()):
    with config.gin_config(files, bindings):
        pass


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        (
            "uc.roh = 2",
            r"--gin_bindings, line 1: 'uc' has no parameter 'roh'. Did you mean 'rho'\? It takes: num_train",
        ),
        ("us.rho = 2", r"--gin_bindings, line 1: Unknown name 'us'. Did you mean 'uc'\?"),
        ("evaluation.evaluation_fn = @isr", r"line 1: Unknown name 'isr'. Did you mean 'irs'\?"),
        ("uc.random_state = 2", r"'random_state' of 'uc' comes from the program"),
        ("uc.rho 2", r"--gin_bindings, line 1: Couldn't parse statement.*\n    uc.rho 2"),
        ("uc.rho = ", r"--gin_bindings, line 1: Unable to parse value"),
        ("uc.rho = [1,", r"--gin_bindings: a bracket or a string is not closed"),
        ("import no_such_module", r"imports what is not there: No module named 'no_such_module'"),
        ("include 'nothing.gin'", r"nothing.gin"),
        ("uc.rho = %missing", r"--gin_bindings: No bindings specified for 'missing"),
    ],
)
def test_bad_bindings(binding, message):
    with pytest.raises(errors.ConfigError, match=message):
        parse(binding)


def test_bad_files_are_named_with_the_line(tmp_path):
    file = tmp_path / "bad.gin"
    file.write_text("uc.num_train = 100\nuc.roh = 3\n")
    with pytest.raises(errors.ConfigError, match=r"bad.gin, line 2: 'uc' has no parameter 'roh'"):
        parse(files=[file])
    file.write_text("uc.num_train = 100\nuc.rho ? 3\n")
    with pytest.raises(errors.ConfigError, match=r"bad.gin, line 2: "):
        parse(files=[file])
    file.write_bytes(b"uc.rho = \xff")
    with pytest.raises(errors.ConfigError, match=r"bad.gin is not a text file"):
        parse(files=[file])
    with pytest.raises(errors.ConfigError, match=r"missing.gin"):
        parse(files=[tmp_path / "missing.gin"])
    file.write_text("uc.rho = 'a\n")
    with pytest.raises(errors.ConfigError, match=r"bad.gin"):
        parse(files=[file])


def test_nothing_stays_bound(tmp_path):
    parse("uc.rho = 2")
    assert config.query("uc.rho") is None
    with pytest.raises(errors.ConfigError):
        parse("uc.rho = 2", "uc.roh = 2")
    assert config.query("uc.rho") is None


def test_bindings_win_over_files_and_files_can_be_shipped_ones():
    with config.gin_config(["metrics/uc.gin"], ["uc.rho = 3"]):
        assert config.query("uc.rho") == 3 and config.query("uc.num_train") == 10_000


@pytest.mark.parametrize("name", shipped_configs())
def test_every_shipped_config_parses(name):
    parse(files=[name])


@pytest.mark.parametrize("name", shipped_configs())
def test_every_name_in_a_shipped_config_belongs_to_an_entry(name):
    known = registry.in_configs()
    for key, value in config.stated_bindings([name]).items():
        owner = key.rpartition("/")[2].partition(".")
        said = {owner[0]} if owner[1] else set()  # without a dot it is a macro
        said |= {reference.rpartition("/")[2].rpartition(".")[2] for reference in re.findall(r"@([\w./]+)", value)}
        assert said <= set(known), f"{key} = {value}"
        assert all(known[word].owner and known[word].summary for word in said)


def test_finding_a_shipped_config_is_silent(caplog):
    parse(files=["demo.gin"])
    assert caplog.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "include '/etc/passwd'\n",
        "a.b = @c\n",
        "a.b = @c()\n",
        "a.b = %c\n",
        "a = 3\n",
        "a:\n  b = 3\n",
    ],
)
def test_files_from_outside_hold_literals_alone(text, tmp_path):
    (tmp_path / "x.gin").write_text(text)
    with pytest.raises(errors.ConfigError, match="x.gin"):
        config.literal_bindings(tmp_path / "x.gin")


def test_literals_are_read(tmp_path):
    (tmp_path / "x.gin").write_text("# comment\na.b = [1, 'x']\ns/c.d = None\n")
    assert config.literal_bindings(tmp_path / "x.gin") == {"a.b": [1, "x"], "s/c.d": None}


def test_recorded_bindings_keep_values_as_text(tmp_path):
    (tmp_path / "x.gin").write_text(
        "dataset.name = 'dummy_data'\nevaluation.evaluation_fn = @irs\na.b = \\\n  [@c(), 2]\n"
    )
    assert config.recorded_bindings(tmp_path / "x.gin") == {
        "dataset.name": "'dummy_data'",
        "evaluation.evaluation_fn": "@irs",
        "a.b": "[@c(), 2]",
    }


@pytest.mark.parametrize("line", ["a.b = " + "x" * 10_000, "a.b = [" + "1 " * 10_000 + "]", "x" * 10_000])
def test_a_long_line_that_cannot_be_read_is_cut(tmp_path, line):
    (tmp_path / "x.gin").write_text(f"a.c = 1\n{line}\n")
    with pytest.raises(errors.ConfigError, match="x.gin, line 2") as caught:
        config.recorded_bindings(tmp_path / "x.gin")
    assert len(caught.value.message) < 700


def test_names_are_known_to_gin_itself():
    """In a process of its own: no other test has asked for anything."""
    code = (
        "import gin, sys, causal_disent\n"
        "causal_disent.get_metric('mig')\n"
        "gin.bind_parameter('discretizer.num_bins', 20)\n"
        "gin.parse_config('discretizer.discretizer_fn = @histogram_discretizer')\n"
        "gin.parse_config('disentanglement_lib.evaluation.metrics.irs.irs.num_train = 20')\n"
        "gin.configurable('r2', module='mine')(lambda ridge=1: ridge)\n"
        "gin.bind_parameter('r2.ridge', 2)\n"  # the program's own comes before our metric
        "print(gin.query_parameter('irs.num_train'), gin.query_parameter('mine.r2.ridge'))\n"
        "print({'torch', 'tensorflow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "20 2\nset()\n", done.stderr
