"""A cylinder."""


def build(kit):
    return kit.cylinder((0.0, 0.0, 0.0), 0.5, 1.0, bevel=0.01, segments=kit.FINE)
