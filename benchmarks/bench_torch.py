"""A training step of dlib_train beside a bare eager torch loop, and beside disentanglement_lib's own, in one run.

    python benchmarks/bench_torch.py [--beside 1] [--threads 1] [--dlib PYTHON SHIM] [--steps 5] [--rounds 9]

Convolutional beta-VAE, 64x64x1 images, batch 64. Each program is a process of its own, with the threads that it
takes by itself (``--threads`` for a number that all get); they take turns, and the medians of the ratios of their
turns count. The bare loop trains on one batch that is in memory, channels first, with plain Adam; ours draws its
images, watches the terms of the loss and writes curves if tensorboard is installed. ``--beside 1`` has another
process compute all the time. ``--dlib`` names the Python of an environment with disentanglement_lib 1.5 on
TensorFlow 2.15, and the script that runs another one with what the old imports need.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from _timing import THREADS
from _turns import company, compared, in_turns, program

from causal_disent.report.table import text_table

HERE = Path(__file__).resolve().parent
#: The most that is promised, alone and beside a busy process: over a bare loop, over disentanglement_lib's.
OVER_BARE = {"ours": (0.85, 0.7)}
OVER_DLIB = {"ours": (0.9, 1.0), "bfloat16": (0.75, 0.9)}


def main() -> int:
    """Run, print, and return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", type=int, default=0, help="other processes that compute all the time")
    parser.add_argument("--threads", type=int, help="of every program; by default as each chooses")
    parser.add_argument("--dlib", nargs=2, metavar=("PYTHON", "SHIM"))
    parser.add_argument("--only", nargs="+", default=["ours", "bfloat16"], help="which of ours")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    environment = dict(os.environ)
    if arguments.threads:
        names = (*THREADS, "TF_NUM_INTRAOP_THREADS")
        environment |= dict.fromkeys(names, str(arguments.threads))
    commands = {kind: [sys.executable, str(HERE / "_steps.py"), kind] for kind in ("bare", *arguments.only)}
    if arguments.dlib:
        commands["disentanglement_lib"] = [*arguments.dlib, str(HERE / "_steps_dlib.py")]
    with ExitStack() as stack:
        programs = {name: stack.enter_context(program(words, environment)) for name, words in commands.items()}
        stack.enter_context(company(arguments.beside))
        found = in_turns(programs, arguments.steps, arguments.rounds)
    promises = {
        other: {name: promised[arguments.beside > 0] for name, promised in all_promised.items()}
        for other, all_promised in (("bare", OVER_BARE), ("disentanglement_lib", OVER_DLIB))
        if other in found
    }
    rows, broken = compared(found, promises)
    titles = ["training step, conv beta-VAE", "ms", "ms of processors"]
    print(text_table([*titles, *(f"over {other}" for other in promises)], rows))
    print(f"load of the machine {os.getloadavg()[0]:.1f}; ratios are of wall time, in brackets of the processors'")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
