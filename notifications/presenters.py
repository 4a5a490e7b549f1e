"""What a notification says to its reader, and where it leads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.enums import ProposalState
from notifications.enums import Kind
from notifications.models import TOGETHER
from projects.enums import Role


@dataclass(frozen=True, slots=True)
class ShownNotification:
    """One line of the list; `link` is a path within the site."""

    pk: int
    kind: str
    text: str
    project: str
    link: str
    at: datetime
    is_read: bool


_TEXTS = {
    Kind.MENTIONED: gettext_lazy("%(who)s mentioned you in a comment on %(item)s."),
    Kind.REPLIED: gettext_lazy("%(who)s replied in a thread on %(item)s."),
    Kind.SENT_BACK: gettext_lazy("A senior asks you to look again at %(item)s."),
    Kind.SUBSTITUTE: gettext_lazy("You were asked to settle the dispute about %(item)s."),
    Kind.OVERTURNED: gettext_lazy("The dispute about %(item)s was settled against your judgement."),
    Kind.SETTLED: gettext_lazy("The dispute about %(item)s, which you judged, was settled."),
    Kind.REOPENED: gettext_lazy("The dispute about %(item)s, which you judged, is open again."),
    Kind.ROUND_OPENED: gettext_lazy("Round %(round)s is open and asks you to judge."),
    Kind.ROUND_DUE: gettext_lazy("Round %(round)s is due on %(due)s: judge what is left for you."),
    Kind.PROPOSED: gettext_lazy("Somebody proposed a term for the glossary."),
    Kind.DECIDED: gettext_lazy("Your glossary proposal was decided."),
    Kind.JOB_ENDED: gettext_lazy("Job ended: %(job)s (%(state)s)."),
    Kind.WEBHOOK_OFF: gettext_lazy("A webhook was switched off: its address does not answer."),
    Kind.TEAM_WAITS: gettext_lazy("A team wants to send submissions and waits to be admitted."),
    Kind.ADMITTED: gettext_lazy("Your team was admitted. You can send submissions now."),
    Kind.RESCORED: gettext_lazy(
        "Keys of version %(version)s were corrected, and scores of your team have changed."
    ),
}

_OF_MANY = {
    Kind.SUBSTITUTE: gettext_lazy(
        "You were asked to settle several disputes, among them the one about %(item)s."
    ),
    Kind.OVERTURNED: gettext_lazy(
        "Disputes were settled together against your judgement, among them the one about %(item)s."
    ),
    Kind.SETTLED: gettext_lazy(
        "Disputes that you judged were settled together, among them the one about %(item)s."
    ),
}
_PROPOSED = gettext_lazy("Somebody proposed “%(term)s” for the glossary.")
_DECISIONS: dict[str, Any] = {
    ProposalState.ACCEPTED: gettext_lazy("Your proposal “%(term)s” is in the glossary now."),
    ProposalState.CHANGED: gettext_lazy(
        "Your proposal “%(term)s” is in the glossary now, with changes."
    ),
    ProposalState.DECLINED: gettext_lazy("Your proposal “%(term)s” for the glossary was declined."),
}


def present(row: Any) -> ShownNotification:
    """`row` is of `notifications_for`."""
    kind = Kind(row.kind)
    words = {
        "who": _who(row),
        "item": row.item.uid if row.item else "",
        "round": row.round.number if row.round else "",
        "due": _due(row),
        "job": row.job.title if row.job else "",
        "state": row.job.get_state_display() if row.job else "",
        "term": _of_event(row, "source"),
        "version": _of_event(row, "version"),
    }
    return ShownNotification(
        pk=row.pk,
        kind=row.kind,
        text=_text(row, kind) % words,
        project=row.project.name,
        link=_LINKS[kind](row),
        at=row.created_at,
        is_read=row.read_at is not None,
    )


def _text(row: Any, kind: Kind) -> str:
    """The sentence with its gaps; of a proposal, the one that names the term and the decision."""
    if row.key.startswith(TOGETHER):
        return str(_OF_MANY[kind])
    if kind == Kind.PROPOSED and _of_event(row, "source"):
        return str(_PROPOSED)
    return str(_DECISIONS.get(_of_event(row, "decision"), _TEXTS[kind]))


def _of_event(row: Any, name: str) -> str:
    """A word of the event that was told; empty for kinds whose events hold no term."""
    return str((row.event_data or {}).get(name, ""))


def _who(row: Any) -> str:
    """Managers are known to everybody; who else it was, managers alone learn here."""
    if row.comment is None:
        return ""
    leads_all = row.user.is_superuser or row.reader_role == Role.MANAGER
    is_known = leads_all or row.comment.is_from_manager
    return str(row.comment.author) if is_known else _("Somebody")


def _due(row: Any) -> str:
    """The due date that a reminder was about; the round may have another by now."""
    if row.kind != Kind.ROUND_DUE:
        return ""
    return date_format(date.fromisoformat(row.key.rpartition(":")[2]))


def _comment(row: Any) -> str:
    address = reverse("review:comments", args=[row.project.slug, row.item_id])
    return f"{address}#comment-{row.comment_id}"


def _work(row: Any) -> str:
    return reverse("review:my-work")


def _bench(row: Any) -> str:
    return reverse("review:workbench", args=[row.project.slug, row.round.number])


def _dispute(row: Any) -> str:
    """The dispute, or the queue where the person is its substitute no more."""
    if row.substituted_panel is None:
        return reverse("review:disputes", args=[row.project.slug])
    return reverse("review:dispute", args=[row.project.slug, row.substituted_panel])


def _second_looks(row: Any) -> str:
    return reverse("review:second-looks")


def _proposals(row: Any) -> str:
    return reverse("annotation:term-proposals", args=[row.project.slug])


def _job(row: Any) -> str:
    return reverse("jobs:job", args=[row.job_id])


def _webhooks(row: Any) -> str:
    return reverse("webhooks:list", args=[row.project.slug])


def _teams(row: Any) -> str:
    return f"{reverse('submissions:manage', args=[row.project.slug])}#teams"


def _sender_home(row: Any) -> str:
    return f"{reverse('home')}#benchmarks"


def _part(row: Any) -> str:
    return reverse("submissions:part", args=[row.project.slug, _of_event(row, "version")])


_LINKS: dict[Kind, Callable[[Any], str]] = {
    Kind.MENTIONED: _comment,
    Kind.REPLIED: _comment,
    Kind.SENT_BACK: _second_looks,
    Kind.SUBSTITUTE: _dispute,
    Kind.OVERTURNED: _work,
    Kind.SETTLED: _work,
    Kind.REOPENED: _work,
    Kind.ROUND_OPENED: _bench,
    Kind.ROUND_DUE: _bench,
    Kind.PROPOSED: _proposals,
    Kind.DECIDED: _proposals,
    Kind.JOB_ENDED: _job,
    Kind.WEBHOOK_OFF: _webhooks,
    Kind.TEAM_WAITS: _teams,
    Kind.ADMITTED: _sender_home,
    Kind.RESCORED: _part,
}
