"""Batch repairs as pages and the API show them: what changes in each text, and what stays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from annotation.checks.queries import title_of
from annotation.items.timeline import FieldDiff, changed_fields
from annotation.models import Item, Revision
from review.enums import LeftOut
from review.models import RepairBatch, RepairedText
from review.repairs.planning import PlannedRepair, RepairPlan

SHOWN = 50


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text of a batch: what the repair changes in it, and what became of it.

    `left` is why it is not repaired, `kept` why undoing left the repair; '' where it is not so.
    """

    item: Item
    revision: Revision
    fields: Sequence[FieldDiff]
    left: str = ""
    kept: str = ""
    is_repaired: bool = False
    is_restored: bool = False

    @property
    def reason(self) -> str:
        """Why the text stayed as it was, or why it keeps the repair, in words."""
        code = self.left or self.kept
        return str(LeftOut(code).label) if code else ""


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """A preview: SHOWN texts that change and SHOWN that are left out, and how many there are."""

    digest: str
    count: int
    changes: Sequence[TextChange]
    left_count: int
    left: Sequence[TextChange]
    reasons: Sequence[tuple[str, int]]
    next_after: int | None


def shown_plan(plan: RepairPlan) -> ShownPlan:
    """Return a plan as a page shows it; of the texts left out some of every reason."""
    return ShownPlan(
        digest=plan.digest,
        count=len(plan.repairs),
        changes=[_planned(each) for each in plan.repairs[:SHOWN]],
        left_count=len(plan.left),
        left=[_planned(each) for each in _some_of_each(plan.left)],
        reasons=[(str(reason.label), count) for reason, count in plan.left_counts.items()],
        next_after=plan.next_after,
    )


def shown_texts(rows: Iterable[RepairedText]) -> list[TextChange]:
    """Return texts of a batch; wants `before__translation__item` and `after` loaded."""
    return [
        TextChange(
            item=row.before.translation.item,
            revision=row.before,
            fields=changed_fields(row.before, row.after) if row.after else (),
            left=row.left,
            kept=row.kept,
            is_repaired=row.after_id is not None,
            is_restored=row.restored_at is not None,
        )
        for row in rows
    ]


def batch_title(batch: RepairBatch) -> str:
    """What was repaired: the check, with the subject and the system if the batch is about one."""
    further = [batch.subject.name] if batch.subject else []
    further += [batch.system] if batch.system else []
    return " · ".join([title_of(batch.code), *further])


def _planned(planned: PlannedRepair) -> TextChange:
    text = planned.revision
    fields = changed_fields(text, planned.new) if planned.new else ()
    return TextChange(text.translation.item, text, fields, left=planned.left or "")


def _some_of_each(left: Sequence[PlannedRepair]) -> list[PlannedRepair]:
    """Return SHOWN texts at most, in the order of their reasons, as many of each as there is room."""
    order = list(LeftOut)
    ordered = sorted(left, key=lambda each: order.index(each.left or LeftOut.CHANGED))
    groups = [list(group) for _reason, group in groupby(ordered, key=lambda each: each.left)]
    room = SHOWN // max(1, len(groups))
    return [each for group in groups for each in group[:room]]
