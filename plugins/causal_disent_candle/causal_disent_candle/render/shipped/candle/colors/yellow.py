"""Yellow."""


def build(kit):
    return kit.paint("#f2d00c", roughness=0.35)
