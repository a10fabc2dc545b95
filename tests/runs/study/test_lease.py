"""Leases: one owner at a time, whoever dies, and whenever."""

import subprocess
import sys
import time

import pytest

from causal_disent.runs import study_lease
from causal_disent.runs.study_lease import DEAD_AFTER, OWNERS, Owner, is_gone, machine, owners_of

AWAY = "another-machine~1~abcdef12"


@pytest.fixture
def clock():
    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

    return Clock()


@pytest.fixture
def me(tmp_path, clock):
    with Owner(tmp_path, clock) as owner:
        yield owner


def elsewhere(place, beat="1", name=AWAY):
    """A lease of an owner on another machine."""
    (place.parent / OWNERS).mkdir(exist_ok=True)
    (place.parent / OWNERS / name).write_text(beat)
    place.with_name(f"{place.name}.{name}").touch()


def test_one_has_it_until_it_is_given_back(tmp_path, me):
    place = tmp_path / ".train.lease"
    with Owner(tmp_path) as other:
        assert me.take(place) and not other.take(place)
        other.release(place)  # it is not its own
        assert owners_of(place) == [me.name] and not other.take(place)
        me.release(place)
        assert other.take(place) and not me.take(place)


def test_places_whose_names_begin_alike_are_apart(tmp_path, me):
    with Owner(tmp_path) as other:
        assert me.take(tmp_path / ".evaluate_mean.lease") and other.take(tmp_path / ".evaluate_mea.lease")
        assert other.take(tmp_path / "evaluate_mean.lease")


def test_a_machine_that_is_heard_of_keeps_it(tmp_path, clock, me):
    place = tmp_path / ".train.lease"
    for beat in range(20):
        elsewhere(place, str(beat))
        assert not me.take(place)
        clock.now += DEAD_AFTER * 0.9


def test_a_machine_that_is_not_heard_of_loses_it(tmp_path, clock, me):
    place = tmp_path / ".train.lease"
    elsewhere(place)
    assert not me.take(place)
    clock.now += DEAD_AFTER - 1
    assert not me.take(place)
    clock.now += 1
    assert me.take(place) and owners_of(place) == [me.name]


def test_a_heartbeat_file_that_is_seen_late_is_waited_for(tmp_path, clock, me):
    place = tmp_path / ".train.lease"
    elsewhere(place)
    (tmp_path / OWNERS / AWAY).unlink()
    assert not me.take(place)
    clock.now += DEAD_AFTER / 2
    elsewhere(place)
    assert not me.take(place)
    clock.now += DEAD_AFTER / 2
    assert not me.take(place)
    clock.now += DEAD_AFTER
    assert me.take(place)


HOLD = """
import sys, time
from pathlib import Path
from causal_disent.runs.study_lease import Owner
with Owner(Path(sys.argv[1])) as owner:
    print(owner.take(Path(sys.argv[1], ".train.lease")), flush=True)
    time.sleep(60)
"""


def test_a_killed_process_of_this_machine_loses_it_at_once(tmp_path, me):
    place = tmp_path / ".train.lease"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    [other] = owners_of(place)
    assert not is_gone(tmp_path, other) and not me.take(place)
    process.kill()
    process.wait()
    assert is_gone(tmp_path, other) and me.take(place)


RACE = """
import random, sys, time
from pathlib import Path
from causal_disent.runs.study_lease import Owner
folder = Path(sys.argv[1])
with Owner(folder) as owner:
    while not (folder / "go").exists():
        pass
    for number in range(100):
        place = folder / f".{number}.lease"
        while not (folder / str(number)).exists():
            if owner.take(place):
                if not (folder / str(number)).exists():
                    print(number, flush=True)
                    (folder / str(number)).touch()
                owner.release(place)
            time.sleep(random.random() / 1000)
"""


def test_processes_at_once_do_each_unit_once(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    time.sleep(0.5)
    (tmp_path / "go").write_text("")
    done = [int(line) for process in processes for line in process.communicate()[0].split()]
    assert sorted(done) == list(range(100))
    assert not (tmp_path / OWNERS).exists() and not list(tmp_path.glob(".*"))


def test_beats_go_on_in_the_background_and_end(tmp_path, monkeypatch):
    monkeypatch.setattr(study_lease, "BEAT", 0.01)
    with Owner(tmp_path) as me:
        seen = set()
        while len(seen) < 3:
            seen.add((tmp_path / OWNERS / me.name).read_text())
    assert not (tmp_path / OWNERS).exists()


def test_without_locks_a_process_of_this_machine_is_told_by_its_heartbeats(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(study_lease, "_lock", lambda descriptor, shared=False: False)
    place = tmp_path / ".train.lease"
    elsewhere(place, name=f"{machine()}~1~x")
    with Owner(tmp_path, clock) as me:
        assert not me.take(place)
        clock.now += DEAD_AFTER
        assert me.take(place)


@pytest.mark.parametrize("name", ["0", "x" * 200, "..", f"{machine()}~9~x", "a~1~b\nc"], ids=len)
def test_a_mark_of_any_name_is_taken_over_in_the_end(tmp_path, clock, me, name):
    place = tmp_path / ".train.lease"
    place.with_name(f"{place.name}.{name}").mkdir()
    taken = me.take(place)
    clock.now += DEAD_AFTER
    assert taken or me.take(place)
    assert owners_of(place) == [me.name]
