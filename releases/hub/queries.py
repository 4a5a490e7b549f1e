"""Find where releases were published on the Hugging Face Hub."""

from django.conf import settings

from projects.models import Project
from releases.models import HubPublication, Release


def hub_publications(release: Release) -> list[tuple[HubPublication, str, str]]:
    """Return each publication of the release with the addresses of its files and its commit."""
    base = f"{settings.HUB_ENDPOINT.rstrip('/')}/datasets"
    return [
        (
            row,
            f"{base}/{row.repository}/tree/{release.version}",
            f"{base}/{row.repository}/commit/{row.commit}",
        )
        for row in release.hub_publications.order_by("repository")
    ]


def latest_repository(project: Project) -> str:
    """Return the repository of the project's latest publication, or ""."""
    rows = HubPublication.objects.filter(release__project=project).order_by("-published_at", "-pk")
    return rows.values_list("repository", flat=True).first() or ""
