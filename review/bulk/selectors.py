"""How pages and the API reach bulk changes."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from common.db import bounded_pk
from projects.models import Project
from review.models import BulkChange

LATEST = 10


def bulk_of(project: Project, pk: int) -> BulkChange:
    """Return a bulk change of the project, by its number. Raises Http404."""
    found: BulkChange = get_object_or_404(BulkChange, project=project, pk=bounded_pk(pk))
    found.project = project
    return found


def latest_bulks(project: Project) -> QuerySet[BulkChange]:
    """Return the latest bulk changes, the newest first, without the items that they have yet to do."""
    rows = BulkChange.objects.filter(project=project).defer("item_ids")
    return rows.select_related("actor", "job", "undone_by").order_by("-pk")[:LATEST]
