"""Programs that take turns, each in a process of its own: one works while the others wait."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager


class Turns:
    """In a program: before each step it calls `wait`, which returns when the benchmark has asked for the step.

    The first steps are made at once, to warm up. Between two turns the program stands still in the middle of its
    training, so what a run does once counts for none of them.
    """

    def __init__(self, warm_up: int = 2) -> None:
        self._left, self._began = warm_up, (0.0, 0.0)
        self._answer, sys.stdout = sys.stdout, sys.stderr
        self._told = "ready"

    def wait(self) -> None:
        """Tell the seconds of the last turn if it is over, and wait for the next one."""
        if not self._left:
            seconds = {
                "wall": time.perf_counter() - self._began[0],
                "processor": time.process_time() - self._began[1],
            }
            print(self._told or json.dumps(seconds), file=self._answer, flush=True)
            line = sys.stdin.readline()
            if not line:
                os._exit(0)  # in the middle of a training that would go on
            self._told, self._left = "", int(line)
            self._began = time.perf_counter(), time.process_time()
        self._left -= 1


@contextmanager
def program(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Callable[[int], dict[str, float]]]:
    """Start a program that takes turns; what gives it one."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=dict(environment)) as process:
        assert process.stdin and process.stdout
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{' '.join(command)} did not start.")

        def turn(number: int) -> dict[str, float]:
            print(number, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        try:
            yield turn
        finally:
            process.stdin.close()


@contextmanager
def company(number: int) -> Iterator[None]:
    """So many other processes that compute all the time."""
    with ExitStack() as stack:
        for _ in range(number):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        yield


def in_turns(
    programs: Mapping[str, Callable[[int], dict[str, float]]], number: int, rounds: int
) -> dict[str, list[dict[str, float]]]:
    """The seconds that each program takes for one of `number`, round after round."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, turn in programs.items():
            found[name].append({kind: seconds / number for kind, seconds in turn(number).items()})
    return found


def compared(
    found: Mapping[str, Sequence[Mapping[str, float]]], promises: Mapping[str, Mapping[str, float]]
) -> tuple[list[list[str]], bool]:
    """The rows of a table: each program, its milliseconds of wall and of processors, its ratios to others.

    Args:
        found: what `in_turns` found.
        promises: of the programs to compare with, the ratios of wall time that are promised at the most, by name.

    Returns:
        The rows, and whether a promise is broken.
    """
    rows, broken = [], False
    for name, turns in found.items():
        row = [name, *(f"{statistics.median(turn[kind] for turn in turns) * 1000:.1f}" for kind in turns[0])]
        for other, promised in promises.items():
            reached = {kind: ratio(turns, found[other], kind) for kind in ("wall", "processor")}
            broken = broken or reached["wall"] > promised.get(name, reached["wall"])
            told = f"{reached['wall']:.2f} ({reached['processor']:.2f})"
            row.append(told + (f", promised {promised[name]}" if name in promised else ""))
        rows.append(row)
    return rows, broken


def ratio(some: Sequence[Mapping[str, float]], others: Sequence[Mapping[str, float]], kind: str) -> float:
    """The median over the rounds, of which each was disturbed in its own way."""
    return statistics.median(one[kind] / other[kind] for one, other in zip(some, others, strict=True))
