"""Adjectives of endpoints, chainable."""

from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet

from endpoints.enums import ProviderName

if TYPE_CHECKING:
    from projects.models import Project


class EndpointQuerySet(QuerySet[Any]):
    def active(self) -> "EndpointQuerySet":
        return self.filter(is_active=True)

    def of_server(self) -> "EndpointQuerySet":
        """Those that an administrator defined for more than one project."""
        return self.filter(project__isnull=True)

    def usable_in(self, project: "Project | None") -> "EndpointQuerySet":
        """The project's own, and those of the server that it may use; for None all of the server."""
        if project is None:
            return self.active().of_server()
        return self.active().filter(Q(project=project) | Q(allowed_projects=project)).distinct()

    def shown_in(self, project: "Project") -> "EndpointQuerySet":
        """The usable ones, and those of the project's own that are not in use."""
        own = Q(project=project) & ~Q(provider=ProviderName.ELSEWHERE)
        return self.filter(own | Q(allowed_projects=project, is_active=True)).distinct()
