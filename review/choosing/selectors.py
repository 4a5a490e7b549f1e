"""How pages and the API reach a choice of texts."""

from django.shortcuts import get_object_or_404

from common.db import bounded_pk
from projects.models import Project
from review.models import (
    TextChoice,
)


def choice_of(project: Project, pk: int) -> TextChoice:
    """A choice of texts in the project, by its number. Raises Http404."""
    rows = TextChoice.objects.select_related("project")
    found: TextChoice = get_object_or_404(rows, project=project, pk=bounded_pk(pk))
    return found
