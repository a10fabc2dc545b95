"""Green."""


def build(kit):
    return kit.paint("#12a030", roughness=0.35)
