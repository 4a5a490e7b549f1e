"""How each reviewer judges control items; with names, so for managers alone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from common.estimates import Estimate, Undefined
from common.intervals import wilson_interval
from projects.models import Project
from review.enums import Verdict
from review.models import Judgement, Panel


@dataclass(frozen=True, slots=True)
class ControlCounts:
    """What one person made of control items.

    `degraded` had a planted fault and `found` of them were not approved; `sound` were shown as
    they are and `false_alarms` of them were not approved.
    """

    degraded: int = 0
    found: int = 0
    sound: int = 0
    false_alarms: int = 0

    @property
    def missed(self) -> int:
        return self.degraded - self.found

    @property
    def agreement(self) -> Estimate:
        """The share of controls that they judged rightly."""
        right = self.found + self.sound - self.false_alarms
        return _share(right, self.degraded + self.sound)

    @property
    def found_share(self) -> Estimate:
        return _share(self.found, self.degraded)

    @property
    def false_alarm_share(self) -> Estimate:
        return _share(self.false_alarms, self.sound)

    def as_json(self) -> dict[str, Any]:
        return {
            "degraded": self.degraded,
            "found": self.found,
            "missed": self.missed,
            "sound": self.sound,
            "false_alarms": self.false_alarms,
            "agreement": self.agreement.as_json(),
            "found_share": self.found_share.as_json(),
            "false_alarm_share": self.false_alarm_share.as_json(),
        }


def control_counts(project: Project, *, as_of: int | None = None) -> Mapping[int, ControlCounts]:
    """The counts of each person who judged a control item, by id; two queries.

    Of open rounds too: control items have no panel whose independence this could harm.
    """
    rounds = project.rounds.filter(control_count__gt=0)
    if as_of is not None:
        rounds = rounds.filter(number__lte=as_of)
    if not (found := list(rounds.values_list("pk", flat=True))):
        return {}
    controls = Panel.with_controls.filter(round__in=found, is_control=True)
    rows = Judgement.with_controls.filter(panel__in=controls)
    grouped = rows.values_list("reviewer", "panel__control__fault", "verdict")
    seen: dict[int, Counter[tuple[bool, bool]]] = {}
    for reviewer, fault, verdict, n in grouped.annotate(n=Count("pk")).order_by():
        person = seen.setdefault(reviewer, Counter())
        person[bool(fault), verdict != Verdict.APPROVE] += n
    return {reviewer: _counts(person) for reviewer, person in seen.items()}


def _counts(seen: Counter[tuple[bool, bool]]) -> ControlCounts:
    """`seen` counts by (has a fault, was not approved)."""
    return ControlCounts(
        degraded=seen[True, True] + seen[True, False],
        found=seen[True, True],
        sound=seen[False, True] + seen[False, False],
        false_alarms=seen[False, True],
    )


def _share(part: int, whole: int) -> Estimate:
    """A share with Wilson's interval, which says itself how little a few controls tell."""
    if not whole:
        return Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    interval = wilson_interval(part, whole)
    return Estimate(part / whole, interval.low, interval.high, whole, 0)
