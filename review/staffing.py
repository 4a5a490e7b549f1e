"""Whether the people of a project can fill every panel of a round, worked out before it opens."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class ShortageCode(StrEnum):
    """Why items cannot get all their judgements; the order is the order of listing."""

    TOO_FEW_PEOPLE = "too_few_people"
    EXPERTISE = "expertise"
    NO_EXPERT = "no_expert"
    OWN_WORK = "own_work"
    CAP = "cap"


@dataclass(frozen=True, slots=True)
class Judge:
    """Someone who may judge now; no `subjects` means all of them."""

    person: int
    subjects: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Items alike: of one subject, and not for the same people, who wrote or judged them."""

    subject: int
    barred: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Shortage:
    """`count` items that too few people may judge; for a cap, the judgements that nobody gives.

    `subjects` are those of the items that lack experts.
    """

    code: ShortageCode
    count: int
    subjects: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the people of a project can do in a round.

    `items_for` counts, for each judge, the items that they may judge. `largest_panel` is the
    panel size that every item could get. `workload` is how many judgements the busiest person gives
    at least, however well the work is shared.
    """

    items: int
    panel_size: int
    judges: int
    largest_panel: int
    items_for: Mapping[int, int] = field(default_factory=dict)
    workload: int = 0
    shortages: tuple[Shortage, ...] = ()

    @property
    def is_finishable(self) -> bool:
        return not self.shortages


def forecast(
    groups: Mapping[ItemGroup, int],
    judges: Sequence[Judge],
    *,
    panel_size: int,
    cap_per_person: int | None = None,
    needs_expert: bool = False,
) -> Forecast:
    """Count who may judge how much, and name every reason why a panel would stay incomplete.

    A shortage is certain: without one, it can still depend on who takes which item.
    """
    items_for: Counter[int] = Counter({judge.person: 0 for judge in judges})
    short: Counter[ShortageCode] = Counter()
    subjects: dict[ShortageCode, set[int]] = defaultdict(set)
    able_counts: list[int] = []
    for group, count in groups.items():
        able = [judge for judge in judges if _may_judge(judge, group)]
        able_counts.append(len(able))
        items_for.update(dict.fromkeys((judge.person for judge in able), count))
        if len(able) < panel_size:
            code = _why_short(group, judges, panel_size)
        elif needs_expert and not any(judge.subjects for judge in able):
            code = ShortageCode.NO_EXPERT
        else:
            continue
        short[code] += count
        subjects[code].add(group.subject)
    total = sum(groups.values())
    missing = total * panel_size - sum(_capped(items_for.values(), cap_per_person))
    if not short and missing > 0:
        short[ShortageCode.CAP] = missing
    return Forecast(
        items=total,
        panel_size=panel_size,
        judges=len(judges),
        largest_panel=min(able_counts, default=0),
        items_for=dict(items_for),
        workload=min(
            _workload(groups, judges, panel_size, needs_expert=needs_expert),
            total * panel_size if cap_per_person is None else cap_per_person,
        ),
        shortages=tuple(
            Shortage(code, short[code], _subjects_of(code, subjects[code]))
            for code in ShortageCode
            if short[code]
        ),
    )


def _may_judge(judge: Judge, group: ItemGroup) -> bool:
    return _is_expert(judge, group) and judge.person not in group.barred


def _is_expert(judge: Judge, group: ItemGroup) -> bool:
    return not judge.subjects or group.subject in judge.subjects


def _why_short(group: ItemGroup, judges: Sequence[Judge], panel_size: int) -> ShortageCode:
    if len(judges) < panel_size:
        return ShortageCode.TOO_FEW_PEOPLE
    if sum(_is_expert(judge, group) for judge in judges) < panel_size:
        return ShortageCode.EXPERTISE
    return ShortageCode.OWN_WORK


def _capped(counts: Collection[int], cap: int | None) -> list[int]:
    return [count if cap is None else min(count, cap) for count in counts]


def _subjects_of(code: ShortageCode, subjects: set[int]) -> tuple[int, ...]:
    of_subjects = (ShortageCode.EXPERTISE, ShortageCode.NO_EXPERT)
    return tuple(sorted(subjects)) if code in of_subjects else ()


def _workload(
    groups: Mapping[ItemGroup, int],
    judges: Sequence[Judge],
    panel_size: int,
    *,
    needs_expert: bool,
) -> int:
    """The largest share of one person: of all seats, of a subject's, of those kept for experts.

    Nobody judges an item twice, so seats beyond the number of people are nobody's work.
    """
    items: Counter[int] = Counter()
    for group, count in groups.items():
        items[group.subject] += count
    shares = [(items.total() * min(panel_size, len(judges)), len(judges))]
    for subject, count in items.items():
        able = [judge for judge in judges if _is_expert(judge, ItemGroup(subject))]
        shares.append((count * min(panel_size, len(able)), len(able)))
        if needs_expert:
            shares.append((count, sum(bool(judge.subjects) for judge in able)))
    return max(math.ceil(seats / people) for seats, people in shares if people) if judges else 0
