"""The camera of the synthetic set, and the floor on which objects stand."""

CAMERA = (0.0, 8.0, 3.6)
PITCH = 21.0
LENS = 50.0
JITTER = 0.5
X = (-1.5, 1.5)
Y = (-1.5, 0.5)
# Powers of two by which all light is stronger.
EXPOSURE = 0.0
