"""Run the test suite of disentanglement_lib 1.5 against the package of that name that is made of causal_disent.

The wheel is downloaded into a temporary folder. Its tests and its configs are put beside the modules of
plugins/disentanglement_lib there, and run as they are. Tests that import TensorFlow run in a Python that has it:

    .venv/bin/python benchmarks/dlib_wheel_tests.py --tensorflow .venv-tf/bin/python
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "disentanglement_lib"
MODULES = ROOT / "plugins" / PACKAGE / PACKAGE
#: What is not applicable -> why: the place of a test file, below the package.
NOT_APPLICABLE = {
    "evaluation/abstract_reasoning": "abstract reasoning is not a part of causal_disent",
    "methods/shared/architectures_test.py": "builds layers in a graph of TensorFlow 1",
    "methods/shared/optimizers_test.py": "makes optimizers in a graph of TensorFlow 1",
    "utils/convolute_hub_test.py": "needs tensorflow_hub's modules of TensorFlow 1",
}
#: Test files run outside of absl's own runner, and those of TensorFlow 1 in its graph mode.
CONFTEST = """
import sys

from absl import flags

flags.FLAGS(["pytest"])
if {graph}:
    import tensorflow

    tensorflow.compat.v1.disable_v2_behavior()
"""


def main() -> int:
    """Run all of it, and print the table; 0 if every applicable test passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", default=str(ROOT / ".venv-tf/bin/python"), help="a Python with TensorFlow")
    parser.add_argument("--only", default="", help="a part of the places of the test files to run")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = make_tree(Path(folder))
        results: list[tuple[str, Counter[str], str]] = []
        for file in sorted(tree.rglob("*_test.py")):
            place = file.relative_to(tree).as_posix()
            if chosen.only in place:
                results.append((place, *run_file(file, place, tree.parent, chosen.tensorflow)))
    return show(results)


def make_tree(folder: Path) -> Path:
    """The package: our modules, the wheel's tests and configs."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"{PACKAGE}==1.5"],
        check=True,
    )
    tree = folder / "tests" / PACKAGE
    shutil.copytree(MODULES, tree, ignore=shutil.ignore_patterns("__pycache__"))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        for name in wheel.namelist():
            if name.startswith(f"{PACKAGE}/") and name.endswith(("_test.py", ".gin")):
                wheel.extract(name, folder / "tests")
    for place in tree.rglob("*_test.py"):
        (place.parent / "__init__.py").touch()
    return tree


def run_file(file: Path, place: str, path: Path, tensorflow: str) -> tuple[Counter[str], str]:
    """How many tests of a file pass, fail and are not applicable, and why."""
    text = file.read_text(encoding="utf-8")
    for start, reason in NOT_APPLICABLE.items():
        if place.startswith(start):
            return Counter({"not applicable": text.count("  def test")}), reason
    graph = "import tensorflow" in text
    python = tensorflow if graph else sys.executable
    (path / "conftest.py").write_text(CONFTEST.format(graph=graph), encoding="utf-8")
    report = path / "report.xml"
    report.unlink(missing_ok=True)
    plugins = [str(ROOT / "plugins" / name) for name in ("causal_disent_datasets", "causal_disent_tf")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(path), str(ROOT), *plugins]),
        "OMP_NUM_THREADS": "1",
    }
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(path), str(file)]
    command += ["-o", "python_functions=only_methods_are_tests"]
    done = subprocess.run(
        [*command, f"--junitxml={report}"], cwd=path, env=environment, capture_output=True, text=True
    )
    if not report.exists():
        return Counter({"failed": 1}), done.stdout[-300:] + done.stderr[-300:]
    counts: Counter[str] = Counter()
    reasons = []
    for case in ElementTree.parse(report).iter("testcase"):
        problem = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if problem is None and case.find("skipped") is not None:
            continue  # test_session of tf.test.TestCase, which is no test
        counts["passed" if problem is None else "failed"] += 1
        if problem is not None:
            reasons.append(f"{case.get('name')}: {(problem.get('message') or '').splitlines()[0][:300]}")
    return counts, "\n    ".join(reasons)


def show(results: list[tuple[str, Counter[str], str]]) -> int:
    """Print a row for each file and the sum; 0 if nothing failed."""
    columns = ("passed", "failed", "not applicable")
    total: Counter[str] = Counter()
    for place, counts, reason in results:
        total += counts
        print(f"{place:62} " + " ".join(f"{counts[column]:6}" for column in columns) + f"  {reason}")
    print(f"{'sum (' + ', '.join(columns) + ')':62} " + " ".join(f"{total[column]:6}" for column in columns))
    applicable = total["passed"] + total["failed"]
    print(f"{total['passed']} of {applicable} applicable tests pass ({total['passed'] / max(applicable, 1):.1%})")
    return int(total["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
