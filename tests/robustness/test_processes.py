"""Kills, races and shortages: workers end, work is shared, one message says what was short and what is kept."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.files import claim
from causal_disent.runs.train import train_with_gin

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
FITS = """
import os, sys, time
import numpy as np
from pathlib import Path
from causal_disent.metrics import fitting

class Slow:
    def fit(self, codes, values):
        Path(sys.argv[1], str(os.getpid())).touch()
        time.sleep(600)

def make():
    return Slow()

points = np.arange(30_000)[:, None] % 7
problems = fitting.make_problems((points, points.repeat(2, axis=1)), (points, points.repeat(2, axis=1)))
fitting.fit_each(make, problems, len, np.random.RandomState(0), num_jobs=2)
"""


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)


def alive(process):
    """Whether a process runs; one that has ended and whom nobody waits for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_workers_end_with_a_killed_parent(tmp_path):
    (tmp_path / "started").mkdir()
    (tmp_path / "fits.py").write_text(FITS)
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "fits.py"), str(tmp_path / "started")], env=ENVIRONMENT
    )
    wait_until(lambda: len(os.listdir(tmp_path / "started")) == 2)
    workers = [int(name) for name in os.listdir(tmp_path / "started")]
    assert parent.pid not in workers and all(map(alive, workers))
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(alive, workers)))


@pytest.fixture
def held():
    """Claim a path as another process would, until the test says so."""
    threads = []

    def hold(path):
        taken, over = threading.Event(), threading.Event()

        def run():
            with claim(path):
                taken.set()
                over.wait(60)

        threads.append((threading.Thread(target=run), over))
        threads[-1][0].start()
        assert taken.wait(60)
        return over.set

    yield hold
    for thread, over in threads:
        over.set()
        thread.join()


def test_a_second_training_into_one_folder_is_told_of_the_first(held, tmp_path):
    pytest.importorskip("causal_disent_torch")
    held(tmp_path / "model")
    bindings = ["dataset.name = 'synthetic_mini'", "model.training_steps = 1", "model.random_seed = 0"]
    with pytest.raises(errors.InUse, match="Another process is writing .*model"):
        train_with_gin(tmp_path / "model", gin_config_files=["models/beta_vae.gin"], gin_bindings=bindings)
    assert not (tmp_path / "model.partial").exists()


def glob_flags(oracle_folder, tmp_path):
    for number in range(3):
        oracle_folder(name=f"folder{number}")
    source = oracle_folder(name="folder9").parent
    return [
        f"--input_glob={source}/folder*", f"--output_dir={tmp_path / 'out'}",
        "--gin_config=metrics/uc.gin", "--gin_bindings=uc.num_train = 50",
    ]  # fmt: skip


def test_a_folder_that_another_run_writes_is_waited_for(held, oracle_folder, tmp_path, capsys):
    flags = glob_flags(oracle_folder, tmp_path)
    release = held(tmp_path / "out/folder1")
    threading.Timer(1.0, release).start()
    assert evaluate(flags) == 0
    assert capsys.readouterr().out.count(" ok ") == 4


def test_two_runs_on_one_tree_share_it(oracle_folder, tmp_path):
    flags = glob_flags(oracle_folder, tmp_path)
    command = [sys.executable, "-m", "causal_disent.cli.dlib", "dlib_evaluate", *flags]
    runs = [subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=300)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    for number in (0, 1, 2, 9):
        file = tmp_path / f"out/folder{number}/results/json/evaluation_results.json"
        assert "UC" in json.loads(file.read_text())
    assert not list((tmp_path / "out").glob(".*"))


def limited(kind, amount, *command):
    """Run a command with less than it needs."""
    return subprocess.run(
        [sys.executable, "-m", *command], env=ENVIRONMENT, capture_output=True, text=True, timeout=300,
        preexec_fn=lambda: resource.setrlimit(kind, (amount, amount)),
    )  # fmt: skip


def test_no_room_for_the_results(oracle_folder, tmp_path):
    done = limited(
        resource.RLIMIT_FSIZE, 64, "causal_disent.cli.dlib", "dlib_evaluate", f"--input_dir={oracle_folder()}",
        f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/uc.gin", "--gin_bindings=uc.num_train = 50",
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert re.search(r"error: The file system refuses: .*too large.* So far, nothing was written\.", done.stderr)
    assert not list(tmp_path.glob("out*")) and not list(tmp_path.glob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "amount", "words"),
    [
        (resource.RLIMIT_FSIZE, 20_000, "The file system refuses: "),
        (resource.RLIMIT_AS, 2 * 2**30, "Memory is short: "),
    ],
)
def test_short_while_training(kind, amount, words, tmp_path):
    pytest.importorskip("causal_disent_torch")
    settings = [
        "dataset.name = 'dummy_data'", "model.training_steps = 9", "model.random_seed = 0",
        "model.batch_size = 5000",
    ]  # fmt: skip
    done = limited(
        kind, amount, "causal_disent.cli.dlib", "dlib_train", f"--model_dir={tmp_path / 'model'}",
        "--gin_config=models/beta_vae.gin", "--checkpoint_every=1",
        *(f"--gin_bindings={setting}" for setting in settings),
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr[-2000:]
    assert f"error: {words}" in done.stderr
    assert not (tmp_path / "model").exists()


WRITES = """
import sys
from pathlib import Path
from causal_disent.files import new_file, new_folder
with new_file(Path(sys.argv[1], "file.json")) as temporary:
    temporary.write_text("content of the file")
for overwrite in (False, True):
    with new_folder(Path(sys.argv[1], "folder"), overwrite=overwrite) as temporary:
        (temporary / "inner").mkdir()
        (temporary / "inner/a.txt").write_text("content of the folder")
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_what_is_written_is_flushed_before_it_has_its_name(tmp_path):
    log = tmp_path / "calls"
    (tmp_path / "into").mkdir()
    traced = ["strace", "-f", "-y", "-e", "trace=fsync,rename,renameat,renameat2", "-o", str(log)]
    command = [*traced, sys.executable, "-c", WRITES, str(tmp_path / "into")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("tracing is not allowed here")
    calls = [
        line.split(maxsplit=1)[1] for line in log.read_text().splitlines() if "into" in line and "= 0" in line
    ]
    kinds = [(call.split("(")[0], re.findall(r'[<"]([^<>"]*)[>"]', call)) for call in calls]
    renames = [place for place, (kind, _) in enumerate(kinds) if kind.startswith("rename")]
    assert len(renames) == 3, calls
    start = 0
    for place in renames:
        flushed = [paths[0] for kind, paths in kinds[start:place] if kind == "fsync"]
        temporary, final = kinds[place][1][-2:] if len(kinds[place][1]) == 2 else kinds[place][1][1::2]
        inside = [path for path in flushed if path.startswith(temporary)]
        assert temporary in inside, (calls, temporary)
        if final.endswith("folder"):
            assert any(path.endswith("inner/a.txt") for path in inside)
        after = kinds[place + 1]
        assert after[0] == "fsync" and after[1][0].endswith("into"), after  # and then the folder that names it
        start = place + 2


def test_an_interrupted_process_says_what_is_there(oracle_folder, tmp_path):
    """SIGTERM while the second of two configs is at work: the first result is there, and is named."""
    for number, points in enumerate((50, 50_000_000)):
        (tmp_path / f"{number}.gin").write_text(f"include 'metrics/uc.gin'\nuc.num_train = {points}\n")
    command = [
        sys.executable, "-m", "causal_disent.cli.dlib", "dlib_evaluate", f"--input_dir={oracle_folder()}",
        f"--output_dir={tmp_path / 'out'}", f"--gin_evaluation_config_glob={tmp_path}/*.gin",
    ]  # fmt: skip
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: (tmp_path / "out/0/results").exists() or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=120)[1].endswith(
        f"interrupted; this was written, whole: {tmp_path / 'out/0'}\n"
    )
    assert process.returncode == errors.INTERRUPTED
    assert sorted(os.listdir(tmp_path / "out")) == ["0"]


def test_a_terminated_score_prints_what_it_has(tmp_path):
    """SIGTERM while trees are fitted: the quick metrics are there, and nothing of the workers is."""
    random = np.random.RandomState(0)
    factors = random.randint(12, size=(12_000, 4))
    np.save(tmp_path / "factors.npy", factors)
    np.save(tmp_path / "codes.npy", factors + random.normal(size=factors.shape))
    command = [sys.executable, "-m", "causal_disent.cli.main", "score", "codes.npy", "factors.npy", "--metrics"]
    given = ["mcc", "dci", "reduced_downstream_task", "--bootstrap=0", "--chance=0"]
    process = subprocess.Popen(
        [*command, *given],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    told = ""
    while "score: dci" not in told and "score: reduced" not in told and process.poll() is None:
        told += process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    printed, complaints = process.communicate(timeout=120)
    assert process.returncode == errors.INTERRUPTED, complaints
    assert "\nmcc " in printed and "reduced_downstream_task: not measured" in " ".join(printed.split())
    assert "joblib" not in complaints and "Traceback" not in complaints and "resource_tracker" not in complaints
