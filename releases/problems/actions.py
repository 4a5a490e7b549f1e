"""Take problem reports within limits, decide them, and note the release that mends them."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from accounts.networks import network_of
from annotation.checks.reported import dismiss_reported, mark_reported
from common.db import move
from common.errors import DomainError, plain_text
from common.reasons import checked_reason
from projects.locks import lock_project
from projects.models import Project
from releases.enums import PROBLEM_TRANSITIONS, ProblemKind, ProblemState, Subset
from releases.models import ProblemReport, Release, ReleaseItem
from releases.querysets import ProblemQuerySet

LONGEST_TEXT = 2_000
LONGEST_CONTACT = 254
WINDOW = timedelta(hours=1)


class TooManyProblems(DomainError):
    code = "too_many_problems"
    detail = _(
        "Too many problems were reported. You can send the next one in %(minutes)s minutes, "
        "at %(at)s UTC."
    )
    status = 429


class ItemNotReadable(DomainError):
    code = "item_not_readable"
    detail = _("This release has no open item with this id. Check the id.")
    status = 400


class ProblemInvalid(DomainError):
    code = "problem_invalid"
    detail = _("Correct the fields below.")
    status = 400


class ProblemDecided(DomainError):
    code = "problem_decided"
    detail = _("This report already has this decision.")


@dataclass(frozen=True, slots=True)
class Problem:
    """The words of a reader; `item` is the public id of an open item."""

    item: str
    kind: str
    text: str
    contact: str = ""


def report_problem(
    *, release: Release, problem: Problem, address: str, now: datetime
) -> ProblemReport:
    """Store what a reader reports, mark the item's current text, and write the audit row.

    Reports are counted by network (an address, or the /64 of one) and by project within `WINDOW`;
    the address itself is not stored. A refusal over the limit takes two indexed reads and no
    lock. Raises TooManyProblems, ItemNotReadable, ProblemInvalid, TextInvalid.
    """
    network = _hashed(address)
    _check_limits(release, network, now)
    text = _checked(problem)
    placed = _open_item(release, problem.item)
    with transaction.atomic():
        Release.objects.select_for_update(no_key=True).get(pk=release.pk)
        _check_limits(release, network, now)  # again, with whoever was quicker
        found: ProblemReport = ProblemReport.objects.create(
            release=release,
            placed=placed,
            kind=problem.kind,
            text=text,
            contact=problem.contact.strip(),
            network=network,
            reported_at=now,
        )
        mark_reported(item=placed.item, kind=problem.kind, now=now)
        _record(found, "release.problem_reported", None, now)
    return found


@transaction.atomic
def accept_problem(*, report: ProblemReport, words: str, actor: User, now: datetime) -> None:
    """Make a report an erratum of its release, with `words` that its readers see.

    Where a later version that everybody sees has the item mended, it says which. Raises
    ReasonMissing, ReasonTooLong, TextInvalid, ProblemDecided.
    """
    lock_project(report.release.project_id)
    _decide(report, ProblemState.ACCEPTED, words, actor, now)
    note_mended(report.release.project)
    _record(report, "release.problem_accepted", actor, now)


@transaction.atomic
def dismiss_problem(*, report: ProblemReport, reason: str, actor: User, now: datetime) -> None:
    """Dismiss a report; with the last one of its item, the finding goes too.

    Raises ReasonMissing, ReasonTooLong, TextInvalid, ProblemDecided.
    """
    _decide(report, ProblemState.DISMISSED, reason, actor, now)
    item = report.placed.item
    others = ProblemReport.objects.filter(placed__item=item).exclude(state=ProblemState.DISMISSED)
    if not others.exists():
        dismiss_reported(item=item, reason=reason, actor=actor, now=now)
    _record(report, "release.problem_dismissed", actor, now)


def note_mended(project: Project) -> None:
    """Name in each erratum the first later version for everybody in which its item is another or gone.

    Runs in the caller's transaction, which has locked the project: a release that is shown and an
    erratum that is accepted at the same moment see each other. A second time it changes nothing.
    """
    waiting = list(
        ProblemReport.objects.errata()
        .filter(release__project=project, mended_in__isnull=True)
        .select_related("placed", "release")
    )
    if not waiting:
        return
    releases = Release.objects.filter(project=project).for_everybody()
    later = list(releases.order_by("published_at", "pk"))
    items = {row.placed.item_id for row in waiting}
    rows = ReleaseItem.objects.filter(release__in=later, item__in=items, subset=Subset.OPEN)
    held = {row[:2]: row[2:] for row in rows.values_list("release", "item", "revision", "item_key")}
    for report in waiting:
        placed = report.placed
        same = (placed.revision_id, placed.item_key)
        mended = (
            row
            for row in later
            if _is_after(row, report.release) and held.get((row.pk, placed.item_id)) != same
        )
        if first := next(mended, None):
            ProblemReport.objects.filter(pk=report.pk).update(mended_in=first)


def _is_after(release: Release, other: Release) -> bool:
    times = release.published_at, other.published_at
    return times[0] is not None and times[1] is not None and times[0] > times[1]


def _hashed(address: str) -> str:
    return salted_hmac("releases.problems", network_of(address), algorithm="sha256").hexdigest()


def _check_limits(release: Release, network: str, now: datetime) -> None:
    rows: ProblemQuerySet = ProblemReport.objects.filter(reported_at__gt=now - WINDOW)
    mine = rows.filter(network=network)
    all_of_it = rows.filter(release__project=release.project_id)
    for counted, limit in (
        (mine, settings.PROBLEMS_PER_NETWORK),
        (all_of_it, settings.PROBLEMS_PER_PROJECT),
    ):
        # The report that must grow old before there are few enough again.
        times = counted.order_by("-reported_at").values_list("reported_at", flat=True)
        if decisive := times[limit - 1 : limit].first():
            raise _too_many(decisive + WINDOW, now)


def _too_many(at: datetime, now: datetime) -> TooManyProblems:
    seconds = max(1, math.ceil((at - now).total_seconds()))
    return TooManyProblems(
        minutes=math.ceil(seconds / 60), at=f"{at:%H:%M}", retry_after_seconds=seconds
    )


def _checked(problem: Problem) -> str:
    """Return the text to store, if all fields are right."""
    text = plain_text(problem.text)
    fields: dict[str, list[str]] = {}
    if problem.kind not in ProblemKind.values:
        fields["kind"] = [str(_("Choose what is wrong."))]
    if not text:
        fields["text"] = [str(_("Say what is wrong."))]
    if len(text) > LONGEST_TEXT:
        fields["text"] = [str(_("Enter at most %d characters.")) % LONGEST_TEXT]
    if problem.contact.strip() and not _is_email(problem.contact.strip()):
        fields["contact"] = [str(_("Enter an e-mail address, or leave the field empty."))]
    if fields:
        raise ProblemInvalid(fields=fields)
    return text


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_CONTACT


def _open_item(release: Release, public_id: str) -> ReleaseItem:
    """Return the item; a hidden one is refused like one that is not there."""
    rows = ReleaseItem.objects.filter(release=release, subset=Subset.OPEN)
    related = rows.select_related("item__working_translation")
    found: ReleaseItem | None = related.filter(public_id=plain_text(public_id)).first()
    if found is None:
        raise ItemNotReadable(fields={"item": [str(ItemNotReadable.detail)]})
    return found


def _decide(
    report: ProblemReport, state: ProblemState, words: str, actor: User, now: datetime
) -> None:
    move(
        ProblemReport.objects.filter(pk=report.pk),
        to=state,
        transitions=PROBLEM_TRANSITIONS,
        refusal=ProblemDecided,
        decision=checked_reason(words),
        decided_by=actor,
        decided_at=now,
        mended_in=None,
    )


def _record(report: ProblemReport, verb: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"problem:{report.pk}",
        scope=report.release.project.slug,
        data={"version": report.release.version, "kind": report.kind},
        now=now,
    )
