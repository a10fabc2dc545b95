"""Follows one command from file to file, and says where two files call each other.

    python docs/walk.py dlib_evaluate
    python docs/walk.py dlib_train

A line for each file in the order in which the run first enters it, indented below the file that called it. Who
follows the lines never has to turn back: no two files call functions of each other.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Command -> its module, and the arguments of a run that takes seconds; ``{folder}`` is a new one.
COMMANDS = {
    "dlib_evaluate": (
        "causal_disent.cli.dlib_evaluate",
        "--input_dir {folder}/model --output_dir {folder}/scores --gin_config metrics/mig.gin",
        ["mig.num_train = 100"],
    ),
    "dlib_train": (
        "causal_disent.cli.dlib_train",
        "--model_dir {folder}/vae --gin_config models/beta_vae.gin",
        ["dataset.name = 'candle_mini'", "dataset.factors = ['object']", "model.training_steps = 2"]
        + ["model.eval_steps = 1", "model.batch_size = 4"],
    ),
}
#: What stands around a function, for configs to reach it or to check what goes in and out: no turn of the way.
WRAPPERS = (
    "Part.__call__", "checked.<locals>.call", "told.<locals>.call", "metric.<locals>.declare.<locals>.judged"
)  # fmt: skip
#: Frames that are no functions of a file: its top level, and what is written inside another function's line.
PARTS_OF_FUNCTIONS = ("<module>", "<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")

Calls = dict[tuple[str, str], str]


def calls_between_files(run: Callable[[], Any]) -> Calls:
    """Caller's and callee's file -> the function that was called first, in the order of the run."""
    found: Calls = {}
    files: dict[CodeType, str | None] = {}

    def own_file(code: CodeType) -> str | None:
        if code not in files:
            path = Path(code.co_filename)
            inside = path.is_relative_to(ROOT) and ".venv" not in code.co_filename
            files[code] = str(path.relative_to(ROOT)) if inside else None
        return files[code]

    importing = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal importing
        # What a module does while it is imported, such as to decorate a function, is no turn of the way.
        if frame.f_code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        if importing or event != "call" or (callee := own_file(frame.f_code)) is None:
            return
        if frame.f_code.co_name in PARTS_OF_FUNCTIONS or frame.f_code.co_qualname in WRAPPERS:
            return
        caller: FrameType | None = frame.f_back
        # Gin, numpy and the like stand between two files of ours without being a turn of the way.
        while caller is not None and (own_file(caller.f_code) is None or caller.f_code.co_qualname in WRAPPERS):
            caller = caller.f_back
        # An object that calls a method it inherits, or that a subclass gives it, stays with itself.
        own = frame.f_locals.get("self")
        if caller is not None and own is not None and caller.f_locals.get("self") is own:
            return
        if caller is not None and caller.f_code.co_name != "<module>":
            name = own_file(caller.f_code)
            if name is not None and name != callee:
                found.setdefault((name, callee), frame.f_code.co_qualname)

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def crossed(calls: Calls) -> list[tuple[str, str]]:
    """Pairs of files that call each other."""
    return sorted((a, b) for a, b in calls if a < b and (b, a) in calls)


def walk(command: str) -> Calls:
    """The calls between files of one run."""
    module, arguments, bindings = COMMANDS[command]
    main = import_module(module).main
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        model.mkdir()
        (model / "representation.gin").write_text(
            "representation.name = 'perfect_oracle'\n"
            "dataset.name = 'candle_mini'\n"
            "dataset.factors = ['object', 'color']\n"
        )
        argv = arguments.format(folder=folder).split()
        for binding in bindings:
            argv += ["--gin_bindings", binding]
        return calls_between_files(lambda: main(argv))


def lines(calls: Calls) -> list[str]:
    """The files in the order of the run, each below the one that first called it."""
    at = next(iter(calls))[0]
    depth, shown = {at: 0}, [at]
    for (caller, callee), function in calls.items():
        if callee not in depth:
            # A file whose own methods alone were called so far, by objects of another, stands where the reader is.
            depth[callee] = depth.setdefault(caller, depth[at]) + 1
            at = callee
            shown.append(f"{'  ' * depth[at]}{at}: {function}")
    return shown


if __name__ == "__main__":
    followed = walk(sys.argv[1])
    print("\n".join(lines(followed)))
    for pair in crossed(followed):
        print(f"crossed: {pair[0]} and {pair[1]}: {followed[pair]}, {followed[pair[::-1]]}")
    sys.exit(1 if crossed(followed) else 0)
