"""Every parameter that a config can bind, bound to values of every type that a config can say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from causal_disent.config import parameters_of
from causal_disent.registry import registry

#: As a config writes them.
VALUES = (
    "None", "True", "False", "0", "1", "-1", "2", "0.5", "-0.5", "1.5", "1e400", "-1e400", "1e308", "10**3",
    "'x'", "''", "'3'", "'a.b'", "'@irs'", "'\\x1b[2J'", "[]", "['a']", "[1, 2]", "[[1], [2, 3]]", "()",
    "(1,)", "(0, 1)", "{}", "{'a': 1}", "{1: [2]}", "@irs", "@irs()", "@uc", "@vae()", "@nothing", "%macro",
    "%missing", "@candle_mini()", "@candle_mini", "9" * 400, "b'x'", "1j", "'\\ud800'", "'" + "a" * 5000 +
    "'", "...", "nan", "[None]", "[True, 'a', 0.5]", "@scope/irs", "'../../etc'", "'/dev/null'",
)  # fmt: skip
MACROS = ("macro = [1, 2]", "macro = 'x(y]'", "macro = @irs", "macro = %macro", "macro = 3")


def bindings(seed: int, number: int, kinds: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """``name.parameter = value`` and what the macro is, the same for the same seed."""
    known = sorted(
        f"{entry.in_config}.{parameter}"
        for kind in kinds
        for entry in registry.entries(kind)
        for parameter in parameters_of(entry)
    )
    for i in range(number):
        random = np.random.RandomState([seed, i])
        name = known[random.randint(len(known))]
        if random.rand() < 0.05:
            name = name[:-1]
        yield f"{name} = {VALUES[random.randint(len(VALUES))]}", MACROS[random.randint(len(MACROS))]
