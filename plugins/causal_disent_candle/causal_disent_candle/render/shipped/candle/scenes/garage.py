"""A parking garage: concrete, marked bays, pillars with stripes, strip lights under a low ceiling."""


def build(kit):
    kit.sky("#9aa0a6", "#9aa0a6", strength=0.35)
    kit.board((-14.0, -40.0), (14.0, 20.0), kit.noise("#76787a", "#626466", scale=0.6, roughness=0.5))
    concrete = kit.noise("#8c8c8a", "#7a7a78", scale=0.8)
    kit.box((-14.0, -40.4, 0.0), (14.0, -40.0, 8.0), concrete)
    line = kit.paint("#e8e8e4")
    for number in range(7):
        x = -10.5 + 3.5 * number
        kit.board((x - 0.08, -39.0), (x + 0.08, -31.0), line, height=0.01)
    for x in (-7.0, 7.0):
        for y in (-9.0, -19.0, -29.0):
            kit.box((x - 0.6, y - 0.6, 0.0), (x + 0.6, y + 0.6, 8.0), concrete)
            for stripe in range(3):
                color = kit.paint("#1c1c1c" if stripe % 2 else "#e0b818")
                kit.box((x - 0.62, y - 0.62, 0.5 * stripe), (x + 0.62, y + 0.62, 0.5 + 0.5 * stripe), color)
    kit.box((-14.0, -40.0, 5.6), (14.0, -22.0, 6.0), kit.paint("#55585a"))
    tube = kit.glow("#eaf6ff", 4.0)
    for y in (-24.0, -29.0, -34.0):
        for x in (-4.0, 0.0, 4.0):
            kit.box((x - 0.9, y - 0.1, 5.4), (x + 0.9, y + 0.1, 5.5), tube)
    _car(kit, 8.75, "#3a4a63")
    _car(kit, -8.75, "#7d2b2b")


def _car(kit, x, color):
    body = kit.paint(color, roughness=0.25, metallic=0.4)
    kit.box((x - 1.1, -38.0, 0.35), (x + 1.1, -33.5, 1.15), body, bevel=0.15)
    kit.box((x - 0.95, -37.2, 1.1), (x + 0.95, -34.6, 1.8), kit.paint("#20262c", roughness=0.2), bevel=0.2)
    for side in (-0.75, 0.75):
        kit.box((x + side - 0.2, -33.52, 0.65), (x + side + 0.2, -33.45, 0.85), kit.glow("#fff2cc", 1.0))
