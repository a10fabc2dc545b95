"""A study whose driver and workers are killed at random: folders are whole, and the end is as without kills."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bench_study.py"
KILLS, SEED = (
    int(os.environ.get(f"CAUSAL_DISENT_FUZZ_{name}", given)) for name, given in (("KILLS", 5), ("SEED", 0))
)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_killed_at_random_moments():
    words = ["--only", "kills", "--scale", str(KILLS / 50), "--seed", str(SEED), "--forget"]
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *words], stdout=subprocess.PIPE, text=True, check=True, timeout=3600
    )
    found = json.loads(done.stdout)["kills"]
    assert found["driver"] + found["worker"] == KILLS
    assert found["codes"] == [0, 0] and found["equal_tables"] and not found["left_over"]
