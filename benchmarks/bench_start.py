"""How long commands take that do little: Python itself, what is imported, and the rest.

    python benchmarks/bench_start.py [--repeats 5]

Seconds of processor time (user and system) of the least disturbed run, so that other programs matter little.
Python may keep its compiled files, as it does where packages are installed, and the first run writes them. What
is imported is told by ``python -X importtime``, which takes longer itself: its shares are what counts.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from causal_disent.cli.main import dlib_scripts
from causal_disent.report.table import text_table

#: Packages whose imports are told by name; those of the core and its plugins are one.
TOLD = ("numpy", "pandas", "pyarrow", "scipy", "sklearn", "gin", "absl")
OURS = "causal_disent"
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")
#: The most seconds that are promised.
LISTING, EVALUATION = 0.5, 2.0
MODEL = """
representation.name = 'perfect_oracle'
dataset.name = 'synthetic_mini'
dataset.confounding = 'synthetic_full'
"""


def processor_seconds(command: list[str]) -> float:
    """User and system time of one run."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def imported(command: list[str]) -> Counter[str]:
    """Microseconds by package."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command[1:]], capture_output=True, text=True, check=True
    )
    found: Counter[str] = Counter()
    for microseconds, module in LINE.findall(done.stderr):
        package = module.partition(".")[0]
        found[OURS if package.startswith(OURS) else package if package in TOLD else "others"] += int(microseconds)
    return found


def main() -> int:
    """Run, print, and return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/compiled"
        (Path(folder) / "representation.gin").write_text(MODEL)
        run, evaluate = ["-m", f"{OURS}.cli.main"], ["-m", f"{OURS}.cli.dlib", "dlib_evaluate", "--overwrite"]
        where = ["--input_dir", folder, "--output_dir", f"{folder}/scores"]
        plain = [f"--gin_bindings=evaluation.{name} = 0" for name in ("bootstrap", "chance")]
        commands = {
            "python": (["-c", "pass"], LISTING),
            "import causal_disent": (["-c", "import causal_disent"], LISTING),
            "causal-disent metrics": ([*run, "metrics"], LISTING),
            "causal-disent --help": ([*run, "--help"], LISTING),
            "causal-disent score --help": ([*run, "score", "--help"], LISTING),
            **{f"{name} --help": (["-m", f"{OURS}.cli.{name}", "--help"], LISTING) for name in dlib_scripts()},
            "dlib_evaluate, 432 images": ([*evaluate, *where, "--gin_config=metrics/uc.gin", *plain], EVALUATION),
        }
        rows, broken = [], False
        for label, (words, promised) in commands.items():
            command = [sys.executable, *words]
            seconds = min(processor_seconds(command) for _ in range(repeats))
            broken = broken or seconds > promised
            shares = imported(command)
            told = ", ".join(f"{name} {shares[name] / shares.total():.0%}" for name, _ in shares.most_common(4))
            rows.append([label, f"{seconds:.2f}", f"{promised}", told])
    print(text_table(["command", "s", "promised", "of the imports"], rows))
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
