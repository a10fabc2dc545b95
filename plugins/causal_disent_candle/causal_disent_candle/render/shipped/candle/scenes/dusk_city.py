"""A roof above a city at dusk: an orange and violet sky, towers with lit windows."""


def build(kit):
    kit.sky("#ff9a4a", "#4a3a78", strength=0.8, ground="#2a2238")
    kit.board(
        (-60.0, -30.0),
        (60.0, 30.0),
        kit.bricks("#4a4450", "#403a46", "#2c2832", width=2.0, height=2.0, gap=0.06, shift=0.0),
    )
    rail = kit.paint("#221e28")
    kit.box((-60.0, -30.0, 1.3), (60.0, -29.85, 1.45), rail)
    for number in range(31):
        kit.box((-30.0 + 2 * number, -30.0, 0.0), (-29.88 + 2 * number, -29.88, 1.4), rail)
    for number in range(18):
        x = -34.0 + 4.0 * number
        height = 5.0 + 9.0 * ((number * 5) % 7) / 6
        y = -66.0 - 10.0 * ((number * 3) % 4)
        lit = kit.bricks(
            "#1a1622",
            "#ffc864",
            "#241c30",
            width=1.0,
            height=1.3,
            gap=0.5,
            facing="y",
            shift=0.0,
            bias=-0.25,
            glow=0.9,
        )
        kit.box((x, y - 4.0, -30.0), (x + 3.2, y, height), lit)
