"""Studies: overhead of engines, planning at the size of a published study, and being killed again and again.

    python benchmarks/bench_study.py [--ray .venv-ray/bin/python] [--scale 1.0] [--only local ray plan kills]

Writes the part ``study`` of benchmarks/results.json. At scale 1 it runs 1,000 tasks of half a second on each
engine, plans 151,200 evaluations of 12,600 models of which all but 500 are done (3 GB of disk for a while), and
kills a study's processes 50 times; half an hour in all. Sleeping tasks leave the processors to what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _study_trial import make_site, sleeping_study
from _timing import pin_threads

pin_threads()

from causal_disent import evaluate_with_gin, results_table, run_study  # noqa: E402
from causal_disent.files import new_file  # noqa: E402
from causal_disent.runs.results import parse_object  # noqa: E402
from causal_disent.runs.study import (  # noqa: E402
    Study,
    plan_text,
    read_study,
)
from causal_disent.runs.study_plan import (  # noqa: E402  # noqa: E402
    METRICS,
    Plan,
    digest,
    make_plan,
    step_of,
)

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PARTS = ("local", "ray", "plan", "kills")
WORKERS, SECONDS = 2, 0.5
#: Of the published study of disentanglement_lib: 6 models with 6 values each, 7 data sets, 50 seeds, 12 metrics.
MODELS = {
    "beta_vae": {"vae.beta": [1, 2, 4, 6, 8, 16]},
    "annealed_vae": {"annealed_vae.c_max": [5, 10, 25, 50, 75, 100]},
    "factor_vae": {"factor_vae.gamma": [10, 20, 30, 40, 50, 100]},
    "dip_vae_i": {},
    "dip_vae_ii": {},
    "beta_tc_vae": {"beta_tc_vae.beta": [1, 2, 4, 6, 8, 10]},
}
DATASETS = (
    "dsprites_full",
    "color_dsprites",
    "noisy_dsprites",
    "scream_dsprites",
    "smallnorb",
    "cars3d",
    "shapes3d",
)
NUM_METRICS, NUM_WAITING = 12, 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ray", metavar="PYTHON", help="the interpreter of an environment that has Ray")
    parser.add_argument("--scale", type=float, default=1.0, help="of all numbers (%(default)s)")
    parser.add_argument("--only", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--seed", type=int, default=0, help="of who is killed when (%(default)s)")
    parser.add_argument("--forget", action="store_true", help="leave results.json as it is")
    parser.add_argument("--inside", nargs=2, metavar=("PART", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        part, folder = arguments.inside
        print(json.dumps(INSIDE[part](Path(folder), arguments.scale)))
        return
    found: dict[str, Any] = {}
    if "local" in arguments.only:
        found["local"] = part_of("local", sys.executable, arguments.scale)
    if "ray" in arguments.only and arguments.ray:
        found["ray"] = part_of("ray", arguments.ray, arguments.scale)
    if "plan" in arguments.only:
        found["plan"] = bench_plan(arguments.scale)
    if "kills" in arguments.only:
        found["kills"] = bench_kills(arguments.scale, arguments.seed)
    print(json.dumps(found, indent=2))
    if arguments.scale == 1.0 and not arguments.forget:
        keep(found)


def keep(found: dict[str, Any]) -> None:
    """Put what was found among the other results."""
    content = json.loads(RESULTS.read_text())
    content["study"] = {**content.get("study", {}), **found}
    with new_file(RESULTS) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n")


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder for a study, in which the metric that sleeps is known."""
    folder = Path(tempfile.mkdtemp(prefix="bench_study."))
    try:
        make_site(folder / "site")
        yield folder
    finally:
        shutil.rmtree(folder)


def environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(folder / "site"), str(HERE)])
    return {**os.environ, "PYTHONPATH": path, "CAUSAL_DISENT_PLUGINS": "study_trial"}


def part_of(part: str, python: str, scale: float) -> Any:
    """What a part finds in a process of its own."""
    with workshop() as folder:
        return inside(part, python, folder, scale)


def inside(part: str, python: str, folder: Path, scale: float) -> Any:
    extra = {"CAUSAL_DISENT_PLUGINS": "study_trial,causal_disent_ray"} if part == "ray" else {}
    command = [python, __file__, "--inside", part, str(folder), "--scale", str(scale)]
    done = subprocess.run(
        command, env={**environment(folder), **extra}, stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout, file=sys.stderr)  # at once: to remove what was made may take longer than to measure it
    return json.loads(done.stdout.splitlines()[-1])


def overhead(folder: Path, scale: float, engine: str) -> dict[str, float]:
    """A study of sleeping tasks, one a run, beside the sum of the tasks themselves: around it, and within it."""
    num_tasks = max(20, int(1000 * scale))
    config = sleeping_study(folder, num_tasks, 1, SECONDS)
    lines = [f"{engine}.workers = {WORKERS}"]
    bare = bare_tasks(folder, "before")
    started = time.perf_counter()
    _, runner = read_study(config, lines, engine)
    assert [done.result for done in runner.run(os.path.basename, ["a/b"]) if done] == ["b"]
    start = time.perf_counter() - started
    ended = run_study(config, folder / "out", engine=runner)
    took = time.perf_counter() - started
    assert dict(ended.counts) == {"done": num_tasks}, ended.counts
    bare += bare_tasks(folder, "after")
    files = (folder / "out").glob(f"*/{METRICS}/*/*/results/json/evaluation_results.json")
    own = [parse_object(file.read_bytes())["elapsed_time"] for file in files]
    return {
        "tasks": num_tasks,
        "seconds": took,
        "ratio_to_bare_tasks": took / (num_tasks * sum(bare) / len(bare) / WORKERS),
        "seconds_of_the_engines_start": start,
        "ratio_without_it": (took - start) / (num_tasks * sum(bare) / len(bare) / WORKERS),
        "ratio_to_their_own_time": took / (sum(own) / WORKERS),
        "ratio_to_sleep": took / (num_tasks * SECONDS / WORKERS),
        "processes_that_wait_for_a_core": os.getloadavg()[2],
    }


def bare_tasks(folder: Path, when: str, num_tasks: int = 12) -> list[float]:
    """Seconds of tasks without a study around them, their result folders written as ever; two warm up."""
    took = []
    for number in range(num_tasks):
        started = time.perf_counter()
        source, target = folder / "old" / str(number) / "mean", folder / when / str(number)
        evaluate_with_gin(source, target, False, [folder / "sleepy_0.gin"])
        took.append(time.perf_counter() - started)
    return took[2:]


def plan_and_tell(folder: Path, scale: float) -> dict[str, float]:
    """Scan and plan as `--dry_run` does, in a process of its own."""
    started, worked = time.perf_counter(), time.process_time()
    plan = make_plan(published_study(scale), folder / "study")
    plan.check_unchanged()
    text = plan_text(plan, WORKERS)
    took, worked = time.perf_counter() - started, time.process_time() - worked
    counts = plan.counts()
    print(text, file=sys.stderr)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": took,
        "of_a_core": worked,
        "megabytes": megabytes,
        "waiting": counts["waiting"],
        "done": counts["done"],
    }


INSIDE = {
    "local": lambda folder, scale: overhead(folder, scale, "local"),
    "ray": lambda folder, scale: overhead(folder, scale, "ray"),
    "plan": plan_and_tell,
}


def published_study(scale: float) -> Study:
    """The settings of a study of that size."""
    models: list[Any] = [f"models/{name}.gin" for name, vary in MODELS.items() if vary]
    for name in ("dip_vae_i", "dip_vae_ii"):
        models.append(f"models/{name}.gin")
    vary = {parameter: values for one in MODELS.values() for parameter, values in one.items()}
    vary["dip_vae.lambda_od"] = [1, 2, 5, 10, 20, 50]
    metrics = [
        {"config": "metrics/mig.gin", "name": f"mig_{number}", "bindings": [f"mig.num_train = {100 + number}"]}
        for number in range(NUM_METRICS)
    ]
    seeds = max(1, int(50 * scale))
    return Study(models=models, datasets=list(DATASETS), seeds=seeds, vary=vary, metrics=metrics)


def bench_plan(scale: float) -> dict[str, Any]:
    """Planning without and with the index."""
    with workshop() as folder:
        plan = make_plan(published_study(scale), folder / "study")
        started = time.perf_counter()
        build(plan, folder)
        print(f"made {len(plan.runs)} runs in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        time.sleep(2.5)  # what has just changed is not trusted by the index
        names = ("first", "second")
        return {name: inside("plan", sys.executable, folder, scale) for name in names}


def build(plan: Plan, folder: Path) -> None:
    """The folders of a study of which all but the last `NUM_WAITING` evaluations are done."""
    shared = folder / "shared"
    shared.mkdir()
    for number, planned in enumerate(plan.runs):
        run = folder / "study" / str(number)
        run.mkdir(parents=True)
        (run / "run.json").write_text(json.dumps(planned.run.what))
        for place, item in plan.places(planned.run):
            left = (len(plan.runs) - number) * NUM_METRICS
            if place.startswith(METRICS) and left <= NUM_WAITING:
                continue
            stamp = item.digest if item else digest(planned.run.stated)
            content = {**(item.stated if item else planned.run.stated), "study_task.config": f"'{stamp}'"}
            target = run / place / "results" / "json"
            target.mkdir(parents=True)
            source = shared / stamp
            if not source.exists():
                source.write_text(json.dumps(content))
            # One file for many, as only the folders are to be as many as in life.
            os.link(source, target / f"{step_of(place)}_config.json")


DRIVER = "import sys; from causal_disent import run_study; run_study(sys.argv[1], sys.argv[2])"


def bench_kills(scale: float, seed: int) -> dict[str, Any]:
    """Kill drivers and workers at random; every folder that is there is whole, and the end is as without kills."""
    chance = random.Random(seed)
    num_kills, num_folders, num_metrics = max(4, round(50 * scale)), max(8, round(100 * scale)), 10
    with workshop() as folder:
        config = sleeping_study(folder, num_folders, num_metrics, 0.05)
        with config.open("a") as file:
            file.write(f"study.retries = {num_kills}\n")
        kills = {"driver": 0, "worker": 0}
        process = drive(config, folder / "disturbed", folder)
        while sum(kills.values()) < num_kills:
            wait_a_while(process, folder / "disturbed", chance)
            victims = children(process.pid)
            if chance.random() < 0.5 and victims:
                os.kill(chance.choice(victims), signal.SIGKILL)
                kills["worker"] += 1
            else:
                kills["driver"] += process.poll() is None
                end(process)
            check_whole(folder / "disturbed")
            if process.poll() is not None:
                process = drive(config, folder / "disturbed", folder)
        end(process)
        done_by_then = check_whole(folder / "disturbed")
        codes = [drive(config, folder / name, folder).wait() for name in ("disturbed", "undisturbed")]
        same = scores(folder / "disturbed").equals(scores(folder / "undisturbed"))
        left = [
            path.name
            for path in (folder / "disturbed").rglob("*")
            if ".partial" in path.name or ".lease" in path.name
        ]
        return {
            **kills,
            "done_by_then": done_by_then,
            "tasks": num_folders * num_metrics,
            "codes": codes,
            "left_over": left,
            "equal_tables": same,
        }


def wait_a_while(process: subprocess.Popen[bytes], study: Path, chance: random.Random) -> None:
    """Until some moment: while processes begin, or when some more tasks are done, however fast the machine is."""
    if chance.random() < 0.8:
        enough = len(results_of(study)) + chance.randint(1, 25)
        while len(results_of(study)) < enough and process.poll() is None:
            time.sleep(0.05)
        time.sleep(chance.uniform(0.0, 0.1))
    else:
        time.sleep(chance.uniform(0.0, 3.0))


def results_of(study: Path) -> list[Path]:
    return [path for path in study.glob(f"*/{METRICS}/*/*") if not path.name.startswith(".")]


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def drive(config: Path, output: Path, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(config), str(output)],
        env=environment(folder),
        stderr=subprocess.DEVNULL,
    )


def children(process: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def check_whole(study: Path) -> int:
    """How many results there are; an error if one is not whole."""
    folders = results_of(study)
    for folder in folders:
        for name in ("json/evaluation_results.json", "json/evaluation_config.json", "aggregate/evaluation.json"):
            parse_object((folder / "results" / name).read_bytes())
    return len(folders)


def scores(study: Path) -> Any:
    return results_table(study)[["model", "path", "metric", "score", "value"]].sort_values(
        "path", ignore_index=True
    )


if __name__ == "__main__":
    main()
