"""A street: asphalt with a dashed line, pavements, terraced houses on both sides, a grey sky."""


def build(kit):
    kit.sky("#d4d8dc", "#aab2ba", strength=1.4)
    kit.board((-40.0, -150.0), (40.0, 30.0), kit.noise("#48494c", "#3c3d40", scale=4.0))
    white = kit.paint("#e6e6e0")
    for number in range(14):
        y = 8.0 - 5.0 * number
        kit.board((-0.12, y - 2.5), (0.12, y), white, height=0.01)
    kerb = kit.bricks("#a2a09a", "#94928c", "#6c6a66", width=1.0, height=1.0, gap=0.06)
    fronts = ("#8c4a3a", "#a9988a", "#7a5a4a", "#b8a894", "#94604a", "#6d7478")
    for side in (-1, 1):
        inner, outer = sorted((6.0 * side, 9.0 * side))
        kit.box((inner, -150.0, 0.0), (outer, 30.0, 0.18), kerb)
        for number in range(10):
            wall = fronts[(number + (side > 0) * 2) % 6]
            front = kit.bricks("#2f3840", "#9fb0bc", wall, width=1.6, height=2.6, gap=0.8, facing="x", shift=0.0)
            low, high = sorted((9.0 * side, 15.0 * side))
            y = -8.0 - 9.0 * number
            kit.box((low, y - 9.0, 0.0), (high, y, 9.0 + 1.5 * ((number * 3 + side) % 3)), front)
        for number in range(5):
            y = -14.0 - 14.0 * number
            kit.cylinder((6.6 * side, y, 0.18), 0.1, 6.0, kit.paint("#303434"))
            kit.ball((6.6 * side, y, 6.2), 0.3, kit.glow("#fff6dc", 0.8))
    kit.box(
        (-9.0, -110.0, 0.0),
        (9.0, -105.0, 12.0),
        kit.bricks("#2f3840", "#9fb0bc", "#8a8278", width=1.8, height=2.6, gap=0.9, facing="y", shift=0.0),
    )
