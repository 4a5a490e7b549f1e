"""What a version and its items must be before they are built or published, and the refusals."""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import DuplicatePair
from common.errors import DomainError
from projects.models import Project
from releases.models import Release
from releases.queries import (
    ChosenTexts,
    approved_items,
    blocked_uids,
    disputed_uids,
    latest_public_version,
    leaking_pairs,
    open_split_leaks,
    uid_list,
)
from releases.versions import Version, VersionUnreadable, parse_version


class VersionInvalid(DomainError):
    code = "version_invalid"
    detail = _(
        "“%(version)s” is not a semantic version. Enter three numbers, such as 1.2.0, or a "
        "pre-release, such as 1.2.0-rc.1."
    )
    status = 400


class ReleaseExists(DomainError):
    code = "release_exists"
    detail = _("Release %(version)s already exists. Choose another version.")


class VersionNotGreater(DomainError):
    code = "version_not_greater"
    detail = _(
        "A release contains the texts approved now, so its version must be higher than "
        "%(latest)s, the latest one published. %(version)s is not."
    )


class NothingApproved(DomainError):
    code = "nothing_approved"
    detail = _(
        "No items have been approved yet. Close a round of review or settle its disputes first."
    )


class ReleaseBlocked(DomainError):
    code = "release_blocked"
    detail = _(
        "Some approved items still have errors (%(number)s): %(uids)s. Correct the texts, or "
        "dismiss the findings with a reason."
    )


class DisputesOpen(DomainError):
    code = "disputes_open"
    detail = _(
        "Some approved items are in dispute (%(number)s): %(uids)s. A senior must settle these "
        "disputes first."
    )


class ItemsUnfit(DomainError):
    code = "items_unfit"
    detail = _(
        "A release can only hold items with two to six options and a key that names one of them. "
        "Correct or exclude these items (%(number)s): %(uids)s."
    )


class DuplicatesAcross(DomainError):
    code = "duplicates_across"
    detail = _(
        "Duplicates of each other would be in both dev and test, or in both the open and the "
        "hidden part (%(number)s): %(pairs)s. Decide each pair on the Duplicates page: exclude "
        "one of the two items, or say that they are different."
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

    Raises NothingApproved, ReleaseBlocked, DisputesOpen, DuplicatesAcross.
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
    _refuse_pairs(open_split_leaks(project))


def check_pairs(release: Release) -> None:
    """Refuse a frozen release that parts duplicates; pairs may have been found since.

    Raises DuplicatesAcross.
    """
    _refuse_pairs(leaking_pairs(release))


def check_fit(texts: ChosenTexts) -> None:
    """Raise ItemsUnfit for items with one option or more than six, or a key that names none."""
    unfit = list(texts.unfit_uids)
    if unfit:
        raise ItemsUnfit(number=len(unfit), uids=uid_list(unfit), current={"uids": unfit})


def _refuse_pairs(rows: QuerySet[DuplicatePair]) -> None:
    """Name the pairs; one found on both sides of the text is one."""
    pairs = list(dict.fromkeys((row.a.uid, row.b.uid) for row in rows))
    if pairs:
        names = uid_list([f"{a} ~ {b}" for a, b in pairs])
        raise DuplicatesAcross(
            number=len(pairs), pairs=names, current={"pairs": [list(pair) for pair in pairs]}
        )
