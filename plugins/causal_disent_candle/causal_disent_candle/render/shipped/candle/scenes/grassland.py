"""Open grassland: yellow-green grass to the horizon, a lone tree, large clouds."""

Y = (-15.0, 0.0)


def build(kit):
    kit.sky("#cfe2f0", "#4f8fdc", strength=0.9, ground="#7d8a45", clouds="#ffffff", cover=0.58)
    kit.sun((-0.5, 0.4, 0.7), 1.7)
    kit.board((-400.0, -600.0), (400.0, 30.0), kit.noise("#94a648", "#73853a", scale=1.6, stretch=(1, 0.5, 1)))
    hills = kit.noise("#8a9c46", "#6f8240", scale=0.05)
    for x, y, width, height in ((-70, -170, 80, 9), (60, -220, 120, 15)):
        kit.ball((x, y, -1.0), width, hills, flat=height / width)
    kit.cylinder((6.0, -45.0, 0.0), 0.4, 3.0, kit.paint("#4f3a28"))
    crown = kit.noise("#4d6e2a", "#35501d", scale=2.0)
    for x, z, radius in ((5.0, 4.0, 1.7), (7.1, 4.2, 1.8), (6.0, 5.2, 1.9)):
        kit.ball((x, -45.0, z), radius, crown, flat=0.8)
