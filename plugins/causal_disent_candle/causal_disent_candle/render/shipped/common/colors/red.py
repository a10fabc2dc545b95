"""Red."""


def build(kit):
    return kit.paint("#d8141c", roughness=0.35)
