"""Split items into few-shot examples and tests, and choose which tests stay hidden.

Dev items are those that the source itself gives as dev items, in the order of their uids, at most
n a subject. A subject with fewer has fewer: a test item is never turned into an example, because
it would leave the test set of one version and come back in the next, and dev items beyond n are
left out rather than made tests, because they are examples elsewhere already. On request, for sources
without enough dev items, test items are carved out as examples: those that earlier versions carved,
then those that none published, then those with an explanation, then by rank. What was hidden and what
has a duplicate is never carved.

The black box is drawn by subject. An item's rank is a hash of its uid, keyed with the project's secret
and the seed, and the lowest ranks are hidden until the subject's quota is full. The seed is published:
without the secret, whoever has the source could compute which of the items that no file shows are
hidden and which are not in the release at all. One test of each subject stays open, unless the
share is `EVERYTHING`. What earlier versions did goes before the rank: what was open is public and
can't be hidden again, what was hidden stays hidden while the quota has room. New items therefore
move no old one, and a smaller quota opens as many as it must and no more.

Duplicates stay together. A dev item that duplicates a test item is left out, so that no example
gives a test away. The test items of a cluster are hidden or open as one: they have the rank of the
first of them, they are open if any item of the cluster is public already, and they are hidden only
where every subject they belong to has room. The choice in one subject therefore depends on another
only where a cluster reaches into both.

Items that are preferred for the black box come before the others in the rank, but after what earlier
versions hid.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

DEV, TEST = "dev", "test"
SOURCE, CARVED, BOTH = "source", "carved", "both"
OPEN, BLACK_BOX = "open", "black-box"
EVERYTHING = 1.0
"""The share that hides every test item."""
NO_CLUSTERS: Mapping[str, int] = MappingProxyType({})

_DIGITS = re.compile(r"(\d+)")


class Candidate(Protocol):
    """An approved item; `is_dev` is what its source says."""

    @property
    def uid(self) -> str: ...

    @property
    def subject(self) -> str: ...

    @property
    def is_dev(self) -> bool: ...


C = TypeVar("C", bound=Candidate)


class Placement(NamedTuple, Generic[C]):
    """The place of a candidate; `split` is dev or test, `subset` is open or black-box."""

    candidate: C
    split: str
    subset: str

    @property
    def uid(self) -> str:
        return self.candidate.uid

    @property
    def subject(self) -> str:
        return self.candidate.subject


@dataclass(frozen=True, slots=True)
class SplitRule:
    """`dev_from` says whether dev items are the source's, carved from its tests, or both."""

    dev_per_subject: int
    black_box_share: float
    seed: int
    dev_from: str = SOURCE


@dataclass(frozen=True, slots=True)
class Carving:
    """The uids carved before, and those with an explanation, by which tests are carved."""

    carved: frozenset[str] = frozenset()
    explained: frozenset[str] = frozenset()


NO_CARVING = Carving()


@dataclass(frozen=True, slots=True)
class Turn:
    """The rank of a unit: first what was hidden before, then what is preferred, then by hash."""

    key: bytes
    hidden: frozenset[str]
    preferred: frozenset[str]

    def of(self, unit: Sequence[Candidate]) -> tuple[bool, bool, bytes, str]:
        first = unit[0].uid
        uids = [test.uid for test in unit]
        return (
            self.hidden.isdisjoint(uids),
            self.preferred.isdisjoint(uids),
            _rank(first, self.key),
            first,
        )


def place_items(
    candidates: Iterable[C],
    rule: SplitRule,
    *,
    secret: str,
    opened: frozenset[str] = frozenset(),
    hidden: frozenset[str] = frozenset(),
    clusters: Mapping[str, int] = NO_CLUSTERS,
    preferred: frozenset[str] = frozenset(),
    carving: Carving = NO_CARVING,
) -> tuple[Placement[C], ...]:
    """Place `candidates` in the order of the files: by subject, dev before test, by uid.

    `secret` is the project's, with which ranks are drawn. `opened` and `hidden` are the uids that
    earlier published versions showed or hid; a uid in both counts as opened. `clusters` maps the
    uid of every item that has duplicates, whether it is a candidate or not, to its cluster.
    `preferred` are hidden before others. `carving` matters where the rule carves. The order of
    `candidates` makes no difference.
    """
    subjects = _by_subject(candidates)
    key = _rank_key(secret, rule.seed)
    carve = partial(_carved, rule, key, opened, hidden, clusters, carving)
    carved = frozenset(uid for group in subjects for uid in carve(group))
    tests = [one for group in subjects for one in group if not _is_example(one, carved)]
    tested = {clusters[test.uid] for test in tests if test.uid in clusters}
    turn = Turn(key, hidden, preferred)
    black_box = _black_box(tests, rule, opened, turn, clusters)
    return tuple(
        placement
        for group in subjects
        for placement in (
            *_dev(group, rule, tested, clusters, carved),
            *_test(group, black_box, carved),
        )
    )


def black_box_quota(*, tests: int, share: float, opened: int) -> int:
    """Return how many of a subject's `tests` are hidden when `opened` of them are public already.

    The share of the tests rounded half up; one test stays open unless everything is to be hidden.
    """
    wanted = (Decimal(repr(share)) * tests).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return max(0, min(int(wanted), tests - _kept_open(share), tests - opened))


def _kept_open(share: float) -> int:
    """Return how many tests of a subject are never hidden."""
    return 0 if share >= EVERYTHING else 1


def uid_order(uid: str) -> list[str | int]:
    """Return a sort key that reads numbers in uids as numbers: x/2 comes before x/10.

    It alternates between text and number, and after a number come its digits, so that 07 is
    before 7.
    """
    parts: list[Any] = _DIGITS.split(uid)
    for place in range(len(parts) - 2, 0, -2):
        parts.insert(place, int(parts[place]))
    return parts


def _by_subject(candidates: Iterable[C]) -> list[list[C]]:
    """Return the candidates of each subject by uid; few at a time need few keys at a time."""
    groups: dict[str, list[C]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.subject].append(candidate)
    return [_sorted(groups[subject]) for subject in sorted(groups)]


def _sorted(candidates: Iterable[C]) -> list[C]:
    return sorted(candidates, key=lambda candidate: uid_order(candidate.uid))


def _is_example(candidate: Candidate, carved: frozenset[str]) -> bool:
    return candidate.is_dev or candidate.uid in carved


def _carved(
    rule: SplitRule,
    key: bytes,
    opened: frozenset[str],
    hidden: frozenset[str],
    clusters: Mapping[str, int],
    carving: Carving,
    group: Sequence[Candidate],
) -> list[str]:
    """Return the tests of a subject that become examples; one always stays a test."""
    if rule.dev_from == SOURCE:
        return []
    tests = [one.uid for one in group if not one.is_dev]
    devs = len(group) - len(tests) if rule.dev_from == BOTH else 0
    wanted = max(0, min(rule.dev_per_subject - devs, len(tests) - 1))
    free = [uid for uid in tests if uid not in clusters and uid not in hidden]
    free.sort(
        key=lambda uid: (
            uid not in carving.carved,
            uid in opened,
            uid not in carving.explained,
            _rank(f"dev\n{uid}", key),
        )
    )
    return free[:wanted]


def _dev(
    group: Sequence[C],
    rule: SplitRule,
    tested: set[int],
    clusters: Mapping[str, int],
    carved: frozenset[str],
) -> list[Placement[C]]:
    """Return the first dev items of a subject that duplicate no test item, then what is carved."""
    own = [] if rule.dev_from == CARVED else [one for one in group if one.is_dev]
    devs = [one for one in own if clusters.get(one.uid) not in tested]
    chosen = [*devs[: rule.dev_per_subject], *(one for one in group if one.uid in carved)]
    return [Placement(candidate, DEV, OPEN) for candidate in chosen]


def _test(
    group: Iterable[C], black_box: frozenset[str], carved: frozenset[str]
) -> Iterator[Placement[C]]:
    for candidate in group:
        if not _is_example(candidate, carved):
            yield Placement(candidate, TEST, BLACK_BOX if candidate.uid in black_box else OPEN)


def _black_box(
    tests: Sequence[Candidate],
    rule: SplitRule,
    opened: frozenset[str],
    turn: Turn,
    clusters: Mapping[str, int],
) -> frozenset[str]:
    if not rule.black_box_share:
        return frozenset()
    units = _free_units(tests, opened, clusters)
    sizes = Counter(test.subject for test in tests)
    free = Counter(test.subject for unit in units for test in unit)
    quotas = {
        subject: black_box_quota(tests=n, share=rule.black_box_share, opened=n - free[subject])
        for subject, n in sizes.items()
    }
    units.sort(key=turn.of)
    kept = _kept_open(rule.black_box_share)
    return _fill(units, turn.hidden, quotas, {slug: n - kept for slug, n in sizes.items()})


def _free_units(
    tests: Iterable[C], opened: frozenset[str], clusters: Mapping[str, int]
) -> list[Sequence[C]]:
    """Yield the tests that may be hidden, those of one cluster together and by uid."""
    public = {clusters[uid] for uid in opened if uid in clusters}
    single: list[Sequence[C]] = []
    together: dict[int, list[C]] = defaultdict(list)
    for test in tests:
        cluster = clusters.get(test.uid)
        if test.uid in opened or cluster in public:
            continue
        if cluster is None:
            single.append((test,))
        else:
            together[cluster].append(test)
    return [*single, *map(_sorted, together.values())]


def _fill(
    units: Iterable[Sequence[Candidate]],
    hidden: frozenset[str],
    room: dict[str, int],
    spare: dict[str, int],
) -> frozenset[str]:
    """Hide units in turn, within the `room` of each subject and the `spare` tests that may be hidden.

    New duplicates of something hidden are hidden with it, even beyond the quota: opening them
    would give away what earlier versions hid.
    """
    chosen: set[str] = set()
    for unit in units:
        if len(unit) == 1 and room[unit[0].subject] <= 0:
            continue  # nearly all, once their subjects have what they hide
        counted = [test for test in unit if test.uid in hidden] or unit
        if _fits(counted, room) and _fits(unit, spare):
            for test in counted:
                room[test.subject] -= 1
            for test in unit:
                spare[test.subject] -= 1
                chosen.add(test.uid)
    return frozenset(chosen)


def _fits(unit: Sequence[Candidate], room: Mapping[str, int]) -> bool:
    if len(unit) == 1:  # nearly always
        return room[unit[0].subject] > 0
    return all(room[subject] >= n for subject, n in Counter(t.subject for t in unit).items())


def _rank_key(secret: str, seed: int) -> bytes:
    return hashlib.sha256(f"split\n{secret}\n{seed}".encode()).digest()


def _rank(uid: str, key: bytes) -> bytes:
    keyed = _keyed_by(key).copy()
    keyed.update(uid.encode())
    return keyed.digest()


@lru_cache(maxsize=16)
def _keyed_by(key: bytes) -> "hashlib.blake2b":
    """Return a hash that has read its key, to be copied for each text."""
    return hashlib.blake2b(key=key, digest_size=16)
