import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[1]
LOADS_TORCH = "import sys; sys.path.insert(0, {path!r}); import {module}; sys.exit('torch' in sys.modules)"


@pytest.mark.parametrize(
    ("module", "loads"),
    [
        ("causal_disent_torch", 0),
        ("causal_disent_torch.plugin", 0),
        ("causal_disent_torch.demo", 0),  # every `causal-disent` loads it for its arguments
        ("causal_disent_torch.classifier_training", 1),  # so the others could fail
    ],
)
def test_torch_is_loaded_only_where_it_is_used(module, loads):
    script = LOADS_TORCH.format(path=str(PLUGIN), module=module)
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == loads
