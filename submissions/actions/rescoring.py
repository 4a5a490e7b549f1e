"""Score all submissions to a release again after keys were corrected, and replay the teams' ladders."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from evaluation.models import Run
from evaluation.results.queries.subsets import cells_of
from jobs.actions import create_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from releases.models import Release
from releases.option_orders import released_key
from submissions import ladder
from submissions.actions.audit import record
from submissions.actions.flagging import store_flags
from submissions.actions.scoring import Key, by_wrong_keys, keys_of, reading_of, store_score
from submissions.enums import SubmissionState, TellingKind
from submissions.models import Ladder, Rescoring, Submission, SubmissionScore, Telling
from submissions.queries import (
    SCORABLE,
    account_of,
    counted_keys,
    hidden_items,
    latest_rescoring,
    option_counts,
    tellable_categories,
)

RESCORING_KIND = "rescoring"


class NothingCorrected(DomainError):
    code = "nothing_corrected"
    detail = _("No key of a hidden item has been corrected since this release was scored last.")


class RescoringOvertaken(DomainError):
    code = "rescoring_overtaken"
    detail = _("Submissions were scored again after this. Start another scoring instead.")


class RescoringRuns(DomainError):
    code = "rescoring_runs"
    detail = _("The submissions to this release are already being scored again.")


@transaction.atomic
def start_rescoring(*, release: Release, actor: User, now: datetime) -> Rescoring:
    """Freeze the corrected keys and queue the scoring of every submission by them; audit rows.

    Raises NothingCorrected, RescoringRuns.
    """
    keys = _corrected_keys(release)
    before = release.rescorings.order_by("-number").first()
    if before and before.done_at is None and before.job and not before.job.has_ended:
        raise RescoringRuns
    counting = latest_rescoring(release)
    if keys == (counting.keys if counting else {}):
        raise NothingCorrected
    try:
        with transaction.atomic():
            found = Rescoring.objects.create(
                release=release,
                number=before.number + 1 if before else 1,
                keys=keys,
                started_at=now,
                started_by=actor,
            )
    except IntegrityError as error:
        raise RescoringRuns from error
    params = {"rescoring": found.pk}
    slug = release.project.slug
    found.job = create_job(kind=RESCORING_KIND, scope=slug, params=params, actor=actor, now=now)
    found.save(update_fields=["job"])
    data = {"version": release.version, "changed": len(keys)}
    record("submissions.rescored", f"release:{release.pk}", release.project, data, actor, now)
    return found


def is_latest_rescoring(job: Job) -> bool:
    """Return whether no later rescoring was started, whose figures would be overwritten."""
    rescoring = Rescoring.objects.get(job=job)
    later = Rescoring.objects.filter(release=rescoring.release_id, number__gt=rescoring.number)
    return not later.exists()


def refuse_overtaken(job: Job) -> None:
    """Raise RescoringOvertaken for a rescoring after which another was started."""
    if not is_latest_rescoring(job):
        raise RescoringOvertaken


def perform_rescoring(job: Job, progress: Progress) -> dict[str, Any]:
    """Score what the rescoring has not scored yet, and tell what each team's ladder tells by it.

    What follows every key that was wrong is flagged. Runs are counted by the new keys too, and what
    they got is kept, so that leaderboards load quickly the first time.
    """
    rescoring = Rescoring.objects.select_related("release__project").get(pk=job.params["rescoring"])
    keys = Keys(keys_of(rescoring.release, rescoring), keys_of(rescoring.release))
    left = list(_unscored(rescoring).values_list("pk", flat=True))
    progress.start(len(left))
    for number, pk in enumerate(left, 1):
        _score_again(Submission.objects.get(pk=pk), rescoring, keys, timezone.now())
        progress.advance_to(number)
    _finish(rescoring, keys, timezone.now())
    runs = Run.objects.filter(release=rescoring.release, job__state=JobState.DONE)
    cells_of(list(runs), counted_keys(rescoring.release))
    return {"rescoring": rescoring.pk, "submissions": len(left)}


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys by which submissions are scored again, and the released ones."""

    corrected: Sequence[Key]
    released: Sequence[Key]


def _unscored(rescoring: Rescoring) -> QuerySet[Submission]:
    """Return what the rescoring has not scored yet, twins after those whose figures they get."""
    rows = Submission.objects.filter(release=rescoring.release, state=SubmissionState.SCORED)
    rows = rows.exclude(scores__rescoring=rescoring)
    return rows.order_by(F("twin").asc(nulls_first=True), "pk")


@transaction.atomic
def _finish(rescoring: Rescoring, keys: Keys, now: datetime) -> None:
    """Let the new figures count, once, and replay the ladders; score what came meanwhile."""
    release = Release.objects.select_for_update(no_key=True).get(pk=rescoring.release_id)
    for submission in _unscored(rescoring):
        _score_again(submission, rescoring, keys, now)
    before = latest_rescoring(release)
    if not Rescoring.objects.filter(pk=rescoring.pk, done_at=None).update(done_at=now):
        return
    counts = option_counts(release)
    sent = _sent_by_team(rescoring)
    for standing in Ladder.objects.filter(release=release).select_related("team", "release"):
        _replay(standing, sent[standing.team_id], rescoring, counts, now)
    _record_changes(rescoring, before, now)


def _record_changes(rescoring: Rescoring, before: Rescoring | None, now: datetime) -> None:
    """Append an audit row with the teams that are told another score than before, if there is any."""
    release, told = rescoring.release, Submission.objects.filter(is_told=True)
    rows = SubmissionScore.objects.filter(submission__in=told, submission__release=release)
    was = dict(rows.filter(rescoring=before).values_list("submission", "counted"))
    columns = rows.filter(rescoring=rescoring).values_list(
        "submission", "submission__team", "submission__told_by", "counted", "n"
    )
    teams = {
        team
        for submission, team, told_by, counted, n in columns
        if told_by == rescoring.pk
        or ladder.rounded(counted, n) != ladder.rounded(was.get(submission, counted), n)
    }
    if teams:
        data = {"version": release.version, "teams": sorted(teams)}
        record(
            "submissions.scores_changed", f"release:{release.pk}", release.project, data, None, now
        )


def _sent_by_team(rescoring: Rescoring) -> dict[int, list[SubmissionScore]]:
    """Return the new scores of each team's submissions, in the order of its requests."""
    rows = SubmissionScore.objects.filter(
        rescoring=rescoring, submission__tellings__kind=TellingKind.ANSWER
    )
    rows = rows.select_related("submission").defer("submission__answers", "submission__prompt")
    found: dict[int, list[SubmissionScore]] = defaultdict(list)
    for row in rows.order_by("submission__tellings__pk"):
        found[row.submission.team_id].append(row)
    return found


def _replay(
    standing: Ladder,
    sent: Sequence[SubmissionScore],
    rescoring: Rescoring,
    counts: Sequence[int],
    now: datetime,
) -> None:
    """Tell a team the new scores of what it was told, and those that climb by the new keys.

    A correction is the manager's doing: what it tells is counted apart and takes nothing of what the
    team's own submissions may tell. Categories of scores that were not told before are told only if
    they fit in that too.
    """
    told, best = ladder.replay([(row.counted, row.submission.is_told) for row in sent], len(counts))
    Ladder.objects.filter(pk=standing.pk).update(best=best)
    again = [row for row in sent if row.submission.is_told]
    pairs = zip(sent, told, strict=True)
    new = [row for row, is_told in pairs if is_told and not row.submission.is_told]
    bits = ladder.correction_bits(
        before=len(again), now=len(new), untold=len(sent) - len(again), n=len(counts)
    )
    for row in again:
        names = row.submission.told_categories
        bits += ladder.category_bits(row.categories[name][1] for name in names)
    bits += _tell_new(standing, new, rescoring, counts, bits)
    if sent:
        Telling.objects.create(
            release=standing.release,
            team=standing.team,
            kind=TellingKind.CORRECTION,
            rescoring=rescoring,
            bits=bits,
            told_at=now,
        )


def _tell_new(
    standing: Ladder,
    new: Sequence[SubmissionScore],
    rescoring: Rescoring,
    counts: Sequence[int],
    bits: float,
) -> float:
    """Tell scores for the first time, with categories as long as they fit; return the bits of these.

    They fit if the bound holds for all that the team was told, by corrections too, of which this one
    has `bits` without them.
    """
    team, release = standing.team, standing.release
    corrections = team.tellings.filter(release=release, rescoring__isnull=False)
    spent = bits + sum(corrections.values_list("bits", flat=True))
    left = account_of(team, release, counts=counts).free_bits - spent
    told = 0.0
    for row in new:
        categories = tellable_categories(release, row)
        cost = ladder.category_bits(categories.values())
        fits = told + cost <= left
        told += cost if fits else 0.0
        Submission.objects.filter(pk=row.submission_id).update(
            is_told=True, told_by=rescoring, told_categories=sorted(categories) if fits else []
        )
    return told


def _score_again(submission: Submission, rescoring: Rescoring, keys: Keys, now: datetime) -> None:
    """Store the score, and flag what follows every wrong key; both or none, also if it runs twice."""
    reading = reading_of(submission, rescoring, keys.corrected)
    with transaction.atomic():
        _score, is_new = store_score(submission, reading, submission.twin_id, rescoring)
        if is_new:
            found = by_wrong_keys(submission, rescoring, keys.released)
            store_flags(submission=submission, found=found, actor=None, now=now)


def _corrected_keys(release: Release) -> dict[str, str]:
    """Return the released form of each key that is another now, by release item."""
    rows = hidden_items(release).filter(kind__in=SCORABLE)
    columns = rows.values_list("pk", "item_key", "item__key", "option_order")
    return {str(pk): released_key(now, order) for pk, then, now, order in columns if now != then}
