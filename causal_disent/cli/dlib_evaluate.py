"""``dlib_evaluate``: run metrics on a representation, as disentanglement_lib's command of that name."""

from __future__ import annotations

import glob
import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_gin_flags, parse
from causal_disent.cli._run import run

__all__ = ["main"]

USAGE = """
dlib_evaluate: measure a representation and write a result folder.

    dlib_evaluate --input_dir MODEL --output_dir RESULT --gin_config metrics/causal_disentanglement.gin
    dlib_evaluate --input_dir MODEL --output_dir RESULTS --gin_evaluation_config_glob 'configs/*.gin'

The input folder is a saved model or representation, disentanglement_lib's included, or it holds a
representation.gin that names a registered model (`causal-disent models`).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("input_dir", None, "Folder with the representation.", flag_values=values)
    flags.DEFINE_string("output_dir", None, "Folder to write.", flag_values=values)
    flags.DEFINE_string(
        "gin_evaluation_config_glob",
        None,
        "Run each config that matches into output_dir/<config name>, with evaluation.name bound to it.",
        flag_values=values,
    )
    flags.DEFINE_string(
        "model_dir", None, "Folder of the model that has the decoder, if the representation has none.",
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_string(
        "backend", None, "What reads the folder (`causal-disent backends`); by default the first that can.",
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_bool(
        "trust", False, "Let a TensorFlow graph run operations that reach files or the network.",
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_multi_string(
        "metric_file",
        [],
        "Python file with metrics as disentanglement_lib has them, unchanged. It is code and will be run: name "
        "only files that you trust. Repeatable.",
        flag_values=values,
    )
    define_gin_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_evaluate", *argv], USAGE)
    return run(lambda: _evaluate_with_files(values), debug=values.debug) if over is None else over


def _evaluate_with_files(values: flags.FlagValues) -> int:
    """`_evaluate`, with the metrics of the files that are named; gin knows them before it reads a config."""
    if not values.metric_file:
        return _evaluate(values)
    import causal_disent.steps.evaluate  # noqa: F401  its names are taken before the files name theirs
    from causal_disent.compat import metric_files

    with metric_files(values.metric_file) as files:
        for file in files:
            if file.note:
                print(f"note: {file.note}", file=sys.stderr)
        return _evaluate(values)


def _evaluate(values: flags.FlagValues) -> int:
    for name in ("input_dir", "output_dir"):
        if not getattr(values, name):
            raise errors.InvalidInput(f"--{name} is needed. --help shows an example.")
    source, target = Path(values.input_dir), Path(values.output_dir)
    from causal_disent.steps.evaluate import CodeTables, evaluate_with_gin
    from causal_disent.steps.representation import Reading

    decoder_dir = Path(values.model_dir) if values.model_dir else None
    reading = Reading(decoder_dir, values.backend, values.trust)
    code_tables: CodeTables = {}  # shared: no image is encoded twice
    for name, output, configs, bindings in _runs(values, target):
        overwrite = values.overwrite
        scores = evaluate_with_gin(source, output, overwrite, configs, bindings, code_tables, reading)
        print(f"{name}: " + ", ".join(f"{key} {value:.4f}" for key, value in _headline(scores).items()))
        print(f"  -> {output}")
    return 0


def _runs(values: flags.FlagValues, target: Path) -> list[tuple[str, Path, list[str], list[str]]]:
    """Name, output folder, configs and bindings of each run."""
    configs, bindings = list(values.gin_config), list(values.gin_bindings)
    pattern = values.gin_evaluation_config_glob
    if not pattern:
        return [("evaluation", target, configs, bindings)]
    files = sorted(glob.glob(pattern))
    if not files:
        raise errors.InvalidInput(f"No file matches --gin_evaluation_config_glob {pattern}.")
    return [
        (stem, target / stem, [*configs, file], [*bindings, f"evaluation.name = '{stem}'"])
        for file in files
        for stem in [Path(file).stem]
    ]


def _headline(scores: dict[str, object]) -> dict[str, float]:
    """The scores that fit on a line: numbers that are not per factor."""
    return {
        key: float(value)
        for key, value in scores.items()
        if isinstance(value, (int, float)) and "_factor_" not in key and key != "elapsed_time"
    }


if __name__ == "__main__":
    sys.exit(main())
