"""Which items of a release are few-shot examples, which are tests, and which of those stay hidden.

Dev items are those that the source itself gives as dev items, in the order of their uids, at most
n a subject. A subject with fewer has fewer: a test item is never turned into an example, because
it would leave the test set of one version and come back in the next, and dev items beyond n are
left out rather than made tests, because they are examples elsewhere already.

The black box is drawn by subject. An item's rank is a keyed hash of seed and uid, and the lowest
ranks are hidden until the subject's quota is full; so the choice in one subject depends on no
other subject. What earlier versions did goes before the rank: what was open is public and can't be
hidden again, what was hidden stays hidden while the quota has room. New items therefore move no
old one, and a smaller quota opens as many as it must and no more.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

DEV, TEST = "dev", "test"
OPEN, BLACK_BOX = "open", "black-box"

_DIGITS = re.compile(r"(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An approved item; `is_dev` is what its source says."""

    uid: str
    subject: str
    is_dev: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an item goes; `split` is dev or test, `subset` is open or black-box."""

    uid: str
    subject: str
    split: str
    subset: str


@dataclass(frozen=True, slots=True)
class SplitRule:
    dev_per_subject: int
    black_box_share: float
    seed: int


def place_items(
    candidates: Iterable[Candidate],
    rule: SplitRule,
    *,
    opened: frozenset[str] = frozenset(),
    hidden: frozenset[str] = frozenset(),
) -> tuple[Placement, ...]:
    """Place `candidates` in the order of the files: by subject, dev before test, by uid.

    `opened` and `hidden` are the uids that earlier published versions showed or hid; a uid in
    both counts as opened. The order of `candidates` makes no difference.
    """
    by_subject: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_subject[candidate.subject].append(candidate)
    return tuple(
        placement
        for subject in sorted(by_subject)
        for placement in _place_subject(by_subject[subject], rule, opened, hidden)
    )


def black_box_quota(*, tests: int, share: float, opened: int) -> int:
    """How many of a subject's `tests` are hidden, when `opened` of them are public already.

    The share of the tests rounded half up; one test always stays open.
    """
    wanted = (Decimal(repr(share)) * tests).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return max(0, min(int(wanted), tests - 1, tests - opened))


def uid_order(uid: str) -> tuple[tuple[tuple[bool, int, str], ...], str]:
    """Sort key of uids with numbers in them as numbers: x/2 before x/10."""
    parts = _DIGITS.split(uid)
    ranks = tuple((not p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in parts if p)
    return ranks, uid


def _place_subject(
    candidates: Sequence[Candidate],
    rule: SplitRule,
    opened: frozenset[str],
    hidden: frozenset[str],
) -> list[Placement]:
    ordered = sorted(candidates, key=lambda candidate: uid_order(candidate.uid))
    dev = [candidate for candidate in ordered if candidate.is_dev][: rule.dev_per_subject]
    tests = [candidate for candidate in ordered if not candidate.is_dev]
    black_box = _black_box([test.uid for test in tests], rule, opened, hidden)
    return [Placement(c.uid, c.subject, DEV, OPEN) for c in dev] + [
        Placement(c.uid, c.subject, TEST, BLACK_BOX if c.uid in black_box else OPEN) for c in tests
    ]


def _black_box(
    uids: Sequence[str], rule: SplitRule, opened: frozenset[str], hidden: frozenset[str]
) -> frozenset[str]:
    free = [uid for uid in uids if uid not in opened]
    quota = black_box_quota(
        tests=len(uids), share=rule.black_box_share, opened=len(uids) - len(free)
    )
    free.sort(key=lambda uid: (uid not in hidden, _rank(uid, rule.seed), uid))
    return frozenset(free[:quota])


def _rank(uid: str, seed: int) -> bytes:
    return hashlib.blake2b(uid.encode(), key=str(seed).encode(), digest_size=16).digest()
