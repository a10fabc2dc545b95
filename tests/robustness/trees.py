"""Folders of studies and results as strangers make them: spoiled in a few places, the same for the same seed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.runs.results import write_results

Random = np.random.RandomState

SECRET = "the-secret-of-another-folder"
#: A name that steers a terminal, forges lines, and is HTML.
NAME = "a\x1b[2J\x9b\u202e\r\nforged: 1</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"{{7*7}}"
#: What JSON may hold in place of what is expected.
VALUES: list[Any] = [
    None, True, 0, -1, 10**400, -(10**400), 1e308, float("nan"), float("inf"), "", "x", NAME, "\ud800", "\x00",
    [], [1, "x", None], [[1, 2], [3, 10**400]], [[1, 2], [3, float("nan")]], {}, {"a": {"b": 1}}, [[[[[1]]]]],
    "9" * 5000,
    "'candle_mini'", "['a']", "{'a': [1]}", "{1: 2}", "'\\ud800'", "b'x'", "1j", "...", "1e400", "@a/b.c()", "@",
    "('" + "(" * 300, "[" * 3000, "x" * 20000, "../../x", "/dev/zero", "-1", "4294967296", "0.5", "None",
]  # fmt: skip
KEYS = [
    NAME, "", ".", "uc", "UC", "IRS", "rho=2:UC", f"rho={'9' * 5000}:UC", "100:mean_test_accuracy", "train_config",
    "train_config.", "train_config.dataset.name", "evaluation_config.dataset.name", "train_results.uuid",
    "train_config.model.model", "train_config.model.name", "train_config.model.random_seed",
    "evaluation_config.uc.rho", "evaluation_config.uc.num_train", "evaluation_config.evaluation.evaluation_fn",
    "evaluation_config.dataset.confounding", "evaluation_config.representation.name",
    "postprocess_config.postprocess.name",
    "evaluation_results.UC", "evaluation_results.UC_low", "evaluation_results.IRS", f"evaluation_results.{NAME}",
    "evaluation_results.uc_codes_factor_0", "evaluation_results.matrix", f"evaluation_results.rho={'9' * 5000}:UC",
    "evaluation_results.path", "evaluation_results.value", "evaluation_results.", "elapsed_time", "codes_factor_x",
    "matrix", "attempts", "message", "last_lines", "when", "log", "machine", "version", "runs", "folder", "what",
    "done",
    "times", "model", "dataset.name", "dataset.factors", "candle_mini.folder", "\ud800",
]  # fmt: skip
#: As study.gin may bind them.
BOUND = (
    "None", "True", "0", "-1", "3", "10**9", "1000000000", "9" * 400, "0.5", "1e400", "'x'", "''", "'..'",
    "'a/b'", "'\\x00'",
    "'\\x1b[2J\\nforged: 1'", "'\\ud800'", "[]", "[1]", "['x']", "[None]", "['\\x1b[2J']", "['metrics/uc.gin']",
    "[[]]", "[{}]",
    "['metrics/uc.gin', 'metrics/uc.gin']", "[{'config': 'metrics/uc.gin', 'bindings': 5}]",
    "[{'config': 'metrics/uc.gin', 'bindings': 'x'}]", "[{'config': 'metrics/uc.gin', 'name': '../../x'}]",
    "[{'config': 3}]", "[{'config': 'metrics/uc.gin', 'name': '\\x1b[2J'}]", "[{'name': 'candle_mini', 3: 4}]",
    "[{'name': 'candle_mini', 'a b': 4}]", "[{'name': 'candle_mini', 'factors': 3}]", "['models/beta_vae.gin']",
    "{}", "{1: [2]}", "{'a': 1}", "{'uc.rho': [1, 2]}", "{'uc.rho': []}", "{'uc.rho': 'ab'}", "{'uc.rho': [{}]}",
    "{'x': [1]}",
    "{'uc.rho': [1, 1]}", "{'train': 'x'}", "{'train': -1}", "{'evaluate': 1e300}", "{'other': 1}", "[0, 0]",
    "[-1]", "[2**40]",
    "[1.5]", "'**'", "'/proc/*'", "['']", "'local'", "'ray'", "'no'", "['uc.rho = ']", "['uc.rho = 2']", "['@']",
    "['uc.rho = @x()']",
    "{'uc.rho': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'uc.num_train': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}", "b'x'",
    "@irs", "%x", "...", "(",
)  # fmt: skip
SETTINGS = (
    "models", "datasets", "seeds", "vary", "metrics", "postprocess", "bindings", "folders", "retries",
    "time_limit", "engine",
    "report", "nothing",
)  # fmt: skip


def make_tree(place: Path) -> Path:
    """A study of two folders that are measured by two metrics, one of which failed; and a trained model."""
    outside = place / "outside"
    outside.mkdir(parents=True)
    (outside / "secret").write_text(SECRET)
    for name in "ab":
        folder = place / "old" / name / "mean"
        folder.mkdir(parents=True)
        (folder / "representation.gin").write_text("representation.name = 'x'\n")
    study = place / "study"
    for number, name in enumerate("ab"):
        run = study / str(number)
        (run / "logs").mkdir(parents=True)
        (run / "run.json").write_text(json.dumps({"folder": str(place / "old" / name / "mean")}))
        (run / "logs/evaluate_mean.log").write_text("=== metrics/mean/irs\nlast words\n")
        config = {
            "evaluation.evaluation_fn": "@uc", "evaluation.random_seed": "0", "dataset.name": "'candle_mini'",
            "representation.name": f"'oracle_{name}'", "uc.num_train": "100", "study_task.config": "'x'",
        }  # fmt: skip
        scores = {
            "UC": 0.5 + number / 4,
            "elapsed_time": 2.0,
            "codes_factor_0": [0],
            "matrix": [[0.1, 1], [1, 0.5]],
        }
        write_results(run / "metrics/mean/uc", "evaluation", scores, "uc.num_train = 100\n", config)
        (run / "failures/metrics/mean").mkdir(parents=True)
        failure = {
            "message": "m",
            "attempts": 1,
            "when": "w",
            "machine": "h",
            "log": "l",
            "last_lines": ["a", "b"],
        }
        (run / "failures/metrics/mean/irs.json").write_text(json.dumps(failure))
    model = study / "0/model"
    train = {
        "model.model": "@vae()",
        "model.random_seed": "0",
        "model.name": "'beta'",
        "vae.beta": "4",
        "dataset.name": "'x'",
    }
    write_results(model, "train", {"loss": 1.0}, "vae.beta = 4\n", train)
    (model / "curves").mkdir()
    (model / "curves/curves.csv").write_text("step,term,value\n1,loss,2.5\n2,loss,2.0\n")
    (study / "0/visualized").mkdir()
    (study / "0/visualized/x.png").write_bytes(png(4, 4))
    (study / ".index.json").write_text(json.dumps({"version": 1, "runs": {}}))
    (study / "study.gin").write_text(
        f"study.folders = '{place}/old/*/mean'\nstudy.metrics = ['metrics/irs.gin', 'metrics/uc.gin']\n"
        "study.bindings = ['irs.num_train = 100', 'uc.num_train = 100']\n"
    )
    return study


def png(width: int, height: int, data: bytes | None = None) -> bytes:
    """A grey picture, or the head of one that promises more than there is."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x80" * width) * height if data is None else data
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _choice(random: Random, several: Any) -> Any:
    several = list(several)
    return several[random.randint(len(several))]


def _files(study: Path, ending: str = "") -> list[Path]:
    return sorted(path for path in study.rglob(f"*{ending}") if path.is_file() and not path.is_symlink())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _values(study: Path, random: Random) -> None:
    """Other values, or more keys, in a JSON file."""
    file = _choice(random, _files(study, ".json"))
    try:
        content = json.loads(file.read_text())
        assert isinstance(content, dict)
    except (ValueError, AssertionError, RecursionError):
        return
    for _ in range(random.randint(1, 4)):
        key = _choice(random, content) if content and random.rand() < 0.6 else _choice(random, KEYS)
        content[key] = _choice(random, VALUES)
    file.write_text(json.dumps(content))


def _index(study: Path, random: Random) -> None:
    """An index that another layout, or a stranger, has written."""
    entry: Any = {"times": {"": 0}, "what": {"folder": "x"}, "done": {"metrics/mean/uc": ""}}
    entry[_choice(random, entry)] = _choice(
        random, [*VALUES, {"x": 1}, {"metrics": ""}, {"model/x": 3}, {"x/y": None}]
    )
    stat = os.stat(study / "0")
    if isinstance(entry["times"], dict) and random.rand() < 0.7:
        entry["times"] = {"": stat.st_mtime_ns}
    content = {"version": _choice(random, [1, 1, 1, 2, None]), "runs": {_choice(random, ["0", "1", "x"]): entry}}
    (study / ".index.json").write_text(
        json.dumps(_choice(random, [content, content, content, [], {"version": 1}]))
    )


def _bytes(study: Path, random: Random) -> None:
    """Other bytes in any file: cut, flipped, replaced."""
    file = _choice(random, _files(study))
    content = bytearray(file.read_bytes())
    how = random.randint(5)
    if how == 0:
        content = content[: random.randint(len(content) + 1)]
    elif how == 1:
        content = bytearray(random.bytes(random.randint(200)))
    elif how == 2:
        content = bytearray(b"[" * 100_000)
    elif how == 3:
        content = bytearray(b'{"a":' * 3000)
    else:
        for _ in range(random.randint(1, 6)):
            if content:
                content[random.randint(len(content))] = random.randint(256)
    file.write_bytes(bytes(content))


def _kind(study: Path, random: Random) -> None:
    """A pipe, a socket, a link, a loop or a folder in place of a file or folder."""
    every = [path for path in sorted(study.rglob("*")) if not path.is_symlink()]
    put(_choice(random, every), random.randint(7), study.parent / "outside")


def put(path: Path, kind: int, outside: Path) -> None:
    """Something else at a path."""
    _remove(path)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        with socket.socket(socket.AF_UNIX) as one:
            here = os.getcwd()
            os.chdir(path.parent)
            try:
                one.bind(path.name)
            except OSError:  # a name that is too long for a socket
                os.mkfifo(path)
            finally:
                os.chdir(here)
    elif kind == 2:
        path.symlink_to(path.name)
    elif kind == 3:
        path.symlink_to(outside / "secret")
    elif kind == 4:
        path.symlink_to(outside)
    elif kind == 5:
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")


def _odd_names(study: Path, random: Random) -> None:
    """Names that nobody expects, of folders that hold what is expected."""
    short = NAME.replace("/", "")[: random.randint(1, 80)]
    odd = _choice(
        random, [short, "\u0663", "9" * 200, "-1", " ", "1e3", "\udcff", "=1+1", "0 ", "results", "metrics"]
    )
    source = _choice(
        random, ["0", "0/metrics/mean/uc", "0/model", "0/failures", "0/visualized/x.png", "0/run.json"]
    )
    path = study / source
    if path.exists() and not path.is_symlink() and not (path.parent / odd).exists():
        copy = shutil.copytree if path.is_dir() else shutil.copy
        with suppress(shutil.Error, OSError):  # pipes that an earlier step has put there
            copy(path, path.parent / f"{odd}{path.suffix}")


def _leases(study: Path, random: Random) -> None:
    """Leases and owners of nobody, of the future, or of another kind."""
    where = _choice(random, [study, study / "0"])
    name = _choice(random, [".numbers.lease.0", ".evaluate_mean.lease.0", ".evaluate_mean.lease.99999",
    ".train.lease.x",
                            f".evaluate_mean.lease.{'9' * 200}", ".lease", ".x.lease.0.lease", ".owners",
                            ".0.partial"])  # fmt: skip
    path = where / name
    if where.is_dir() and not path.exists() and not path.is_symlink():
        if random.rand() < 0.5:
            put(path, random.randint(7), study.parent / "outside")
        else:
            path.write_bytes(_choice(random, [b"", b"\xff\xfe", b"a~1~b", b"~~", b"x" * 10**6, NAME.encode()]))


def _extras(study: Path, random: Random) -> None:
    """Curves, pictures and configs of all kinds."""
    extras: list[tuple[str, bytes]] = [
        ("0/model/curves/curves.csv", b"1,loss,2\r2,loss\x00,3\n" + b"3," + b"x" * 200_000 + b",1\n"),
        ("0/model/curves/curves.csv", f"1,\"{NAME}\",2\n{'9' * 400},loss,1\n{'9' * 5000},loss,nan\n".encode()),
        ("0/model/curves/curves.csv", b"step,term,value\n" + b"".join(b"1,t%d,inf\n" % i for i in range(300))),
        ("0/visualized/big.png", png(50_000, 50_000, b"")), ("0/visualized/cut.png", png(4, 4)[:40]),
        ("0/visualized/torn.jpg", b"\xff\xd8\xff\xe0" + random.bytes(100)), ("0/visualized/a.gif",
        b"GIF89a" + random.bytes(60)),
        ("0/visualized/flat.png", png(20_000, 1)), ("0/visualized/none.png", png(0, 0)),
        (f"0/visualized/{NAME[:20]}.png", png(4, 4)),
        ("0/model/results/gin/odd.gin", NAME.encode()), ("0/model/results/gin/odd.gin", random.bytes(300)),
        ("0/model/results/gin/more.gin", b"import os\nx.y = @z()\n"), ("0/failures/x.json",
        json.dumps({NAME: NAME, "message": NAME}).encode()),
    ]  # fmt: skip
    name, content = _choice(random, extras)
    path = study / name
    if path.parent.is_dir() and not path.is_symlink() and (path.is_file() or not path.exists()):
        path.write_bytes(content)


def _settings(study: Path, random: Random) -> None:
    """Values of every type for the settings of the study."""
    file = study / "study.gin"
    if file.is_file() and not file.is_symlink():
        lines = [
            f"study.{_choice(random, SETTINGS)} = {_choice(random, BOUND)}" for _ in range(random.randint(1, 3))
        ]
        file.write_bytes(file.read_bytes() + "\n".join(["", *lines, ""]).encode())


SPOIL: list[Callable[[Path, Random], None]] = [
    _values, _values, _values, _index, _bytes, _kind, _odd_names, _leases, _extras, _settings,
]  # fmt: skip


def spoil(study: Path, random: Random) -> list[str]:
    """Spoil a tree in one to five places; what was done."""
    chosen = [_choice(random, SPOIL) for _ in range(random.randint(1, 6))]
    for one in chosen:
        one(study, random)
    return [one.__name__ for one in chosen]
