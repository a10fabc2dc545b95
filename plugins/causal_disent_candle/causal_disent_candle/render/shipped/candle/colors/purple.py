"""Purple."""


def build(kit):
    return kit.paint("#7a1fb0", roughness=0.35)
