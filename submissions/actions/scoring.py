"""Score submissions by keys that never leave the server, and again after keys were corrected."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions.emails import queue_submission_ended
from accounts.models import User
from annotation.enums import ItemKind
from common.db import JsonLength, move
from common.errors import DomainError
from evaluation.models import Run
from evaluation.results.queries.subsets import cells_of
from jobs.actions import create_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from releases.models import Release
from releases.option_orders import released_key
from scoring.scorers import numeric
from submissions import ladder
from submissions.actions.audit import record
from submissions.actions.flagging import store_flags
from submissions.actions.key_copies import read_followed, store_followed
from submissions.actions.sending import SubmissionEnded
from submissions.checking import number_of
from submissions.copies import Shared, shared_errors
from submissions.enums import SUBMISSION_TRANSITIONS, FlagCode, SubmissionState
from submissions.flags import Suspicion
from submissions.models import FollowedKeys, Ladder, Rescoring, Submission, SubmissionScore
from submissions.queries import (
    SCORABLE,
    asked_of,
    category_sizes,
    contacts_of,
    counted_keys,
    hidden_items,
    insiders,
    latest_rescoring,
    policy_of,
    team_bits,
)

RESCORING_KIND = "rescoring"
FEWEST_OTHER_TEAMS = 3
"""With fewer teams besides two, what most of them answer says little, and is one of them easily."""
FEWEST_WRONG_KEYS = 5
"""Who answers so many items by their wrong keys, and none otherwise, may have seen the keys."""


class LadderMoved(DomainError):
    code = "ladder_moved"
    detail = _("Another submission of the team was scored at the same time.")


class NothingCorrected(DomainError):
    code = "nothing_corrected"
    detail = _("No key of a hidden item has been corrected since this release was scored last.")


class RescoringOvertaken(DomainError):
    code = "rescoring_overtaken"
    detail = _("Submissions were scored again after this. Start another scoring instead.")


class RescoringRuns(DomainError):
    code = "rescoring_runs"
    detail = _("The submissions to this release are already being scored again.")


@dataclass(frozen=True, slots=True)
class Key:
    """The key of an item as the release gives its options; `category` may be empty."""

    pk: int
    key: str
    is_number: bool
    category: str


@dataclass(frozen=True, slots=True)
class Reading:
    """How many answers to `n` items are right, and by category [right, items]."""

    correct: int
    n: int
    categories: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a submission before it is scored: by rescoring, None before any, its reading.

    `scored` are the submissions among which `twin` was looked for; `option_counts` as in `Asked`;
    `followed` is not stored yet.
    """

    scored: Collection[int]
    twin: Submission | None
    readings: Mapping[int | None, Reading]
    option_counts: Sequence[int]
    followed: Sequence[FollowedKeys]


def perform_submission(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of a submission's job; return {submission}. One that has ended stays as it is."""
    submission = Submission.objects.select_related("release__project", "team", "sent_by").get(
        pk=job.params["submission"]
    )
    progress.start(1)
    if submission.state == SubmissionState.QUEUED:
        score_submission(submission=submission, now=timezone.now())
    return {"submission": submission.pk}


def score_submission(*, submission: Submission, now: datetime) -> None:
    """Store the scores, move the team's ladder, end the submission and tell its sender by e-mail.

    Answers and keys are read before anything is locked, and under the lock only what came since. The
    ladder is moved by compare-and-swap on the number of requests. Raises SubmissionEnded, and
    LadderMoved if another submission of the team came between.
    """
    release = submission.release
    known = Known(
        scored=frozenset(_scored_others(submission).values_list("pk", flat=True)),
        twin=_twin(_scored_others(submission), submission),
        readings={_pk(each): _reading(submission, each) for each in _countings(release)},
        option_counts=list(asked_of(release).option_counts.values()),
        followed=read_followed(submission),
    )
    _score(submission, known, now)


@transaction.atomic
def _score(submission: Submission, known: Known, now: datetime) -> None:
    release = submission.release
    # One at a time: of two at once neither would see that the other has nearly the same answers.
    Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    standing, _new = Ladder.objects.get_or_create(team=submission.team, release=release)
    since = _scored_others(submission).exclude(pk__in=known.scored)
    twin = known.twin or _twin(since, submission)
    for rescoring in _countings(release):
        reading = known.readings.get(_pk(rescoring)) or _reading(submission, rescoring)
        score, _new = _store_score(submission, reading, twin, rescoring)
    request = standing.requests + 1
    is_told = ladder.is_climb(score.counted, standing.best, score.n, request)
    _move_ladder(standing, score.counted if is_told else standing.best, is_told=is_told)
    found = [
        *_by_members(submission),
        *store_followed(known.followed),
        *_by_twin(submission, twin),
        *_by_wrong_keys(submission, rescoring),
    ]
    tells_categories = is_told and _may_tell_categories(release, standing, known.option_counts)
    move(
        Submission.objects.filter(pk=submission.pk),
        to=SubmissionState.SCORED,
        transitions=SUBMISSION_TRANSITIONS,
        refusal=SubmissionEnded,
        ended_at=now,
        twin=twin,
        is_told=is_told,
        tells_categories=tells_categories,
    )
    store_flags(submission=submission, found=found, actor=None, now=now)
    queue_submission_ended(submission=submission.pk, now=now)


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


def count_right(
    release: Release, items: Collection[int], answers: Sequence[str]
) -> tuple[int, list[int]]:
    """Return how many answers to some release items are right by the latest keys.

    With the number of options of each, 0 if a number is asked for. `answers` are in their order.
    """
    latest = latest_rescoring(release)
    keys = [key for key in _keys(release, latest.keys if latest else {}) if key.pk in items]
    rows = hidden_items(release).filter(pk__in=items)
    counts = dict(rows.values_list("pk", JsonLength("revision__options")))
    right = sum(map(_is_right, answers, keys))
    return right, [0 if key.is_number else counts[key.pk] for key in keys]


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
    """Score what the rescoring has not scored yet, twins after those whose figures they get.

    What follows every key that was wrong is flagged. Runs are counted by the new keys too, and what
    they got is kept, so that leaderboards load quickly the first time.
    """
    rescoring = Rescoring.objects.select_related("release__project").get(pk=job.params["rescoring"])
    rows = Submission.objects.filter(release=rescoring.release, state=SubmissionState.SCORED)
    left = list(rows.exclude(scores__rescoring=rescoring).order_by("ended_at", "pk"))
    progress.start(len(left))
    for number, submission in enumerate(left, 1):
        _score_again(submission, rescoring, timezone.now())
        progress.advance_to(number)
    _finish(rescoring, timezone.now())
    runs = Run.objects.filter(release=rescoring.release, job__state=JobState.DONE)
    cells_of(list(runs), counted_keys(rescoring.release))
    return {"rescoring": rescoring.pk, "submissions": len(left)}


@transaction.atomic
def _finish(rescoring: Rescoring, now: datetime) -> None:
    """Let the new figures count, also as what each team must beat; score what came meanwhile."""
    release = Release.objects.select_for_update(no_key=True).get(pk=rescoring.release_id)
    rows = Submission.objects.filter(release=release, state=SubmissionState.SCORED)
    for submission in rows.exclude(scores__rescoring=rescoring).order_by("ended_at", "pk"):
        _score_again(submission, rescoring, now)
    _record_changes(rescoring, latest_rescoring(release), now)
    Rescoring.objects.filter(pk=rescoring.pk).update(done_at=now)
    for standing in Ladder.objects.filter(release=rescoring.release):
        told = SubmissionScore.objects.filter(
            rescoring=rescoring, submission__team=standing.team_id, submission__is_told=True
        )
        best = max(told.values_list("counted", flat=True), default=standing.best)
        Ladder.objects.filter(pk=standing.pk).update(best=best)


def _record_changes(rescoring: Rescoring, before: Rescoring | None, now: datetime) -> None:
    """Append an audit row with the teams that are told another score than before, if there is any."""
    release, told = rescoring.release, Submission.objects.filter(is_told=True)
    rows = SubmissionScore.objects.filter(submission__in=told, submission__release=release)
    was = dict(rows.filter(rescoring=before).values_list("submission", "counted"))
    columns = rows.filter(rescoring=rescoring).values_list(
        "submission", "submission__team", "counted", "n"
    )
    teams = {
        team
        for submission, team, counted, n in columns
        if ladder.rounded(counted, n) != ladder.rounded(was.get(submission, counted), n)
    }
    if teams:
        data = {"version": release.version, "teams": sorted(teams)}
        record(
            "submissions.scores_changed", f"release:{release.pk}", release.project, data, None, now
        )


def _score_again(submission: Submission, rescoring: Rescoring, now: datetime) -> None:
    """Store the score, and flag what follows every wrong key; both or none, also if it runs twice."""
    reading = _reading(submission, rescoring)
    with transaction.atomic():
        _score, is_new = _store_score(submission, reading, submission.twin, rescoring)
        if is_new:
            found = _by_wrong_keys(submission, rescoring)
            store_flags(submission=submission, found=found, actor=None, now=now)


def _keys(release: Release, corrected: Mapping[str, str]) -> list[Key]:
    rows = hidden_items(release).filter(kind__in=SCORABLE)
    return [
        Key(pk, corrected.get(str(pk), key), kind == ItemKind.NUMBER, category)
        for pk, key, kind, category in rows.values_list("pk", "key", "kind", "subject__category")
    ]


def _corrected_keys(release: Release) -> dict[str, str]:
    """Return the released form of each key that is another now, by release item."""
    rows = hidden_items(release).filter(kind__in=SCORABLE)
    columns = rows.values_list("pk", "item_key", "item__key", "option_order")
    return {str(pk): released_key(now, order) for pk, then, now, order in columns if now != then}


def _read(answers: Sequence[str], keys: Sequence[Key], epochs: int) -> Reading:
    """Return how many items are right: in the mean of the epochs, rounded to whole items."""
    right, sizes, correct = Counter[str](), Counter(key.category for key in keys), 0
    for answer, key in zip(answers, list(keys) * epochs, strict=True):
        is_right = _is_right(answer, key)
        correct += is_right
        right[key.category] += is_right
    categories = {name: (_mean(right[name], epochs), n) for name, n in sizes.items() if name}
    return Reading(_mean(correct, epochs), len(keys), categories)


def _mean(total: int, epochs: int) -> int:
    return (2 * total + epochs) // (2 * epochs)


def _is_right(answer: str, key: Key) -> bool:
    if not key.is_number:
        return answer == key.key
    return numeric.is_key(number_of(answer), key.key)


def _countings(release: Release) -> list[Rescoring | None]:
    """Return the first scoring, and the latest rescoring if there is one."""
    latest = latest_rescoring(release)
    return [None, latest] if latest else [None]


def _pk(rescoring: Rescoring | None) -> int | None:
    return rescoring.pk if rescoring else None


def _reading(submission: Submission, rescoring: Rescoring | None) -> Reading:
    keys = _keys(submission.release, rescoring.keys if rescoring else {})
    return _read(submission.answers, keys, submission.epochs)


def _store_score(
    submission: Submission, reading: Reading, twin: Submission | None, rescoring: Rescoring | None
) -> tuple[SubmissionScore, bool]:
    """Store the score, with the figures of the twin where there is one; return it and if it is new.

    Keyed by submission and rescoring, so it may run twice.
    """
    told = SubmissionScore.objects.filter(submission=twin, rescoring=rescoring).first()
    return SubmissionScore.objects.get_or_create(
        submission=submission,
        rescoring=rescoring,
        defaults={
            "correct": reading.correct,
            "counted": told.counted if twin and told else reading.correct,
            "n": reading.n,
            "categories": told.categories if twin and told else dict(reading.categories),
        },
    )


def _scored_others(submission: Submission) -> QuerySet[Submission]:
    rows = Submission.objects.filter(release=submission.release_id, state=SubmissionState.SCORED)
    return rows.exclude(pk=submission.pk)


def _twin(others: QuerySet[Submission], submission: Submission) -> Submission | None:
    """Return the earliest of `others`, of any team, that differs in few answers and was told its own score.

    One with a twin was told nothing of its own answers, so who is near it and far from its twin has
    a score of its own. Else a chain of small steps would be told the score of its first for ever.
    """
    n = len(submission.answers) // submission.epochs
    for other in others.filter(twin=None).order_by("pk").iterator(50):
        if ladder.is_near(submission.answers, other.answers, n):
            return other
    return None


def _by_members(submission: Submission) -> list[Suspicion]:
    """Return why to look at it if somebody in the team may have seen the keys, now or earlier."""
    people = insiders(submission.release.project).get(submission.team_id)
    return [Suspicion(FlagCode.MEMBERS, {"people": people})] if people else []


def _by_twin(submission: Submission, twin: Submission | None) -> list[Suspicion]:
    """Return why to look at it if it shares more errors with another team's than by chance.

    That they differ in few answers says little of good models: what they have wrong does. Errors that
    most of the other teams make too say nothing either.
    """
    if twin is None or twin.team_id == submission.team_id:
        return []
    latest = latest_rescoring(submission.release)
    keys = _keys(submission.release, latest.keys if latest else {})
    found = _shared(submission, twin, keys)
    if not found.is_strong:
        return []
    found = _shared(submission, twin, keys, without=_usual(submission, twin, len(keys)))
    if not found.is_strong:
        return []
    params = {"submission": twin.pk, "alike": found.alike, "wrong": found.wrong}
    return [Suspicion(FlagCode.SAME_ANSWERS, {**params, "chance": found.chance})]


def _shared(
    submission: Submission,
    twin: Submission,
    keys: Sequence[Key],
    without: Collection[int] = frozenset(),
) -> Shared:
    """Compare the first answers to the items, by the latest keys."""
    answers, others = submission.answers[: len(keys)], twin.answers[: len(keys)]
    right, others_right = (list(map(_is_right, each, keys)) for each in (answers, others))
    return shared_errors(answers, others, right=right, others_right=others_right, without=without)


def _usual(submission: Submission, twin: Submission, n: int) -> set[int]:
    """Return the items to which most of the other teams' latest submissions give the same answer."""
    rows = _scored_others(submission).exclude(team__in=[submission.team_id, twin.team_id])
    latest = rows.order_by().values("team").annotate(last=Max("pk")).values("last")
    counts, teams = Counter[int](), 0
    for answers in (
        rows.filter(pk__in=latest).order_by("pk").values_list("answers", flat=True).iterator(50)
    ):
        teams += 1
        counts.update(place for place in range(n) if answers[place] == submission.answers[place])
    if teams < FEWEST_OTHER_TEAMS:
        return set()
    return {place for place, count in counts.items() if 2 * count > teams}


def _by_wrong_keys(submission: Submission, rescoring: Rescoring | None) -> list[Suspicion]:
    """Return why to look at a submission if its answers follow every key that was wrong."""
    if rescoring is None or len(rescoring.keys) < FEWEST_WRONG_KEYS:
        return []
    keys = _keys(submission.release, {}) * submission.epochs
    pairs = zip(submission.answers, keys, strict=True)
    wrong = [(answer, key) for answer, key in pairs if str(key.pk) in rescoring.keys]
    if not all(_is_right(answer, key) for answer, key in wrong):
        return []
    return [Suspicion(FlagCode.WRONG_KEYS, {"keys": len(rescoring.keys)})]


def _move_ladder(standing: Ladder, best: int | None, *, is_told: bool) -> None:
    rows = Ladder.objects.filter(pk=standing.pk, requests=standing.requests)
    climbs = standing.climbs + is_told
    if not rows.update(requests=standing.requests + 1, climbs=climbs, best=best):
        raise LadderMoved
    standing.requests, standing.climbs, standing.best = standing.requests + 1, climbs, best


def _may_tell_categories(release: Release, standing: Ladder, option_counts: Sequence[int]) -> bool:
    """Return whether the team may learn that much, with this climb counted."""
    sizes = category_sizes(release, policy_of(release.project).fewest_in_category)
    rescorings = release.rescorings.filter(done_at__isnull=False).count()
    contacts = contacts_of(standing.team, release)
    n = len(option_counts)
    told = team_bits(standing, sizes, n=n, rescorings=rescorings, contacts=contacts)
    return told <= ladder.most_bits(option_counts)
