"""Control items: which items can serve, where they stand in a round, and what a reviewer is shown."""

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.crypto import salted_hmac

from annotation.checks.actions import findings_for
from annotation.models import Finding, Item, Revision
from annotation.querysets import ItemQuerySet
from languages import get_language
from languages.letters import position_of
from projects.models import Project
from review.models import Control, Panel, Round
from review.outcomes import Correction
from review.selection.degrading import Text, degrade
from review.selection.item_choice import reviewable_items

DEGRADED_SHARE = 0.5
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class PlannedControl:
    """A known-good item at its place in a round; `is_degraded` asks for a fault."""

    item: int
    revision: int
    position: int
    is_degraded: bool


def known_good_items(project: Project) -> ItemQuerySet:
    """Approved items without any open finding: what reviewers and seniors found good."""
    good: ItemQuerySet = reviewable_items(project).approved()
    return good.filter(has_open_errors=False, has_open_warnings=False)


def plan_controls(
    round_: Round, chosen: Collection[int], *, percent: int
) -> tuple[PlannedControl, ...]:
    """The control items of a round over the items `chosen`, drawn and placed by the round's seed.

    So many for each 100 items, rounded up, or as many as there are known-good items beside those
    chosen. Half of them are to be degraded. The server's secret takes part in the draw: everybody
    may know the seed and this code, and nobody may find the controls by them.
    """
    if not percent:
        return ()
    current = "working_translation__current_revision"
    rows = known_good_items(round_.project).order_by("uid").values_list("pk", current)
    left = [row for row in rows if row[0] not in chosen]
    chance = random.Random(
        salted_hmac("review.controls", f"{round_.seed} {round_.number}").digest()
    )
    count = _how_many(len(chosen), len(left), percent)
    drawn = chance.sample(left, count)
    positions = sorted(chance.sample(range(1, len(chosen) + count + 1), count))
    degraded = set(chance.sample(range(count), math.ceil(count * DEGRADED_SHARE)))
    return tuple(
        PlannedControl(item, revision, position, place in degraded)
        for place, ((item, revision), position) in enumerate(zip(drawn, positions, strict=True))
    )


def control_count(project: Project, chosen: ItemQuerySet, *, percent: int) -> int:
    """How many control items a round over the items `chosen` would have."""
    if not percent:
        return 0
    left = known_good_items(project).exclude(pk__in=chosen.order_by().values("pk"))
    return _how_many(chosen.count(), left.count(), percent)


def _how_many(chosen: int, left: int, percent: int) -> int:
    return min(left, math.ceil(chosen * percent / 100))


def places_of_items(count: int, planned: Sequence[PlannedControl]) -> Sequence[int]:
    """The positions of `count` items in order, around those of the controls."""
    taken = {control.position for control in planned}
    if not taken:
        return range(1, count + 1)
    return [n for n in range(1, count + len(taken) + 1) if n not in taken]


def planned_text(item: Item, control: PlannedControl, project: Project, seed: int) -> Control:
    """What a planned control shows; an unsaved row. As it is where no fault fits its text.

    `item` comes with its current revision.
    """
    translation: Any = item.working_translation
    revision: Revision = translation.current_revision
    options = tuple(revision.options)
    text = Text(
        revision.question,
        options,
        position_of(item.key, len(options)),
        get_language(project.target_language),
        revision.answer,
        revision.explanation,
    )
    found = degrade(text, f"{seed} {item.uid}") if control.is_degraded else None
    shown = found.text if found else text
    return Control(
        fault=found.kind if found else "",
        field=found.field if found else "",
        question=shown.question,
        options=list(shown.options),
        answer=shown.answer,
        explanation=shown.explanation,
    )


def as_shown(panel: Panel) -> Panel:
    """The panel with the text that its judges see: for a control, in place of the revision's.

    The revision is changed in memory only; revisions are never saved again.
    """
    if panel.is_control:
        shown, revision = panel.control, panel.revision
        revision.question, revision.options = shown.question, shown.options
        revision.answer, revision.explanation = shown.answer, shown.explanation
    return panel


def shown_text(panel: Panel) -> Correction:
    """The text that the panel's judges see."""
    return Correction.of(panel.control if panel.is_control else panel.revision)


def is_degraded(panel: Panel) -> bool:
    return panel.is_control and bool(panel.control.fault)


def control_findings(panel: Panel) -> list[Finding]:
    """What the checks find in a text with a planted fault; nothing is written.

    The findings of the true text would not fit the fault and give it away. What was dismissed in
    a field that the fault left alone stays dismissed. `panel` is `as_shown`.
    """
    project, revision = panel.round.project, panel.revision
    found = findings_for(
        item=panel.item, revision=revision, project=project, now=panel.round.opened_at
    )
    dismissed = Finding.objects.filter(revision=revision.pk, dismissed_at__isnull=False)
    known = set(dismissed.exclude(field=panel.control.field).values_list("code", "field"))
    return [each for each in found if (each.code, each.field) not in known]
