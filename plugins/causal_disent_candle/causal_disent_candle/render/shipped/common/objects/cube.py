"""A cube."""


def build(kit):
    return kit.box((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), bevel=0.015)
