"""A railway platform: a yellow edge, a train at it, a roof on pillars with lamps."""


def build(kit):
    kit.sky("#e8d2a8", "#b8a488", strength=0.5)
    kit.board(
        (-8.0, -90.0),
        (6.6, 30.0),
        kit.bricks("#8f8a80", "#a09a8e", "#6a665e", width=1.2, height=1.2, gap=0.06, shift=0.0),
    )
    kit.board((5.2, -90.0), (5.9, 30.0), kit.paint("#e8b41a"), height=0.01)
    kit.board((6.6, -90.0), (30.0, 30.0), kit.noise("#4a443e", "#38332e", scale=3.0), height=-1.0)
    body = kit.paint("#a83a22", roughness=0.35)
    kit.box((7.2, -80.0, -0.4), (10.5, 6.0, 4.2), body)
    glass = kit.bricks(
        "#ffe9b0", "#ffdf98", "#a83a22", width=2.4, height=4.0, gap=0.6, facing="x", shift=0.0, glow=0.6
    )
    kit.box((7.1, -80.0, 1.3), (7.2, 6.0, 2.7), glass)
    kit.box((7.15, -80.0, 3.4), (7.22, 6.0, 3.7), kit.paint("#f0e4c8"))
    iron = kit.paint("#3d4a40")
    for number in range(6):
        y = -10.0 - 8.0 * number
        kit.cylinder((-6.6, y, 0.0), 0.2, 6.0, iron)
        kit.box((-8.0, y - 0.15, 5.7), (5.5, y + 0.15, 6.1), iron)
        kit.box((-3.0, y - 0.3, 5.4), (-1.0, y + 0.3, 5.6), kit.glow("#ffd890", 5.0))
    kit.box((-9.0, -70.0, 6.1), (5.5, -16.0, 6.3), kit.paint("#6e5a44"))
    kit.box(
        (-9.0, -90.0, 0.0),
        (-8.0, 30.0, 6.0),
        kit.bricks("#9c6248", "#8a5440", "#5e4436", width=0.9, height=0.35, gap=0.04, facing="x"),
    )
    kit.cylinder((-3.8, -30.0, 0.0), 0.12, 3.6, iron)
    kit.ball((-3.8, -30.0, 4.2), 0.75, kit.glow("#fff8e8", 0.9))
    kit.box((-4.9, -62.0, 0.0), (3.9, -60.0, 6.0), kit.paint("#5c4a3c"))
