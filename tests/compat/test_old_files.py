"""Metric files written for disentanglement_lib run as they are, and leave nothing behind."""

import importlib.util
import re
import sys

import gin
import numpy as np
import pytest
from left_behind import BINS, state
from sklearn.metrics import mutual_info_score

from causal_disent import config, errors
from causal_disent.adapter import bind
from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.compat import gin_names, load_metric_file, metric_files, utils
from causal_disent.metrics.fixed_factor import prune_dims
from causal_disent.metrics.information import discretizer
from causal_disent.registry import registry

OLD = '''# coding=utf-8
"""Information that codes have on the factors, summed."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function
from absl import logging
from disentanglement_lib.evaluation.metrics import utils
import numpy as np
from six.moves import range
import gin.tf


@gin.configurable(
    "total_information",
    blacklist=["ground_truth_data", "representation_function", "random_state",
               "artifact_dir"])
def compute_total(ground_truth_data, representation_function, random_state,
                  artifact_dir=None, num_train=gin.REQUIRED, batch_size=16):
  logging.info("Generating training set.")
  mus, ys = utils.generate_batch_factor_code(
      ground_truth_data, representation_function, num_train, random_state,
      batch_size)
  m = utils.discrete_mutual_info(utils.make_discretizer(mus), ys)
  total = 0.
  for i in range(m.shape[0]):
    total += np.sum(m[i])
  return {"total": total}
'''
METRIC = """
import gin.tf
@gin.configurable("{name}", blacklist=["ground_truth_data"])
def compute(ground_truth_data, representation_function, random_state, artifact_dir=None, value=1.):
  return {{"score": value}}
"""


# --- A file, unchanged ---


def test_an_old_file_runs_from_the_command_line(old_file, evaluate_old, candle):
    code, out, err = evaluate_old(
        [old_file(OLD)],
        "evaluation.evaluation_fn = @total_information",
        "total_information.num_train = 200",
        *BINS,
    )
    assert code == 0 and "warning" not in err and "error" not in err  # progress, where it takes long
    factors = drawn_factors(candle, 200)  # the perfect oracle's codes are the factors
    expected = sum(mutual_info_score(a, b) for a in factors.T for b in factors.T)
    assert float(re.search(r"total (\S+)", out)[1]) == pytest.approx(expected, abs=1e-3)


def drawn_factors(data, num, batch_size=16):
    random_state = np.random.RandomState(0)
    sizes = [min(batch_size, num - start) for start in range(0, num, batch_size)]
    return np.concatenate([data.sample(size, random_state)[0] for size in sizes])


@pytest.mark.parametrize(
    "imports",
    [
        "import disentanglement_lib.evaluation.metrics.utils as utils",
        "import disentanglement_lib.evaluation.metrics.utils\n"
        "utils = disentanglement_lib.evaluation.metrics.utils",
        "from disentanglement_lib.evaluation.metrics import utils",
        "class utils:\n  from disentanglement_lib.evaluation.metrics.utils import discrete_entropy",
        "import gin.tf.external_configurables\nimport gin.config\nfrom gin import tf\nimport gin as plain\n"
        "assert plain is gin is tf\nfrom disentanglement_lib.evaluation.metrics import utils",
        "import six\nassert list(six.iteritems({1: 2})) == [(1, 2)]\nfrom six.moves import zip, map, xrange\n"
        "from disentanglement_lib.evaluation.metrics import utils",
    ],
)
def test_forms_of_import(imports, old_file):
    with metric_files([old_file(f"import gin.tf\n{imports}\nentropy = utils.discrete_entropy")]) as [file]:
        assert file.module.entropy is utils.discrete_entropy


def test_an_import_inside_a_function_finds_the_stand_ins(old_file):
    text = (
        "def late():\n  from disentanglement_lib.evaluation.metrics import utils\n  return utils.normalize_data\n"
    )
    with metric_files([old_file(text)]) as [file]:
        assert file.module.late() is utils.normalize_data


def test_data_classes_work(old_file):
    text = (
        "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int = 1\n"
    )
    with metric_files([old_file(text), old_file(text, "other/old.py")]) as files:
        assert [file.module.A().x for file in files] == [1, 1]
        assert files[0].module.__name__ != files[1].module.__name__


def test_without_artifact_dir(old_file, evaluate_old):
    text = METRIC.format(name="older").replace(", artifact_dir=None", "")
    with pytest.warns(DeprecationWarning, match="'older' takes no `artifact_dir`"):
        assert evaluate_old([old_file(text)], "evaluation.evaluation_fn = @older")[0] == 0


def test_the_metric_can_be_named_by_a_string(old_file, evaluate_old):
    code, out, _ = evaluate_old(
        [old_file(METRIC.format(name="new"))], "evaluation.evaluation_fn = 'new'", "new.value = 3."
    )
    assert code == 0 and "score 3.0000" in out


# --- What gin is told ---


def test_lists_and_required_parameters_are_kept(old_file, evaluate_old):
    path = old_file(OLD)
    bound = "evaluation.evaluation_fn = @total_information"
    code, _, err = evaluate_old([path], bound, "total_information.random_state = 3")
    assert code == 2 and "'random_state' of 'total_information' comes from the program" in err
    code, _, err = evaluate_old([path], bound)
    assert code == 2 and "The config must bind total_information.num_train" in err
    code, _, err = evaluate_old([path], bound, "total_information.num_trian = 3")
    assert code == 2 and "Did you mean 'num_train'?" in err
    code, _, err = evaluate_old([path], "evaluation.evaluation_fn = @total_infomation")
    assert code == 2 and "Did you mean 'total_information'?" in err


def test_every_way_to_register(old_file):
    text = """
import gin.tf
@gin.configurable(whitelist=["b"])
def only_b(a=1, b=1): return a, b
@gin.configurable
def bare(a=1): return a
@gin.configurable("counted", None, ["a"])
def positional(a=1, b=1): return a, b
@gin.configurable("spelt", denylist=["b"])
def modern(a=1, b=1): return a, b
@gin.configurable("placed", module="my.place")
def placed(a=1): return a
@gin.configurable("their.dotted")
def dotted(a=1): return a
@gin.configurable(blacklist=["b"])
class Thing(object):
  def __init__(self, a=1, b=1):
    super(Thing, self).__init__()
    self.a = a
@gin.register("kept")
def kept(a=1): return a
import collections
Count = gin.external_configurable(collections.Counter, "Count", blacklist=["iterable"])
half = gin.external_configurable(lambda a=1: a / 2, name="half")
def from_config(parameter): return gin.query_parameter(parameter)
"""
    with metric_files([old_file(text)]) as [file]:
        names = ["only_b", "bare", "counted", "spelt", "placed", "their.dotted", "Thing", "kept", "Count", "half"]
        assert file.names == names
        bindings = [
            f"{n}.a = 5" for n in ("bare", "counted", "spelt", "my.place.placed", "dotted", "Thing", "half")
        ]
        with config.gin_config([], ["only_b.b = 5", "kept.a = 5", *bindings]):
            made = file.module
            assert made.only_b() == (1, 5) and made.bare() == 5 and made.half() == 2.5
            assert made.positional() == made.modern() == (5, 1)
            assert made.placed() == made.dotted() == made.Thing().a == 5
            assert made.kept() == 1 and made.from_config("kept.a") == 5
        for refused in ("only_b.a = 5", "counted.b = 5", "spelt.b = 5", "Thing.b = 5"):
            with pytest.raises(errors.ConfigError), config.gin_config([], [refused]):
                pass


DISCRETIZER = """
import gin.tf
import numpy as np
@gin.configurable("halves", blacklist=["target"])
def halves(target, num_bins=gin.REQUIRED):
  assert target.shape[0] < target.shape[1], target.shape
  return (target > np.median(target, axis=1, keepdims=True)).astype(int) * num_bins
"""


def test_a_discretizer_of_a_file_sees_a_row_per_code(old_file, candle):
    codes = np.random.RandomState(0).rand(50, 3)
    with (
        metric_files([old_file(DISCRETIZER)]) as [file],
        config.gin_config([], ["discretizer.discretizer_fn = @halves", "halves.num_bins = 2"]),
    ):
        expected = file.module.halves(codes.T, 20)
        assert (utils.make_discretizer(codes.T) == expected).all()
        assert (bind(discretizer)(codes) == expected.T).all()
        assert file.module.halves(codes.T).max() == 2
        registry.function("metrics", "mig")(candle, some_pixels, np.random.RandomState(0), num_train=50)


def some_pixels(images):
    return images.reshape(len(images), -1)[:, 1000:1003]


# --- Whose name it is ---


def test_a_file_replaces_a_built_in_metric_for_one_run(old_file, evaluate_old):
    mine = old_file(METRIC.format(name="mig"), "my_mig.py")
    bindings = ["evaluation.evaluation_fn = @mig"]
    code, out, err = evaluate_old([mine], *bindings, "mig.value = 4.")
    assert code == 0 and "score 4.0000" in out
    assert err == "note: my_mig.py replaces 'mig' (the built-in metric).\n"
    code, out, err = evaluate_old([], *bindings, "mig.num_train = 100")
    assert (code, err) == (0, "") and "discrete_mig" in out
    code, _, err = evaluate_old([], *bindings, "mig.value = 4.")
    assert code == 2 and "'mig' has no parameter 'value'" in err


def test_a_file_replaces_a_built_in_helper(old_file):
    text = 'import gin.tf\n@gin.configurable("prune_dims")\ndef prune(variances, at_most=0.): return at_most\n'
    before = registry.get("parts", "prune_dims")
    with metric_files([old_file(text)]) as [file], config.gin_config([], ["prune_dims.at_most = 3."]):
        assert file.module.prune([1.0]) == 3.0
        assert file.replaced == {"prune_dims": "the built-in part"}
    assert registry.get("parts", "prune_dims") is before
    with config.gin_config([], ["prune_dims.threshold = 3."]):
        assert list(bind(prune_dims)(np.array([1.0, 16.0]))) == [False, True]


def test_the_later_file_wins(old_file, evaluate_old):
    first, second = old_file(METRIC.format(name="new")), old_file(METRIC.format(name="new"), "second.py")
    second.write_text(second.read_text().replace("1.", "2."))
    code, out, err = evaluate_old([first, second], "evaluation.evaluation_fn = @new")
    assert code == 0 and "score 2.0000" in out and "second.py replaces 'new' (the metric of old.py)" in err


@pytest.mark.parametrize(
    ("name", "owner"),
    [("evaluation", "the built-in part"), ("dummy_data", "the built-in data set")],
)
def test_names_that_are_no_metrics_stay(name, owner, old_file):
    before = state()
    with pytest.raises(errors.InvalidInput, match=rf"old.py, line 3: .*'{name}' is taken, by {owner}"):
        load_metric_file(old_file(METRIC.format(name=name)))
    with pytest.raises(errors.InvalidInput, match=f"'{name}' is taken"):
        load_metric_file(old_file(f'import gin.tf\ngin.external_configurable(dict, "{name}")\n'))
    assert state() == before


# --- Nothing stays ---


def test_everything_is_as_it_was_afterwards(old_file):
    before = state()
    with metric_files([old_file(OLD), old_file(METRIC.format(name="mig"), "b.py"), old_file(DISCRETIZER, "c.py")]):
        assert "total_information" in registry.names("metrics") and state() != before
        with config.gin_config([], ["total_information.num_train = 3"]):
            pass
    assert state() == before
    with pytest.raises(ZeroDivisionError), metric_files([old_file(OLD)]):
        raise ZeroDivisionError
    assert state() == before


def test_other_modules_never_see_a_stand_in(old_file, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    old_file("import gin\n", "plain_user_of_gin.py")
    file = old_file("import gin.tf\nimport plain_user_of_gin as other\nassert other.gin is not gin\n")
    with metric_files([file]):
        assert sys.modules["plain_user_of_gin"].gin is gin
    del sys.modules["plain_user_of_gin"]


@pytest.fixture
def installation(old_file, tmp_path, monkeypatch):
    """An installed disentanglement_lib, loaded already."""
    for package in ("", "evaluation/", "evaluation/metrics/"):
        old_file("", f"site/disentanglement_lib/{package}__init__.py")
    old_file("REAL = True\n", "site/disentanglement_lib/evaluation/metrics/utils.py")
    extra = (
        "import gin.tf\nfrom . import utils\n@gin.configurable(blacklist=['a'])\ndef extra(a=1, b=2): return b\n"
    )
    old_file(extra, "site/disentanglement_lib/evaluation/metrics/extra.py")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield importlib.import_module("disentanglement_lib.evaluation.metrics.utils")
    for name in [name for name in sys.modules if name.startswith("disentanglement_lib")]:
        del sys.modules[name]


USES_EXTRA = """
from disentanglement_lib.evaluation.metrics import extra, utils
assert not hasattr(utils, "REAL") and extra.utils is utils
"""


def test_an_installation_is_not_shadowed_and_its_other_modules_can_be_used(installation, old_file):
    before = state()
    with metric_files([old_file(USES_EXTRA)]) as [file], config.gin_config([], ["extra.b = 7"]):
        assert file.module.extra.extra() == 7
        assert sys.modules["disentanglement_lib.evaluation.metrics.utils"] is installation
        assert "disentanglement_lib.evaluation.metrics.extra" not in sys.modules
    assert state() == before and installation.REAL


def test_a_file_in_a_copy_of_the_package_uses_that_copy(installation, old_file):
    for package in ("", "evaluation/", "evaluation/metrics/"):
        old_file("", f"fork/disentanglement_lib/{package}__init__.py")
    old_file("OWN = True\n", "fork/disentanglement_lib/evaluation/metrics/extra.py")
    path = old_file("from . import extra, utils\n", "fork/disentanglement_lib/evaluation/metrics/mine.py")
    with metric_files([path]) as [file]:
        assert file.module.extra.OWN and file.module.utils.discrete_entropy is utils.discrete_entropy


def test_six_is_left_alone_where_it_is_installed(monkeypatch):
    assert set(gin_names.six_stand_ins()) == (set() if importlib.util.find_spec("six") else {"six", "six.moves"})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "six")
    assert gin_names.six_stand_ins() == {}


# --- Mistakes ---


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ny = (\n", r"old.py, line 2: SyntaxError: '\(' was never closed"),
        ("x = 1\n\ny = 1 / 0\n", r"old.py, line 3: ZeroDivisionError: division by zero"),
        ("import numpy as np\nfloat_ = np.float_\n", r"old.py, line 2: AttributeError: .*float_"),
        ("import no_such_thing\n", r"old.py, line 1: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import sys\nsys.exit('usage')\n", r"old.py, line 2: SystemExit: usage"),
        ("x = '\0'\n", r"old.py.*null bytes"),
        ("from . import utils\n", r"old.py, line 1: ImportError: .*relative import"),
        (
            "from disentanglement_lib.evaluation.metrics import no_such\n",
            r"line 1: ModuleNotFoundError: 'disentanglement_lib.evaluation.metrics.no_such' is not offered here",
        ),
        (
            "from disentanglement_lib.evaluation.metrics.utils import discrete_entropi\n",
            r"utils.discrete_entropi' is not offered here. disentanglement_lib.evaluation.metrics.utils offers: "
            r".*discrete_entropy",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_the_line(text, message, old_file, evaluate_old, tmp_path):
    before = state()
    code, out, err = evaluate_old([old_file(OLD, "good.py"), old_file(text)], "evaluation.evaluation_fn = @mig")
    assert code == 2 and out == "" and re.search(message, err) and "Traceback" not in err
    assert err.startswith("error: The metric file cannot be loaded. ") and not (tmp_path / "out").exists()
    assert state() == before


def test_a_file_that_is_not_there(evaluate_old, tmp_path):
    code, _, err = evaluate_old([tmp_path / "missing.py"], "evaluation.evaluation_fn = @mig")
    assert code == 2 and err.endswith("missing.py cannot be read: No such file or directory.\n")
    code, _, err = evaluate_old([tmp_path], "evaluation.evaluation_fn = @mig")
    assert code == 2 and "cannot be read: Is a directory" in err


def test_a_metric_that_fails_later_is_named_with_the_line(old_file, evaluate_old):
    path = old_file(METRIC.format(name="new").replace('{"score": value}', "[][0]"))
    code, _, err = evaluate_old([path], "evaluation.evaluation_fn = @new")
    assert code == 1 and "The metric 'new' failed: IndexError" in err and f"It was at {path}, line 5." in err


def test_the_help_says_that_the_file_is_code(capsys):
    main(["--help"])
    text = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "--metric_file" in text and "It is code and will be run: name only files that you trust" in text
