"""How pages and the API reach an adjudication and a passage: within what a person may see."""

from django.shortcuts import get_object_or_404

from accounts.models import User
from projects.models import Project
from projects.selectors import check_right
from review.models import (
    Adjudication,
    Passage,
)
from review.selectors import refuse_strangers


def adjudication_by_id(user: User, pk: int, permission: str) -> Adjudication:
    """A decision of an address of the API. Raises as `round_by_id` does."""
    rows = Adjudication.objects.select_related("panel__item", "panel__round__project")
    adjudication = get_object_or_404(rows, pk=pk)
    _let_in(user, adjudication.panel.round.project, permission)
    return adjudication


def passage_by_id(user: User, pk: int, permission: str) -> Passage:
    """A passage of an address of the API. Raises as `round_by_id` does."""
    rows = Passage.objects.select_related(
        "adjudication__panel__item", "adjudication__panel__round__project"
    )
    passage = get_object_or_404(rows, pk=pk)
    _let_in(user, passage.adjudication.panel.round.project, permission)
    return passage


def _let_in(user: User, project: Project, permission: str) -> None:
    refuse_strangers(user, project)
    check_right(user, project, permission)
