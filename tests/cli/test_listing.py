"""``causal-disent metrics`` and the like: the lists, and one entry."""

import inspect
import json
import subprocess
import sys

import pytest

from causal_disent import config
from causal_disent.cli.listing import plain
from causal_disent.cli.main import main
from causal_disent.plugins import shipped_configs
from causal_disent.registry import KINDS, Entry, part, registry

ENTRIES = [(kind, entry.name) for kind in KINDS for entry in registry.entries(kind)]


def run(capsys, *words):
    code = main(list(words))
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out


@pytest.fixture
def registered():
    """A function that registers an entry for one test."""
    restores = []

    def register(kind, name, target, summary="for a test", **facts):
        restores.append(registry.replace(Entry(kind, name, "tests", target, summary, facts)))

    yield register
    for restore in restores:
        restore()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_listed_in_100_columns(kind, capsys):
    out = run(capsys, kind)
    assert max(map(len, out.splitlines())) <= 100
    first = {line.split()[0] for line in out.splitlines()[2:] if line.strip()}
    words = set(out.split())
    for entry in registry.entries(kind):
        assert entry.name in first and entry.summary and set(entry.summary.split()) <= words
    assert f"`causal-disent {kind} NAME` shows one" in out


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_listed_as_json(kind, capsys):
    listed = json.loads(run(capsys, kind, "--json"))
    assert [entry["name"] for entry in listed] == registry.names(kind)
    for told, entry in zip(listed, registry.entries(kind), strict=True):
        assert told["summary"] == entry.summary and told["plugin"] == entry.owner
        assert set(told["facts"]) == set(entry.facts)


def test_the_list_of_metrics_helps_to_choose(capsys, registered):
    registered(
        "metrics", "asks_a_lot", print, "is it so?", range=(0, float("inf")), better="lower", needs="a decoder"
    )
    lines = run(capsys, "metrics").splitlines()
    assert lines[0].split() == ["metric", "range", "better", "needs", "summary"]
    line = next(line for line in lines if line.startswith("asks_a_lot"))
    assert " ".join(line.split()) == "asks_a_lot from 0 lower a decoder is it so?"
    assert next(line for line in lines if line.startswith("uc ")).split()[1:5] == ["0", "to", "1", "higher"]


def test_models_are_listed_with_the_backends_that_train_them(capsys, registered):
    registered("models", "tiny_model", print, backend="torch")
    registry.add(Entry("models", "tiny_model", "others", print, "the same", {"backend": "jax"}))
    line = next(line for line in run(capsys, "models").splitlines() if line.startswith("tiny_model"))
    assert line.split()[1:3] == ["jax,", "torch"]
    assert json.loads(run(capsys, "models", "tiny_model", "--json"))[0]["backends"] == ["jax", "torch"]


@pytest.mark.parametrize(("kind", "name"), ENTRIES, ids=[f"{kind}-{name}" for kind, name in ENTRIES])
def test_one_entry_is_shown_with_all_that_is_known(kind, name, capsys):
    entry = registry.get(kind, name)
    out = run(capsys, kind, name)
    title, summary, *lines = out.splitlines()
    assert f" {KINDS[kind].thing} of the plugin {entry.owner} " in title and summary == f"    {entry.summary}"
    (told,) = json.loads(run(capsys, kind, name, "--json"))
    assert f"    module       {told['module']}" in lines
    for line in told["use"]:
        assert any(shown.endswith(line) for shown in lines)
    if not KINDS[kind].in_configs:
        return
    thing = entry.load()
    supplied = set(entry.supplied())
    taken = inspect.signature(getattr(thing, "function", thing)).parameters
    assert set(told["parameters"]) == {
        f"{entry.in_config}.{parameter}"
        for parameter, what in taken.items()
        if parameter not in supplied and what.kind.name not in ("VAR_KEYWORD", "VAR_POSITIONAL")
    }
    for parameter, default in told["parameters"].items():
        assert any(f"{parameter} = " in line for line in lines)
        has_none = taken[parameter.rpartition(".")[2]].default in (inspect.Parameter.empty, config.REQUIRED)
        assert (default == "REQUIRED") == has_none
    assert set(told["configs"]) <= set(shipped_configs())


@pytest.mark.parametrize(("kind", "name"), [pair for pair in ENTRIES if KINDS[pair[0]].in_configs])
def test_the_lines_to_copy_are_ones_that_gin_takes(kind, name, capsys):
    """Parameters that have literal defaults, and what chooses the entry, can be bound as they are printed."""
    (told,) = json.loads(run(capsys, kind, name, "--json"))
    lines = run(capsys, kind, name).splitlines()
    bindings = [line for line in told["use"] if not line.endswith("...")]
    for parameter in told["parameters"]:
        line = next(line for line in lines if f"{parameter} = " in line)[17:]
        if not line.endswith(("REQUIRED", ">")):
            bindings.append(line)
    with config.gin_config([], bindings):
        pass


def test_required_parameters_and_those_of_the_program(capsys, registered):
    ink = part("ink")(print)

    @part("mixed_part", supplied=("codes",))
    def mixed(codes, width, depth=config.REQUIRED, *, kernel=ink, ratio=0.5, **more):
        pass

    registered("parts", "mixed_part", mixed)
    out = run(capsys, "parts", "mixed_part")
    assert out.splitlines()[-7:] == [
        "    module       test_listing",
        "    parameters   mixed_part.width = REQUIRED",
        "                 mixed_part.depth = REQUIRED",
        "                 mixed_part.kernel = @ink",
        "                 mixed_part.ratio = 0.5",
        "    to use it    mixed_part.width = ...",
        "                 mixed_part.depth = ...",
    ]


def test_a_metric_as_text(capsys):
    lines = run(capsys, "metrics", "mig").splitlines()
    assert lines[0].startswith("mig, a metric of the plugin builtin ")
    assert "    range        0 to 1, higher is better" in lines
    assert "    parameters   mig.num_train = 10000" in lines
    assert "    to use it    evaluation.evaluation_fn = @mig" in lines
    assert "    configs      metrics/mig.gin" in lines


def test_a_required_value_is_taken_from_a_shipped_config(capsys):
    lines = run(capsys, "parts", "evaluation").splitlines()
    assert "                 evaluation.random_seed = 0" in lines


def test_several_at_once(capsys):
    both = run(capsys, "metrics", "uc", "irs").split("\n\n")
    assert [text.partition(",")[0] for text in both] == ["uc", "irs"]


def test_names_of_two_kinds_are_told_apart(capsys):
    assert run(capsys, "attributions", "irs").startswith("irs, an attribution of the plugin builtin")
    assert "uc.attribution_fn = 'irs'" in run(capsys, "attributions", "irs")


def test_facts_as_json():
    assert plain((1, 0.5, float("nan"), None, True, "a", {"b": {2}})) == [
        1,
        0.5,
        None,
        None,
        True,
        "a",
        {"b": [2]},
    ]
    assert plain(run) == "test_listing:run" and plain(object()).startswith("<object")


LISTINGS = [[], ["--help"], ["plugins", "--json"], ["configs"], ["metrics", "--help"], *([kind] for kind in KINDS)]
HEAVY = {"torch", "tensorflow", "sklearn", "scipy", "pandas", "matplotlib", "networkx", "gin", "absl", "PIL"}


def loaded_by(words, before=""):
    """The top-level modules after a command."""
    code = f"{before}\nimport sys\nfrom causal_disent.cli.main import main\nmain({words!r})\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("words", LISTINGS, ids=" ".join)
def test_listings_are_light(words):
    assert loaded_by(words) & HEAVY == set()


def test_the_test_of_light_listings_can_fail():
    assert loaded_by(["metrics"], "import scipy.stats") & HEAVY == {"scipy"}
