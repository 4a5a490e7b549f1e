"""Finds the current models of a project."""

from django.db.models import Exists, OuterRef, QuerySet

from endpoints.enums import ProviderName
from endpoints.models import ModelSpec
from endpoints.providers.translation.catalogue import ENGINES
from projects.models import Project


def current_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the latest revision of each model spec that can be asked."""
    later = ModelSpec.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    latest = ModelSpec.objects.filter(~Exists(later), project=project)
    latest = latest.exclude(endpoint__provider=ProviderName.ELSEWHERE)
    return latest.select_related("project", "endpoint", "created_by")


def usable_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the current models that are not retired, for new work."""
    return current_models(project).filter(retired_at=None)


def prompted_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the usable models that answer prompts: all but plain translation engines."""
    return usable_models(project).exclude(endpoint__provider__in=list(ENGINES))
