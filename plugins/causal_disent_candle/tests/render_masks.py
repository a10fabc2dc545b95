"""Runs inside Blender: for each job, the pixels in which the object is seen, and the bounds that were noted.

``blender SCRIPT -- JOBS`` writes ``<output>/<index>_mask.png``, which is as opaque as the part of 16 rays through
each pixel that meet the object first, and ``<output>/<index>_mask.json``. What is not the object cuts holes, and
so hides it where it stands before it.
"""

import json
import sys
from pathlib import Path

work = json.loads(Path(sys.argv[-1]).read_text())
sys.path.append(work["render"])

import bpy  # noqa: E402
from in_blender.picture import set_scene  # noqa: E402

for job in work["jobs"]:
    shot = set_scene(work, job)
    scene = bpy.context.scene
    for other in scene.objects:
        other.is_holdout = other not in shot.meshes
    scene.render.film_transparent = True
    scene.render.image_settings.color_mode = "RGBA"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = 16, False, 0
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 1.0
    target = Path(work["output"]) / f"{job['index']}_mask.png"
    scene.render.filepath = str(target)
    bpy.ops.render.render(write_still=True)
    target.with_suffix(".json").write_text(json.dumps(shot.bounds))
