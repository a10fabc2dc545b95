"""``causal-disent configs``, and configs that are misspelt."""

import json
from pathlib import Path

import pytest

from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.cli.main import main
from causal_disent.plugins import config_summary, found_config, shipped_configs


def run(capsys, *words):
    code = main(["configs", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_all_are_listed_in_100_columns_with_what_they_are_for(capsys):
    code, out, _ = run(capsys)
    assert code == 0 and max(map(len, out.splitlines())) <= 100
    names = [line.split()[0] for line in out.splitlines()[2:] if line and not line.startswith((" ", "`"))]
    assert names == shipped_configs()
    assert "IRS, UC and CG of one sample\n" in out  # the first sentence of the comment


def test_one_is_printed_with_its_path(capsys):
    path = found_config("metrics/mig.gin")
    code, out, _ = run(capsys, "metrics/mig.gin")
    assert code == 0 and out == f"# {path}\n{path.read_text()}"


def test_json(capsys):
    listed = json.loads(run(capsys, "--json")[1])
    assert [config["name"] for config in listed] == shipped_configs()
    assert all(Path(config["path"]).is_file() and config["summary"] for config in listed)
    one = json.loads(run(capsys, "metrics/mig.gin", "--json")[1])
    assert one == {
        "name": "metrics/mig.gin",
        "path": str(found_config("metrics/mig.gin")),
        "summary": "Mutual information gap",
        "text": found_config("metrics/mig.gin").read_text(),
    }


MISSING = (
    "There is no config 'metrics/migg.gin', neither as a file nor among those that are shipped. Did you mean "
    "'metrics/mig.gin'? `causal-disent configs` lists them.\n"
)


def test_a_misspelt_name_gets_the_nearest(capsys, oracle_folder, tmp_path):
    assert run(capsys, "metrics/migg.gin") == (2, "", f"error: {MISSING}")
    assert "Did you mean 'metrics/mig.gin'?" in run(capsys, "mig")[2]
    flags = [f"--input_dir={oracle_folder()}", f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/migg.gin"]
    assert evaluate(flags) == 2
    assert capsys.readouterr().err == f"error: {MISSING}" and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# One. Two.\nuc.rho = 1", "One"),
        ("# Of Chen et al. 2018.\n", "Of Chen et al. 2018"),
        ("\n\nuc.rho = 1\n", "uc.rho = 1"),
        ("", "empty"),
    ],
)
def test_what_a_config_is_for(text, summary):
    assert config_summary(text) == summary


def test_a_plugins_config_is_listed_and_harmless(site):
    """A plugin's config may hold anything; nothing of it steers the terminal."""
    site.add("with_configs", "")
    package = site.folder / "packaged"
    (package / "gin_configs").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "gin_configs" / "own\x1b.gin").write_text("# Mine \x1b[2J\nuc.rho = 2")
    (site.folder / "with_configs-1.2.dist-info/entry_points.txt").write_text("[causal_disent]\na = packaged\n")
    done = site.run("causal_disent.cli.main", "configs")
    assert done.returncode == 0 and r"own\x1b.gin" in done.stdout and r"Mine \x1b[2J" in done.stdout
    printed = site.run("causal_disent.cli.main", "configs", "own\x1b.gin")
    assert printed.returncode == 0 and "\x1b" not in done.stdout + printed.stdout
    assert printed.stdout.endswith("# Mine \\x1b[2J\nuc.rho = 2\n")
    # A shell would expand such a name.
    assert r"own\x1b" not in site.run("causal_disent.cli.main", "completion", "bash").stdout
