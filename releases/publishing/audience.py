"""Show a published release to everybody, or to the members of its project."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from projects.locks import lock_project
from releases.changes.differences import difference, lower_versions
from releases.models import Release
from releases.problems.actions import note_mended


class NotPublished(DomainError):
    code = "release_not_published"
    detail = _("Publish the release first. Until then, only managers see it.")


@transaction.atomic
def show_to_everybody(*, release: Release, actor: User | None, now: datetime) -> None:
    """Show a published release without an account, and mark the earlier errata that it mends.

    Notes how it differs from the version before. Nothing happens where it is shown already.
    The audit row is written in the same transaction. Raises NotPublished.
    """
    lock_project(release.project_id)
    rows = Release.objects.filter(pk=release.pk).public()
    if not rows.exists():
        raise NotPublished
    found = _changes(release)
    if rows.filter(is_for_everybody=False).update(is_for_everybody=True, changes=found):
        note_mended(release.project)
        _record(release, "release.for_everybody", actor, now)


@transaction.atomic
def show_to_members(*, release: Release, actor: User | None, now: datetime) -> None:
    """Take a release back from the public; do nothing where it is for members already."""
    rows = Release.objects.filter(pk=release.pk, is_for_everybody=True)
    if rows.update(is_for_everybody=False):
        _record(release, "release.for_members", actor, now)


def _changes(release: Release) -> dict[str, Any]:
    """Return {since, counts} of the nearest earlier version that everybody sees, or {}."""
    others = Release.objects.filter(project=release.project_id).for_everybody()
    earlier = lower_versions(others.filter(frozen_at__isnull=False), release)
    if not earlier or release.frozen_at is None:
        return {}
    before = earlier[0]
    found = difference(before, release, shows_hidden=False, most=0)
    return {"since": before.version, "counts": dict(found.counts)}


def _record(release: Release, verb: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version},
        now=now,
    )
