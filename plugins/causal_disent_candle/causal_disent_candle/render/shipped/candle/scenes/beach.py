"""A beach: pale sand, the sea, a parasol and a palm."""


def build(kit):
    kit.sky("#d6ecf6", "#4aa0e0", strength=0.9, ground="#2f86a6", clouds="#ffffff", cover=0.42)
    kit.sun((0.3, 0.4, 0.9), 1.4)
    kit.board(
        (-400.0, -900.0),
        (400.0, 30.0),
        kit.noise("#1f7f9e", "#2f9ab4", scale=0.3, stretch=(0.3, 1, 1), roughness=0.15),
    )
    kit.board((-90.0, -27.0), (90.0, 30.0), kit.noise("#d9c79c", "#c9b486", scale=2.0), height=0.02)
    kit.board((-90.0, -28.2), (90.0, -27.0), kit.paint("#f4f8f8"), height=0.03)
    kit.cylinder((-6.6, -25.0, 0.0), 0.07, 3.2, kit.paint("#f0f0f0"))
    kit.cone((-6.6, -25.0, 2.7), 1.7, 0.8, kit.paint("#d8323c"))
    kit.cone((-6.6, -25.0, 3.2), 0.7, 0.35, kit.paint("#f8f8f8"))
    _palm(kit, 6.4, -23.5)


def _palm(kit, x, y):
    bark, leaf = kit.paint("#7d6244"), kit.paint("#3f7d32")
    for step in range(12):
        kit.cylinder((x - 0.012 * step * step, y, 0.45 * step), 0.22 - 0.008 * step, 0.5, bark)
    top = (x - 1.7, y, 5.6)
    for number in range(9):
        # The ends of the leaves, all around and hanging down.
        across = (-1.0, -0.8, -0.4, 0.0, 0.4, 0.8, 1.0, 0.5, -0.5)[number] * 2.4
        forth = (0.0, 1.2, -1.4, 1.6, -1.4, 1.2, 0.0, -1.0, 1.0)[number]
        end = (top[0] + across, top[1] + forth, top[2] - 0.9)
        middle = (top[0] + across / 2, top[1] + forth / 2, top[2] + 0.5)
        kit.mesh(
            [top, (middle[0], middle[1], middle[2] + 0.3), end, (middle[0], middle[1], middle[2] - 0.2)],
            [(0, 1, 2, 3)],
            leaf,
        )
