"""Studies on Ray: on one machine, and on three nodes of which one dies."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
import ray
from causal_disent_ray.engine import RayEngine
from ray.cluster_utils import Cluster
from ray_trial import deadly, double, gpus

from causal_disent import Study, errors, run_study
from causal_disent.registry import registry

HERE = Path(__file__).parent
SMALL = 100 * 2**20


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """A study of many folders, whose metric the workers find as an installed plugin's."""
    info = tmp_path / "site/ray_trial-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ray-trial\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[causal_disent]\nray_trial = ray_trial\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.syspath_prepend(str(HERE))

    def make(num_folders, seconds):
        for number in range(num_folders):
            folder = tmp_path / f"old/{number}/mean"
            folder.mkdir(parents=True)
            (folder / "representation.gin").write_text(
                "representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n"
            )
        config = tmp_path / "told.gin"
        config.write_text(
            "evaluation.evaluation_fn = @told\nevaluation.random_seed = 0\n"
            f"told.seconds = {seconds}\ntold.file = '{tmp_path}/log'\n"
        )
        return Study(metrics=[str(config)], folders=f"{tmp_path}/old/*/mean")

    yield make
    ray.shutdown()


def finished(engine, function, work):
    with closing(engine.run(function, work)) as running:
        return [done for done in running if done is not None]


def test_it_is_registered():
    assert registry.get("engines", "ray").load() is RayEngine


def test_results_failures_and_deaths(trial, tmp_path):
    engine = RayEngine(workers=2, max_retries=1)
    asked, ended = [], []

    def work():
        for number in [*range(20), -1]:
            asked.append(number)
            assert len(asked) - len(ended) <= 4  # two run, and some wait
            yield number

    with closing(engine.run(double, work())) as running:
        ended += (done for done in running if done is not None)
    assert {done.work: done.result for done in ended if done.work >= 0} == {n: 2 * n for n in range(20)}
    assert [done.failure for done in ended if done.work < 0] == ["ValueError: a negative number"]
    (dead,) = finished(engine, deadly, [str(tmp_path / "tries")])
    assert dead.result is None and "WorkerCrashedError" in dead.failure
    assert (tmp_path / "tries").read_text() == "xx"  # tried again once
    assert engine.workers == 2


def test_a_study_on_this_machine(trial, tmp_path):
    study = trial(4, 0.1)
    ended = run_study(study, tmp_path / "study", engine=RayEngine(workers=2))
    assert ended.counts == {"done": 4}
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "study").rglob("evaluation_results.json")}
    assert len(before) == 4
    assert run_study(study, tmp_path / "study", engine=RayEngine(workers=2)).counts == {"done": 4}
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())


def test_a_config_names_the_engine_and_what_tasks_need(trial, tmp_path):
    study = trial(1, 0.1)
    lines = [study.as_config(), "study.engine = 'ray'", "ray.workers = 1", "ray.evaluate = {'num_cpus': 0.5}"]
    (tmp_path / "s.gin").write_text("\n".join(lines))
    assert run_study(tmp_path / "s.gin", tmp_path / "study").counts == {"done": 1}
    assert ray.cluster_resources()["CPU"] == 1.0


def test_parts_of_a_gpu_and_what_no_node_has(trial, capsys):
    """Two tasks share a GPU (one that Ray believes in); what a cluster has not is told, as it may still come."""
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "num_gpus": 1, "object_store_memory": SMALL}
    )
    try:
        half = {"num_cpus": 0.5, "num_gpus": 0.5}
        engine = RayEngine(address=cluster.address, evaluate=half, train={"resources": {"tpu": 1}})
        assert engine.workers == 2
        assert [done.result for done in finished(engine, gpus, range(3))] == [[0]] * 3
        assert "`ray.train` needs CPU 1, tpu 1, which no node has" in capsys.readouterr().err
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_what_this_machine_has_not_is_an_error(trial):
    with pytest.raises(errors.ConfigError, match="`ray.train` needs CPU 1, GPU 99, and Ray on this machine has"):
        finished(RayEngine(workers=1, train={"num_gpus": 99}), double, [1])


def test_three_nodes_of_which_one_dies(trial, tmp_path):
    """Nothing is lost, nothing that was finished is done twice, and the study finishes."""
    study = trial(24, 0.5)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": SMALL})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=SMALL) for _ in range(2)]
    try:
        cluster.wait_for_nodes()
        killed = []

        class Killing(RayEngine):
            """Has a node killed once some tasks are done."""

            def run(self, function, work):
                num_ended = 0
                for done in super().run(function, work):
                    yield done
                    num_ended += done is not None and hasattr(done.work, "unit")
                    if num_ended == 6 and not killed:
                        time.sleep(0.25)  # in the middle of what runs
                        cluster.remove_node(nodes[0], allow_graceful=False)
                        killed.append(time.monotonic())

        ended = run_study(study, tmp_path / "study", engine=Killing(address=cluster.address))
        assert killed and ended.counts == {"done": 24}
        assert len(list((tmp_path / "study").rglob("evaluation_results.json"))) == 24
        lines = (tmp_path / "log").read_text().splitlines()
        # Workers of several nodes took part; on a busy machine that of the third may start when all is done.
        assert len({line.split()[0] for line in lines}) >= 2
        # One that had ended in its process may have died before its folder was in place; no other is there twice.
        places = [line.split()[1] for line in lines]
        assert 24 <= len(places) <= 25
        assert not list((tmp_path / "study").rglob("*.lease*"))
        assert not list((tmp_path / "study").rglob("failures/*"))
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "`workers` must be a whole number, at least 1"),
        ({"max_retries": -2}, "`max_retries` must be a whole number, at least -1"),
        ({"train": {"gpus": 1}}, "`ray.train` is a dict of what a task needs"),
        ({"train": {"num_gpus": "half"}}, "no number of a resource"),
        ({"train": {"resources": 1.5}, "ahead": -1}, "`ray.ahead` is a number from 0 to 100"),
        ({"evaluate": {"memory": "much"}}, "is a number of bytes, or text such as '4 GB'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        RayEngine(**options)


def test_a_cluster_that_is_not_there():
    with pytest.raises(errors.InvalidInput, match="Ray cannot be reached at 127.0.0.1:1"):
        list(RayEngine(address="127.0.0.1:1").run(os.path.exists, ["x"]))
