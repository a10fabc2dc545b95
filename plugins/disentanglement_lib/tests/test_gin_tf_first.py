"""Programs that import ``gin.tf`` before disentanglement_lib."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
FIRST = """
import disentanglement_lib_gin_tf, sys
assert "gin" not in sys.modules and "disentanglement_lib" not in sys.modules
import gin.tf
import gin.tf.external_configurables
import gin
assert gin.tf is gin and gin.__spec__.name == "gin" and "tensorflow" not in sys.modules
from disentanglement_lib.evaluation.metrics import mig
gin.bind_parameter("discretizer.num_bins", 20)
print("done")
"""


def test_gin_tf_is_an_alias_before_the_package_is_imported():
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, cwd=HERE)
    assert done.stdout == "done\n", done.stderr


def test_nothing_is_loaded_at_start():
    code = "import disentanglement_lib_gin_tf, sys; print({'gin', 'numpy', 'causal_disent'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE)
    assert done.stdout == "set()\n", done.stderr


def test_the_wheel_has_the_file_that_python_runs_at_start(tmp_path):
    pytest.importorskip("setuptools")
    build = [sys.executable, "-c", "import sys, setuptools.build_meta as b; print(b.build_wheel(sys.argv[1]))"]
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "disentanglement_lib_gin_tf.py"):
        (copy / name).write_text((HERE / name).read_text())
    (copy / "disentanglement_lib_gin_tf.pth").write_text((HERE / "disentanglement_lib_gin_tf.pth").read_text())
    (copy / "disentanglement_lib").mkdir()
    (copy / "disentanglement_lib" / "__init__.py").touch()
    subprocess.run([*build, str(tmp_path)], cwd=copy, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"disentanglement_lib_gin_tf.pth", "disentanglement_lib_gin_tf.py"} <= set(names)
