"""How pages, the API and commands reach the round and the reviewer that a report is about."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from review.enums import RoundState
from review.models import (
    Judgement,
    Round,
)
from review.selectors import get_round


def told_as_of(user: User, project: Project, as_of: int | None = None) -> int | None:
    """The round as of which `user` reads figures: `as_of`, or None for this moment.

    While control items are about, who may be shown them reads the rounds before: a figure that
    moves with the judgement of an item and not with that of a control would tell them apart.
    """
    is_told = as_of is not None or not project.is_browsing_closed
    if is_told or user.has_perm("annotation.view_items", project):
        return as_of
    current = open_round_of(project)
    return current.number - 1 if current else None


def open_round_of(project: Project) -> Round | None:
    """The round that is open in the project, if one is."""
    return project.rounds.filter(state=RoundState.OPEN).select_related("guideline").first()


class RoundNotClosed(DomainError):
    code = "round_not_closed"
    detail = _(
        "Round %(number)s is not closed yet. Ask for figures as of a closed round, or of now."
    )


def closed_round_number(project: Project, number: int | None) -> int | None:
    """The number of a closed round that a report is asked for as of; None asks for now.

    Raises RoundUnknown and RoundNotClosed.
    """
    if number is not None and get_round(project, number).state != RoundState.CLOSED:
        raise RoundNotClosed(number=number)
    return number


class ReviewerUnknown(DomainError):
    code = "reviewer_unknown"
    detail = _("Nobody with the e-mail address %(email)s has judged in this project.")
    status = 404


def reviewer_at(project: Project, email: str) -> User:
    """Who has judged in the project, by e-mail address in any case. Raises ReviewerUnknown."""
    person = User.objects.filter(email__iexact=email).first()
    judged = Judgement.all_rows.filter(reviewer=person, panel__round__in=project.rounds.all())
    if person is None or not judged.exists():
        raise ReviewerUnknown(email=email)
    return person
