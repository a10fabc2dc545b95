"""Every command, given nonsense, and every parameter of a config: exit 0, 1 or 2, one message, nothing raw."""

import os
from importlib import import_module

import numpy as np
import pytest
from configs import bindings

from causal_disent.cli.main import all_commands, dlib_scripts, main
from causal_disent.config import parameters_of
from causal_disent.registry import registry

#: ``make fuzz`` asks for many.
COMMANDS, BINDINGS, SEED = (
    int(os.environ.get(f"CAUSAL_DISENT_FUZZ_{name}", given))
    for name, given in (("COMMANDS", 40), ("BINDINGS", 60), ("SEED", 0))
)
WORDS = (
    "", "x", "-1", "0", "3.5", "nan", "--", "-", "--help", "--json", "--seed", "--seed=x", "--output",
    "--output=x/y/z", "--input_dir=nowhere", "--output_dir=", "--gin_config=nowhere.gin",
    "--gin_bindings=(", "--gin_bindings=a.b = 1", "--overwrite=maybe", "--model_dir=.", "--backend=none",
    "uc", "mig", "candle_mini", "vae", "\x1b[2J\nforged: 1", "\ud800", "a" * 5000, "../..", "/dev/null",
    "/dev/stdin", "no.npz", "bad.npz", "bad.csv", "bad.npy", "bad.json", "pipe.npy", "loop", "folder",
    "--codes=bad.npy", "--factors=bad.csv", "--metrics=x,y", "--bins=0", "*", "[", "%", "--debug",
    "--gin_bindings=dataset.name = ['a']", "--result_file_pattern=*", "--output_path=loop", "--fast",
)  # fmt: skip
#: What would do real work for long, whatever is given: these are left to their own tests.
LONG = {("demo",), ("demo_model",), ("calibrate",), ("check",), ("render", "candle")}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of things that are not what they seem."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe.npy")
    random = np.random.RandomState(SEED)
    for name in ("bad.npz", "bad.npy", "bad.csv", "bad.json"):
        (tmp_path / name).write_bytes(random.bytes(300))
    np.savez(tmp_path / "no.npz", codes=random.rand(20, 2))
    return tmp_path


def printed(capsys):
    """What was printed, after checking that it steers no terminal, forges no line and is no traceback."""
    said = capsys.readouterr()
    for text in said:
        assert all(character.isprintable() or character == "\n" for character in text), text
        assert "Traceback" not in text and "should not have happened" not in text, text
        assert not any(line.startswith("forged") for line in text.splitlines())
    return said


def script(name):
    module, _, function = dlib_scripts()[name].value.partition(":")
    return getattr(import_module(module), function)


def test_commands(place, capsys):
    commands = sorted(called for called in all_commands() if called not in LONG)
    scripts = sorted(dlib_scripts())
    for number in range(COMMANDS):
        random = np.random.RandomState([SEED, number])
        words = [WORDS[i] for i in random.randint(len(WORDS), size=random.randint(5)) if WORDS[i] != "--debug"]
        which = random.randint(len(commands) + len(scripts))
        if which < len(commands):
            called, function = " ".join(commands[which]), main
            words = [*commands[which], *words]
        else:
            called = scripts[which - len(commands)]
            function = script(called)
        try:
            code = function(words)
        except SystemExit as over:  # of argparse and absl, after a message
            code = over.code
        said = printed(capsys)
        assert code in (0, 1, 2), (called, words, code)
        assert code == 0 or said.err.strip(), (called, words)


def test_bindings(tmp_path, capsys):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/representation.gin").write_text(
        "representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n"
    )
    evaluate, sizes = script("dlib_evaluate"), ("num_train", "num_test", "num_eval", "num_variance_estimate")
    quick = [name for name in ("mig", "uc", "irs", "r2", "mcc", "jemmig", "beta_vae_sklearn", "cg")]
    kinds = ("metrics", "parts", "attributions", "classifiers", "representations")
    for number, (binding, macro) in enumerate(bindings(SEED, BINDINGS, kinds)):
        owner = binding.partition(".")[0]
        metric = owner if owner in quick else quick[number % len(quick)]
        takes = parameters_of(registry.get("metrics", metric))
        small = [f"{metric}.{size} = 30" for size in sizes if size in takes]
        lines = [f"evaluation.evaluation_fn = @{metric}", "evaluation.random_seed = 0", *small, macro, binding]
        flags = [f"--input_dir={tmp_path / 'model'}", f"--output_dir={tmp_path / str(number)}"]
        code = evaluate([*flags, *(f"--gin_bindings={line}" for line in lines)])
        said = printed(capsys)
        assert code in (0, 2) or "The metric" in said.err, (binding, macro, said.err)
