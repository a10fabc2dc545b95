"""On the right."""


def build(kit):
    kit.point_light((-3.5, 1.0, 5.0), watts=600)
