"""Every write to findings: running the checks on texts, and dismissing with a reason."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.catalogue.labels import BESIDE_OTHERS, REPORTED
from annotation.checks.repairs import Repair, find_repair
from annotation.enums import Origin
from annotation.glossary.queries import terms_in_source
from annotation.importers.base import Mark
from annotation.index import lock_items, refresh_finding_flags
from annotation.models import Finding, Item, Revision
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project

MARKED_CODE = "options_unreadable"
INSERT_BATCH = 2000
BesideOthers = Callable[[int, CheckInput], Sequence[Problem]]
"""Says what the text of a revision shows beside the others of its project."""


class FindingAlreadyDismissed(DomainError):
    code = "finding_already_dismissed"
    detail = _("This finding has already been dismissed.")


class FindingGone(DomainError):
    code = "finding_gone"
    detail = _("The checks no longer find this in the text, so there is nothing to dismiss.")


class FindingNotDismissed(DomainError):
    code = "finding_not_dismissed"
    detail = _("This finding is not dismissed, so it cannot be reopened.")


def check_revision(*, revision: Revision, now: datetime) -> list[Finding]:
    """Run every check on one new text and store what they find."""
    item = revision.translation.item
    findings = findings_for(item=item, revision=revision, project=item.project, now=now)
    return Finding.objects.bulk_create(findings)


def findings_for(
    *, item: Item, revision: Revision, project: Project, now: datetime, marks: Sequence[Mark] = ()
) -> list[Finding]:
    """Return unsaved findings of every check on `revision`; nothing is written."""
    return _unsaved(check_text(_check_input(item, revision, project, marks)), revision, now)


def _unsaved(problems: Iterable[Problem], revision: Revision, now: datetime) -> list[Finding]:
    return [
        Finding(
            revision=revision,
            code=problem.code,
            severity=problem.severity,
            field=problem.field,
            start=problem.start,
            end=problem.end,
            data=dict(problem.data),
            created_at=now,
        )
        for problem in problems
    ]


def findings_now(
    *, revision: Revision, project: Project, now: datetime, beside: BesideOthers | None = None
) -> list[Finding]:
    """Return unsaved what the checks find in a stored text now; nothing is written.

    Wants `translation__item__key_changes` and `findings` of the revision loaded. What the text
    shows beside others is among it only with `beside`.
    """
    marks = _marks_of(revision, revision.findings.all())
    given = _check_input(revision.translation.item, revision, project, marks)
    others = beside(revision.pk, given) if beside else ()
    return _unsaved([*check_text(given), *others], revision, now)


def repair_of(*, item: Item, text: Revision, project: Project) -> Repair | None:
    """Return the certain repair of a text, None where it needs none or none is certain."""
    return find_repair(_check_input(item, text, project, ()))


def _check_input(
    item: Item, revision: Revision, project: Project, marks: Sequence[Mark]
) -> CheckInput:
    return CheckInput(
        source_question=item.question,
        source_options=tuple(item.options),
        source_key=item.key,
        question=revision.question,
        options=tuple(revision.options),
        key=_published_key(revision, item),
        marks=marks,
        source_language=project.source_language,
        target_language=project.target_language,
        terms=()
        if project.is_monolingual
        else terms_in_source(project, item.question, item.options),
        kind=item.kind,
        source_further=(item.answer, item.explanation),
        further=(revision.answer, revision.explanation),
    )


def _published_key(revision: Revision, item: Item) -> str | None:
    """Return the key published beside a text; None if there was none or the item had it once.

    Whoever corrected the item's key has decided against that one, for all texts.
    """
    if revision.key in ("", item.key):
        return revision.key or None
    former = {change.old_key for change in item.key_changes.all()}
    return None if revision.key in former else revision.key


@transaction.atomic
def check_again(
    *,
    revisions: Iterable[Revision],
    project: Project,
    now: datetime,
    beside: BesideOthers | None = None,
) -> int:
    """Add what the checks find now and did not find before; return how many findings are new.

    Findings that no longer hold are removed unless somebody dismissed them: a decision stays, and
    so does what a reader reported. Without `beside`, what a text shows beside others stays too.
    Keyed by (revision, code, field, start, end), so running it twice changes nothing. Wants
    `translation__item__key_changes` and `findings` of the revisions loaded; one delete and one
    insert.
    """
    revisions = list(revisions)
    items = {revision.translation.item_id for revision in revisions}
    lock_items(items)
    kept = {REPORTED} if beside else {REPORTED, *BESIDE_OTHERS}
    gone: list[int] = []
    new: list[Finding] = []
    for revision in revisions:
        there = list(revision.findings.all())
        fresh = findings_now(revision=revision, project=project, now=now, beside=beside)
        known = {_key(finding) for finding in there}
        found = {_key(finding) for finding in fresh}
        gone += [f.pk for f in there if _key(f) not in found and _may_go(f, kept)]
        new += [finding for finding in fresh if _key(finding) not in known]
    if gone:
        # Not what somebody has dismissed since the findings were loaded.
        Finding.objects.filter(pk__in=gone, dismissed_at__isnull=True).delete()
    Finding.objects.bulk_create(new, batch_size=INSERT_BATCH)
    refresh_finding_flags(items)
    return len(new)


def _marks_of(revision: Revision, findings: Iterable[Finding]) -> list[Mark]:
    """Return what only the importer could see; it stays as a finding of the text.

    Of an empty text the importer's mark is no finding, since `empty_text` says the same.
    """
    if revision.origin == Origin.IMPORTED and not (revision.question.strip() or revision.options):
        return [Mark(MARKED_CODE, "question", 0, len(revision.question), {})]
    return [
        Mark(finding.code, finding.field, finding.start, finding.end, finding.data)
        for finding in findings
        if finding.code == MARKED_CODE
    ]


@transaction.atomic
def dismiss_finding(*, finding: Finding, reason: str, actor: User, now: datetime) -> None:
    """Dismiss a finding with a reason; the name of the actor is kept with it.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, FindingAlreadyDismissed, FindingGone.
    """
    reason = checked_reason(reason)
    _lock_item_of(finding)
    dismissed = Finding.objects.filter(pk=finding.pk, dismissed_at__isnull=True).update(
        dismissed_at=now, dismissed_by=actor, dismissal_reason=reason
    )
    if not dismissed:
        raise FindingAlreadyDismissed if _is_there(finding) else FindingGone
    refresh_finding_flags([finding.revision.translation.item_id])
    record_event(
        actor=actor,
        verb="finding.dismissed",
        target=f"finding:{finding.pk}",
        scope=finding.revision.translation.item.project.slug,
        data={"code": finding.code, "reason": reason},
        now=now,
    )


@transaction.atomic
def reopen_finding(*, finding: Finding, actor: User, now: datetime) -> None:
    """Undo the dismissal of a finding; who dismissed it and why stays in the audit events.

    Raises FindingNotDismissed.
    """
    _lock_item_of(finding)
    reopened = Finding.objects.filter(pk=finding.pk, dismissed_at__isnull=False).update(
        dismissed_at=None, dismissed_by=None, dismissal_reason=""
    )
    if not reopened:
        raise FindingNotDismissed
    refresh_finding_flags([finding.revision.translation.item_id])
    record_event(
        actor=actor,
        verb="finding.reopened",
        target=f"finding:{finding.pk}",
        scope=finding.revision.translation.item.project.slug,
        data={"code": finding.code, "reason": finding.dismissal_reason},
        now=now,
    )


def _lock_item_of(finding: Finding) -> None:
    """Lock the item as whoever checks a text again does, so that neither waits for the other."""
    lock_items([finding.revision.translation.item_id])


def _is_there(finding: Finding) -> bool:
    return Finding.objects.filter(pk=finding.pk).exists()


def _may_go(finding: Finding, kept: Collection[str]) -> bool:
    return finding.dismissed_at is None and finding.code not in kept


def _key(finding: Finding) -> tuple[str, str, int, int]:
    return (finding.code, finding.field, finding.start, finding.end)
