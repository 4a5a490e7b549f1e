"""Who is told of an audit event: one small function for each verb."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.models import AuditEvent, User
from jobs.models import Job
from notifications.enums import Kind
from notifications.models import TOGETHER, Notification
from projects.enums import JUDGES, Role
from projects.models import Membership, Project
from projects.solving import reads_language
from review.audience import Audience
from review.comments.threads import with_panels
from review.enums import Fate
from review.models import Comment, Panel, Round, Substitute
from review.people.work import fates_on
from review.rules import is_asked
from submissions.models import Participant, Team
from submissions.queries import policy_of
from submissions.selectors import waits_for_admission

JOB_VERBS = ("started", "resumed")


@dataclass(frozen=True, slots=True)
class Told:
    """One person and what they are told; `links` are the notification's other columns.

    `key` is what several events have in common that are told once; else each event is.
    """

    user: int
    kind: Kind
    links: Mapping[str, Any] = field(default_factory=dict)
    is_waiting: bool = False
    key: str = ""


def told_of(event: AuditEvent, project: Project) -> list[Told]:
    """Who is told what; never the person who did it, unless they wait for its end."""
    find = _BY_VERB.get(event.verb) or _for_job
    return [each for each in find(event, project) if _concerns(each, event)]


def told_verbs() -> Iterable[str]:
    """The verbs that somebody may be told of, beside those of jobs."""
    return _BY_VERB


def _concerns(told: Told, event: AuditEvent) -> bool:
    return told.kind == Kind.JOB_ENDED or told.user != event.actor_id


def _number(event: AuditEvent, kind: str) -> int:
    """The id in a target such as `comment:12`; 0, which nothing has, in any other."""
    name, _colon, number = event.target.partition(":")
    return int(number) if name == kind and number.isdecimal() else 0


def _for_comment(event: AuditEvent, project: Project) -> Iterable[Told]:
    """Those whom it names, and those who spoke in the thread before.

    Whether they may read it yet is found out when they are told.
    """
    rows = with_panels(Comment.objects.filter(pk=_number(event, "comment")))
    comment = rows.prefetch_related("mentions").first()
    if comment is None:
        return
    links = {"comment": comment, "item": comment.item}
    named = {mention.user_id for mention in comment.mentions.all()}
    for user in sorted(named):
        yield Told(user, Kind.MENTIONED, links, is_waiting=True)
    if comment.thread is None:
        return
    before = comment.thread.replies.filter(pk__lt=comment.pk).values_list("author", flat=True)
    for user in sorted({comment.thread.author_id, *before} - named):
        yield Told(user, Kind.REPLIED, links, is_waiting=True)


def _for_decision(event: AuditEvent, project: Project) -> Iterable[Told]:
    panel = Panel.objects.select_related("item").filter(pk=_number(event, "panel")).first()
    if panel is None:
        return
    for user, fate in fates_on(panel).items():
        kind = Kind.OVERTURNED if fate == Fate.OVERTURNED else Kind.SETTLED
        yield Told(user, kind, {"item": panel.item}, key=_shared_key(event, kind))


def _shared_key(event: AuditEvent, kind: Kind) -> str:
    """The same for all events of one act; empty for an event that is told by itself."""
    bulk = event.data.get("bulk", "")
    return f"{TOGETHER}{kind}:{bulk}" if bulk else ""


def _for_reopening(event: AuditEvent, project: Project) -> Iterable[Told]:
    """Those who were told that the dispute was settled."""
    panel = Panel.objects.select_related("item").filter(pk=_number(event, "panel")).first()
    if panel is not None:
        for user in fates_on(panel):
            yield Told(user, Kind.REOPENED, {"item": panel.item})


def _for_second_look(event: AuditEvent, project: Project) -> Iterable[Told]:
    """`data` names the reviewer by id."""
    panel = Panel.objects.select_related("item").filter(pk=_number(event, "panel")).first()
    reviewer = event.data.get("reviewer")
    if panel is not None and isinstance(reviewer, int):
        yield from _existing([reviewer], Kind.SENT_BACK, {"item": panel.item})


def _for_substitute(event: AuditEvent, project: Project) -> Iterable[Told]:
    """`data` names the substitute by e-mail address."""
    named = Substitute.objects.filter(
        panel=_number(event, "panel"), user__email=event.data.get("substitute", "")
    )
    for substitute in named.select_related("panel__item"):
        links = {"item": substitute.panel.item}
        key = _shared_key(event, Kind.SUBSTITUTE)
        yield Told(substitute.user_id, Kind.SUBSTITUTE, links, key=key)


def _for_round(event: AuditEvent, project: Project) -> Iterable[Told]:
    """Who may judge in it and is asked to."""
    round_ = Round.objects.filter(pk=_number(event, "round")).first()
    if round_ is None:
        return
    audience = Audience.from_json(round_.audience)
    members = Membership.objects.filter(project=project).in_role(*JUDGES).working()
    for member in members.order_by("pk"):
        languages = member.languages
        reads = not languages or reads_language(languages, project.target_language)
        asked = is_asked(audience, user=member.user_id, role=member.role, languages=languages)
        if reads and asked:
            yield Told(member.user_id, Kind.ROUND_OPENED, {"round": round_})


def _for_proposal(event: AuditEvent, project: Project) -> Iterable[Told]:
    seniors = Membership.objects.filter(project=project).in_role(Role.SENIOR).working()
    return [Told(pk, Kind.PROPOSED) for pk in seniors.values_list("user", flat=True)]


def _for_proposer(event: AuditEvent, project: Project) -> Iterable[Told]:
    """`data` names the person who proposed it by id."""
    person = event.data.get("proposed_by")
    return _existing([person], Kind.DECIDED, {}) if isinstance(person, int) else []


def _for_webhook(event: AuditEvent, project: Project) -> Iterable[Told]:
    managers = Membership.objects.filter(project=project).in_role(Role.MANAGER).working()
    return [Told(pk, Kind.WEBHOOK_OFF) for pk in managers.values_list("user", flat=True)]


def _for_team(event: AuditEvent, project: Project) -> Iterable[Told]:
    """The managers, once for each team that somebody named and that they must admit."""
    team = Team.objects.filter(pk=_number(event, "team")).first()
    if team is None or not waits_for_admission(team, policy_of(project)):
        return
    managers = Membership.objects.filter(project=project).in_role(Role.MANAGER).working()
    for manager in managers.order_by("pk"):
        yield Told(manager.user_id, Kind.TEAM_WAITS, key=f"team:{team.pk}")


def _for_admitted(event: AuditEvent, project: Project) -> Iterable[Told]:
    people = Participant.objects.filter(team=_number(event, "team")).order_by("pk")
    return [Told(pk, Kind.ADMITTED) for pk in people.values_list("user", flat=True)]


def _for_rescored(event: AuditEvent, project: Project) -> Iterable[Told]:
    """`data` names the teams whose figures are others now, by id."""
    people = Participant.objects.filter(project=project, team__in=event.data.get("teams", ()))
    rows = people.order_by("pk").values_list("user", flat=True)
    return [Told(pk, Kind.RESCORED) for pk in rows]


def _for_job(event: AuditEvent, project: Project) -> Iterable[Told]:
    """Who started or resumed a job waits for its end, once."""
    job = Job.objects.filter(pk=_number(event, "job")).first()
    if job is None or not event.actor_id:
        return
    waits = Notification.objects.filter(job=job, user=event.actor_id, is_waiting=True)
    if not waits.exists():
        yield Told(event.actor_id, Kind.JOB_ENDED, {"job": job}, is_waiting=True)


def _existing(users: list[int], kind: Kind, links: Mapping[str, Any]) -> Iterable[Told]:
    found = User.objects.filter(pk__in=users).values_list("pk", flat=True)
    return [Told(pk, kind, links) for pk in found]


_BY_VERB: dict[str, Callable[[AuditEvent, Project], Iterable[Told]]] = {
    "comment.added": _for_comment,
    "panel.adjudicated": _for_decision,
    "panel.reopened": _for_reopening,
    "panel.second-look-asked": _for_second_look,
    "panel.substitute-named": _for_substitute,
    "round.opened": _for_round,
    "submissions.scores_changed": _for_rescored,
    "submissions.team_admitted": _for_admitted,
    "submissions.terms_accepted": _for_team,
    "term.proposed": _for_proposal,
    "term.decided": _for_proposer,
    "webhook.failing": _for_webhook,
}
