"""Finding the rows that commands and programs name by slug, uid or number."""

from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from common.errors import DomainError


class ProjectUnknown(DomainError):
    code = "project_unknown"
    detail = _("There is no project “%(slug)s”.")
    status = 404


def get_project(slug: str) -> Project:
    """Return the project `slug`. Raises ProjectUnknown."""
    project: Project | None = Project.objects.filter(slug=slug).first()
    if project is None:
        raise ProjectUnknown(slug=slug)
    return project
