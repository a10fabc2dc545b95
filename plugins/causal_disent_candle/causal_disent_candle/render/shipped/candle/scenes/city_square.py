"""A square: warm paving, old houses around it, a statue in the middle of the far side."""


def build(kit):
    kit.sky("#e8eef4", "#8fb4dc", strength=0.8, clouds="#ffffff", cover=0.55)
    kit.sun((0.4, 0.5, 0.8), 1.5)
    kit.board(
        (-60.0, -60.0),
        (60.0, 30.0),
        kit.bricks("#c2a878", "#b0946a", "#7d6a4c", width=1.5, height=1.5, gap=0.08, shift=0.0),
    )
    walls = ("#d8b67c", "#c98f62", "#e3cf9e", "#b9785a", "#d4a66a", "#cdb88e")
    for number, wall in enumerate(walls):
        x, height = -18.0 + 6.0 * number, 9.0 + 2.0 * ((number * 5) % 3)
        windows = kit.bricks("#39434d", "#5b6b78", wall, width=1.5, height=2.2, gap=0.75, facing="y", shift=0.0)
        kit.box((x, -48.0, 0.0), (x + 6.0, -38.0, height), windows)
        roof = kit.paint("#8c4630")
        kit.mesh(
            [(x, -38, height), (x + 6, -38, height), (x + 6, -43, height + 3), (x, -43, height + 3)],
            [(0, 1, 2, 3)],
            roof,
        )
    stone = kit.paint("#9a968c")
    for number, radius in enumerate((2.0, 1.5, 1.0)):
        kit.cylinder((0.0, -27.0, 0.4 * number), radius, 0.4, stone)
    kit.box((-0.6, -27.6, 1.2), (0.6, -26.4, 3.0), stone)
    bronze = kit.paint("#3d6b58", roughness=0.4, metallic=0.6)
    kit.cone((0.0, -27.0, 3.0), 0.5, 1.6, bronze, top=0.3)
    kit.ball((0.0, -27.0, 4.9), 0.35, bronze)
