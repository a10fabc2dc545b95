"""A living room: wooden floor, light walls, a window, a shelf and a sofa at the far wall."""

Y = (-15.0, 0.0)


def build(kit):
    kit.sky("#f4efe6", "#e8e6e2", strength=0.7)
    kit.board(
        (-7.0, -21.0), (7.0, 20.0), kit.bricks("#8a5a34", "#a06c40", "#5c3a20", width=2.4, height=0.3, gap=0.03)
    )
    wall = kit.paint("#e6dcc4")
    kit.box((-7.2, -21.3, 0.0), (7.2, -21.0, 9.0), wall)
    kit.box((7.0, -21.0, 0.0), (7.2, 20.0, 9.0), wall)
    kit.box((-7.2, -21.0, 0.0), (-7.0, 20.0, 9.0), wall)
    kit.box((-7.0, -21.0, 0.0), (7.0, -20.92, 0.35), kit.paint("#ffffff"))
    _window(kit, 3.0)
    _shelf(kit, -4.6)
    cushion = kit.paint("#4d6b66", roughness=0.95)
    kit.box((-1.7, -20.8, 0.2), (1.5, -19.6, 0.9), cushion, bevel=0.12)
    kit.box((-1.7, -20.9, 0.2), (1.5, -20.5, 1.8), cushion, bevel=0.12)
    kit.box((-1.2, -20.98, 3.1), (0.9, -20.9, 4.7), kit.noise("#2f4a73", "#c9a45c", scale=1.4))


def _window(kit, left):
    frame, pane = kit.paint("#fafafa"), kit.glow("#dcefff", 1.6)
    kit.box((left - 0.15, -20.98, 1.75), (left + 3.15, -20.85, 5.35), frame)
    for x in (left + 0.05, left + 1.6):
        for z in (1.95, 3.65):
            kit.box((x, -20.9, z), (x + 1.35, -20.8, z + 1.5), pane)


def _shelf(kit, left):
    wood = kit.paint("#5a3820")
    kit.box((left - 1.4, -20.95, 0.0), (left + 1.4, -20.85, 5.0), wood)
    for z in (0.0, 1.2, 2.4, 3.6, 4.9):
        kit.box((left - 1.4, -20.9, z), (left + 1.4, -20.2, z + 0.12), wood)
    books = ("#8c2f2f", "#2f5d8c", "#3f7d4a", "#c7a23c", "#6b4a86")
    for row in range(4):
        for place in range(9):
            x = left - 1.25 + 0.28 * place
            top = 0.95 + 1.2 * row + 0.08 * ((place * 5 + row * 3) % 4 - 1.5)
            kit.box((x, -20.8, 0.12 + 1.2 * row), (x + 0.22, -20.3, top), kit.paint(books[(place + 2 * row) % 5]))
