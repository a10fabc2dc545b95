"""How long ``metrics/crl.gin`` takes on the test images of Pendulum, once they are encoded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from _timing import processor_time
from causal_disent_crl.oracles import causal_oracle
from causal_disent_crl.pendulum import Pendulum

from causal_disent.config import gin_config
from causal_disent.representation.code_table import CodeTable
from causal_disent.runs.evaluate import settings

#: Seconds on two cores.
WANTED = 20.0


def evaluation(data: Pendulum) -> Iterator[tuple[str, str, str]]:
    """Each metric on one core; the pairs of MIC, most of the work, would be spread over the others."""
    table = CodeTable(data, causal_oracle(data))
    indices = data.factor_table.index.to_numpy()
    encoded = processor_time(lambda: table.codes_of(indices))
    yield f"looking up {len(indices):,} test images of Pendulum", f"{encoded:.1f} s", ""
    total = 0.0
    with gin_config(["metrics/crl.gin"], ["crl_scores.num_jobs = 1", "dataset.name = 'pendulum'"]):
        for metric in settings().evaluation_fn:
            seconds = processor_time(lambda metric=metric: metric(data, table, np.random.RandomState(0)))
            total += seconds
            yield f"{metric.__name__} of crl.gin", f"{seconds:.1f} s", ""
    yield "all of crl.gin, on one core", f"{total:.1f} s", ""
    yield f"the same / {WANTED:.0f} s on two cores", f"{total / (2 * WANTED):.2f}", "<= 1"
