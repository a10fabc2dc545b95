"""A meadow at night: blue-green grass, a full moon, stars, the dark edge of a wood."""


def build(kit):
    kit.sky("#1c2a4a", "#060b1e", strength=0.8, ground="#0a1014", stars=True)
    kit.sun((0.3, -0.8, 0.5), 0.5, "#9fb8ff")
    kit.board((-400.0, -600.0), (400.0, 30.0), kit.noise("#22402c", "#132a1e", scale=2.5, contrast=3.0))
    kit.ball((-13.0, -120.0, 9.2), 2.4, kit.glow("#f6f2dc", 1.6))
    dark = kit.paint("#08100c")
    for number in range(30):
        x = -30.0 + 2.1 * number
        if -16.0 < x < -11.0:
            continue
        kit.ball((x, -70.0 - 6.0 * ((number * 7) % 3), 1.0), 2.0 + 0.5 * ((number * 5) % 4), dark, flat=1.1)
