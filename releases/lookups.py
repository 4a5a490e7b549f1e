"""Finding the releases that commands name by version."""

from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from common.errors import DomainError
from releases.models import Release


class ReleaseUnknown(DomainError):
    code = "release_unknown"
    detail = _("There is no release %(version)s in this project.")
    status = 404


def get_release(project: Project, version: str) -> Release:
    """Return the release `version` of the project. Raises ReleaseUnknown."""
    rows = Release.objects.filter(project=project, version=version).select_related("project", "job")
    release: Release | None = rows.first()
    if release is None:
        raise ReleaseUnknown(version=version)
    return release
