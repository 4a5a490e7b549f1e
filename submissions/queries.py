"""Questions about the part that is scored, quotas, ladders and what teams were told."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum

from accounts.models import AuditEvent, User
from annotation.enums import ItemKind
from common.db import JsonLength
from common.intervals import wilson_interval
from common.months import month_of
from endpoints.providers.base import EndpointInside, EndpointUnreachable
from evaluation.enums import ResponseState
from evaluation.results.queries.subsets import CorrectedKeys
from languages import get_language
from projects.models import Membership, Project
from releases.enums import HiddenPart, Subset
from releases.models import Release, ReleaseItem
from submissions import ladder
from submissions.checking import Asked
from submissions.enums import Admission, SubmissionState, TellingKind
from submissions.false_keys import LEVEL
from submissions.models import (
    FollowedKeys,
    KeyCopy,
    Ladder,
    Participant,
    Rescoring,
    Submission,
    SubmissionFlag,
    SubmissionPolicy,
    SubmissionResponse,
    SubmissionScore,
    SubmittedEndpoint,
    Team,
    Telling,
)
from submissions.quotas import day_of

UNSENT = (f"{EndpointUnreachable.code}: Connect", EndpointInside.code)
"""How the error of a call begins that never got a connection, so nobody saw its question."""
SCORABLE = (ItemKind.CHOICE, ItemKind.NUMBER)


@dataclass(frozen=True, slots=True)
class Told:
    """A share as it is told, with its interval; `was` is what was told before keys were corrected."""

    share: float
    low: float
    high: float
    n: int
    was: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is told of a submission.

    `score` is None if it is not scored or did not climb, `best` what the team was told of its best,
    and `place` that in the queue.
    """

    score: Told | None
    categories: Mapping[str, Told]
    best: Told | None
    place: int | None


@dataclass(frozen=True, slots=True)
class QuotaLeft:
    """How many submissions a team may still send today, and in this month."""

    today: int
    month: int


@dataclass(frozen=True, slots=True)
class Account:
    """What a team's submissions to a release told it so far, in bits, and may tell at most.

    `waiting` submissions are not answered yet, and `contacts` of them are asked of an endpoint.
    """

    requests: int
    climbs: int
    n: int
    bits: float
    most: float
    waiting: int
    contacts: int

    @property
    def free_bits(self) -> float:
        """What is left after everything that waits was answered, however it is answered."""
        answers = ladder.most_answer_bits(self.requests, self.climbs, self.n, self.waiting)
        return self.most - self.bits - self.contacts - answers

    def scores_left(self, contacts: int = 0) -> int:
        """Return how many more submissions can all be told a score, with so many more contacts."""
        bits = self.most - self.bits - self.contacts - contacts
        found = ladder.scores_left(self.requests, self.climbs, self.n, bits)
        return max(0, found - self.waiting)


@dataclass(frozen=True, slots=True)
class TeamAccount:
    """What a team was told of a release, in bits, and what its own submissions may tell it at most.

    `corrections` are the bits that scores by corrected keys told besides. `shown` is how many of the
    `items` its endpoints were asked.
    """

    team: Team
    version: str
    requests: int
    scores: int
    bits: float
    most: float
    corrections: float
    shown: int = 0
    items: int = 0

    @property
    def whole(self) -> float:
        return round(self.bits + self.corrections, 1)


def policy_of(project: Project) -> SubmissionPolicy:
    """Return the project's policy; without one nobody may send anything."""
    found = SubmissionPolicy.objects.filter(project=project).first()
    return found or SubmissionPolicy(project=project)


def takes_dictionaries(release: Release, policy: SubmissionPolicy) -> bool:
    """Return whether teams may send answers: to a closed part nobody has the questions."""
    return policy.accepts_dictionaries and release.hidden_part == HiddenPart.WITHHELD


def participant_of(project: Project, user: Any) -> Participant | None:
    rows = Participant.objects.filter(project=project, user=user.pk)
    return rows.select_related("team", "project").first()


def waiting_team_counts(projects: Collection[Project]) -> dict[int, int]:
    """Return by project how many teams wait until a manager admits them; none if it takes nothing."""
    taking = SubmissionPolicy.objects.filter(
        project__in=projects, is_open=True, admission=Admission.ADMITTED
    )
    rows = Team.objects.filter(project__in=taking.values("project"))
    rows = rows.filter(admitted_at=None, banned_at=None).order_by()
    return dict(rows.values_list("project").annotate(n=Count("pk")))


def is_inside(user: User, project: Project) -> bool:
    """Return whether somebody has a role in the project now; read anew each time."""
    is_member = Membership.objects.filter(project=project, user=user.pk).exists()
    return is_member or bool(user.is_active and user.is_superuser)


def insiders(project: Project) -> dict[int, list[str]]:
    """Return by team the addresses of its people who are members of the project, or were some time."""
    about_members = AuditEvent.objects.filter(scope=project.slug, target__startswith="membership:")
    removed = about_members.filter(verb="member.removed")
    were = {number for number in removed.values_list("data__person", flat=True) if number}
    is_member = Exists(Membership.objects.filter(project=project, user=OuterRef("user")))
    rows = Participant.objects.filter(Q(is_member) | Q(user__in=were), project=project)
    found: dict[int, list[str]] = defaultdict(list)
    for team, email in rows.order_by("user__email").values_list("team", "user__email"):
        found[team].append(email)
    return found


def hidden_items(release: Release) -> QuerySet[ReleaseItem]:
    return release.items.filter(subset=Subset.BLACK_BOX).order_by("position")


def hidden_count(release: Release) -> int:
    """Return how many items the hidden part has, without counting them."""
    return int(release.counts.get("black_box", 0))


def asked_of(release: Release) -> Asked:
    """Return the items of the part whose answers are withheld; no key is read."""
    rows = hidden_items(release).values_list("public_id", "kind", JsonLength("revision__options"))
    counts, unscored = {}, set()
    for uid, kind, options in rows:
        if kind in SCORABLE:
            counts[uid] = options if kind == ItemKind.CHOICE else 0
        else:
            unscored.add(uid)
    script = get_language(release.project.target_language).option_letters
    return Asked(counts, frozenset(unscored), script)


def choice_keys(release: Release) -> dict[str, tuple[str, int]]:
    """Return the released key and the number of options of each hidden item that has options."""
    rows = hidden_items(release).filter(kind=ItemKind.CHOICE)
    columns = rows.values_list("public_id", "key", JsonLength("revision__options"))
    return {uid: (key, options) for uid, key, options in columns}


def copied_keys(copy: KeyCopy) -> dict[str, str]:
    """Return the keys of a copy by item, in the order of the release: those released, a few false."""
    rows = hidden_items(copy.release).filter(kind__in=SCORABLE)
    false = {uid: letter for uid, (_key, letter, _options) in copy.false_keys.items()}
    return {uid: false.get(uid, key) for uid, key in rows.values_list("public_id", "key")}


def key_copies(release: Release) -> QuerySet[KeyCopy]:
    """Return the copies with their maker, `checked_count` submissions and those that seem to know it."""
    return (
        KeyCopy.objects.filter(release=release)
        .select_related("release__project", "created_by")
        .annotate(
            checked_count=Count("followed"),
            strong_count=Count("followed", filter=Q(followed__chance__lte=LEVEL)),
        )
    )


def releases_with_hidden(project: Project) -> QuerySet[Release]:
    rows = Release.objects.standing().filter(project=project, counts__black_box__gt=0)
    return rows.order_by("-pk")


def releases_asked(project: Project) -> QuerySet[Release]:
    """Return the releases of which a team's endpoint was asked questions."""
    rows = SubmittedEndpoint.objects.filter(submission__release__project=project, is_marked=True)
    releases = rows.order_by().values("submission__release")
    return Release.objects.standing().filter(pk__in=releases).order_by("-pk")


def latest_rescoring(release: Release) -> Rescoring | None:
    return release.rescorings.filter(done_at__isnull=False).order_by("-number").first()


def counted_keys(release: Release) -> CorrectedKeys | None:
    """Return the corrected keys by which runs count as submissions do; None if none were corrected."""
    found = latest_rescoring(release)
    if found is None:
        return None
    name = f"rescoring-{found.pk}-{found.started_at.timestamp()}"
    return CorrectedKeys(name, {int(pk): key for pk, key in found.keys.items()})


def tellable_categories(release: Release, score: SubmissionScore) -> dict[str, int]:
    """Return the categories of which figures may be told by the rules of now, with their items."""
    sizes = {name: n for name, (_right, n) in score.categories.items()}
    return ladder.tellable(sizes, score.n, policy_of(release.project).fewest_in_category)


def option_counts(release: Release) -> list[int]:
    """Return the number of options of each item that is scored, 0 if a number is asked for."""
    rows = hidden_items(release).filter(kind__in=SCORABLE).order_by()
    groups = rows.values_list("kind", JsonLength("revision__options")).annotate(n=Count("pk"))
    found = Counter[int]()
    for kind, options, n in groups:
        found[options if kind == ItemKind.CHOICE else 0] += n
    return list(found.elements())


def account_of(
    team: Team, release: Release, *, counts: Sequence[int], besides: Submission | None = None
) -> Account:
    """Return what the team's own submissions told it; `counts` are the options of each item.

    The submission `besides` does not wait any more.
    """
    standing = Ladder.objects.filter(team=team, release=release).first() or Ladder()
    own = Telling.objects.filter(team=team, release=release, rescoring=None)
    queued = Submission.objects.filter(team=team, release=release, state=SubmissionState.QUEUED)
    queued = queued.exclude(pk=besides.pk) if besides else queued
    return Account(
        requests=standing.requests,
        climbs=standing.climbs,
        n=len(counts),
        bits=own.aggregate(found=Sum("bits", default=0.0))["found"],
        most=ladder.most_bits(counts),
        **queued.aggregate(waiting=Count("pk"), contacts=Count("endpoint")),
    )


def scores_left(team: Team, release: Release) -> int:
    """Return about how many more scores the team's submissions to the release can be told."""
    return account_of(team, release, counts=option_counts(release)).scores_left()


def team_accounts(project: Project) -> list[TeamAccount]:
    """Return what each team was told of each release, the most first, and what its endpoints saw."""
    sums, sent = _told_bits(project), _sent_counts(project)
    shown = _shown_questions(project)
    teams = project.teams.in_bulk()
    parts = _parts({release for _team, release in {**sums, **sent, **shown}})
    found = []
    for each in {**sums, **sent, **shown}:
        version, most, items = parts[each[1]]
        bits, corrections = sums.get(each, (0.0, 0.0))
        requests, scores = sent.get(each, (0, 0))
        found.append(
            TeamAccount(
                team=teams[each[0]],
                version=version,
                requests=requests,
                scores=scores,
                bits=round(bits, 1),
                most=round(most, 1),
                corrections=round(corrections, 1),
                shown=shown.get(each, 0),
                items=items,
            )
        )
    return sorted(found, key=lambda each: -each.whole)


def _told_bits(project: Project) -> dict[tuple[int, int], tuple[float, float]]:
    """Return (team, release) → bits that its own submissions told it, and corrections of keys."""
    rows = Telling.objects.filter(release__project=project).order_by()
    is_correction = Q(kind=TellingKind.CORRECTION)
    sums = rows.values_list("team", "release").annotate(
        own=Sum("bits", filter=~is_correction, default=0.0),
        corrections=Sum("bits", filter=is_correction, default=0.0),
    )
    return {(team, release): (own, corrections) for team, release, own, corrections in sums}


def _sent_counts(project: Project) -> dict[tuple[int, int], tuple[int, int]]:
    """Return (team, release) → how many submissions are scored, and how many were told a score."""
    rows = Submission.objects.filter(release__project=project, state=SubmissionState.SCORED)
    counts = rows.order_by().values_list("team", "release").annotate(n=Count("pk"))
    counts = counts.annotate(told=Count("pk", filter=Q(is_told=True)))
    return {(team, release): (n, told) for team, release, n, told in counts}


def _parts(releases: Collection[int]) -> dict[int, tuple[str, float, int]]:
    """Return (version, most bits that may be told, items) of each release, by id."""
    found = {}
    for release in Release.objects.filter(pk__in=releases):
        counts = option_counts(release)
        found[release.pk] = (release.version, ladder.most_bits(counts), len(counts))
    return found


def _shown_questions(project: Project) -> dict[tuple[int, int], int]:
    """Return (team, release) → how many different questions its endpoints were asked."""
    unsent = reduce(or_, (Q(error__startswith=error) for error in UNSENT))
    responses = SubmissionResponse.objects.filter(submission__release__project=project)
    responses = responses.exclude(unsent, state=ResponseState.FAILED).order_by()
    columns = responses.values_list("submission__team", "submission__release")
    asked = columns.annotate(n=Count("release_item", distinct=True))
    return {(team, release): n for team, release, n in asked}


def standings(submissions: Sequence[Submission]) -> dict[int, Standing]:
    """Return by id what is told of each submission; the number of queries is that of one."""
    told = _told_submissions(submissions)
    queue = _queue(submissions)
    found = {}
    for each in submissions:
        mine = told.get((each.team_id, each.release_id), [])
        shown = _shown_submission(each, mine)
        found[each.pk] = Standing(
            score=_told_score(shown) if shown else None,
            categories=_told_categories(shown) if shown else {},
            best=max(map(_told_score, mine), key=lambda score: score.share, default=None),
            place=queue.get(each.pk),
        )
    return found


def standing_of(submission: Submission) -> Standing:
    return standings([submission])[submission.pk]


def _queue(submissions: Sequence[Submission]) -> dict[int, int]:
    """Return the place of each submission that waits, by id."""
    if all(each.state != SubmissionState.QUEUED for each in submissions):
        return {}
    waiting = Submission.objects.filter(state=SubmissionState.QUEUED).order_by("pk")
    places: dict[int, int] = {}
    lengths = Counter[bool]()  # dictionaries and endpoints have a queue each
    for pk, endpoint in waiting.values_list("pk", "endpoint"):
        lengths[endpoint is None] += 1
        places[pk] = lengths[endpoint is None]
    return places


def _told_submissions(
    submissions: Sequence[Submission],
) -> dict[tuple[int, int], list[Submission]]:
    """Return the submissions of the same teams to the same releases whose figures are told, with scores."""
    is_done = Q(rescoring=None) | Q(rescoring__done_at__isnull=False)
    scores = SubmissionScore.objects.filter(is_done).order_by("pk")
    rows = Submission.objects.filter(
        team__in={each.team_id for each in submissions},
        release__in={each.release_id for each in submissions},
        is_told=True,
    ).prefetch_related(Prefetch("scores", scores))
    found: dict[tuple[int, int], list[Submission]] = defaultdict(list)
    for row in rows.order_by("pk"):
        found[row.team_id, row.release_id].append(row)
    return found


def _told_score(shown: Submission) -> Told:
    before, now = _scores(shown)
    was = ladder.rounded(before.counted, before.n)
    told = told_share(now.counted, now.n)
    return Told(told.share, told.low, told.high, told.n, was if was != told.share else None)


def _told_categories(shown: Submission) -> dict[str, Told]:
    """Return the categories that were told with it, by the latest keys."""
    _before, now = _scores(shown)
    return {name: told_share(*now.categories[name]) for name in shown.told_categories}


def told_share(counted: int, n: int) -> Told:
    share = ladder.rounded(counted, n)
    interval = wilson_interval(share * n, n)
    return Told(share, interval.low, interval.high, n)


def _shown_submission(submission: Submission, told: Sequence[Submission]) -> Submission | None:
    """Return the one of `told` whose figures are told: itself, or the first with the same twin."""
    twin = submission.twin_id
    if submission.is_told:
        return next(each for each in told if each.pk == submission.pk)
    return next((each for each in told if twin and twin in (each.pk, each.twin_id)), None)


def _scores(shown: Submission) -> tuple[SubmissionScore, SubmissionScore]:
    """Return the score that was told first and the one by the latest keys."""
    rows = list(shown.scores.all())
    first = next(row for row in rows if row.rescoring_id == shown.told_by_id)
    return first, max(rows, key=lambda row: row.rescoring_id or 0)


def slots_taken(team: Team, **when: str) -> list[int]:
    """Return the slots that the team's submissions take on a `day` or in a `month`."""
    name = "day_slot" if "day" in when else "month_slot"
    rows = Submission.objects.filter(Q(**{f"{name}__isnull": False}), team=team, **when)
    return list(rows.values_list(name, flat=True))


def quota_left(team: Team, policy: SubmissionPolicy, *, now: datetime) -> QuotaLeft:
    """Return how many submissions the team may still send."""
    today = policy.per_day - len(slots_taken(team, day=day_of(now)))
    month = max(0, policy.per_month - len(slots_taken(team, month=str(month_of(now)))))
    return QuotaLeft(max(0, min(today, month)), month)


def submissions_of(team: Team, release: Release) -> QuerySet[Submission]:
    rows = Submission.objects.filter(team=team, release=release)
    relations = ("release__project", "twin", "team", "endpoint", "job")
    return rows.select_related(*relations).order_by("-pk")


def project_submissions(project: Project) -> QuerySet[Submission]:
    rows = Submission.objects.filter(release__project=project)
    relations = ("release__project", "team", "sent_by", "twin", "endpoint", "job")
    followed = FollowedKeys.objects.select_related("key_copy__release").order_by("pk")
    flags = SubmissionFlag.objects.order_by("pk")
    rows = rows.prefetch_related(Prefetch("followed_keys", followed), Prefetch("flags", flags))
    return rows.select_related(*relations).order_by("-pk")
