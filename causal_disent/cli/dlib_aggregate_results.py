"""``dlib_aggregate_results``: many runs' results in one file, as disentanglement_lib's command of that name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from causal_disent.cli._flags import Flags
from causal_disent.text import complain, say, shown

USAGE = """
dlib_aggregate_results: gather the results of many runs into one table.

    dlib_aggregate_results --result_file_pattern 'out/*/results/aggregate/evaluation.json' --output_path all.json

pandas.read_json(path, orient="columns") reads it. A name that ends in .parquet is written as Parquet.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_text(
        result_file_pattern="Glob of the result files.", output_path="File to write, .json or .parquet."
    )
    return flags.run(lambda: _aggregate(flags), argv, USAGE)


def _aggregate(flags: Flags) -> int:
    from causal_disent.runs.aggregate import aggregate_results_to_json

    flags.require("result_file_pattern", "output_path")
    table, left_out = aggregate_results_to_json(flags.result_file_pattern, flags.output_path)
    for path, reason in left_out:
        complain(f"left out {shown(path)}", reason)
    say(f"{len(table)} results, {len(table.columns)} columns\n  -> {flags.output_path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
