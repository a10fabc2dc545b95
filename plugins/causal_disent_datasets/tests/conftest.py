"""What several tests share."""

import sys
from pathlib import Path

# The tests run in a checkout, whether or not the plugin is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))
