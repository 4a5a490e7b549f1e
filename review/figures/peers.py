"""How each reviewer judges beside the others: agreement, severity, consistency and speed.

Read from the counts of one round or of several: `PeerCounts` add up, so a closed round keeps its
own and a report over many rounds reads no judgement again.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from common.estimates import Estimate, NoInterval, Undefined
from common.intervals import wilson_interval
from projects.criteria import DEFAULT_CRITERIA, Criterion, names_of
from review.figures.agreement import fleiss_kappa
from review.outcomes import VERDICTS

Ints = npt.NDArray[np.int64]
LEAST_SHARED = 10
"""Two people who judged fewer items together are not compared."""
LEAST_TIMED = 30
"""Nobody's speed is told from fewer judgements."""
NORMAL = 1.959964
_KINDS = len(VERDICTS)


class PeerColumns(NamedTuple):
    """Judgements of whole panels: what stands at one place of each column is one judgement.

    `said` has a row of numbers for each: the place of the verdict in VERDICTS, and the ratings in
    the order of the criteria. `outcome` is the place of the panel's outcome in `outcomes`.
    """

    panel: Ints
    reviewer: Ints
    said: Ints
    seconds: Ints
    outcome: Ints
    outcomes: Sequence[str]

    def ordered(self) -> Self:
        """The same with the judgements of a panel together."""
        order = np.argsort(self.panel, kind="stable")
        return self._replace(
            panel=self.panel[order],
            reviewer=self.reviewer[order],
            said=self.said[order],
            seconds=self.seconds[order],
            outcome=self.outcome[order],
        )


@dataclass(slots=True)
class PairCount:
    """What two people said of the items that both judged, the first with the lower id.

    `verdicts[3 * i + j]` items got verdict i from the first and j from the second; `sums` and
    `squares` are of the first one's rating minus the second one's, by criterion.
    """

    verdicts: list[int] = field(default_factory=lambda: [0] * _KINDS**2)
    sums: list[int] = field(default_factory=list)
    squares: list[int] = field(default_factory=list)

    @property
    def n(self) -> int:
        return sum(self.verdicts)

    @property
    def same(self) -> int:
        return sum(self.verdicts[:: _KINDS + 1])

    def add(self, other: "PairCount") -> None:
        self.verdicts = _added(self.verdicts, other.verdicts)
        self.sums = _added(self.sums or [0] * len(other.sums), other.sums)
        self.squares = _added(self.squares or [0] * len(other.squares), other.squares)


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


def count_peers(parts: Iterable[PeerColumns]) -> PeerCounts:
    """Count the judgements of panels; those of one panel must be in one part."""
    counts = PeerCounts()
    for part in parts:
        if len(part.panel):
            columns = part.ordered()
            _count_people(columns, counts)
            _count_pairs(columns, counts)
    return counts


def pair_figures(counts: PeerCounts) -> list[PairFigures]:
    """The agreement of each pair, the pairs with the most common items first."""
    found = [_pair(first, second, pair) for (first, second), pair in counts.pairs.items()]
    return sorted(found, key=lambda each: (-each.items, each.first, each.second))


def person_figures(
    counts: PeerCounts,
    decisions: Mapping[int, Counter[tuple[str, str]]],
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA,
) -> list[PersonFigures]:
    """Each reviewer, by id; `decisions` counts by person (verdict, senior's decision) in disputes."""
    beside: dict[int, list[tuple[int, PairCount]]] = defaultdict(list)
    for (first, second), pair in counts.pairs.items():
        beside[first].append((1, pair))
        beside[second].append((-1, pair))
    seconds: Counter[int] = Counter()
    for person in counts.people.values():
        seconds.update(person.seconds)
    names = names_of(criteria)
    return [
        _person(key, counts.people[key], seconds, beside[key], decisions.get(key, Counter()), names)
        for key in sorted(counts.people)
    ]


DECIDED = {"approve": "approve", "adopt": "revise", "merge": "revise", "reject": "reject"}
OUTCOMES = {"approved": "approve", "revised": "revise", "rejected": "reject"}


def _count_people(columns: PeerColumns, counts: PeerCounts) -> None:
    verdicts = _counted(columns.reviewer, columns.said[:, 0], columns.outcome)
    for (who, verdict, outcome), n in verdicts:
        person = counts.people.setdefault(who, PersonCount())
        person.verdicts[VERDICTS[verdict], columns.outcomes[outcome]] += n
    for (who, seconds), n in _counted(columns.reviewer, columns.seconds):
        counts.people[who].seconds[seconds] += n


def _counted(*columns: Ints) -> Iterator[tuple[tuple[int, ...], int]]:
    """How often each combination comes of numbers that stand at one place, in order."""
    known = [np.unique(column, return_inverse=True) for column in columns]
    sizes = tuple(len(values) for values, _places in known)
    places = np.ravel_multi_index(tuple(places for _values, places in known), sizes)
    found, numbers = np.unique(places, return_counts=True)
    there = np.unravel_index(found, sizes)
    combined = [values[place].tolist() for (values, _), place in zip(known, there, strict=True)]
    return zip(zip(*combined, strict=True), numbers.tolist(), strict=True)


def _count_pairs(columns: PeerColumns, counts: PeerCounts) -> None:
    """Count every two judgements of a panel: those next to each other, then those two apart …"""
    panel = columns.panel
    _panels, sizes = np.unique(panel, return_counts=True)
    for step in range(1, int(sizes.max())):
        together = np.flatnonzero(panel[step:] == panel[:-step])
        _count_beside(counts, columns.reviewer, columns.said, together, together + step)


def _count_beside(counts: PeerCounts, person: Ints, said: Ints, one: Ints, other: Ints) -> None:
    """Count the judgements at `one` beside those at `other`, grouped by pair of people."""
    swap = person[one] > person[other]
    left, right = np.where(swap, other, one), np.where(swap, one, other)
    people, places = np.unique(person[np.concatenate([left, right])], return_inverse=True)
    pairs, inverse = np.unique(
        places[: len(left)] * len(people) + places[len(left) :], return_inverse=True
    )
    verdicts = np.zeros((len(pairs), _KINDS**2), dtype=np.int64)
    np.add.at(verdicts, (inverse, said[left, 0] * _KINDS + said[right, 0]), 1)
    gaps = said[left, 1:] - said[right, 1:]
    sums = np.zeros((len(pairs), gaps.shape[1]), dtype=np.int64)
    squares = sums.copy()
    np.add.at(sums, inverse, gaps)
    np.add.at(squares, inverse, gaps**2)
    for place, pair in enumerate(pairs.tolist()):
        key = int(people[pair // len(people)]), int(people[pair % len(people)])
        found = PairCount(verdicts[place].tolist(), sums[place].tolist(), squares[place].tolist())
        counts.pairs.setdefault(key, PairCount()).add(found)


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
    person: PersonCount,
    seconds: Counter[int],
    beside: Sequence[tuple[int, PairCount]],
    decisions: Counter[tuple[str, str]],
    names: Sequence[str],
) -> PersonFigures:
    """The figures of one person; `seconds` are everybody's, their own among them."""
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
        severity={name: _severity(place, beside) for place, name in enumerate(names)},
        consistency={name: _deviation(place, beside) for place, name in enumerate(names)},
        median_seconds=_median(person.seconds),
        others_median_seconds=_median(seconds - person.seconds),
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
