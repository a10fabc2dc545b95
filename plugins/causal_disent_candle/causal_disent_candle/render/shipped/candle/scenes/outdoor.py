"""A gravel clearing before a wood, under a clear sky."""


def build(kit):
    kit.sky("#c8dcf0", "#5b93d6", strength=0.8, ground="#6f7a55")
    kit.sun((0.5, 0.5, 0.7), 1.6)
    kit.board((-90.0, -160.0), (90.0, 30.0), kit.noise("#8d8a80", "#6e6a60", scale=3.0, contrast=3.0))
    kit.board((-90.0, -160.0), (90.0, -23.0), kit.noise("#5d7a37", "#476128", scale=1.0), height=0.01)
    trunk = kit.paint("#4a3424")
    leaves = [
        kit.noise(light, dark, scale=3.0) for light, dark in (("#3f6d2c", "#254719"), ("#527f35", "#2f5520"))
    ]
    for number in range(26):
        x = -21.0 + 1.75 * number
        y = -32.0 - 9.0 * ((number * 7) % 5) / 4
        height = 5.0 + 3.0 * ((number * 3) % 7) / 6
        kit.cylinder((x, y, 0.0), 0.25, 2.0, trunk)
        kit.cone((x, y, 1.0), 1.9, height, leaves[number % 2])
