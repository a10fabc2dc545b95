"""One broken plugin never stops another, nor a command."""

import json
import os
import signal
import subprocess
import sys

import pytest

METRIC = """
from causal_disent.hookspecs import hookimpl

def metric(ground_truth_data, representation_function, random_state, artifact_dir=None):
    return {"score": 1.0}

@hookimpl
def register_metrics(register):
    register("nice", metric, summary="for a test")
"""
HOOK = """
from causal_disent.hookspecs import hookimpl

@hookimpl
def register_{kind}(register):
    {body}
"""
MUTE = "class Mute(Exception):\n    def __str__(self):\n        raise SystemExit(0)\n"
#: What a plugin's module holds -> why it failed.
BROKEN = {
    "raise SystemExit(0)": "SystemExit: 0",
    "raise GeneratorExit": "GeneratorExit",
    "class Own(BaseException): pass\nraise Own('mine')": "Own: mine",
    f"{MUTE}raise Mute": "Mute: its text cannot be shown",
    "raise ValueError('\\x1b[2J\\nuc: 1.0')": r"ValueError: \x1b[2J\nuc: 1.0",
    HOOK.format(kind="metrics", body="raise SystemExit(0)"): "SystemExit: 0",
    HOOK.format(kind="metrics", body="register('m', print, summary=3)"): "with the summary 3",
    HOOK.format(kind="metrics", body="register(type('D', (), {'declaration': register}))"): "AttributeError",
    HOOK.format(kind="backends", body="register('b', print, rank='x')"): "with the rank x",
    HOOK.format(kind="models", body="register('b', print, backend=[])"): "with the backend []",
    HOOK.format(kind="metrics", body="register('m', print, range='x')"): "with the range x",
    HOOK.format(kind="metrics", body="register('m', print, range=(0, 1, 2))"): "with the range (0, 1, 2)",
    HOOK.format(kind="metrics", body="register('m', print, better=3)"): "with the better 3",
    HOOK.format(kind="metrics", body="register('m', print, known_failures='x')"): "with the known_failures x",
    HOOK.format(kind="metrics", body="register('m', print, function=3)"): "fact 'function', which is @metric's",
    HOOK.format(kind="parts", body="register('p', print, supplied=5)"): "supplied 5",
    HOOK.format(kind="parts", body="register('p', print, role='emperor')"): "with the role emperor",
    HOOK.format(
        kind="commands", body="register('tree', print, under='paint')"
    ): "registers the command 'tree' with under='paint'; call it 'paint_tree'",
    # `causal-disent metrics mig` shows a metric.
    HOOK.format(
        kind="commands", body="register('metrics_mig', print, under='metrics')"
    ): "It registers the command 'metrics_mig', which is",
    HOOK.format(
        kind="commands", body="register('plugins', print)"
    ): "It registers the command 'plugins', which is",
    HOOK.format(
        kind="commands", body="register('datasets_verify', print)"
    ): "the command 'datasets_verify', which",
    "class Odd(str):\n    def __lt__(self, other):\n        raise SystemExit(0)\n"
    + HOOK.format(kind="metrics", body="register(Odd('m'), print)"): "registers a metric under 'm'",
    "__file__ = 3\n" + METRIC: "TypeError",
}


@pytest.fixture
def broken_site(site):
    """All broken plugins at once, and one that is not."""
    for number, source in enumerate(BROKEN):
        site.add(f"broken{number}", source)
    site.add("nice", METRIC)
    return site


def test_each_is_reported_and_the_rest_goes_on(broken_site):
    found = broken_site.plugins()
    for number, reason in enumerate(BROKEN.values()):
        plugin = found[f"broken{number}"]
        assert plugin["status"] == "failed" and reason in plugin["reason"], plugin
        assert not any(plugin["offers"].values())
    assert found["builtin"]["status"] == found["nice"]["status"] == "ok"
    listed = broken_site.run("causal_disent.cli.main", "plugins")
    assert listed.returncode == 0 and "broken0: SystemExit: 0\n" in listed.stdout and "\x1b" not in listed.stdout
    helped = broken_site.run("causal_disent.cli.main")
    assert helped.returncode == 0 and "plugins" in helped.stdout and helped.stderr == ""


def test_an_evaluation_goes_on(broken_site, oracle_folder, tmp_path):
    bindings = ["evaluation.evaluation_fn = @nice", "evaluation.random_seed = 0"]
    done = broken_site.run(
        "causal_disent.cli.dlib", "dlib_evaluate", f"--input_dir={oracle_folder()}",
        f"--output_dir={tmp_path / 'out'}", *(f"--gin_bindings={binding}" for binding in bindings),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "score 1.0000" in done.stdout and (tmp_path / "out/results").is_dir()


COMMANDS = (
    HOOK.format(
        kind="commands",
        body="""
    for add in (add_exits, add_fails, run_fails, run_exits, run_nothing, run_text, bad_help, good):
        register(add.__name__, add, summary="for a test")
    register("missing", "nowhere:add")
""",
    )
    + """
def add_exits(parser):
    raise SystemExit(0)

def add_fails(parser):
    raise ValueError("no arguments")

def run_fails(parser):
    parser.set_defaults(command=lambda arguments: 1 / 0)

def run_exits(parser):
    parser.set_defaults(command=lambda arguments: exit(7))

def run_nothing(parser):
    pass

def run_text(parser):
    parser.set_defaults(command=lambda arguments: "text\\x1b")

def bad_help(parser):
    parser.add_argument("--rate", help="100%")

def good(parser):
    parser.set_defaults(command=lambda arguments: print("works") or 5)
"""
)


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (
            ["add_exits"],
            2,
            "error: The command 'add_exits' of the plugin commands cannot be used: SystemExit: 0.\n",
        ),
        (["add_fails"], 2, "cannot be used: ValueError: no arguments.\n"),
        (
            ["run_fails"],
            2,
            "error: The command 'run_fails' of the plugin commands failed: ZeroDivisionError: division",
        ),
        (["run_exits"], 7, ""),
        (["run_nothing"], 2, "failed: AttributeError: 'Namespace' object has no attribute 'command'"),
        (["run_text"], 0, ""),
        (["bad_help", "--help"], 2, "cannot be used: ValueError: "),
        (["missing"], 2, "cannot be used: ModuleNotFoundError: No module named 'nowhere'.\n"),
        (["good"], 5, ""),
        (["plugins"], 0, ""),
        (["completion", "bash"], 0, ""),
    ],
)
def test_commands_of_a_plugin_fail_alone(site, words, code, text):
    site.add("commands", COMMANDS)
    done = site.run("causal_disent.cli.main", *words)
    assert done.returncode == code and text in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr + done.stdout
    if "error" in text:
        assert "Traceback" in site.run("causal_disent.cli.main", "--debug", *words).stderr


BACKEND = (
    HOOK.format(kind="backends", body="register('a_backend', Backend, rank=1)")
    + """
class Backend:
    def __init__(self, trust=False):
        {made}

    def recognises(self, folder):
        {looked}
"""
)


@pytest.mark.parametrize(
    ("made", "looked"), [("raise SystemExit(0)", "pass"), ("pass", "raise ValueError('no')"), ("pass", "1 / 0")]
)
def test_a_backend_that_fails_is_passed_over(site, tmp_path, made, looked):
    site.add("backends", BACKEND.format(made=made, looked=looked))
    (tmp_path / "empty").mkdir()
    flags = [
        f"--input_dir={tmp_path / 'empty'}",
        f"--output_dir={tmp_path / 'out'}",
        "--gin_config=metrics/uc.gin",
    ]
    done = site.run(
        "causal_disent.cli.dlib", "dlib_evaluate", *flags, "--gin_bindings=dataset.name = 'candle_mini'"
    )
    assert done.returncode == 2
    warned, error, *_ = done.stderr.splitlines()
    assert warned.startswith("warning: The backend 'a_backend' of the plugin backends cannot be used: ")
    assert error.startswith(f"error: The folder {tmp_path / 'empty'} holds no model")


def test_what_a_run_calls_cannot_end_it_well(site, oracle_folder, tmp_path):
    """A data set, a metric or a model of a plugin may raise what no handler expects."""
    site.add("ending", HOOK.format(kind="datasets", body="register('ending', lambda: exit(0), summary='ends')"))
    flags = [f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/uc.gin"]
    binding = "--gin_bindings=dataset.name = 'ending'"
    done = site.run("causal_disent.cli.dlib", "dlib_evaluate", f"--input_dir={oracle_folder()}", *flags, binding)
    assert done.returncode == 1
    assert done.stderr == "error: Something that the command called ended it: SystemExit: 0. --debug shows what.\n"
    # Of many folders, each is tried.
    done = site.run("causal_disent.cli.dlib", "dlib_evaluate", f"--input_glob={tmp_path}/mod*", *flags, binding)
    assert done.returncode == 1 and "failed  SystemExit: 0" in done.stdout


def test_a_plugin_that_is_slow_to_load_is_named_and_can_be_interrupted(site):
    site.add("slow", "import time\ntime.sleep(600)")
    site.add("zealous", METRIC)
    process = subprocess.Popen(
        [sys.executable, "-m", "causal_disent.cli.main", "plugins"],
        env={**os.environ, "PYTHONPATH": str(site.folder)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert (
        process.stderr.readline() == "still at work: loading the plugin slow 1.2 (CAUSAL_DISENT_PLUGINS chooses)\n"
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130 and out == "" and err == "interrupted; nothing was written\n"


def test_facts_that_cannot_be_told_do_not_stop_a_listing(site):
    body = """
    register("odd", print, summary="\\x1b" + "long " * 400, needs=Mute(), deep=[[[[[[3]]]]]], mute=Silent(a=1))
    loop = []
    loop.append(loop)
    register("looped", print, summary="", range=(0, 1), loop=loop)
"""
    site.add(
        "facts",
        f"{MUTE}class Silent(dict):\n    items = property(lambda self: 1 / 0)\n"
        + HOOK.format(kind="metrics", body=body),
    )
    done = site.run("causal_disent.cli.main", "metrics")
    assert done.returncode == 0, done.stderr
    assert "odd" in done.stdout and "looped" in done.stdout and "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    listed = {
        entry["name"]: entry
        for entry in json.loads(site.run("causal_disent.cli.main", "metrics", "--json").stdout)
    }
    assert listed["odd"]["needs"] == "(Mute, which cannot be shown)"
    assert listed["odd"]["facts"]["mute"] == "ZeroDivisionError: division by zero"
    assert not site.plugins()["facts"]["reason"]
    shown = site.run("causal_disent.cli.main", "metrics", "odd")
    assert shown.returncode == 0 and "    mute         ZeroDivisionError: division by zero\n" in shown.stdout
    assert "None is better" not in shown.stdout


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("METADATA", b""),
        ("METADATA", b"\xff\xfe\0"),
        ("entry_points.txt", b"\xff[causal_disent]\n"),
        ("entry_points.txt", b"[causal_disent]\nwithout a module\n"),
    ],
)
def test_damaged_metadata_of_a_package_stop_no_other(file, content, site):
    site.add("nice", METRIC)
    site.add("damaged", METRIC.replace("nice", "other"))
    (site.folder / "damaged-1.2.dist-info" / file).write_bytes(content)
    found = site.plugins()
    assert found["nice"]["status"] == found["builtin"]["status"] == "ok"
    helped = site.run("causal_disent.cli.main", "--help")
    assert helped.returncode == 0 and "dlib_evaluate" in helped.stdout
    if file == "entry_points.txt":
        assert "warning: The package installed at " in helped.stderr and "damaged-1.2.dist-info" in helped.stderr
