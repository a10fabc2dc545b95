"""A road tunnel: a dark vault with rings of lamps, daylight at its end."""

import math


def build(kit):
    kit.sky("#3a3f45", "#3a3f45", strength=0.12)
    kit.board((-8.0, -130.0), (8.0, 30.0), kit.noise("#3c3c3e", "#303032", scale=2.0, roughness=0.6))
    tiles = kit.bricks("#5c574e", "#524e46", "#37342f", width=1.2, height=0.6, gap=0.05, facing="x")
    steps, radius = 28, 8.0
    arch = [
        (radius * math.cos(math.pi * i / steps), 9.0 * math.sin(math.pi * i / steps)) for i in range(steps + 1)
    ]
    for (x0, z0), (x1, z1) in zip(arch[:-1], arch[1:], strict=True):
        kit.mesh([(x0, -130, z0), (x1, -130, z1), (x1, 30, z1), (x0, 30, z0)], [(0, 1, 2, 3)], tiles)
    kit.mesh(
        [(-8, -130, 0), (8, -130, 0), (8, -130, 10), (-8, -130, 10)], [(0, 1, 2, 3)], kit.glow("#f0f8ff", 4.0)
    )
    for y in (-10.0, -22.0):
        kit.point_light((0.0, y, 7.0), watts=900, color="#ffd9a8", radius=1.0)
    lamp = kit.glow("#ffb45a", 9.0)
    for number in range(12):
        y = -4.0 - 10.0 * number
        for side in (-1, 1):
            x, z = 6.9 * side, 4.2
            kit.box((x - 0.12, y - 1.2, z - 0.1), (x + 0.12, y + 1.2, z + 0.1), lamp)
    for side in (-1, 1):
        low, high = sorted((6.3 * side, 8.0 * side))
        kit.box((low, -130.0, 0.0), (high, 30.0, 0.3), kit.paint("#55534e"))
        kit.board((5.9 * side - 0.08, -130.0), (5.9 * side + 0.08, 30.0), kit.paint("#d8d4c4"), height=0.01)
