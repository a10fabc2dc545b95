"""CANDLE's camera, and the floor on which objects stand."""

# Metres; the camera looks along -y and down by PITCH degrees. LENS is in millimetres, before a sensor of 36.
CAMERA = (0.0, 16.0, 3.4)
PITCH = 5.0
LENS = 70.0
# Degrees by which the camera turns at most about its own x and y.
JITTER = 0.5
# Where the middle of an object may be.
X = (-4.5, 4.5)
Y = (-20.0, 0.0)
# Powers of two by which all light is stronger.
EXPOSURE = -0.35
