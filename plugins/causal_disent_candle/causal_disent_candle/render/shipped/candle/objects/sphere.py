"""A sphere."""


def build(kit):
    return kit.ball((0.0, 0.0, 0.5), 0.5, segments=kit.FINE)
