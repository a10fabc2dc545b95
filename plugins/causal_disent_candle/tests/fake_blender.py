"""A stand-in for Blender in tests of the side that starts it: a process with the same way of talking.

Run as ``python fake_blender.py SCRIPT -- JOBS``. It draws plain pictures. The environment says how it misbehaves:
FAKE_KILL=<index> ends it by SIGKILL in the middle of that image, FAKE_ERROR=<index> has it report a faulty asset
there, FAKE_CRASH=<index> has it end with 3 there and FAKE_QUIT=<index> with 0; FAKE_SLEEP=<seconds> makes it slow.
It notes the images it began in ``<output>/.render/begun``.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from causal_disent_candle.render.in_blender.boxes import describe
from PIL import Image

SIZES = {"small": 1.5, "medium": 2, "large": 2.5}


def main() -> None:
    work = json.loads(Path(sys.argv[-1]).read_text())
    folder = Path(work["output"])
    print("Blender 4.5 says something of its own", flush=True)
    for job in work["jobs"]:
        index, labels = job["index"], job["labels"]
        with (folder / ".render" / "begun").open("a") as begun:
            begun.write(f"{index}\n")
        time.sleep(float(os.environ.get("FAKE_SLEEP", 0)))
        if os.environ.get("FAKE_ERROR") == str(index):
            print(work["mark"] + json.dumps({"error": "The recipe cube.py failed"}), flush=True)
            sys.exit(1)
        if os.environ.get("FAKE_CRASH") == str(index):
            print("Segmentation fault of a kind", file=sys.stderr, flush=True)
            sys.exit(3)
        if os.environ.get("FAKE_QUIT") == str(index):
            return
        partial = folder / f".{index}.png.partial"
        Image.new("RGB", tuple(work["size"]), (index % 256, 0, 0)).save(partial, format="PNG")
        if os.environ.get("FAKE_KILL") == str(index):
            os.kill(os.getpid(), signal.SIGKILL)
        partial.replace(folder / f"{index}.png")
        values = {"size": SIZES[labels["size"]], "rotation": int(labels["rotation"])}
        partial = folder / f".{index}.json.partial"
        partial.write_text(json.dumps(describe(labels, values, [[1, 2], [9, 12]])))
        partial.replace(folder / f"{index}.json")
        print(work["mark"] + json.dumps({"done": index}), flush=True)


if __name__ == "__main__":
    main()
