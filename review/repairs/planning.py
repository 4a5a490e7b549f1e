"""Which texts a batch repair would change and to what, and which it leaves out and why."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Q

from annotation.checks.actions import findings_for, findings_now, repair_of
from annotation.checks.catalogue.labels import BESIDE_OTHERS, KINDS, REPORTED
from annotation.checks.causes import Found
from annotation.checks.presenters import text_in_field
from annotation.checks.queries import findings_of
from annotation.enums import ItemState, Severity, TranslationState
from annotation.items.revisions import text_hash
from annotation.models import Finding, Revision
from annotation.querysets import is_shown
from projects.models import Project
from review.enums import LeftOut, PanelState
from review.models import Panel
from review.outcomes import Correction
from review.workbench.actions.judgements import JudgementInvalid, check_correction
from review.workbench.actions.numbers import changed_numbers

AT_ONCE: Final = 500
"""So many texts one preview looks at: each takes a few milliseconds."""
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When findings were made that are not stored."""
_OF_PANELS: Final = {
    PanelState.JUDGING: LeftOut.BEING_JUDGED,
    PanelState.DISPUTED: LeftOut.IN_DISPUTE,
}
_OF_STATES: Final = {
    TranslationState.APPROVED: LeftOut.APPROVED,
    TranslationState.REJECTED: LeftOut.REJECTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairFilter:
    """The texts with an open finding of the check `code`; empty means all.

    `subject` is a slug. Without a `system` they are the texts under review. `after` is the id of
    the last revision that an earlier preview looked at.
    """

    code: str
    subject: str = ""
    system: str = ""
    after: int = 0


@dataclass(frozen=True, slots=True)
class PlannedRepair:
    """A text and what the batch repair makes of it, or why it leaves the text out.

    `new` is the repaired text; exactly one of `new` and `left` is set.
    """

    revision: Revision
    new: Correction | None
    left: LeftOut | None

    @property
    def content_hash(self) -> str:
        """The hash that the repaired text has when it is stored, '' of one that is left out."""
        if self.new is None:
            return ""
        further = (self.revision.answer, self.revision.explanation)
        return text_hash(self.new.question, self.new.options, *further)


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What one batch repair would do; `digest` stands for exactly these repairs.

    `next_after` is the `after` of the next preview, None if this one saw the last text.
    """

    wanted: RepairFilter
    repairs: Sequence[PlannedRepair]
    left: Sequence[PlannedRepair]
    next_after: int | None

    @property
    def digest(self) -> str:
        lines = [f"{self.wanted.code}\n{self.wanted.subject}\n{self.wanted.system}"]
        lines += [f"{each.revision.pk} {each.content_hash}" for each in self.repairs]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    @property
    def left_counts(self) -> dict[LeftOut, int]:
        """How many texts are left out for which reason, in the order of the reasons."""
        counts = Counter(each.left for each in self.left)
        return {reason: counts[reason] for reason in LeftOut if counts[reason]}


def plan_repairs(project: Project, wanted: RepairFilter, *, is_whole: bool = False) -> RepairPlan:
    """Return what a batch repair would do with the next AT_ONCE texts; `is_whole` looks at all."""
    plan = _plan_some(project, wanted)
    while is_whole and plan.next_after is not None:
        further = _plan_some(project, replace(wanted, after=plan.next_after))
        plan = RepairPlan(
            wanted,
            [*plan.repairs, *further.repairs],
            [*plan.left, *further.left],
            further.next_after,
        )
    return plan


def _plan_some(project: Project, wanted: RepairFilter) -> RepairPlan:
    rows = with_findings(Revision.objects.filter(_has_finding(project, wanted)))
    texts = list(rows.filter(pk__gt=wanted.after)[: AT_ONCE + 1])
    planned = plan_texts(texts[:AT_ONCE], project, wanted.code)
    return RepairPlan(
        wanted,
        [each for each in planned if each.new],
        [each for each in planned if each.left],
        texts[AT_ONCE - 1].pk if len(texts) > AT_ONCE else None,
    )


def with_findings(rows: Any) -> Any:
    """Return rows of revisions in order, loaded as `plan_texts` wants them."""
    rows = rows.select_related("translation__item__subject")
    return rows.prefetch_related("findings", "translation__item__key_changes").order_by("pk")


def plan_texts(texts: Sequence[Revision], project: Project, code: str) -> list[PlannedRepair]:
    """Return what the repair of `code` makes of each text, in their order; one query more."""
    obstacles = obstacles_of(texts)
    return [_planned(text, project, code, obstacles.get(text.pk)) for text in texts]


def obstacles_of(texts: Iterable[Revision]) -> Mapping[int, LeftOut]:
    """Return {revision: reason} of the texts that nobody may change now; one query.

    That is while a panel on the item is not decided, and once the text was decided on.
    """
    texts = list(texts)
    items = {text.translation.item_id for text in texts}
    panels = Panel.objects.filter(item__in=items, state__in=list(_OF_PANELS))
    # A dispute is named before a panel that is judging.
    waiting = dict(panels.order_by("-state").values_list("item", "state"))
    found: dict[int, LeftOut] = {}
    for text in texts:
        state = waiting.get(text.translation.item_id)
        reason = _OF_PANELS[PanelState(state)] if state else None
        reason = reason or _OF_STATES.get(TranslationState(text.translation.state))
        if reason:
            found[text.pk] = reason
    return found


def _has_finding(project: Project, wanted: RepairFilter) -> Q:
    found = findings_of(project, wanted.system).open().filter(code=wanted.code)
    if wanted.subject:
        found = found.filter(revision__translation__item__subject__slug=wanted.subject)
    return is_shown("translation__") & Q(pk__in=found.values("revision"))


def _planned(
    text: Revision, project: Project, code: str, obstacle: LeftOut | None
) -> PlannedRepair:
    left = _standing(text, code, obstacle)
    if left:
        return PlannedRepair(text, None, left)
    found = _repaired(text, project, code)
    return (
        PlannedRepair(text, None, found)
        if isinstance(found, LeftOut)
        else PlannedRepair(text, found, None)
    )


def _standing(text: Revision, code: str, obstacle: LeftOut | None) -> LeftOut | None:
    """Why the text may not be changed by a batch, whatever its repair is."""
    if text.translation.item.state == ItemState.EXCLUDED:
        return LeftOut.EXCLUDED
    if text.translation.current_revision_id != text.pk:
        return LeftOut.CHANGED
    if obstacle:
        return obstacle
    dismissed = (each.code for each in text.findings.all() if each.dismissed_at)
    return LeftOut.DISMISSED if code in dismissed else None


def _repaired(text: Revision, project: Project, code: str) -> Correction | LeftOut:
    """Return the repaired text, or why there is none that a batch may take."""
    if code == REPORTED or code in BESIDE_OTHERS:
        return LeftOut.NO_REPAIR  # no check of this text alone can see it gone
    before = findings_now(revision=text, project=project, now=_NEVER)
    if not _count(before, code):
        return LeftOut.GONE
    if _overlaps(text, before, code):
        return LeftOut.OVERLAPPING
    repair = repair_of(item=text.translation.item, text=text, project=project)
    if repair is None:
        return LeftOut.NO_REPAIR
    new = Correction(repair.question, repair.options).in_full(text)
    return _objection(text, new, before, project, code) or new


def _objection(
    text: Revision, new: Correction, before: Sequence[Finding], project: Project, code: str
) -> LeftOut | None:
    """Why a batch may not put `new` in the place of a text in which the checks find `before`."""
    item = text.translation.item
    after = findings_for(item=item, revision=_as_revision(new, text), project=project, now=_NEVER)
    if _count(after, code) >= _count(before, code) or not _is_whole(new, text):
        return LeftOut.NO_REPAIR
    if _errors(after) - (_errors(before) - _dismissed(text)):
        return LeftOut.NEW_ERROR
    return LeftOut.NUMBERS if changed_numbers(new, item, text, project) else None


def _overlaps(text: Revision, found: Sequence[Found], code: str) -> bool:
    """Say whether a finding of another cause is about a place of one of this check.

    A finding about a whole field names no place. One that is only a consequence of this check's
    finding, or whose consequence that is, has the same cause.
    """
    kin = _kin(code)
    own = [each for each in found if each.code == code and _names_a_place(each, text)]
    others = [each for each in found if each.code not in kin and _names_a_place(each, text)]
    return any(
        a.field == b.field and a.start < b.end and b.start < a.end for a in own for b in others
    )


def _kin(code: str) -> set[str]:
    explained = KINDS[code].explains if code in KINDS else frozenset()
    explaining = {each for each, kind in KINDS.items() if code in kind.explains}
    return {code, *explained, *explaining}


def _names_a_place(each: Found, text: Revision) -> bool:
    return each.start < each.end and each.end - each.start < len(text_in_field(text, each.field))


def _as_revision(new: Correction, text: Revision) -> Revision:
    return Revision(
        question=new.question,
        options=list(new.options),
        answer=text.answer,
        explanation=text.explanation,
        key=text.key,
    )


def _is_whole(new: Correction, text: Revision) -> bool:
    """Whether the repaired text is one that a person could have saved."""
    try:
        check_correction(new, text, len(text.translation.item.options))
    except JudgementInvalid:
        return False
    return True


def _count(found: Iterable[Finding], code: str) -> int:
    return sum(each.code == code for each in found)


def _errors(found: Iterable[Finding]) -> set[tuple[str, str]]:
    return {(each.code, each.field) for each in found if each.severity == Severity.ERROR}


def _dismissed(text: Revision) -> set[tuple[str, str]]:
    """What somebody dismissed, which would be open again in the repaired text."""
    return {(each.code, each.field) for each in text.findings.all() if each.dismissed_at}
