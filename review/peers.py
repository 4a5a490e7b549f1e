"""How each reviewer judges beside the others: agreement, severity, consistency and speed.

Read from the counts of one round or of several: `PeerCounts` add up, so a closed round keeps its
own and a report over many rounds reads no judgement again.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, Self

import numpy as np

from common.intervals import wilson_interval
from review.agreement import Estimate, NoInterval, Undefined, fleiss_kappa
from review.criteria import CRITERIA, NAMES
from review.outcomes import VERDICTS, parse_tally

LEAST_SHARED = 10
"""Two people who judged fewer items together are not compared."""
LEAST_TIMED = 30
"""Nobody's speed is told from fewer judgements."""
NORMAL = 1.959964
READ_AT_ONCE = 5_000
_KINDS = len(VERDICTS)


class PeerRow(NamedTuple):
    """One judgement; `token` is its part of the panel's tally, `outcome` the panel's."""

    panel: int
    reviewer: int
    token: str
    seconds: int
    outcome: str


@dataclass(slots=True)
class PairCount:
    """What two people said of the items that both judged, the first with the lower id.

    `verdicts[3 * i + j]` items got verdict i from the first and j from the second; `sums` and
    `squares` are of the first one's rating minus the second one's, by criterion.
    """

    verdicts: list[int] = field(default_factory=lambda: [0] * _KINDS**2)
    sums: list[int] = field(default_factory=lambda: [0] * len(CRITERIA))
    squares: list[int] = field(default_factory=lambda: [0] * len(CRITERIA))

    @property
    def n(self) -> int:
        return sum(self.verdicts)

    @property
    def same(self) -> int:
        return sum(self.verdicts[:: _KINDS + 1])

    def add(self, other: "PairCount") -> None:
        self.verdicts = _added(self.verdicts, other.verdicts)
        self.sums = _added(self.sums, other.sums)
        self.squares = _added(self.squares, other.squares)


@dataclass(slots=True)
class PersonCount:
    """`verdicts` counts a person's judgements by (verdict, outcome of the panel)."""

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class PeerCounts:
    """All pairs, by the ids of both, and all people, by id."""

    pairs: dict[tuple[int, int], PairCount] = field(default_factory=dict)
    people: dict[int, PersonCount] = field(default_factory=dict)

    def add(self, other: "PeerCounts") -> None:
        """Count in what was counted elsewhere."""
        for key, pair in other.pairs.items():
            self.pairs.setdefault(key, PairCount()).add(pair)
        for who, person in other.people.items():
            mine = self.people.setdefault(who, PersonCount())
            mine.verdicts.update(person.verdicts)
            mine.seconds.update(person.seconds)

    def as_json(self) -> dict[str, Any]:
        return {
            "pairs": [[*key, p.verdicts, p.sums, p.squares] for key, p in self.pairs.items()],
            "people": [
                [key, [[*said, n] for said, n in p.verdicts.items()], sorted(p.seconds.items())]
                for key, p in self.people.items()
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `as_json` wrote."""
        return cls(
            {(a, b): PairCount(*counts) for a, b, *counts in data["pairs"]},
            {
                key: PersonCount(
                    Counter({(verdict, outcome): n for verdict, outcome, n in said}),
                    Counter(dict(map(tuple, seconds))),
                )
                for key, said, seconds in data["people"]
            },
        )


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Agreement of two people on the items that both judged; `kappa` has no interval."""

    first: int
    second: int
    items: int
    agreement: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One reviewer beside the others.

    `outcome_agreement` is the share of their verdicts that became the panel's outcome or, in a
    dispute, the senior's decision; open disputes do not count. `peer_agreement` is the share of
    comparisons with another judge of the same panel in which both gave the same verdict.
    `severity` is the mean of their rating minus another judge's, by criterion (below 0: stricter
    than others), `consistency` the standard deviation of that difference (0: always as far from
    the others). `median_seconds` is None for fewer than LEAST_TIMED timed judgements.
    """

    reviewer: int
    judgements: int
    outcome_agreement: Estimate
    peer_agreement: Estimate
    severity: Mapping[str, Estimate]
    consistency: Mapping[str, float | None]
    median_seconds: float | None
    others_median_seconds: float | None


def count_peers(rows: Iterable[PeerRow]) -> PeerCounts:
    """Count the judgements of panels; those of one panel must come together."""
    counts, tokens = PeerCounts(), _Places()
    panels, people, places = [], [], []
    left = iter(rows)
    while chunk := list(islice(left, READ_AT_ONCE)):
        _count_people(chunk, counts)
        panels += [row.panel for row in chunk]
        people += [row.reviewer for row in chunk]
        places += [tokens[row.token] for row in chunk]
    entries = [parse_tally(token)[0] for token in tokens]
    table = np.array([[VERDICTS.index(each.verdict), *each.ratings] for each in entries])
    values = table.reshape(len(entries), 1 + len(CRITERIA))[np.array(places, dtype=np.int64)]
    panel, person = np.array(panels, dtype=np.int64), np.array(people, dtype=np.int64)
    for step in range(1, _largest(panel)):
        together = np.flatnonzero(panel[step:] == panel[:-step])
        _count_pairs(counts, person, values, together, together + step)
    return counts


def pair_figures(counts: PeerCounts) -> list[PairFigures]:
    """The agreement of each pair, the pairs with the most common items first."""
    found = [_pair(first, second, pair) for (first, second), pair in counts.pairs.items()]
    return sorted(found, key=lambda each: (-each.items, each.first, each.second))


def person_figures(
    counts: PeerCounts, decisions: Mapping[int, Counter[tuple[str, str]]]
) -> list[PersonFigures]:
    """Each reviewer, by id; `decisions` counts by person (verdict, senior's decision) in disputes."""
    beside: dict[int, list[tuple[int, PairCount]]] = defaultdict(list)
    for (first, second), pair in counts.pairs.items():
        beside[first].append((1, pair))
        beside[second].append((-1, pair))
    return [
        _person(key, counts, beside[key], decisions.get(key, Counter()))
        for key in sorted(counts.people)
    ]


DECIDED = {"approve": "approve", "adopt": "revise", "merge": "revise", "reject": "reject"}
OUTCOMES = {"approved": "approve", "revised": "revise", "rejected": "reject"}


class _Places(dict[str, int]):
    """Each text with its place in the order in which they came."""

    def __missing__(self, text: str) -> int:
        self[text] = place = len(self)
        return place


def _count_people(rows: Sequence[PeerRow], counts: PeerCounts) -> None:
    words = {verdict[0].upper(): verdict for verdict in ("approve", "reject")} | {"E": "revise"}
    for (who, token, outcome), n in Counter(map(itemgetter(1, 2, 4), rows)).items():
        person = counts.people.setdefault(who, PersonCount())
        person.verdicts[words[token[0]], outcome] += n
    for (who, seconds), n in Counter(map(itemgetter(1, 3), rows)).items():
        counts.people[who].seconds[seconds] += n


def _largest(panel: Any) -> int:
    return int(np.unique(panel, return_counts=True)[1].max()) if len(panel) else 0


def _count_pairs(counts: PeerCounts, person: Any, values: Any, left: Any, right: Any) -> None:
    """Count the judgements at `left` beside those at `right`, grouped by pair of people."""
    if not len(left):
        return
    swap = person[left] > person[right]
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    pairs, inverse = np.unique(
        np.column_stack([person[left], person[right]]), axis=0, return_inverse=True
    )
    inverse = inverse.reshape(-1)
    cells = values[left, 0] * _KINDS + values[right, 0]
    verdicts = np.zeros((len(pairs), _KINDS**2), dtype=np.int64)
    np.add.at(verdicts, (inverse, cells), 1)
    gaps = values[left, 1:] - values[right, 1:]
    sums = np.zeros((len(pairs), len(CRITERIA)), dtype=np.int64)
    squares = sums.copy()
    np.add.at(sums, inverse, gaps)
    np.add.at(squares, inverse, gaps**2)
    for place, (first, second) in enumerate(pairs.tolist()):
        found = PairCount(verdicts[place].tolist(), sums[place].tolist(), squares[place].tolist())
        counts.pairs.setdefault((first, second), PairCount()).add(found)


def _pair(first: int, second: int, pair: PairCount) -> PairFigures:
    table = np.zeros((_KINDS**2, _KINDS), dtype=np.int64)
    for cell in range(_KINDS**2):
        table[cell, cell // _KINDS] += 1
        table[cell, cell % _KINDS] += 1
    kappa = fleiss_kappa(
        table, np.array(pair.verdicts), panel_size=2, resamples=0, least_items=LEAST_SHARED
    )
    return PairFigures(first, second, pair.n, _share(pair.same, pair.n), kappa)


def _person(
    key: int,
    counts: PeerCounts,
    beside: Sequence[tuple[int, PairCount]],
    decisions: Counter[tuple[str, str]],
) -> PersonFigures:
    person = counts.people[key]
    settled = [(v, OUTCOMES[o], n) for (v, o), n in person.verdicts.items() if o in OUTCOMES]
    settled += [(verdict, DECIDED[said], n) for (verdict, said), n in decisions.items()]
    compared = sum(pair.n for _sign, pair in beside)
    return PersonFigures(
        reviewer=key,
        judgements=person.verdicts.total(),
        outcome_agreement=_share(
            sum(n for said, became, n in settled if said == became),
            sum(n for _said, _became, n in settled),
        ),
        peer_agreement=_share(sum(pair.same for _sign, pair in beside), compared),
        severity={name: _severity(place, beside) for place, name in enumerate(NAMES)},
        consistency={name: _deviation(place, beside) for place, name in enumerate(NAMES)},
        median_seconds=_median(person.seconds),
        others_median_seconds=_median(_of_others(key, counts)),
    )


def _share(part: int, whole: int) -> Estimate:
    """A share with Wilson's interval; none from fewer than LEAST_SHARED."""
    if not whole:
        return Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    if whole < LEAST_SHARED:
        return Estimate(None, None, None, whole, 0, Undefined.TOO_FEW_ITEMS)
    interval = wilson_interval(part, whole)
    return Estimate(part / whole, interval.low, interval.high, whole, 0)


def _moments(place: int, beside: Sequence[tuple[int, PairCount]]) -> tuple[int, int, int]:
    n = sum(pair.n for _sign, pair in beside)
    total = sum(sign * pair.sums[place] for sign, pair in beside)
    return n, total, sum(pair.squares[place] for _sign, pair in beside)


def _severity(place: int, beside: Sequence[tuple[int, PairCount]]) -> Estimate:
    """The mean difference with the interval of a mean: ± 1.96 standard errors."""
    n, total, _squares = _moments(place, beside)
    if n < LEAST_SHARED:
        reason = Undefined.TOO_FEW_ITEMS if n else Undefined.NO_ITEMS
        return Estimate(None, None, None, n, 0, reason)
    deviation = _deviation(place, beside)
    if not deviation:
        return Estimate(total / n, None, None, n, 0, None, NoInterval.ALL_THE_SAME)
    half = NORMAL * deviation / math.sqrt(n)
    return Estimate(total / n, total / n - half, total / n + half, n, 0)


def _deviation(place: int, beside: Sequence[tuple[int, PairCount]]) -> float | None:
    n, total, squares = _moments(place, beside)
    if n < LEAST_SHARED:
        return None
    return math.sqrt(max(0.0, squares - total**2 / n) / (n - 1))


def _of_others(key: int, counts: PeerCounts) -> Counter[int]:
    seconds: Counter[int] = Counter()
    for other, person in counts.people.items():
        if other != key:
            seconds.update(person.seconds)
    return seconds


def _median(seconds: Counter[int]) -> float | None:
    """The median of the judgements that took any time; None where they are too few."""
    timed = sorted((value, n) for value, n in seconds.items() if value > 0)
    total = sum(n for _value, n in timed)
    if total < LEAST_TIMED:
        return None
    values, weights = zip(*timed, strict=True)
    ends = np.cumsum(weights)
    places = ((total - 1) // 2, total // 2)
    middle = [float(values[int(np.searchsorted(ends, place + 1))]) for place in places]
    return sum(middle) / 2


def _added(left: Sequence[int], right: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(left, right, strict=True)]
