"""Adjudications that a passage of the guideline would come from, and what was decided without it."""

from django.db.models import F, Q, QuerySet

from accounts.models import User
from projects.models import Project
from review.models import Adjudication, Passage

SHOWN = 50


def adjudication_of(project: Project, pk: int) -> QuerySet[Adjudication]:
    """One adjudication of a project, with all that the page of its passage shows."""
    rows = Adjudication.objects.filter(pk=pk, panel__round__project=project)
    return rows.select_related("panel__item", "panel__round__guideline", "panel__round__project")


def open_passages(project: Project) -> QuerySet[Passage]:
    """Passages that wait for a manager, the oldest first."""
    rows = Passage.objects.filter(
        adjudication__panel__round__project=project, decided_at__isnull=True
    )
    return rows.select_related(
        "adjudication__panel__item", "adjudication__panel__round__project", "proposed_by"
    ).order_by("pk")


def passages_shown(user: User, project: Project) -> list[Passage]:
    """The first passages that wait, for those who may propose some; others see none."""
    if not user.has_perm("review.propose_passage", project):
        return []
    return list(open_passages(project)[:SHOWN])


def decided_under_old_text(adjudication: Adjudication) -> QuerySet[Adjudication]:
    """Other decisions in force on disputes like this one, newest first, without its passage.

    Like it are those that cite the same passage, or whose disputes have a reason in common.
    """
    project = adjudication.panel.round.project
    accepted = Passage.objects.filter(adjudication=adjudication, guideline__isnull=False).first()
    alike = Q(citation__iexact=adjudication.citation) if adjudication.citation else Q()
    for code in adjudication.panel.reason_codes.split():
        alike |= Q(panel__reason_codes__contains=code)
    rows = Adjudication.objects.filter(alike, panel__round__project=project)
    if accepted and accepted.guideline:
        rows = rows.filter(panel__round__guideline__version__lt=accepted.guideline.version)
    in_force = rows.filter(panel__adjudication=F("pk")).exclude(pk=adjudication.pk)
    return in_force.select_related("panel__item", "panel__round__guideline").order_by("-pk")
