"""Every code block of README, docs and the plugins' READMEs runs as it is printed.

The blocks of a page run one after the other in one folder, Python's in one namespace:

- ```python runs; a comment behind a `print(...)` is what it prints, ``...`` standing for anything;
- ```console runs in bash, each line that begins with ``$ ``; an exit code other than 0 fails;
- ```text behind one of them is what it prints, ``...`` standing for anything, fractions nearly;
- ```gin is parsed as a config, ```ini, ```json and ```toml as what they are.

A comment before a block changes that: ``<!-- file: NAME -->`` writes the block to a file for those that follow,
``<!-- not run: REASON -->`` leaves it out, and the reason must be one of `REASONS`.
Where a block needs a plugin that is not installed, the rest of the page is skipped.
"""

import ast
import configparser
import contextlib
import doctest
import importlib.util
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from causal_disent.config import gin_config
from causal_disent.training.networks import make_saved

ROOT = Path(__file__).parents[1]
#: Its examples are the docstrings', which pytest runs as doctests; a test keeps the page current.
GENERATED = ROOT / "docs/metrics.md"
PAGES = [
    page
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/*.md", "plugins/*/README.md")
    for page in sorted(ROOT.glob(pattern))
    if page != GENERATED
]
BLOCK = re.compile(
    r"(?:<!-- (?P<key>file|not run): (?P<value>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.S | re.M,
)
#: What a machine may lack that the docs speak of, and what takes too long for a test.
REASONS = {
    "installs": "environments are made by make",
    "needs data": "the published files are not at hand",
    "needs Blender": "it renders for minutes",
    "takes long": "more than a minute",
    "a form": "it shows what to write, with words in place of names",
}
LANGUAGES = {"python", "console", "text", "gin", "ini", "json", "toml"}
#: Of scores in a table: what they differ by from one processor to the next.
TOLERANCE = 0.02


def blocks(page):
    """Line, language, comment and text of each block."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        line = text[: found.start()].count("\n") + 1
        yield line, found["language"], (found["key"], found["value"]), found["text"]


def run_python(text, namespace, where):
    """What a block prints; a comment behind a `print` is compared with what that one prints."""
    lines, whole = text.split("\n"), ""
    for statement in ast.parse(text).body:
        caught = io.StringIO()
        with contextlib.redirect_stdout(caught):
            exec(compile(ast.Module([statement], []), where, "exec"), namespace)
        whole += caught.getvalue()
        last = lines[statement.end_lineno - 1]
        comment = last.encode()[statement.end_col_offset :].decode().strip()
        is_print = isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("print(")
        if is_print and comment.startswith("# "):
            assert alike(comment[2:], caught.getvalue()), f"{where}: {last}\nprinted: {caught.getvalue()}"
    return whole


def run_console(text, folder):
    """What the commands print; each begins with ``$ `` and may go on in lines that end with a backslash."""
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", text, flags=re.M)
    assert commands, f"a console block has lines that begin with '$ ':\n{text}"
    checkout = [str(folder)] if (folder / "setup.cfg").is_file() else []
    inherited = filter(None, [os.environ.get("PYTHONPATH")])  # an empty place would mean the current folder
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([*checkout, f"{folder}/site", *inherited]),
    }
    pip = f'pip() {{ "{sys.executable}" "{ROOT}/tests/docs_pip.py" "{folder}/site" "$@"; }}'
    done = subprocess.run(
        ["bash", "-ec", "\n".join([pip, *commands])], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, "\n".join([*commands, done.stdout, done.stderr])
    return done.stdout


def alike(wanted, found):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", found.strip() + "\n", flags)


def nearly_alike(wanted, found):
    """Alike but for fractions, which may differ by `TOLERANCE`."""
    fraction = r"(?<![\w.])-?\d+\.\d+(?![\w])"
    wanted, found = " ".join(wanted.split()), " ".join(found.split())
    pattern = r".*?".join(
        rf"({fraction})".join(re.escape(words) for words in re.split(fraction, part))
        for part in wanted.split("...")
    )
    matched = re.fullmatch(pattern, found)
    numbers = [float(number) for number in re.findall(fraction, wanted)]
    return matched is not None and [float(group) for group in matched.groups()] == pytest.approx(
        numbers, abs=TOLERANCE
    )


def missing_plugins(page, text):
    """Plugins that a block needs, or that its page is about, and that are not installed."""
    named = re.findall(r"(?:plugins/|from |import )(causal_disent_[a-z]+)", text)
    named += re.findall(r"^(?:import|from) (torch|keras|lightning|torchmetrics|transformers)\b", text, flags=re.M)
    about = re.findall(r"^causal_disent_[a-z]+$", page.parent.name)
    return [name for name in (*named, *about) if importlib.util.find_spec(name) is None]


def copy_checkout(folder):
    """What a contributor has before them, with its environment."""
    for name in ("causal_disent", "gin_configs", "tests/metrics", "tests/reference"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "tests/conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "docs").mkdir()
    (folder / ".venv").symlink_to(sys.prefix)


def write_checkpoint(folder):
    """A model's folder and that of its means, as disentanglement_lib leaves them."""
    torch = pytest.importorskip("torch")
    variables = pytest.importorskip("causal_disent_torch.tf1.backend")
    writer = runpy.run_path(str(ROOT / "plugins/causal_disent_torch/tests/tf1_writer.py"))
    shape, num_latent, arrays = (64, 64, 1), 10, {}
    names = {"encoder": "conv_encoder", "decoder": "deconv_decoder"}
    for kind, name in names.items():
        sizes = {"image_shape": shape, "num_latent": num_latent, "generator": torch.Generator().manual_seed(0)}
        arrays.update(variables.tf_variables(make_saved(kind, name, "torch", **sizes)))
    for kind, place in (("model", "model"), ("mean", "postprocessed/mean")):
        made = writer["Folder"](*names.values(), shape, num_latent, arrays, kind)
        made.write(folder / place, crc=importlib.import_module("google_crc32c").value)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if page.name == "CONTRIBUTING.md":
        copy_checkout(tmp_path)
    elif page.name == "checkpoints.md":
        write_checkpoint(tmp_path / "0")
    namespace, output = {"__name__": page.stem}, ""
    for line, language, (key, value), text in blocks(page):
        where = f"{page.relative_to(ROOT)}, line {line}"
        assert language in LANGUAGES, f"{where}: say which language it is in: {', '.join(sorted(LANGUAGES))}"
        if key == "not run":
            assert value in REASONS, f"{where}: a reason not to run a block is one of {', '.join(REASONS)}"
            continue
        if missing := missing_plugins(page, text):
            pytest.skip(f"{where} needs {', '.join(missing)}")
        if key == "file":
            (tmp_path / value).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / value).write_text(text, encoding="utf-8")
        elif language == "python":
            output = run_python(text, namespace, where)
        elif language == "console":
            output = run_console(text, tmp_path)
        elif language == "text":
            assert nearly_alike(text, output), f"{where}: printed is\n{output}"
        elif language == "gin":
            with gin_config(bindings=text.splitlines()):
                pass
        elif language == "ini":
            configparser.ConfigParser().read_string(text)
        elif language == "toml":
            tomllib.loads(text)
        else:
            json.loads(text)


def test_no_command_is_shown_without_being_run():
    """Code that is only indented would escape the test above."""
    for page in PAGES:
        text = BLOCK.sub("", page.read_text(encoding="utf-8"))
        assert not re.findall(
            r"^(?: {4}|\t)\S.*$", re.sub(r"(?m)^( *)[-*|].*(?:\n\1 +\S.*)*", "", text), flags=re.M
        ), page


def test_a_wrong_number_is_found():
    with pytest.raises(AssertionError, match="printed: 3"):
        run_python("print(1 + 2)  # 4", {}, "page")
    run_python("print(1 / 3)  # 0.33...", {}, "page")


def test_a_table_is_compared_nearly():
    table = "name  score\nuc    0.500\n...\ncg  1.000\n"
    assert nearly_alike(table, "name score\nuc 0.505\nirs 0.3\ncg 0.99")
    assert not nearly_alike(table, "name score\nuc 0.53\nirs 0.3\ncg 1.0")
    assert not nearly_alike(table, "name score\nirs 0.500\ncg 1.000")


def test_a_failing_command_is_found(tmp_path):
    with pytest.raises(AssertionError):
        run_console("$ false", tmp_path)
    with pytest.raises(AssertionError, match="begin with"):
        run_console("true", tmp_path)
