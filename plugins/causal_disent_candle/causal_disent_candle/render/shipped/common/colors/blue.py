"""Blue."""


def build(kit):
    return kit.paint("#1440d8", roughness=0.35)
