"""Overhead."""


def build(kit):
    kit.point_light((0.0, 0.0, 7.0), watts=5000)
