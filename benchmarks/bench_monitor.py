"""What `causal_disent.Monitor` costs a training: the encoding, and a worker process beside it.

A convolutional autoencoder (64x64x1, batch 64) is trained by a bare torch loop. Steps of one run are compared:
those while the worker measures with those while it rests. The encoding is counted in steps.

    .venv/bin/python benchmarks/bench_monitor.py
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import causal_disent

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


def main() -> None:
    """Train, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--points", type=int, default=1000)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    encoder, decoder = make_model()
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-5)
    factors = torch.randint(4, (chosen.points, 5))
    points = torch.rand(chosen.points, 1, 64, 64) + factors[:, :1, None, None]
    batches = torch.rand(20, 64, 1, 64, 64)
    monitor = causal_disent.Monitor(points, factors, every=chosen.every)
    resting, beside, calls = [], [], []
    at_work = False
    for step in range(chosen.steps):
        images = batches[step % 20]
        start = time.perf_counter()
        loss = ((decoder(encoder(images)) - images) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stepped = time.perf_counter()
        dropped = monitor.dropped
        rows = monitor(encoder, step)
        if step > 20:  # the first steps choose algorithms
            (beside if at_work else resting).append(stepped - start)
        at_work = (at_work and not rows) or step % chosen.every == 0
        if step % chosen.every == 0 and monitor.dropped == dropped:
            calls.append(time.perf_counter() - stepped)
    pause = median(calls) / median(resting)
    slower = median(beside) / median(resting)
    share = len(beside) / len(calls) / 1000
    print(f"a step takes {median(resting):.3f} s, a call that measures as long as {pause:.1f} steps")
    print(f"a step beside the worker over one while it rests: {slower:.2f}, for {share:.1%} of the steps")
    print(f"in all, with every=1000: {pause / 1000 + share * (slower - 1):.2%} of the training")
    print(f"measured {len(set(monitor.finish()['step']))} times, dropped {monitor.dropped}")


if __name__ == "__main__":
    main()
