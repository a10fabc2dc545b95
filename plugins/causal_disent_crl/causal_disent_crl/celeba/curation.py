"""Images left out so that two binary factors become independent of each other."""

from __future__ import annotations

import numpy as np

from causal_disent import errors
from causal_disent.protocols import IntArray

CURATIONS = ("pairs", "remove")


def curated(curation: str, kept: IntArray, turned: IntArray, random_state: np.random.RandomState) -> IntArray:
    """The places of the images that stay, ascending.

    ``pairs``: an image is drawn, then one with the same value of `kept` and the other one of `turned`, for as long
    as there are such pairs among those not drawn yet. Each value of `kept` then goes with both of `turned` equally
    often, so that the chi-square statistic of the two is 0.

    ``remove``: images of one combination of values are removed at random until the two are independent: of the
    combination that leaves the most images, so many that counts are as near to :math:`n_{00} n_{11} = n_{01}
    n_{10}` as whole numbers can be.

    Args:
        curation: one of `CURATIONS`.
        kept: (images,) 0 or 1; in CelebA(BEARD) the age.
        turned: (images,) 0 or 1; there the gender.
        random_state: what is drawn with.

    Example:
        >>> age, gender = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 1, 0, 0, 0, 1])
        >>> places = curated("pairs", age, gender, np.random.RandomState(0))
        >>> [(int(age[place]), int(gender[place])) for place in places]
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    cells = {
        (a, b): random_state.permutation(np.flatnonzero((kept == a) & (turned == b)))
        for a in (0, 1)
        for b in (0, 1)
    }
    counts = {cell: len(places) for cell, places in cells.items()}
    if curation == "pairs":
        stay = {(a, b): min(counts[a, 0], counts[a, 1]) for a, b in cells}
    else:
        stay = _independent(counts)
    if not sum(stay.values()):
        raise errors.InvalidInput(f"The curation '{curation}' leaves no image: no two differ in one factor alone.")
    return np.sort(np.concatenate([cells[cell][:number] for cell, number in stay.items()]))


def _independent(counts: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """So many of each combination that products over the diagonals agree, and as many images as possible stay."""
    best = dict(counts)
    most = -1
    for (a, b), number in counts.items():
        opposite, beside = counts[1 - a, 1 - b], counts[a, 1 - b] * counts[1 - a, b]
        # The nearest whole number; of two that are as near, the one that leaves more.
        wanted = (2 * beside + opposite) // (2 * opposite) if opposite else number
        if wanted <= number and sum(counts.values()) - number + wanted > most:
            most = sum(counts.values()) - number + wanted
            best = counts | {(a, b): wanted}
    return best
