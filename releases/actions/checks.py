"""What a version and its items must be before they are built or published, and the refusals."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from common.errors import DomainError
from releases.exporters.base import LETTERS
from releases.models import Release
from releases.queries import (
    ChosenText,
    approved_items,
    blocked_uids,
    disputed_uids,
    latest_public_version,
    uid_list,
)
from releases.versions import Version, VersionUnreadable, parse_version


class VersionInvalid(DomainError):
    code = "version_invalid"
    detail = _(
        "“%(version)s” is not a semantic version. Write three numbers, such as 1.2.0, and if you "
        "like a pre-release, such as 1.2.0-rc.1."
    )
    status = 400


class ReleaseExists(DomainError):
    code = "release_exists"
    detail = _("There is already a release %(version)s. Choose another version.")


class VersionNotGreater(DomainError):
    code = "version_not_greater"
    detail = _(
        "%(version)s does not come after %(latest)s, which is published. A release holds what is "
        "approved now: choose a version above %(latest)s."
    )


class NothingApproved(DomainError):
    code = "nothing_approved"
    detail = _("No item is approved yet, so there is nothing to release.")


class ReleaseBlocked(DomainError):
    code = "release_blocked"
    detail = _(
        "Approved items still have errors (%(number)s): %(uids)s. Correct each text, or dismiss "
        "the finding with a reason."
    )


class DisputesOpen(DomainError):
    code = "disputes_open"
    detail = _(
        "Approved items are in dispute (%(number)s): %(uids)s. A senior must settle each dispute "
        "first."
    )


class ItemsUnfit(DomainError):
    code = "items_unfit"
    detail = _(
        "Approved items whose key does not point to one of two to six options (%(number)s): "
        "%(uids)s. Correct or exclude them."
    )


def check_version(*, project: Project, text: str) -> Version:
    """Return the version `text` if a release of that version may be made.

    Versions with the same precedence are the same. A version below the latest public one is
    refused because its content would be newer than its number says. Raises VersionInvalid,
    ReleaseExists, VersionNotGreater.
    """
    try:
        version = parse_version(text)
    except VersionUnreadable as error:
        raise VersionInvalid(version=text) from error
    standing = Release.objects.filter(project=project).standing()
    for taken in standing.values_list("version", flat=True):
        if parse_version(taken).precedence == version.precedence:
            raise ReleaseExists(version=taken)
    check_is_latest(project=project, version=version)
    return version


def check_is_latest(*, project: Project, version: Version) -> None:
    latest = latest_public_version(project)
    if latest is not None and version.precedence <= latest.precedence:
        raise VersionNotGreater(version=str(version), latest=str(latest))


def check_items(project: Project) -> None:
    """Refuse a project that can't be released as it stands.

    Raises NothingApproved, ReleaseBlocked, DisputesOpen.
    """
    if not approved_items(project).exists():
        raise NothingApproved
    blocked = blocked_uids(project)
    if blocked:
        raise ReleaseBlocked(
            number=len(blocked), uids=uid_list(blocked), current={"uids": list(blocked)}
        )
    disputed = disputed_uids(project)
    if disputed:
        raise DisputesOpen(
            number=len(disputed), uids=uid_list(disputed), current={"uids": list(disputed)}
        )


def check_keys(texts: Iterable[ChosenText]) -> None:
    """Raise ItemsUnfit if a key points to no option."""
    unfit = [text.uid for text in texts if not _is_fit(text)]
    if unfit:
        raise ItemsUnfit(number=len(unfit), uids=uid_list(unfit), current={"uids": unfit})


def _is_fit(text: ChosenText) -> bool:
    letters = LETTERS[: text.option_count]
    return 2 <= text.option_count <= len(LETTERS) and len(text.key) == 1 and text.key in letters
