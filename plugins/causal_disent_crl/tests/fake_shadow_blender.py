"""A stand-in for Blender: ``python fake_shadow_blender.py SCRIPT -- JOBS`` draws plain pictures.

FAKE_KILL=<index> ends it by SIGKILL in the middle of that image.
"""

import json
import os
import signal
import sys
from pathlib import Path

from PIL import Image

work = json.loads(Path(sys.argv[-1]).read_text())
assert Path(work["picture"]).is_file()
for job in work["jobs"]:
    (name,) = job["files"]
    values = {factor: work["values"][factor][label] for factor, label in job["labels"].items()}
    partial = Path(work["output"]) / f".{name}.partial"
    Image.new("RGB", tuple(work["size"]), tuple(round(255 * part) for part in values["color"])).save(
        partial, "PNG"
    )
    if os.environ.get("FAKE_KILL") == str(job["index"]):
        os.kill(os.getpid(), signal.SIGKILL)
    partial.replace(Path(work["output"]) / name)
    print(work["mark"] + json.dumps({"done": job["index"]}), flush=True)
