"""A torus that lies on the floor."""


def build(kit):
    return kit.ring((0.0, 0.0, 0.15), 0.35, 0.15, segments=kit.FINE)
