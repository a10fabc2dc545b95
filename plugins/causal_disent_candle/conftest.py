"""What several tests share, and what pytest must not import in its search for doctests."""

import sys
from pathlib import Path

# The tests run in a checkout, whether or not the plugins are installed.
for plugin in ("causal_disent_candle", "causal_disent_datasets"):
    sys.path.insert(0, str(Path(__file__).parents[1] / plugin))

# These run inside Blender.
collect_ignore_glob = [
    "causal_disent_candle/render/in_blender/assets.py",
    "causal_disent_candle/render/in_blender/kit.py",
    "causal_disent_candle/render/in_blender/main.py",
    "causal_disent_candle/render/in_blender/output.py",
    "causal_disent_candle/render/in_blender/picture.py",
    "tests/render_*.py",
]
