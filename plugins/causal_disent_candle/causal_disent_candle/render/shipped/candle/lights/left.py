"""On the left, behind the middle."""


def build(kit):
    kit.point_light((5.0, -5.0, 7.0), watts=5000)
