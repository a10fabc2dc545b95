"""The renderer of CANDLE: a plan and its bookkeeping here, Blender in a process of its own (`in_blender`)."""
