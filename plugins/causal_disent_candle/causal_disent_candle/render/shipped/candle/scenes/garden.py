"""A garden: mown lawn, a path of stones, flower beds, a clipped hedge and a white arch."""


def build(kit):
    kit.sky("#d8e8f4", "#7fb4e8", strength=0.85, ground="#4f6a35")
    kit.sun((-0.4, 0.5, 0.8), 1.4)
    lawn = kit.bricks("#4f8a34", "#5f9c40", "#579338", width=60.0, height=2.0, gap=0.0, shift=0.0)
    kit.board((-60.0, -60.0), (60.0, 30.0), lawn)
    stone = kit.noise("#b0aaa0", "#98928a", scale=3.0)
    for number in range(12):
        y = 5.0 - 2.6 * number
        kit.cylinder((0.3 * (-1) ** number, y, 0.0), 0.85, 0.02, stone)
    hedge = kit.noise("#2f5a24", "#1f4018", scale=6.0, bump=0.1)
    for low, high in ((-20.0, -2.2), (2.2, 20.0)):
        kit.box((low, -30.0, 0.0), (high, -28.5, 3.2), hedge)
    white = kit.paint("#f6f4ee")
    for x in (-1.9, 1.9):
        kit.box((x - 0.15, -29.4, 0.0), (x + 0.15, -29.1, 4.2), white)
    kit.box((-2.4, -29.5, 4.2), (2.4, -29.0, 4.5), white)
    petals = [kit.paint(color) for color in ("#e0568c", "#f4f0f0", "#d83a4a", "#c48ae0", "#f0c83c")]
    green = kit.paint("#3f7030")
    for side in (-1, 1):
        for number in range(24):
            x = side * (5.9 + 0.9 * (number % 6) + 0.3 * (number // 6 % 2))
            y = -27.5 + 1.2 * (number // 6)
            kit.cone((x, y, 0.0), 0.35, 0.7, green)
            kit.ball((x, y, 0.75), 0.25, petals[(number * 3 + number // 6 + side) % 5])
    tree = kit.noise("#5a8c3a", "#3d6a28", scale=2.0)
    for x, y, radius in ((-13.0, -40.0, 3.6), (-6.0, -44.0, 3.0), (7.0, -42.0, 3.4), (14.0, -40.0, 3.8)):
        kit.ball((x, y, 5.5), radius, tree)
