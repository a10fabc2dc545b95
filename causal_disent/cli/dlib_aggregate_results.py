"""``dlib_aggregate_results``: many runs' results in one file, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from absl import flags

from causal_disent import errors
from causal_disent.cli._flags import define_common_flags, parse
from causal_disent.cli._run import run
from causal_disent.text import complain, say, shown

USAGE = """
dlib_aggregate_results: gather the results of many runs into one table.

    dlib_aggregate_results --result_file_pattern 'out/*/results/aggregate/evaluation.json' --output_path all.json

pandas.read_json(path, orient="columns") reads it. A name that ends in .parquet is written as Parquet.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    values = flags.FlagValues()
    flags.DEFINE_string("result_file_pattern", None, "Glob of the result files.", flag_values=values)
    flags.DEFINE_string("output_path", None, "File to write, .json or .parquet.", flag_values=values)
    define_common_flags(values)
    over = parse(values, sys.argv if argv is None else ["dlib_aggregate_results", *argv], USAGE)
    return run(lambda: _aggregate(values), debug=values.debug) if over is None else over


def _aggregate(values: flags.FlagValues) -> int:
    from causal_disent.runs.aggregate import aggregate_results_to_json

    for name in ("result_file_pattern", "output_path"):
        if not getattr(values, name):
            raise errors.InvalidInput(f"--{name} is needed. --help shows an example.")
    table, left_out = aggregate_results_to_json(values.result_file_pattern, values.output_path)
    for path, reason in left_out:
        complain(f"left out {shown(path)}", reason)
    say(f"{len(table)} results, {len(table.columns)} columns\n  -> {values.output_path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
