"""Training and encoding with TensorFlow beside bare loops of it, and beside torch, in one run.

    .venv-tf/bin/python benchmarks/bench_tf.py [--torch .venv/bin/python] [--threads 1] [--steps 5] [--rounds 9]

Convolutional beta-VAE, 64x64x1 images, batch 64; encoding is of 1024 images. Each program is a process of its own,
with the threads that it takes by itself (``--threads`` for a number that all get); they take turns, and the
medians of the ratios of their turns count. The bare loop is a `tf.function` of plain Keras layers and Keras's Adam
on one batch that is in memory; ours draws its images, watches the terms of the loss and writes curves. ``--torch``
names the Python of an environment with causal_disent_torch, for the choice between the two.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from _timing import THREADS
from _turns import compared, in_turns, program

from causal_disent.report.table import text_table

HERE = Path(__file__).resolve().parent
#: The most that is promised, over the bare program.
PROMISED = {"training step": {"ours": 1.15}, "encoding": {"ours": 1.05}}
#: What is measured -> who does it -> the word for it, of TensorFlow's programs and of torch's.
TENSORFLOW = {
    "training step": {"bare": "bare", "ours": "ours", "bfloat16": "bfloat16"},
    "encoding": {"bare": "bare_encoding", "ours": "encoding"},
}
TORCH = {"training step": {"torch": "ours", "torch, bfloat16": "bfloat16"}, "encoding": {"torch": "encoding"}}


def main() -> int:
    """Run, print, and return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--threads", type=int, help="of every program; by default as each chooses")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    environment = dict(os.environ)
    if arguments.threads:
        names = (*THREADS, "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
        environment |= dict.fromkeys(names, str(arguments.threads))
    broken = False
    for what, kinds in TENSORFLOW.items():
        commands = {name: [sys.executable, str(HERE / "_steps_tf.py"), kind] for name, kind in kinds.items()}
        if arguments.torch:
            others = TORCH[what].items()
            commands |= {name: [arguments.torch, str(HERE / "_steps.py"), kind] for name, kind in others}
        with ExitStack() as stack:
            programs = {name: stack.enter_context(program(words, environment)) for name, words in commands.items()}
            found = in_turns(programs, arguments.steps, arguments.rounds)
        rows, missed = compared(found, {"bare": PROMISED[what]})
        broken = broken or missed
        print(text_table([f"{what}, conv beta-VAE", "ms", "ms of processors", "over bare"], rows))
    print(f"load of the machine {os.getloadavg()[0]:.1f}; ratios are of wall time, in brackets of the processors'")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
