"""Publish a built release, and yank a published one."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.db import move
from common.errors import DomainError
from projects.locks import lock_project
from releases.building.queries import earlier_subsets
from releases.enums import RELEASE_TRANSITIONS, ReleaseState, Subset
from releases.models import Release
from releases.readiness.checks import (
    check_hidden_part,
    check_is_latest,
    check_pairs,
    uid_list,
)
from releases.versions import parse_version


class NotPublishable(DomainError):
    code = "release_not_publishable"
    detail = _("Only a built release that is not published yet can be published.")


class BlackBoxShown(DomainError):
    code = "black_box_shown"
    detail = _(
        "This release hides items that another release has published since (%(number)s): "
        "%(uids)s. Build it again as a later version."
    )


class NotYankable(DomainError):
    code = "release_not_yankable"
    detail = _("Only a published release can be yanked.")


class YankReasonMissing(DomainError):
    code = "reason_missing"
    detail = _("Enter a reason, so that people who use this release know what is wrong.")
    status = 400


@transaction.atomic
def publish_release(*, release: Release, actor: User | None, now: datetime) -> None:
    """Show a built release to the project's readers; write the audit row in the same transaction.

    Raises NotPublishable, VersionNotGreater when a later version is out already, BlackBoxShown,
    TextsPublished,
    and DuplicatesAcross when pairs found since the build tie dev to test or open to hidden items.
    """
    lock_project(release.project_id)
    if not Release.objects.filter(pk=release.pk, state=ReleaseState.BUILT).exists():
        raise NotPublishable
    check_is_latest(project=release.project, version=parse_version(release.version))
    _check_black_box(release)
    check_hidden_part(release.project, release.black_box_share, release.hidden_part)
    check_pairs(release)
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.PUBLISHED,
        transitions=RELEASE_TRANSITIONS,
        refusal=NotPublishable,
        published_at=now,
    )
    _record(release, "release.published", {}, actor, now)


@transaction.atomic
def yank_release(*, release: Release, reason: str, actor: User | None, now: datetime) -> None:
    """Warn everybody not to use a published release; its files stay, so that figures can be checked.

    Raises YankReasonMissing, NotYankable.
    """
    if not reason.strip():
        raise YankReasonMissing(fields={"reason": [str(_("Enter a reason."))]})
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.YANKED,
        transitions=RELEASE_TRANSITIONS,
        refusal=NotYankable,
        yanked_at=now,
        yank_reason=reason.strip(),
    )
    _record(release, "release.yanked", {"reason": reason.strip()}, actor, now)


def _check_black_box(release: Release) -> None:
    opened, _hidden = earlier_subsets(release.project)
    mine = release.items.filter(subset=Subset.BLACK_BOX).order_by("position")
    shown = [uid for uid in mine.values_list("uid", flat=True) if uid in opened]
    if shown:
        raise BlackBoxShown(number=len(shown), uids=uid_list(shown), current={"uids": shown})


def _record(
    release: Release, verb: str, data: dict[str, str], actor: User | None, now: datetime
) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version, **data},
        now=now,
    )
