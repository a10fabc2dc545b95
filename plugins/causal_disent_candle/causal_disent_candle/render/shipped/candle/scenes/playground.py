"""A playground: sand, a red and yellow slide, a swing, a fence."""


def build(kit):
    kit.sky("#dfe8ee", "#8db8e2", strength=0.8, clouds="#ffffff", cover=0.5)
    kit.sun((-0.4, 0.6, 0.8), 1.4)
    kit.board((-90.0, -160.0), (90.0, 30.0), kit.noise("#c49a62", "#a87c48", scale=1.2))
    _fence(kit)
    _slide(kit)
    _swing(kit)


def _fence(kit):
    wood = kit.paint("#7a4b2a")
    for number in range(33):
        kit.box((-16.0 + number, -34.1, 0.0), (-15.7 + number, -34.0, 1.5), wood)
    for z in (0.5, 1.1):
        kit.box((-16.0, -34.05, z), (17.0, -33.95, z + 0.14), wood)


def _slide(kit):
    post, chute = kit.paint("#d9422b", roughness=0.4), kit.paint("#f0b81e", roughness=0.3)
    for x in (4.6, 6.0):
        for y in (-25.0, -26.4):
            kit.cylinder((x, y, 0.0), 0.12, 4.6, post)
    kit.box((4.5, -26.5, 2.7), (6.1, -24.9, 2.9), chute)
    kit.cone((5.3, -25.7, 4.5), 1.5, 1.2, post)
    kit.mesh([(4.5, -24.9, 2.8), (4.5, -26.3, 2.8), (0.6, -26.3, 0.1), (0.6, -24.9, 0.1)], [(0, 1, 2, 3)], chute)
    for y in (-24.9, -26.3):
        kit.mesh([(4.5, y, 2.8), (4.5, y, 3.3), (0.6, y, 0.6), (0.6, y, 0.1)], [(0, 1, 2, 3)], post)


def _swing(kit):
    frame, rope = kit.paint("#2c6fb0", roughness=0.4), kit.paint("#303030")
    for x in (-2.2, -7.4):
        for y in (-25.0, -27.0):
            kit.beam((x, y, 0.0), (x, -26.0, 4.2), 0.2, frame)
    kit.box((-7.5, -26.1, 4.1), (-1.9, -25.9, 4.35), frame)
    for x in (-4.0, -6.2):
        for side in (-0.4, 0.4):
            kit.box((x + side - 0.03, -26.03, 1.0), (x + side + 0.03, -25.97, 4.2), rope)
        kit.box((x - 0.5, -26.3, 0.9), (x + 0.5, -25.7, 1.02), kit.paint("#d9422b"))
