"""Overhead."""


def build(kit):
    kit.point_light((0.0, 1.0, 6.0), watts=600)
