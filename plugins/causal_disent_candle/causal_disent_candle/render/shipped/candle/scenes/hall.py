"""A hall: a polished floor of black and white squares, columns, red hangings between them."""

Y = (-15.0, 0.0)


def build(kit):
    kit.sky("#f2e6cc", "#d8ccb4", strength=0.55)
    kit.board((-9.0, -26.0), (9.0, 20.0), kit.checker("#e8e2d4", "#3a3632", side=1.5, roughness=0.15))
    kit.box((-9.0, -26.4, 0.0), (9.0, -26.0, 14.0), kit.paint("#b8a684"))
    marble = kit.noise("#efe9dc", "#cfc4ae", scale=0.8, roughness=0.3)
    gold = kit.paint("#c09a3e", roughness=0.3, metallic=0.8)
    places = [(6.8 * side, -26.0 + 5.0 * row) for side in (-1, 1) for row in range(5)]
    for x, y in [*places, (-2.3, -25.2), (2.3, -25.2)]:
        kit.box((x - 0.7, y - 0.7, 0.0), (x + 0.7, y + 0.7, 0.4), marble)
        kit.cylinder((x, y, 0.4), 0.5, 12.0, marble)
        kit.cylinder((x, y, 0.4), 0.58, 0.3, gold)
    hanging = kit.noise("#8c1d24", "#6a1218", scale=1.0, stretch=(4, 4, 0.1))
    for x in (-4.5, 0.0, 4.5):
        kit.box((x - 1.1, -25.95, 1.2), (x + 1.1, -25.9, 7.5), hanging)
        kit.box((x - 1.3, -25.95, 7.5), (x + 1.3, -25.8, 7.7), gold)
