"""Find the releases that a person sees, and the items of a release."""

from django.db.models import QuerySet

from accounts.models import User
from projects.models import Project
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.querysets import ReleaseQuerySet


def releases_seen_by(user: User, project: Project) -> ReleaseQuerySet:
    """Return all releases of the project for those who may build, for others the public ones."""
    rows: ReleaseQuerySet = Release.objects.filter(project=project)
    return rows if user.has_perm("releases.build_release", project) else rows.public()


def release_items(release: Release) -> QuerySet[ReleaseItem]:
    """Return everything in the release with subject and revision, in the order of the files."""
    items = release.items.select_related("subject", "revision").order_by("position", "pk")
    return items.defer("source_question", "source_options", "source_answer", "provenance")


def example_item(release: Release) -> ReleaseItem | None:
    """Return the first open item, to show what the release is like."""
    return release_items(release).filter(subset=Subset.OPEN).first()
