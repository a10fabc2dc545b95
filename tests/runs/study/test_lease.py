"""Leases: one owner at a time, whoever dies, and whenever."""

import subprocess
import sys
from pathlib import Path

import pytest

from causal_disent.runs import study_lease as lease
from causal_disent.runs.study_lease import DEAD_AFTER, Owner, holder

AWAY = "another-machine~1~abcdef12"


@pytest.fixture
def clock():
    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

    return Clock()


def owner(folder, clock):
    """One that is heard of only when the test has it counted."""
    made = Owner(folder, clock)
    made._folder.mkdir(exist_ok=True)
    made.beat()
    return made


def elsewhere(folder, place, count="1", number=0):
    """A lease of an owner on another machine."""
    (folder / lease.OWNERS).mkdir(exist_ok=True)
    (folder / lease.OWNERS / AWAY).write_text(count)
    place.with_name(f"{place.name}.{number}").write_text(AWAY)


def test_one_has_it_until_it_is_given_back(tmp_path, clock):
    first, second = owner(tmp_path, clock), owner(tmp_path, clock)
    place = tmp_path / ".train.lease"
    assert first.take(place) and holder(place) == first.name
    assert not second.take(place) and not second.has(place)
    second.release(place)  # it is not its own
    assert first.has(place)
    first.release(place)
    assert holder(place) == "" and second.take(place)


def test_places_whose_names_begin_alike_are_apart(tmp_path, clock):
    first, second = owner(tmp_path, clock), owner(tmp_path, clock)
    assert first.take(tmp_path / ".evaluate_mean.lease") and second.take(tmp_path / ".evaluate_mea.lease")
    assert second.take(tmp_path / "evaluate_mean.lease")


def test_who_is_heard_of_keeps_it(tmp_path, clock):
    place = tmp_path / ".train.lease"
    elsewhere(tmp_path, place)
    me = owner(tmp_path, clock)
    for count in range(2, 20):
        assert not me.take(place)
        clock.now += DEAD_AFTER * 0.9
        elsewhere(tmp_path, place, str(count))


def test_who_is_not_heard_of_loses_it(tmp_path, clock):
    place = tmp_path / ".train.lease"
    elsewhere(tmp_path, place)
    me = owner(tmp_path, clock)
    assert not me.take(place)
    clock.now += DEAD_AFTER - 1
    assert not me.take(place)
    clock.now += 1
    assert me.take(place) and me.has(place)
    me.release(place)
    assert list(tmp_path.glob(".train.lease*")) == []


def test_an_owner_without_a_file_is_waited_for_as_well(tmp_path, clock):
    # A file of another machine may be seen late.
    place = tmp_path / ".train.lease"
    elsewhere(tmp_path, place)
    (tmp_path / lease.OWNERS / AWAY).unlink()
    me = owner(tmp_path, clock)
    assert not me.take(place)
    elsewhere(tmp_path, place)
    clock.now += DEAD_AFTER
    assert not me.take(place)
    clock.now += DEAD_AFTER
    assert me.take(place)


def test_a_torn_lease_is_taken_over_in_the_end(tmp_path, clock):
    (tmp_path / ".train.lease.0").write_text("")
    me = owner(tmp_path, clock)
    assert not me.take(tmp_path / ".train.lease")
    clock.now += DEAD_AFTER
    assert me.take(tmp_path / ".train.lease")


def test_of_two_who_take_over_one_succeeds(tmp_path, clock):
    place = tmp_path / ".train.lease"
    elsewhere(tmp_path, place)
    first, second = owner(tmp_path, clock), owner(tmp_path, clock)
    assert not first.take(place) and not second.take(place)
    clock.now += DEAD_AFTER
    assert first.take(place)
    assert not second.take(place) and first.has(place)


def test_who_comes_back_knows_that_it_has_lost(tmp_path, clock):
    place = tmp_path / ".train.lease"
    slow, quick = owner(tmp_path, clock), owner(tmp_path, clock)
    assert slow.take(place)
    slow_file = place.with_name(f"{place.name}.0")
    assert slow_file.read_text() == slow.name
    # Seen from another machine, it has not been heard of for long.
    slow_file.write_text(AWAY)
    assert not quick.take(place)
    clock.now += DEAD_AFTER
    assert quick.take(place)
    slow_file.write_text(slow.name)
    assert not slow.has(place)
    slow.release(place)
    assert quick.has(place)


def test_who_was_slow_to_take_over_steps_back(tmp_path, clock, monkeypatch):
    """Between its look and its file, another has taken over, ended, and given back; a third may have begun."""
    place = tmp_path / ".train.lease"
    elsewhere(tmp_path, place)
    slow, third = owner(tmp_path, clock), owner(tmp_path, clock)
    assert not slow.take(place)
    clock.now += DEAD_AFTER
    is_dead = slow._is_dead

    def meanwhile(*lease):
        answer = is_dead(*lease)
        place.with_name(f"{place.name}.0").unlink()
        assert third.take(place)
        return answer

    monkeypatch.setattr(slow, "_is_dead", meanwhile)
    assert not slow.take(place)
    assert third.has(place)


def test_a_gap_between_look_and_file_does_not_make_two_owners(tmp_path, clock, monkeypatch):
    """The first look saw nothing; another then took it and was taken over from."""
    place = tmp_path / ".train.lease"
    me = owner(tmp_path, clock)
    numbers = lease._numbers
    looks = []

    def look(at):
        looks.append(at)
        if len(looks) == 1:
            elsewhere(tmp_path, place, number=1)
            return []
        return numbers(at)

    monkeypatch.setattr(lease, "_numbers", look)
    assert not me.take(place)
    assert holder(place) == AWAY and not place.with_name(f"{place.name}.0").exists()


HOLD = """
import sys, time
from pathlib import Path
from causal_disent.runs.study_lease import Owner
with Owner(Path(sys.argv[1])) as owner:
    print(owner.take(Path(sys.argv[1], ".train.lease")), flush=True)
    time.sleep(60)
"""


def test_a_killed_process_of_this_machine_loses_it_at_once(tmp_path, clock):
    place = tmp_path / ".train.lease"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    me = owner(tmp_path, clock)
    assert not me.take(place)
    process.kill()  # it is a zombie, or gone
    process.wait()
    assert me.take(place)


RACE = """
import sys, time
from pathlib import Path
from causal_disent.runs.study_lease import Owner
folder = Path(sys.argv[1])
while not (folder / "go").exists():
    pass
with Owner(folder) as owner:
    for number in range(100):
        if owner.take(folder / f".{number}.lease"):
            print(number)
"""


def test_processes_at_once_take_each_lease_once(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    (tmp_path / "go").write_text("")
    taken = [int(line) for process in processes for line in process.communicate()[0].split()]
    # A process that has ended may lose its leases to one that still runs, so that a lease may change hands, but
    # none is without an owner.
    assert set(taken) == set(range(100))
    held = {number: holder(tmp_path / f".{number}.lease") for number in range(100)}
    assert all(held.values())


def test_beats_go_on_in_the_background_and_end(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.01)
    with Owner(tmp_path) as me:
        file = tmp_path / lease.OWNERS / me.name
        seen = set()
        while len(seen) < 3:
            seen.add(file.read_text())
    assert not (tmp_path / lease.OWNERS).exists()


@pytest.mark.parametrize(
    "text", ["x" * 900, "../../../etc/hostname", "a~1~\0b", f"{lease._machine()}~{'9' * 30}~x"], ids=len
)
def test_a_lease_with_any_text_is_taken_over_in_the_end(tmp_path, clock, text):
    place = tmp_path / ".train.lease"
    Path(f"{place}.0").write_text(text)
    with Owner(tmp_path, clock) as owner:
        taken = owner.take(place)
        clock.now += DEAD_AFTER
        assert taken or owner.take(place)
        owner.release(place)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_place_of_a_lease_is_removed_with_it(tmp_path, clock):
    place = tmp_path / ".train.lease"
    Path(f"{place}.0").mkdir()
    with Owner(tmp_path, clock) as owner:
        assert not owner.take(place)
        clock.now += DEAD_AFTER
        assert owner.take(place)
        owner.release(place)
    assert not list(tmp_path.iterdir())
