"""A skywalk: a smooth white floor between walls of glass, the sky and white frames outside."""


def build(kit):
    kit.sky("#e4f0fa", "#8cc0f0", strength=0.9, ground="#a8c0d0")
    kit.board(
        (-6.6, -70.0),
        (6.6, 30.0),
        kit.bricks("#c4ccd2", "#bcc4ca", "#98a2aa", width=2.0, height=2.0, gap=0.03, shift=0.0, roughness=0.12),
    )
    kit.board((-300.0, -500.0), (300.0, 30.0), kit.noise("#7a8c9a", "#98a6b0", scale=0.1), height=-25.0)
    frame = kit.paint("#f4f6f8", roughness=0.3)
    blue = kit.paint("#3a6ea8", roughness=0.3)
    for number in range(16):
        y = -4.0 - 4.0 * number
        for x in (-6.6, 6.6):
            kit.box((x - 0.12, y - 0.12, 0.0), (x + 0.12, y + 0.12, 6.0), frame)
        kit.box((-6.7, y - 0.12, 5.9), (6.7, y + 0.12, 6.15), frame)
    for x in (-6.6, 6.6):
        kit.box((x - 0.1, -70.0, 0.0), (x + 0.1, 30.0, 0.25), blue)
        kit.box((x - 0.06, -70.0, 1.2), (x + 0.06, 30.0, 1.3), blue)
        kit.box((x - 0.06, -70.0, 3.5), (x + 0.06, 30.0, 3.6), frame)
    kit.box((-6.7, -70.2, 0.0), (6.7, -70.0, 6.0), kit.paint("#d8dee4"))
    kit.box((-1.8, -70.0, 0.0), (1.8, -69.9, 4.0), kit.paint("#2c4a70"))
    for x, y, height in ((-30, -110, 8), (-22, -140, 14), (20, -120, 10), (32, -100, 6)):
        kit.box((x, y, -25.0), (x + 9.0, y + 8.0, height), kit.paint("#8ea4b8"))
