"""How commands end."""

import errno
import io
import os
import signal
import subprocess
import sys
import threading
import warnings

import pytest

from causal_disent import files
from causal_disent.cli._run import run
from causal_disent.cli.dlib import dlib_aggregate_results as aggregate
from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.cli.main import main
from causal_disent.registry import Entry, registry


def failing(number):
    def command():
        raise OSError(number, os.strerror(number), "/some/place")

    return command


@pytest.mark.parametrize("name", ["EACCES", "ENAMETOOLONG", "ENOTDIR", "EROFS"])
def test_the_file_system_refuses(name, capsys):
    number = getattr(errno, name)
    assert run(failing(number), debug=False) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: The file system refuses: /some/place: {os.strerror(number)}.")
    assert shown.count("\n") == 1
    assert run(failing(number), debug=True) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [OSError(errno.ECONNREFUSED, "no"), OSError("a broken image")])
def test_another_error_of_the_system_is_a_fault(error, capsys):
    def command():
        raise error

    assert run(command, debug=False) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: This should not have happened: ") and said.count("\n") == 1
    assert "nothing was written. --debug shows where it was" in said
    assert run(command, debug=True) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left"), "The file system refuses: No space left."),
        (MemoryError("Unable to allocate 9 GiB"), "Memory is short: MemoryError: Unable to allocate 9 GiB."),
        (RuntimeError("can't allocate memory: 9 bytes"), "Memory is short: RuntimeError: can't allocate"),
        (RuntimeError("can't start new thread"), "Memory is short"),
    ],
)
def test_what_was_short_and_what_is_kept(error, words, tmp_path, capsys):
    def command():
        with files.new_file(tmp_path / "kept.json") as file:
            file.write_text("{}")
        raise error

    assert run(command, debug=False) == 1
    said = capsys.readouterr().err
    assert words in said and f"So far, this was written, whole: {tmp_path / 'kept.json'}." in said


def test_an_interrupted_command_says_what_is_there(tmp_path, capsys):
    def command():
        with files.new_folder(tmp_path / "kept", overwrite=False):
            pass
        raise KeyboardInterrupt

    assert run(command, debug=False) == 130
    assert capsys.readouterr().err == f"interrupted; this was written, whole: {tmp_path / 'kept'}\n"
    assert run(interrupted, debug=False) == 130
    assert capsys.readouterr().err == "interrupted; nothing was written\n"


def interrupted():
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("error", "words"), [("KeyboardInterrupt", "interrupted; nothing was written\n"), ("KeyError", "Traceback")]
)
def test_a_command_that_is_interrupted_while_it_loads(error, words):
    program = f"import causal_disent.cli; raise {error}"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stderr.startswith(words)
    assert found.returncode == (-signal.SIGINT if error == "KeyboardInterrupt" else 1)


def test_a_thread_that_fails_is_one_line(capsys):
    def command():
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        return 0

    assert run(command, debug=False) == 0
    assert capsys.readouterr().err == "warning: ZeroDivisionError: division by zero\n"


@pytest.mark.parametrize("command", ["evaluate", "aggregate", "calibrate", "demo"])
def test_commands_that_cannot_write(command, oracle_folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "file").touch()
    (tmp_path / "a.json").write_text('{"a": 1}')
    below = str(tmp_path / "file/out")
    monkeypatch.setattr("causal_disent.runs.calibrate.calibrate", lambda *given, **named: pytest.fail("late"))
    code = {
        "evaluate": lambda: evaluate([f"--input_dir={oracle_folder()}", f"--output_dir={below}"]),
        "aggregate": lambda: aggregate([f"--result_file_pattern={tmp_path}/*.json", f"--output_path={below}"]),
        "calibrate": lambda: main(["calibrate", "--output", below]),
        "demo": lambda: main(["demo", "--output", below]),
    }[command]()
    shown = capsys.readouterr().err
    assert code == 2 and "Traceback" not in shown
    assert shown.startswith("error: ") and ("is not a folder" in shown or "Not a directory" in shown)


def test_a_full_disk_while_a_data_set_is_made(oracle_folder, tmp_path, capsys):
    """Gin raises a copy of the error, without its number."""
    restore = registry.replace(Entry("datasets", "unpacking", "tests", failing(errno.ENOSPC), "for tests"))
    flags = [f"--input_dir={oracle_folder()}", f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/irs.gin"]
    try:
        assert evaluate([*flags, "--gin_bindings=dataset.name = 'unpacking'"]) == 1
    finally:
        restore()
    shown = capsys.readouterr().err
    assert "refuses: /some/place: No space left" in shown and "configurable" not in shown


def test_an_error_inside_a_metric_stays_one_of_the_metric(oracle_folder, tmp_path, capsys):
    def metric(ground_truth_data, representation_function, random_state, artifact_dir=None):
        failing(errno.EACCES)()

    restore = registry.replace(Entry("metrics", "reaching_out", "tests", metric, "for tests"))
    bindings = ["evaluation.evaluation_fn = 'reaching_out'", "evaluation.random_seed = 0"]
    flags = [f"--input_dir={oracle_folder()}", f"--output_dir={tmp_path / 'out'}"]
    try:
        assert evaluate([*flags, *(f"--gin_bindings={binding}" for binding in bindings)]) == 1
    finally:
        restore()
    assert "The metric 'reaching_out' failed: PermissionError" in capsys.readouterr().err


def test_a_warning_is_one_line(capsys):
    standard = warnings.formatwarning

    def command():
        print(warnings.formatwarning("Mind this.", UserWarning, "inside.py", 7), end="")
        return 0

    assert run(command, debug=False) == 0
    assert capsys.readouterr().out == "warning: Mind this.\n"
    assert run(command, debug=True) == 0
    assert "inside.py:7" in capsys.readouterr().out
    assert warnings.formatwarning is standard


def test_a_terminal_that_lacks_a_character_is_shown_its_number(monkeypatch):
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_only)
    assert main(["configs"]) == 0
    ascii_only.flush()
    assert rb"R\xb2" in ascii_only.buffer.getvalue()


@pytest.mark.parametrize("kind", ["pipe", "device", "bytes", "circle", "missing", "folder"])
def test_a_file_of_flags_that_cannot_be_read(kind, tmp_path, capsys):
    place = tmp_path / "flags\x1b[2J"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "bytes":
        place.write_bytes(b"\xff\xfe")
    elif kind == "circle":
        place.write_text(f"--flagfile={place}\n")
    elif kind == "folder":
        place.mkdir()
    given = "/dev/zero" if kind == "device" else place
    assert evaluate([f"--flagfile={given}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "flagfile" in said and said.strip().isprintable()


def test_a_file_of_flags_is_read(tmp_path, capsys):
    (tmp_path / "flags").write_text("# a comment\n--version\n")
    assert evaluate([f"--flagfile={tmp_path / 'flags'}"]) == 0
    assert capsys.readouterr().out.startswith("causal_disent ")


def test_a_standard_error_that_is_full_does_not_change_the_exit_code():
    program = "import os; from causal_disent.cli.dlib import dlib_evaluate as main; os._exit(main([]))"
    with open("/dev/full", "wb") as full:
        assert subprocess.run([sys.executable, "-c", program], stderr=full, check=False).returncode == 2


def test_a_part_in_the_place_of_a_metric(oracle_folder, tmp_path, capsys):
    bindings = ("evaluation.evaluation_fn = @histogram_discretizer", "evaluation.random_seed = 0")
    flags = [f"--gin_bindings={line}" for line in bindings]
    source = oracle_folder()
    assert evaluate([f"--input_dir={source}", f"--output_dir={tmp_path / 'out'}", *flags]) == 2
    assert "is a metric; '@histogram_discretizer' is a part" in capsys.readouterr().err


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_no_command(closed):
    line = f"{sys.executable} -m causal_disent.cli.main metrics mig {closed}"
    assert subprocess.run(["sh", "-c", line]).returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", ["metrics mig", "--help", "score --help"])
def test_a_full_disk_behind_the_output_is_told_of(words):
    line = f"{sys.executable} -m causal_disent.cli.main {words} > /dev/full"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: The file system refuses: No space left")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
