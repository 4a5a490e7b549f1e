"""Finds the current models of a project."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from endpoints.enums import ProviderName
from endpoints.models import Endpoint, ModelSpec
from endpoints.providers.translation.catalogue import ENGINES
from projects.models import Project


def own_models(project: Project | None) -> QuerySet[ModelSpec]:
    """Return the latest revision of each model of a project, or for None of the server."""
    return _listed(_latest(project))


def current_models(project: Project | None) -> QuerySet[ModelSpec]:
    """Return the latest revision of each model spec that a project can ask.

    These are its own, and those of the server whose endpoint it may use. One of its own hides one
    of the server with the same name. For None, return those of the server.
    """
    if project is None:
        return own_models(None)
    own = _latest(project)
    of_server = _latest(None) & Q(endpoint__in=Endpoint.objects.usable_in(project))
    same = _listed(Q(project=project, name=OuterRef("name"))).select_related(None)
    return _listed(own | of_server & ~Q(Exists(same)))


def _latest(project: Project | None) -> Q:
    """Select the latest revisions of a project, or for None of the server."""
    owner = Q(project__isnull=True) if project is None else Q(project=project)
    later = ModelSpec.objects.filter(
        owner, name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    return owner & ~Q(Exists(later))


def _listed(which: Q) -> QuerySet[ModelSpec]:
    rows = ModelSpec.objects.filter(which).exclude(endpoint__provider=ProviderName.ELSEWHERE)
    return rows.select_related("project", "endpoint", "created_by")


def usable_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the current models that are not retired, for new work."""
    return current_models(project).filter(retired_at=None)


def prompted_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the usable models that answer prompts: all but plain translation engines."""
    return usable_models(project).exclude(endpoint__provider__in=list(ENGINES))
