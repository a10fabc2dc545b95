"""How long ``metrics/crl.gin`` takes on the test images of Pendulum, once they are encoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from _timing import processor_time
from causal_disent_crl.models.causal_vae import Labels
from causal_disent_crl.oracles import causal_oracle
from causal_disent_crl.pendulum import Pendulum
from causal_disent_torch.representation import represent

from causal_disent.config import gin_config
from causal_disent.representation.code_table import CodeTable
from causal_disent.runs.evaluate import settings

#: Seconds on two cores.
WANTED = 20.0


def evaluation(data: Pendulum, networks: Any) -> Iterator[tuple[str, str, str]]:
    """Of the truth, whose counterfactuals are drawn, and of a CausalVAE, with four times the codes to score."""
    labels = Labels("causal_vae", data, 4)
    networks["decoder"].layer.weights.data.fill_(0.2)  # every edge: no score is 0 at once
    networks["decoder"].teach(labels.names, labels.scaling.centre, labels.scaling.scale)
    model = represent(networks["encoder"], networks["decoder"], activation="logits", device="cpu")
    for name, representation in (("the truth", causal_oracle(data)), ("CausalVAE", model)):
        yield from _of(name, data, CodeTable(data, representation))


def _of(name: str, data: Pendulum, table: CodeTable) -> Iterator[tuple[str, str, str]]:
    """Each metric on one core; the pairs of MIC, most of the work, would be spread over the others."""
    indices = data.factor_table.index.to_numpy()
    encoded = processor_time(lambda: table.codes_of(indices))
    yield f"encoding {len(indices):,} test images of Pendulum by {name}", f"{encoded:.1f} s", ""
    total = 0.0
    with gin_config(["metrics/crl.gin"], ["crl_scores.num_jobs = 1", "dataset.name = 'pendulum'"]):
        for metric in settings().evaluation_fn:
            seconds = processor_time(lambda metric=metric: metric(data, table, np.random.RandomState(0)))
            total += seconds
            yield f"{metric.__name__} of crl.gin on {name}", f"{seconds:.1f} s", ""
    yield f"all of crl.gin on {name}, on one core", f"{total:.1f} s", f"<= {WANTED:.0f} s on two"
