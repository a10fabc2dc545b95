"""A plain floor under an even light."""


def build(kit):
    kit.sky("#b8bcc4", "#b8bcc4", ground="#b8bcc4", strength=0.6)
    kit.board((-60.0, -120.0), (60.0, 20.0), kit.paint("#8c8f96"))
