"""What `causal_disent.Monitor` costs a training, in processor time: the encoding, and the worker process.

A convolutional autoencoder (64x64x1, batch 64) is trained by a bare torch loop. Processor time hardly depends on
what else the machine does. The sum is what a training loses where no core is free for the worker, and each second
of the worker is taken from it; where one is free, it loses the encoding alone.

    .venv/bin/python benchmarks/bench_monitor.py
"""

from __future__ import annotations

import argparse
import resource
import time
from statistics import median

import causal_disent
from causal_disent.monitor import _score_codes
from causal_disent.runs.engine import Worker, end

causal_disent.use_threads()  # before torch is loaded, so that its threads wait without spinning
import torch  # noqa: E402


def make_model() -> tuple[torch.nn.Sequential, torch.nn.Sequential]:
    """disentanglement_lib's convolutional encoder and decoder, of ten codes."""
    sizes = [(1, 32), (32, 32), (32, 64), (64, 64)]
    encoder = [layer for pair in sizes for layer in (torch.nn.Conv2d(*pair, 4, 2, 1), torch.nn.ReLU())]
    decoder = [
        layer for i, o in reversed(sizes) for layer in (torch.nn.ReLU(), torch.nn.ConvTranspose2d(o, i, 4, 2, 1))
    ]
    head = [torch.nn.Flatten(), torch.nn.Linear(1024, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)]
    tail = [
        torch.nn.Linear(10, 256),
        torch.nn.ReLU(),
        torch.nn.Linear(256, 1024),
        torch.nn.Unflatten(1, (64, 4, 4)),
    ]
    return torch.nn.Sequential(*encoder, *head), torch.nn.Sequential(*tail, *decoder)


def worker_seconds(codes: torch.Tensor, factors: torch.Tensor, pieces: int) -> float:
    """Processor time of a worker process that measures so often, its start left out."""
    seconds = []
    for number in (0, pieces):
        worker = Worker(threads=1)
        for _ in range(number + 1):
            worker.begin(_score_codes, (0, codes.numpy(), factors.numpy(), ["panel"], 0, {}))
            rows, failure = worker.finished().result
            assert rows and not failure, failure
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        end([worker])
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime)
    return (seconds[1] - seconds[0]) / pieces


def main() -> None:
    """Train, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--points", type=int, default=1000)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    encoder, decoder = make_model()
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-5)
    factors = torch.randint(4, (chosen.points, 5))
    points = torch.rand(chosen.points, 1, 64, 64) + factors[:, :1, None, None]
    batches = torch.rand(20, 64, 1, 64, 64)
    monitor = causal_disent.Monitor(points, factors, every=10, busy="queue")
    steps, calls = [], []
    for step in range(1, chosen.steps + 1):
        images = batches[step % 20]
        start = time.process_time()
        loss = ((decoder(encoder(images)) - images) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stepped = time.process_time()
        monitor(encoder, step)
        steps.append(stepped - start)
        if step % 10 == 0:
            calls.append(time.process_time() - stepped)
    with torch.no_grad():
        codes = encoder(points)
    encoding = median(calls) / median(steps)
    measuring = worker_seconds(codes, factors, 3) / median(steps)
    print(f"a measurement: encoding {encoding:.1f} steps, worker {measuring:.1f} steps of processor time")
    for every in (1000, 5000):
        print(
            f"every={every}: encoding {encoding / every:.2%}, with the worker {(encoding + measuring) / every:.2%}"
        )


if __name__ == "__main__":
    main()
