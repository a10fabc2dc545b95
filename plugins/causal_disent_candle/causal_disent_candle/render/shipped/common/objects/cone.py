"""A cone."""


def build(kit):
    return kit.cone((0.0, 0.0, 0.0), 0.5, 1.0, segments=kit.FINE)
