"""Build every distribution, check it, install the wheels into an empty environment, and run README's commands.

    python .ci/dist.py [FOLDER]

``make dist`` calls it. Nothing of the checkout is on the path of what runs. The plugins for TensorFlow and Ray are
built and checked, but not installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What is installed and run; the others are built and checked.
INSTALLED = (
    "causal_disent",
    "causal_disent_candle",
    "causal_disent_crl",
    "causal_disent_datasets",
    "causal_disent_dlib",
    "causal_disent_torch",
)
#: What must work in the new environment, in a folder of its own.
COMMANDS = (
    "causal-disent --version",
    "causal-disent plugins",
    "causal-disent configs",
    "causal-disent score codes.npy factors.csv --metrics mig irs uc --output scores.html",
    "dlib_evaluate --input_dir model --output_dir scores --gin_config metrics/mig.gin"
    " --gin_bindings mig.num_train=200",
    "dlib_train --model_dir trained --gin_config models/beta_vae.gin --gin_bindings dataset.name='candle_mini'"
    " --gin_bindings model.training_steps=2 --gin_bindings model.eval_steps=1",
    "python old_program.py",
)
PREPARE = """
import numpy as np
from pathlib import Path
factors = np.random.default_rng(0).integers(0, 3, size=(300, 3))
np.save("codes.npy", factors * 2.0)
np.savetxt("factors.csv", factors, fmt="%d", delimiter=",", header="shape,color,size", comments="")
lines = "import gin.tf\\nfrom disentanglement_lib.evaluation.metrics import mig\\nassert gin.tf is gin\\n"
Path("old_program.py").write_text(lines)
Path("model").mkdir()
lines = "representation.name = 'perfect_oracle'\\ndataset.name = 'candle_mini'\\n"
Path("model/representation.gin").write_text(lines)
"""


def run(*command: str | Path, cwd: Path | None = None) -> None:
    print("$", *command, flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(list(map(str, command)), check=True, cwd=cwd, env=environment)


def build(folder: Path, output: Path, scratch: Path) -> None:
    """Build sdist and wheel of what git tracks of a folder; building writes into the folder, so it is a copy."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    copy = scratch / folder.name
    for name in tracked.split("\0"):
        if (folder / name).is_file() and not (folder == ROOT and name.startswith(("plugins/", "tests/", "docs/"))):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((folder / name).read_bytes())
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", output, copy)


def check_contents(output: Path) -> None:
    """Raise if a wheel has tests or compiled files, or an sdist lacks its setup."""
    for wheel in output.glob("*.whl"):
        # disentanglement_lib has configs in a folder of that name.
        names = [name.replace("/config/tests/", "/config/") for name in zipfile.ZipFile(wheel).namelist()]
        strange = [name for name in names if "/tests/" in name or name.endswith(".pyc")]
        assert not strange, f"{wheel.name}: {strange}"
    for source in output.glob("*.tar.gz"):
        with tarfile.open(source) as archive:
            assert any(name.endswith("/setup.cfg") for name in archive.getnames()), source.name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, nargs="?", default=ROOT / "dist")
    output = parser.parse_args().output.absolute()
    output.mkdir(parents=True, exist_ok=True)
    for old in [*output.glob("*.whl"), *output.glob("*.tar.gz")]:
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        plugins = [*sorted((ROOT / "plugins").glob("causal_disent_*")), ROOT / "plugins/disentanglement_lib"]
        for folder in (ROOT, *plugins):
            build(folder, output, scratch / "source")
        check_contents(output)
        run(sys.executable, "-m", "twine", "check", "--strict", *sorted(output.glob("*")))
        venv.create(scratch / "empty", with_pip=True)
        programs, place = scratch / "empty" / "bin", scratch / "elsewhere"
        wheels = [file for file in sorted(output.glob("*.whl")) if file.name.split("-")[0] in INSTALLED]
        constraints = ["--constraint", ROOT / "constraints.txt"]
        run(programs / "python", "-m", "pip", "install", "--quiet", *constraints, *wheels)
        place.mkdir()
        run(programs / "python", "-c", PREPARE, cwd=place)
        for command in COMMANDS:
            program, *arguments = command.split()
            run(programs / program, *arguments, cwd=place)
    print(f"{len(list(output.glob('*')))} files in {output}: built, checked, installed and run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
