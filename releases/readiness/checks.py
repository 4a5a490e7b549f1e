"""Check a version and its items before they are built or published; the refusals."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import DuplicatePair
from common.errors import DomainError
from projects.models import Project
from releases.enums import HiddenPart
from releases.models import Release
from releases.readiness.queries import (
    approved_items,
    blocked_uids,
    disputed_uids,
    latest_public_version,
    leaking_pairs,
    open_pairs,
    open_split_leaks,
    simulated_uids,
    unfit_uids,
    version_with_texts,
)
from releases.readiness.source_licences import licence_conflicts
from releases.readiness.waivers import NOTHING_WAIVED, Waived
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
        "Some approved items still have errors (%(number)s): %(uids)s. Correct the texts, "
        "dismiss the findings with a reason, or waive open_errors with a reason."
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
        "A release can only hold items with two to ten options and a key that names one of them. "
        "Correct or exclude these items (%(number)s): %(uids)s."
    )


class TextsPublished(DomainError):
    code = "texts_published"
    detail = _(
        "Release %(version)s published the texts of hidden items, so they cannot be closed again. "
        "Choose that only answers are withheld, or hide nothing."
    )


class DuplicatesAcross(DomainError):
    code = "duplicates_across"
    detail = _(
        "Duplicates of each other would be in both dev and test, or in both the open and the "
        "hidden part (%(number)s): %(pairs)s. Decide each pair on the Duplicates page: exclude "
        "one of the two items, or say that they are different."
    )


class DuplicatesOpen(DomainError):
    code = "duplicates_open"
    detail = _(
        "Nobody has decided whether these approved items are duplicates (%(number)s): %(uids)s. "
        "Decide each pair on the Duplicates page, or waive open_duplicates with a reason."
    )


class LicencesConflict(DomainError):
    code = "licences_conflict"
    detail = _(
        "The licences of these sources conflict with that of the release (%(number)s): %(uids)s. "
        "Choose another licence for the release, correct those of the sources, or waive "
        "licence_conflict with a reason."
    )


class ReviewSimulated(DomainError):
    code = "review_simulated"
    detail = _(
        "A program, not people, judged some approved items (%(number)s): %(uids)s. Let people "
        "judge them, or waive simulated_judgements with a reason: every file then says so."
    )


REFUSALS = (
    *(ReleaseBlocked, DisputesOpen, DuplicatesAcross, DuplicatesOpen, LicencesConflict),
    ReviewSimulated,
)
"""What `check_items` refuses with when items or sources are in the way."""


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


def check_items(project: Project, waived: Waived = NOTHING_WAIVED) -> None:
    """Refuse a project that cannot be released as it stands, except for what is waived.

    Raises NothingApproved, ReleaseBlocked, DisputesOpen, DuplicatesAcross, DuplicatesOpen,
    LicencesConflict, ReviewSimulated.
    """
    if not approved_items(project).exists():
        raise NothingApproved
    _refuse(ReleaseBlocked, waived.rest("open_errors", blocked_uids(project)))
    _refuse(DisputesOpen, disputed_uids(project))
    _refuse_pairs(open_split_leaks(project))
    pairs = [f"{a} ~ {b}" for a, b in open_pairs(project)]
    _refuse(DuplicatesOpen, waived.rest("open_duplicates", pairs))
    _refuse(LicencesConflict, waived.rest("licence_conflict", licence_conflicts(project)))
    _refuse(ReviewSimulated, waived.rest("simulated_judgements", simulated_uids(project)))


def check_hidden_part(project: Project, share: float, hidden_part: str) -> None:
    """Refuse to close items whose texts were published. Raises TextsPublished."""
    if share and hidden_part == HiddenPart.CLOSED:
        version = version_with_texts(project)
        if version:
            raise TextsPublished(version=version)


def check_pairs(release: Release) -> None:
    """Refuse a frozen release that parts duplicates; pairs may have been found since.

    Raises DuplicatesAcross.
    """
    _refuse_pairs(leaking_pairs(release))


def check_fit(project: Project) -> None:
    """Raise ItemsUnfit if there are approved items that no release can hold."""
    _refuse(ItemsUnfit, unfit_uids(project))


def _refuse(refusal: type[DomainError], names: Sequence[str]) -> None:
    if names:
        current = {"uids": list(names)}
        raise refusal(number=len(names), uids=uid_list(names), current=current)


def _refuse_pairs(rows: QuerySet[DuplicatePair]) -> None:
    """Refuse with the names of the pairs; one found on both sides of the text is one."""
    pairs = list(dict.fromkeys((row.a.uid, row.b.uid) for row in rows))
    if pairs:
        names = uid_list([f"{a} ~ {b}" for a, b in pairs])
        raise DuplicatesAcross(
            number=len(pairs), pairs=names, current={"pairs": [list(pair) for pair in pairs]}
        )


def uid_list(uids: Sequence[str], *, limit: int = 20) -> str:
    """Return the first uids for a sentence."""
    shown = ", ".join(uids[:limit])
    return f"{shown}, …" if len(uids) > limit else shown
