"""The engine that runs work as plain Ray tasks."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from causal_disent import errors
from causal_disent.checks import check_at_least, is_finite_number
from causal_disent.processes import environment
from causal_disent.protocols import Finished
from causal_disent.runs.engine import Feed, num_bytes
from causal_disent.text import say, shown_value

#: Seconds between two looks at what has finished, and for an answer from an address.
TICK, PATIENCE = 0.2, 10.0
#: Tasks that may wait at Ray for each that runs: the driver's memory must not grow with the study.
MOST_AHEAD = 100.0
#: What Ray takes for a task besides `memory`, which may be text here.
RESOURCES = ("num_cpus", "num_gpus", "memory", "resources", "scheduling_strategy", "accelerator_type")


class RayEngine:
    """Runs work as Ray tasks: on this machine, or on the cluster at an address.

    A task whose process or node dies is done again elsewhere; whoever gives the work must be content with that, as
    a study is, whose tasks look first whether they are done.

    Args:
        address: of a cluster (``"auto"``, ``"ray://head:10001"``, ``"10.0.0.1:6379"``); None starts Ray here.
        workers: how many cores a Ray that is started here has; by default all.
        train: what a task that trains needs, as Ray says it: ``{"num_gpus": 0.5, "memory": "4 GB"}``; one core,
            unless ``num_cpus`` says otherwise.
        evaluate: the same of all others.
        max_retries: how often a task is done again whose process or node died.
        ahead: how many tasks wait at Ray, as a share of those that run; the driver never has more in hand.
        threads: how many threads numpy, torch and scikit-learn may have in each.
    """

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        train: Mapping[str, Any] | None = None,
        evaluate: Mapping[str, Any] | None = None,
        max_retries: int = 3,
        ahead: float = 0.5,
        threads: int = 1,
    ) -> None:
        check_at_least(1, workers=1 if workers is None else workers, threads=threads)
        check_at_least(-1, max_retries=max_retries)
        if not is_finite_number(ahead) or not 0 <= ahead <= MOST_AHEAD:
            raise errors.ConfigError(
                f"`ray.ahead` is a number from 0 to {MOST_AHEAD:g}; given: {shown_value(ahead)}."
            )
        self._options = {
            "train": {"num_cpus": 1, **_checked("train", train or {})},
            "evaluate": {"num_cpus": 1, **_checked("evaluate", evaluate or {})},
        }
        self._address = address
        self._cores = workers
        self._max_retries = max_retries
        self._ahead = ahead
        self._threads = threads

    @property
    def workers(self) -> int:
        """How many tasks that evaluate run at a time: on the cluster as it is now, or on this machine's cores.

        Ray is not started here for the answer; what only plans would have to wait for it.
        """
        need = self._options["evaluate"]
        if self._address is None and not ray.is_initialized():
            has = {"CPU": float(self._cores or len(os.sched_getaffinity(0)))}
        else:
            self._join()
            has = ray.cluster_resources()
        fits = [has.get("CPU", 1.0) / need["num_cpus"] if need["num_cpus"] else 1.0]
        if need.get("num_gpus"):
            fits.append(has.get("GPU", 0.0) / need["num_gpus"])
        return max(1, int(min(fits)))

    def _join(self) -> None:
        """Start Ray, or join the cluster, unless this process has done so."""
        if ray.is_initialized():
            return
        # Workers import what the driver can, and have as many threads as those of a local engine.
        variables = {**environment(self._threads), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._check_address()
        own = {"num_cpus": self._cores, "include_dashboard": False} if self._address is None else {}
        try:
            ray.init(
                address=self._address or "local",
                runtime_env={"env_vars": variables},
                log_to_driver=False,
                logging_level="warning",
                **own,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise self._unreachable(error) from None
        self._check_room()

    def _check_room(self) -> None:
        """Raise if no node has what a task needs, and Ray would wait for ever; such a one may join a cluster."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        for name, options in self._options.items():
            needed = {word: options.get(key, 0) for word, key in (("CPU", "num_cpus"), ("GPU", "num_gpus"))}
            needed |= {"memory": options.get("memory", 0), **options.get("resources", {})}
            if any(all(node.get(word, 0) >= number for word, number in needed.items()) for node in nodes):
                continue
            text = ", ".join(f"{word} {number:,}" for word, number in needed.items() if number)
            if self._address is None:
                ray.shutdown()
                raise errors.ConfigError(f"`ray.{name}` needs {text}, and Ray on this machine has not as much.")
            say(f"`ray.{name}` needs {text}, which no node has: its tasks wait until one comes", error=True)

    def _check_address(self) -> None:
        """Raise if nobody listens at the address: Ray would try for ten minutes."""
        host, colon, port = (self._address or "").rpartition(":")
        if colon and port.isdecimal() and "/" not in host:
            try:
                socket.create_connection((host, int(port)), timeout=PATIENCE).close()
            except (OSError, OverflowError) as error:
                raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> errors.InvalidInput:
        return errors.InvalidInput(f"Ray cannot be reached at {self._address or 'this machine'}: {error}")

    def run(
        self, function: Callable[[Any], Any], work: Iterable[Any | None]
    ) -> Generator[Finished | None, None, None]:
        """As `causal_disent.protocols.Engine.run` says."""
        self._join()
        remote = ray.remote(max_retries=self._max_retries, retry_exceptions=False)(function)
        feed = Feed(work)
        pending: dict[ray.ObjectRef, Any] = {}
        try:
            while True:
                most = max(2, int(self.workers * (1 + self._ahead)))  # a cluster may have grown
                for piece in feed.take(most - len(pending)):
                    options = self._options["train" if getattr(piece, "step", "") == "train" else "evaluate"]
                    pending[remote.options(**options).remote(piece)] = piece
                if feed.over and not pending:
                    return
                ready, _ = ray.wait(list(pending), timeout=TICK) if pending else ([], [])
                for reference in ready:
                    yield _finished(reference, pending.pop(reference))
                if not ready:
                    yield None
        finally:
            for reference in pending:
                ray.cancel(reference, force=True)


def _finished(reference: ray.ObjectRef, piece: Any) -> Finished:
    try:
        return Finished(piece, ray.get(reference))
    except RayTaskError as error:
        return Finished(piece, failure=f"{type(error.cause).__name__}: {error.cause}")
    except RayError as error:
        return Finished(piece, failure=f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")


def _checked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a task needs, as Ray takes it."""
    if not isinstance(given, Mapping) or set(given) - set(RESOURCES):
        raise errors.ConfigError(
            f"`ray.{name}` is a dict of what a task needs, any of {errors.listing(RESOURCES)}; given: "
            f"{shown_value(given)}."
        )
    own = given.get("resources", {})
    numbers = [
        given.get("num_cpus", 0),
        given.get("num_gpus", 0),
        *(own.values() if isinstance(own, Mapping) else [own]),
    ]
    if not all(is_finite_number(number) and number >= 0 for number in numbers):
        raise errors.ConfigError(f"`ray.{name}` has what is no number of a resource; given: {shown_value(given)}.")
    memory = {"memory": num_bytes(f"ray.{name}['memory']", given["memory"])} if "memory" in given else {}
    return {**given, **memory}
