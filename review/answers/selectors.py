"""How pages, the API and commands reach an answer and the results of a round."""

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.enums import JUDGES
from review.enums import RoundKind, RoundState
from review.models import (
    Answer,
    Assignment,
    Round,
)
from review.workbench.selectors import round_to_judge


class NoResults(DomainError):
    code = "no_results"
    detail = _("Round %(number)s is a review. Its figures are in the report.")
    status = 404

    def __init__(self, round_: Round) -> None:
        self.way_on = reverse("review:report", args=[round_.project.slug]), _("Open the report")
        super().__init__(number=round_.number)


class ResultsNotYet(DomainError):
    code = "results_not_yet"
    detail = _(
        "Round %(number)s is still open. You see its results when it is closed, so that they do "
        "not influence anybody’s answers."
    )


def round_to_answer(user: User, pk: int) -> Round:
    """A round that compares or solves, in which `user` asks for a seat. Raises as `round_to_judge`."""
    round_ = round_to_judge(user, pk)
    if round_.kind == RoundKind.REVIEW:
        raise Http404
    return round_


def seat_to_answer(user: User, pk: int) -> Assignment:
    """A seat of a round that compares or solves, in a project where `user` judges."""
    return get_object_or_404(answer_seats(user), pk=pk)


def own_answer(user: User, pk: int) -> Answer:
    """An answer of `user`'s own in a project where they judge, withdrawn ones too."""
    rows = Answer.all_rows.filter(reviewer=user, assignment__in=answer_seats(user))
    return get_object_or_404(rows, pk=pk)


def answer_seats(user: User) -> QuerySet[Assignment]:
    """Seats of rounds that compare or solve, in projects where `user` judges."""
    rows = Assignment.objects.select_related("round__project").exclude(round__kind=RoundKind.REVIEW)
    return rows.filter(
        round__project__memberships__user=user, round__project__memberships__role__in=JUDGES
    )


def round_with_results(round_: Round) -> Round:
    """The round, if it compares or solves and is closed. Raises NoResults, ResultsNotYet."""
    if round_.kind == RoundKind.REVIEW:
        raise NoResults(round_)
    if round_.state != RoundState.CLOSED:
        raise ResultsNotYet(number=round_.number)
    return round_
