"""Draw the picture at the top of README from its first block: ``python docs/draw_score.py``."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def draw_score():
    """The figure of the scores that README prints."""
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[1]
    namespace = {}
    exec(block.replace("print(scores)", ""), namespace)
    return namespace["scores"].plot()


if __name__ == "__main__":
    draw_score().savefig(ROOT / "docs/images/score.png", dpi=110)
