"""A person's first page: what waits for them in each project, and what is new since they looked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from annotation.duplicates.queries import open_pair_counts
from annotation.glossary.queries import open_proposal_counts
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from projects.enums import Role
from projects.models import Membership, Project
from projects.rules import may_see_keys
from releases.problems.queries import undecided_problem_counts
from review.enums import Fate
from review.models import Judgement
from review.people.work import fates_since
from review.rounds.queries import judged_rounds
from review.seats.inquiries import looks_asked_of
from review.seats.waiting import RoundForPerson, WaitingDisputes, disputes_waiting, rounds_for
from submissions.queries import waiting_team_counts
from submissions.selectors import Benchmark, benchmarks_of

JOBS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Fates:
    """The outcomes of a person's judgements since they last looked, counted."""

    kept: int = 0
    edited: int = 0
    overturned: int = 0

    @property
    def total(self) -> int:
        return self.kept + self.edited + self.overturned


@dataclass(frozen=True, slots=True)
class Leading:
    """Decisions that wait for seniors and managers, counted, and the round that can be closed."""

    duplicates: int = 0
    proposals: int = 0
    problems: int = 0
    teams: int = 0
    judged_round: int | None = None

    @property
    def has_work(self) -> bool:
        counts = (self.duplicates, self.proposals, self.problems, self.teams)
        return any(counts) or self.judged_round is not None


@dataclass(frozen=True, slots=True)
class ProjectHome:
    """One project on the first page; people who do not judge have no `round`."""

    project: Project
    round: RoundForPerson | None
    disputes: WaitingDisputes | None
    fates: Fates
    second_looks: int = 0
    leading: Leading = Leading()

    @property
    def has_work(self) -> bool:
        can_judge = self.round is not None and self.round.can_take
        is_asked = self.disputes is not None or self.second_looks > 0
        return is_asked or can_judge or self.leading.has_work


@dataclass(frozen=True, slots=True)
class Home:
    """`since` is when the person last looked; all of `places` are projects that they may see.

    `benchmarks` are projects that they send submissions to from outside.
    """

    places: Sequence[ProjectHome]
    jobs: Sequence[Job]
    since: datetime | None
    pauses: Sequence[Membership]
    benchmarks: Sequence[Benchmark]
    is_new: bool = False

    @property
    def practice(self) -> Project | None:
        """Return the project in which somebody who has judged nothing yet can practise."""
        judging = [place.project for place in self.places if place.round is not None]
        return judging[0] if self.is_new and judging else None

    @property
    def has_work(self) -> bool:
        return any(place.has_work for place in self.places)

    @property
    def has_news(self) -> bool:
        return bool(self.jobs) or any(place.fates.total for place in self.places)


def home_of(user: User, projects: Sequence[Project], *, now: datetime) -> Home:
    """Return the first page of `user` over these projects; the number of queries is fixed."""
    since = user.news_seen_at
    rounds = rounds_for(user, projects, now=now)
    disputes = disputes_waiting(user, projects)
    fates = fates_since(user, since)
    looks = looks_asked_of(user)
    led = _leading(user, projects)
    places = [
        ProjectHome(
            project,
            rounds.get(project.pk),
            disputes.get(project.pk),
            _fates(fates.get(project.pk, {})),
            looks.get(project.pk, 0),
            led.get(project.pk, Leading()),
        )
        for project in projects
    ]
    is_new = bool(rounds) and not Judgement.objects.filter(reviewer=user).exists()
    jobs = _ended_jobs(user, projects, since)
    return Home(places, jobs, since, _pauses(user), benchmarks_of(user), is_new)


def _leading(user: User, projects: Sequence[Project]) -> dict[int, Leading]:
    """Return what waits in the projects that `user` leads, by id; one query if there are none."""
    places = Membership.objects.filter(user=user, project__in=projects)
    roles = dict(places.in_role(Role.MANAGER, Role.SENIOR).values_list("project", "role"))
    if not roles:
        return {}
    led = [project for project in projects if project.pk in roles]
    duplicates = open_pair_counts([project for project in led if may_see_keys(user, project)])
    proposals = open_proposal_counts(led)
    problems = undecided_problem_counts(led)
    managed = [project for project in led if roles[project.pk] == Role.MANAGER]
    rounds, teams = judged_rounds(managed), waiting_team_counts(managed)
    return {
        pk: Leading(
            duplicates.get(pk, 0),
            proposals.get(pk, 0),
            problems.get(pk, 0),
            teams.get(pk, 0),
            rounds.get(pk),
        )
        for pk in roles
    }


def _pauses(user: User) -> list[Membership]:
    """Return the memberships in which a manager has paused the person, with the message."""
    rows = Membership.objects.filter(user=user, is_paused=True).select_related("project")
    return list(rows.order_by("project__name", "pk"))


def _fates(counts: dict[str, int]) -> Fates:
    return Fates(
        counts.get(Fate.KEPT, 0), counts.get(Fate.EDITED, 0), counts.get(Fate.OVERTURNED, 0)
    )


def _ended_jobs(user: User, projects: Sequence[Project], since: datetime | None) -> list[Job]:
    """Return the newest jobs of these projects that `user` started and that ended since then."""
    scopes = [project.slug for project in projects]
    newest = Job.objects.filter(scope__in=scopes).order_by("-pk")[:JOBS_LOOKED_AT]
    return [
        job
        for job in newest
        if job.requested_by == user.email
        and job.state in ENDED_JOB_STATES
        and job.finished_at
        and (since is None or job.finished_at > since)
    ]
