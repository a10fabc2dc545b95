"""Whatever a stranger's code does, one message comes out."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from causal_disent import errors, isolation
from causal_disent.isolation import isolated, told_if_slow


class Own(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no"), "ValueError: no"),
        (SystemExit(0), "SystemExit: 0"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration("early"), "StopIteration: early"),
        (Own("mine"), "Own: mine"),
        (Mute(), "Mute: its text cannot be shown"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
)
def test_everything_becomes_one_error(error, text):
    with pytest.raises(errors.BrokenPlugin) as raised, isolated("It cannot be used"):
        raise error
    assert raised.value.message == f"It cannot be used: {text}." and raised.value.__cause__ is error
    with pytest.raises(errors.BrokenPlugin) as raised, isolated():
        raise error
    assert raised.value.message == text


def test_a_mistake_of_the_user_stays_one():
    mistake = errors.InvalidInput("Give a number.")
    with pytest.raises(errors.InvalidInput) as raised, isolated("It cannot be used"):
        raise mistake
    assert raised.value is mistake


@pytest.mark.parametrize("swallow", [False, True])
def test_a_real_interrupt_stays_one(swallow):
    with pytest.raises(KeyboardInterrupt), isolated("It cannot be used"):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt:
            if not swallow:
                raise ValueError("hidden") from None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_handled_a_signal_before_still_does():
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *given: seen.append(given[0]))
    try:
        with pytest.raises(KeyboardInterrupt), isolated(), isolated():
            os.kill(os.getpid(), signal.SIGTERM)
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread():
    caught = []

    def work():
        try:
            with isolated("It cannot be used"):
                raise KeyboardInterrupt
        except errors.BrokenPlugin as error:
            caught.append(error.message)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert caught == ["It cannot be used: KeyboardInterrupt."]


def test_an_exit_without_a_word_is_heard():
    real = os._exit
    with pytest.raises(errors.BrokenPlugin, match=r"SystemExit: os\._exit\(0\)"), isolated():
        kept = os._exit
        kept(0)
    assert os._exit is real
    # A child, and whoever kept the function, end as they ask for.
    code = (
        "import os\nfrom causal_disent.isolation import isolated\n"
        "with isolated():\n"
        "    kept = os._exit\n"
        "    child = os.fork()\n"
        "    if not child: os._exit(3)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3\n"
        "kept(4)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 4


def test_what_is_slow_is_named(capsys, monkeypatch):
    monkeypatch.setattr(isolation, "PATIENCE", 0.01)
    seen = ""
    with told_if_slow("loading the plugin slow 1.2"):
        for _ in range(1000):
            time.sleep(0.01)
            seen += capsys.readouterr().err
            if seen:
                break
    assert seen == "still at work: loading the plugin slow 1.2\n"


def test_what_is_quick_is_not_named(capsys):
    before = threading.active_count()
    with told_if_slow("loading"):
        pass
    for _ in range(1000):
        if threading.active_count() <= before:
            break
        time.sleep(0.01)
    assert threading.active_count() <= before and capsys.readouterr().err == ""
