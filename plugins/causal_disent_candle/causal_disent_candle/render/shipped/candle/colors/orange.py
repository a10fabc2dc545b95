"""Orange."""


def build(kit):
    return kit.paint("#f27408", roughness=0.35)
