"""Whether two submissions share more wrong answers than models that know nothing of each other.

Right answers tell nothing: good models agree in nearly all of them. What copies share are errors. Of
the items that at least one of two submissions has wrong, `alike` are those that both have wrong in
the same way. Models that were trained apart share some of these too, because items differ in
difficulty and wrong options in strength, but less than half of them if they differ in so few answers
that they are compared at all (simulations in `tests/submissions/test_copies.py`, figures in
`docs/submissions.md`). So the binomial tail

    P(alike or more of wrong) with probability 1/2 for each

is more than the chance of an independent pair.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

ALIKE = 0.5
"""In what share of the items that either has wrong two independent models give the same wrong answer at most."""
LEVEL = 0.001
"""One independent pair in so many is flagged at most."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Of the items that either submission has `wrong`, those that both have wrong `alike`."""

    alike: int
    wrong: int

    @property
    def chance(self) -> float:
        from scipy.stats import binom

        return float(binom.sf(self.alike - 1, self.wrong, ALIKE))

    @property
    def is_strong(self) -> bool:
        return self.chance <= LEVEL


def shared_errors(
    answers: Sequence[str],
    others: Sequence[str],
    *,
    right: Sequence[bool],
    others_right: Sequence[bool],
    without: Collection[int] = frozenset(),
) -> Shared:
    """Compare the answers to the same items, but for the places `without`."""
    wrong = [
        place
        for place, (one, two) in enumerate(zip(right, others_right, strict=True))
        if not (one and two) and place not in without
    ]
    return Shared(sum(answers[place] == others[place] for place in wrong), len(wrong))
