"""``model.*`` and ``postprocess.*``: what the training commands do."""
