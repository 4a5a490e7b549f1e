"""Score submissions by keys that never leave the server, and tell what the ladder allows."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions.emails import queue_submission_ended
from annotation.enums import ItemKind
from common.db import JsonLength, move
from common.errors import DomainError
from jobs.models import Job
from jobs.progress import Progress
from releases.models import Release
from scoring.scorers import numeric
from submissions import ladder
from submissions.actions.flagging import store_flags
from submissions.actions.key_copies import read_followed, store_followed
from submissions.actions.sending import SubmissionEnded
from submissions.checking import number_of
from submissions.copies import Shared, shared_errors
from submissions.enums import SUBMISSION_TRANSITIONS, FlagCode, SubmissionState, TellingKind
from submissions.flags import Suspicion
from submissions.models import (
    FollowedKeys,
    Ladder,
    Rescoring,
    Submission,
    SubmissionScore,
    Telling,
)
from submissions.queries import (
    SCORABLE,
    account_of,
    hidden_items,
    insiders,
    latest_rescoring,
    option_counts,
    tellable_categories,
)

FEWEST_OTHER_TEAMS = 3
"""With fewer teams besides two, what most of them answer says little, and is one of them easily."""
FEWEST_WRONG_KEYS = 5
"""Who answers so many items by their wrong keys, and none otherwise, may have seen the keys."""


class LadderMoved(DomainError):
    code = "ladder_moved"
    detail = _("Another submission of the team was scored at the same time.")


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

    `scored` are the submissions among which `twin` was looked for; `option_counts` are those of each
    item; `followed` is not stored yet.
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
        readings={_pk(each): reading_of(submission, each) for each in _countings(release)},
        option_counts=option_counts(release),
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
        reading = known.readings.get(_pk(rescoring)) or reading_of(submission, rescoring)
        score, _new = store_score(submission, reading, twin.pk if twin else None, rescoring)
    is_told = ladder.is_climb(score.counted, standing.best, score.n, standing.requests + 1)
    _tell(submission, TellingKind.ANSWER, _answer_bits(standing, score.n, is_told=is_told), now)
    _move_ladder(standing, score.counted if is_told else standing.best, is_told=is_told)
    categories = _told_categories(submission, score, known.option_counts, now) if is_told else []
    found = [
        *_by_members(submission),
        *store_followed(known.followed),
        *_by_twin(submission, twin),
        *by_wrong_keys(submission, rescoring, keys_of(release) if rescoring else []),
    ]
    move(
        Submission.objects.filter(pk=submission.pk),
        to=SubmissionState.SCORED,
        transitions=SUBMISSION_TRANSITIONS,
        refusal=SubmissionEnded,
        ended_at=now,
        twin=twin,
        is_told=is_told,
        told_by=rescoring if is_told else None,
        told_categories=categories,
    )
    store_flags(submission=submission, found=found, actor=None, now=now)
    queue_submission_ended(submission=submission.pk, now=now)


def count_right(
    release: Release, items: Collection[int], answers: Sequence[str]
) -> tuple[int, list[int]]:
    """Return how many answers to some release items are right by the latest keys.

    With the number of options of each, 0 if a number is asked for. `answers` are in their order.
    """
    latest = latest_rescoring(release)
    keys = [key for key in keys_of(release, latest) if key.pk in items]
    rows = hidden_items(release).filter(pk__in=items)
    counts = dict(rows.values_list("pk", JsonLength("revision__options")))
    right = sum(map(_is_right, answers, keys))
    return right, [0 if key.is_number else counts[key.pk] for key in keys]


def keys_of(release: Release, rescoring: Rescoring | None = None) -> list[Key]:
    """Return the released keys, or those of a rescoring, in the order of the release."""
    corrected: Mapping[str, str] = rescoring.keys if rescoring else {}
    rows = hidden_items(release).filter(kind__in=SCORABLE)
    return [
        Key(pk, corrected.get(str(pk), key), kind == ItemKind.NUMBER, category)
        for pk, key, kind, category in rows.values_list("pk", "key", "kind", "subject__category")
    ]


def reading_of(
    submission: Submission, rescoring: Rescoring | None, keys: Sequence[Key] = ()
) -> Reading:
    """Return how many answers are right by the keys of a rescoring; `keys` are those, if at hand."""
    found = keys or keys_of(submission.release, rescoring)
    return _read(submission.answers, found, submission.epochs)


def store_score(
    submission: Submission, reading: Reading, twin: int | None, rescoring: Rescoring | None
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


def by_wrong_keys(
    submission: Submission, rescoring: Rescoring | None, released: Sequence[Key]
) -> list[Suspicion]:
    """Return why to look at a submission if its answers follow every key that was wrong."""
    if rescoring is None or len(rescoring.keys) < FEWEST_WRONG_KEYS:
        return []
    pairs = zip(submission.answers, list(released) * submission.epochs, strict=True)
    wrong = [(answer, key) for answer, key in pairs if str(key.pk) in rescoring.keys]
    if not all(_is_right(answer, key) for answer, key in wrong):
        return []
    return [Suspicion(FlagCode.WRONG_KEYS, {"keys": len(rescoring.keys)})]


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
    keys = keys_of(submission.release, latest_rescoring(submission.release))
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


def _move_ladder(standing: Ladder, best: int | None, *, is_told: bool) -> None:
    rows = Ladder.objects.filter(pk=standing.pk, requests=standing.requests)
    climbs = standing.climbs + is_told
    if not rows.update(requests=standing.requests + 1, climbs=climbs, best=best):
        raise LadderMoved
    standing.requests, standing.climbs, standing.best = standing.requests + 1, climbs, best


def _answer_bits(standing: Ladder, n: int, *, is_told: bool) -> float:
    return ladder.answer_bits(standing.requests, standing.climbs, n, is_climb=is_told)


def _told_categories(
    submission: Submission, score: SubmissionScore, option_counts: Sequence[int], now: datetime
) -> list[str]:
    """Return the categories that are told, which are all or none: those that the team may learn of.

    What the answers to all that waits may tell is left for these. No key decides this.
    """
    told = tellable_categories(submission.release, score)
    bits = ladder.category_bits(told.values())
    release, team = submission.release, submission.team
    account = account_of(team, release, counts=option_counts, besides=submission)
    if not told or bits > account.free_bits:
        return []
    _tell(submission, TellingKind.CATEGORIES, bits, now)
    return sorted(told)


def _tell(submission: Submission, kind: TellingKind, bits: float, now: datetime) -> None:
    Telling.objects.create(
        release=submission.release,
        team=submission.team,
        kind=kind,
        submission=submission,
        bits=bits,
        told_at=now,
    )
