"""Whatever a plugin raises, one message with its name comes out."""

import threading
import time

import pytest

from causal_disent import errors
from causal_disent import registry as registry_module
from causal_disent.processes import Terminated
from causal_disent.registry import isolated, told_if_slow


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


@pytest.mark.parametrize("error", [errors.InvalidInput("Give a number."), KeyboardInterrupt(), Terminated(1)])
def test_mistakes_and_interruptions_stay_what_they_are(error):
    with pytest.raises(type(error)) as raised, isolated("It cannot be used"):
        raise error
    assert raised.value is error


def test_what_is_slow_is_named(capsys, monkeypatch):
    monkeypatch.setattr(registry_module, "PATIENCE", 0.01)
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
