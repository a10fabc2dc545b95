"""The metrics as a `torchmetrics.Metric`, in one process and in two."""

import numpy as np
import pytest

import causal_disent
from causal_disent import errors

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")
from torchmetrics import MetricCollection  # noqa: E402

from causal_disent.integrations.torchmetrics import Disentanglement  # noqa: E402

FACTORS = np.random.RandomState(0).randint(4, size=(300, 3))
CODES = FACTORS @ np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]) + np.random.RandomState(1).normal(size=(300, 3))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64])
def test_scores_keep_their_digits_where_codes_have_few(dtype):
    factors = torch.randint(5, (300, 2), generator=torch.Generator().manual_seed(0))
    metric = Disentanglement("mig")
    metric.update((factors + torch.rand(300, 2, generator=torch.Generator().manual_seed(1))).to(dtype), factors)
    assert abs(metric.compute()["mig"].item() - metric.table().table.loc["mig", "score"]) < 1e-6


def batches(start=0, step=1):
    for i in range(start, 300, 50 * step):
        yield torch.tensor(CODES[i : i + 50]), torch.tensor(FACTORS[i : i + 50])


def test_batches_together_are_scored_as_one():
    metric = Disentanglement(["mig", "sap_score"], random_state=4)
    for codes, factors in batches():
        metric.update(codes, factors)
    expected = causal_disent.score(CODES, FACTORS, ["mig", "sap_score"], 4, bootstrap=0, chance=0, progress=False)
    found = metric.compute()
    assert {name: value.item() for name, value in found.items()} == expected.table["score"].to_dict()
    assert metric.table().results["sap_score"].score == expected.results["sap_score"].score
    metric.reset()
    with pytest.raises(errors.InvalidInput):
        metric.compute()
    metric.update(*next(batches()))
    assert metric.compute()["mig"] != found["mig"]


def test_it_joins_a_collection_and_forward_gives_the_scores_of_a_batch():
    collection = MetricCollection({"all": Disentanglement(["mig", "r2"])})
    first = collection(*next(batches()))
    alone = Disentanglement(["mig", "r2"])
    alone.update(*next(batches()))
    assert {name.removeprefix("all_"): value for name, value in first.items()} == alone.compute()


def test_whole_codes_one_factor_and_gradients():
    metric = Disentanglement("r2")
    codes = torch.tensor(CODES, requires_grad=True)
    metric.update(codes, torch.tensor(FACTORS[:, 0]))
    assert not metric.codes[0].requires_grad and 0 < metric.compute()["r2"] < 1
    whole = Disentanglement("mig")
    whole.update(torch.tensor(FACTORS), torch.tensor(FACTORS))
    assert whole.compute()["mig"] > 0.9


@pytest.mark.parametrize(
    "given",
    [(CODES, FACTORS), (torch.ones(3, 2), torch.ones(4, 2)), (torch.ones(3), torch.ones(3)), (None, None)],
)
def test_what_is_no_batch_of_points(given):
    with pytest.raises(errors.InvalidInput):
        Disentanglement().update(*given)


def measure_part(rank, place, found):
    torch.distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
    metric = Disentanglement(["mig", "r2"])
    for codes, factors in batches(50 * rank, 2):
        metric.update(codes, factors)
    found[rank] = {name: value.item() for name, value in metric.compute().items()}
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_score_the_points_of_both(tmp_path):
    manager = torch.multiprocessing.Manager()
    found = manager.dict()
    torch.multiprocessing.spawn(measure_part, (tmp_path / "meeting", found), nprocs=2)
    order = np.r_[tuple(slice(i, i + 50) for start in (0, 50) for i in range(start, 300, 100))]
    expected = causal_disent.score(CODES[order], FACTORS[order], ["mig", "r2"], bootstrap=0, chance=0)
    assert found[0] == found[1] == pytest.approx(expected.table["score"].to_dict())
