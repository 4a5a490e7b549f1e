"""Whether the people of a project can fill every panel of a round, worked out before it opens."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class ShortageCode(StrEnum):
    """Why items cannot get all their judgements; the order is the order of listing."""

    TOO_FEW_PEOPLE = "too_few_people"
    EXPERTISE = "expertise"
    NO_EXPERT = "no_expert"
    OWN_WORK = "own_work"
    CAP = "cap"
    EXPERT_CAP = "expert_cap"


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

    For the cap of experts, the items that no expert judges. `subjects` are those of the items that
    lack experts.
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
    controls: int = 0,
) -> Forecast:
    """Count who may judge how much, and name every reason why a panel would stay incomplete.

    `controls` are the control items beside those of the groups: they take time and count for the
    cap. A shortage is certain: without one, it can still depend on who takes which item.
    """
    able = {group: [each for each in judges if _may_judge(each, group)] for group in groups}
    items_for: Counter[int] = Counter({judge.person: 0 for judge in judges})
    for group, people in able.items():
        items_for.update(dict.fromkeys((judge.person for judge in people), groups[group]))
    shortages = _uncovered(groups, judges, able, panel_size, needs_expert=needs_expert)
    total = sum(groups.values()) + controls
    workload = _workload(groups, judges, panel_size, needs_expert=needs_expert, controls=controls)
    if cap_per_person is not None and not shortages:
        left = _left_over(groups, judges, cap_per_person, judgements=panel_size, controls=controls)
        experts = [judge for judge in judges if judge.subjects]
        without = _left_over(groups, experts, cap_per_person) if needs_expert else 0
        shortages = [
            Shortage(ShortageCode.CAP, left),
            Shortage(ShortageCode.EXPERT_CAP, without),
        ]
    return Forecast(
        items=total - controls,
        panel_size=panel_size,
        judges=len(judges),
        largest_panel=min(map(len, able.values()), default=0),
        items_for=dict(items_for),
        workload=min(workload, total * panel_size if cap_per_person is None else cap_per_person),
        shortages=tuple(each for each in shortages if each.count),
    )


def _uncovered(
    groups: Mapping[ItemGroup, int],
    judges: Sequence[Judge],
    able: Mapping[ItemGroup, Sequence[Judge]],
    panel_size: int,
    *,
    needs_expert: bool,
) -> list[Shortage]:
    """The items for which there are too few people or no expert, by the reason."""
    short: Counter[ShortageCode] = Counter()
    subjects: dict[ShortageCode, set[int]] = defaultdict(set)
    for group, count in groups.items():
        if len(able[group]) < panel_size:
            code = _why_short(group, judges, panel_size)
        elif needs_expert and not any(judge.subjects for judge in able[group]):
            code = ShortageCode.NO_EXPERT
        else:
            continue
        short[code] += count
        subjects[code].add(group.subject)
    return [
        Shortage(code, short[code], _subjects_of(code, subjects[code]))
        for code in ShortageCode
        if short[code]
    ]


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


def _left_over(
    groups: Mapping[ItemGroup, int],
    judges: Sequence[Judge],
    cap: int,
    *,
    judgements: int = 1,
    controls: int = 0,
) -> int:
    """How many judgements nobody gives: of all items, or of those of each subject by themselves.

    Each item needs `judgements` by different people, and nobody gives more than `cap`.
    """
    able: dict[int, Counter[int]] = defaultdict(Counter)
    items: Counter[int] = Counter()
    for group, count in groups.items():
        items[group.subject] += count
        able[group.subject].update(
            {judge.person: count for judge in judges if _may_judge(judge, group)}
        )
    of_all = {judge.person: controls for judge in judges}
    for of_subject in able.values():
        for person, count in of_subject.items():
            of_all[person] += count
    left = (items.total() + controls) * judgements - _given(of_all, cap)
    left_in = [items[each] * judgements - _given(able[each], cap) for each in items]
    return max(0, left, sum(max(0, each) for each in left_in))


def _given(counts: Mapping[int, int], cap: int) -> int:
    return sum(min(count, cap) for count in counts.values())


def _subjects_of(code: ShortageCode, subjects: set[int]) -> tuple[int, ...]:
    of_subjects = (ShortageCode.EXPERTISE, ShortageCode.NO_EXPERT)
    return tuple(sorted(subjects)) if code in of_subjects else ()


def _workload(
    groups: Mapping[ItemGroup, int],
    judges: Sequence[Judge],
    panel_size: int,
    *,
    needs_expert: bool,
    controls: int,
) -> int:
    """The largest share of one person: of all seats, of a subject's, of those kept for experts.

    Nobody judges an item twice, so seats beyond the number of people are nobody's work.
    """
    items: Counter[int] = Counter()
    for group, count in groups.items():
        items[group.subject] += count
    shares = [((items.total() + controls) * min(panel_size, len(judges)), len(judges))]
    for subject, count in items.items():
        able = [judge for judge in judges if _is_expert(judge, ItemGroup(subject))]
        shares.append((count * min(panel_size, len(able)), len(able)))
        if needs_expert:
            shares.append((count, sum(bool(judge.subjects) for judge in able)))
    return max(math.ceil(seats / people) for seats, people in shares if people) if judges else 0
