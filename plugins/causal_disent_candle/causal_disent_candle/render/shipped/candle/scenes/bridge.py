"""A suspension bridge: planks underfoot, red steel, cables, a river and a warm sky."""


def build(kit):
    kit.sky("#f4d9a8", "#b8c8d8", strength=0.8, ground="#5a7484")
    kit.sun((0.7, -0.5, 0.35), 1.5, "#ffd9a0")
    kit.board(
        (-200.0, -400.0), (200.0, 30.0), kit.noise("#3f6a80", "#6d97a8", scale=0.5, roughness=0.2), height=-6.0
    )
    kit.box(
        (-6.5, -70.0, -0.5),
        (6.5, 30.0, 0.0),
        kit.bricks("#8c7356", "#a3876a", "#4f3f2e", width=13.0, height=0.5, gap=0.05),
    )
    steel = kit.paint("#b0462a", roughness=0.5)
    for side in (-1, 1):
        x = 6.4 * side
        kit.box((x - 0.1, -70.0, 1.1), (x + 0.1, 30.0, 1.25), steel)
        kit.box((x - 0.1, -70.0, 0.55), (x + 0.1, 30.0, 0.63), steel)
        for number in range(35):
            y = -2.0 * number
            kit.box((x - 0.08, y, 0.0), (x + 0.08, y + 0.16, 1.2), steel)
        for number in range(17):
            y = -4.0 * number
            kit.beam((x, y, 0.0), (x, y, _cable(y)), 0.07, steel)
            kit.beam((x, y, _cable(y)), (x, y - 4.0, _cable(y - 4.0)), 0.22, steel)
        kit.box((x - 0.6, -32.8, -6.0), (x + 0.6, -31.6, 16.0), steel)
    for z in (5.2, 7.0):
        kit.box((-6.4, -32.6, z), (6.4, -31.8, z + 0.8), steel)
    hills = kit.noise("#6f7c6a", "#596655", scale=0.05)
    for x, width, height in ((-60, 50, 10), (10, 70, 8), (70, 45, 13)):
        kit.ball((x, -180.0, -6.0), width, hills, flat=height / width)


def _cable(y):
    """Its height; it hangs in a curve from the towers at y = -32."""
    return 1.8 + 13.0 * (1 - abs(y + 32.0) / 32.0) ** 2
