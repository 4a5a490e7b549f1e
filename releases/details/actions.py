"""Change what managers say about the data set, for the releases that are built from then on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.address_checks import is_web_address
from common.errors import DomainError
from projects.models import Project
from releases.details.values import LONGEST_PROSE, PROSE, DetailsUnreadable, read_authors, read_doi
from releases.models import ReleaseDetails

LONGEST = {"title": 200, "doi": 200, "url": 500, "licence": 100, "authors": LONGEST_PROSE}


class DetailsInvalid(DomainError):
    code = "details_invalid"
    detail = _("Correct the fields below.")
    status = 400


@dataclass(frozen=True, slots=True)
class DetailsRequest:
    """`authors` are lines `Family, Given; ORCID` or names of organisations."""

    title: str = ""
    authors: str = ""
    doi: str = ""
    url: str = ""
    licence: str = ""
    prose: Mapping[str, str] = field(default_factory=dict)


@transaction.atomic
def change_details(
    *, project: Project, request: DetailsRequest, actor: User | None, now: datetime
) -> ReleaseDetails:
    """Replace what is said about the data set; frozen releases keep what they have.

    The audit row is written in the same transaction. Raises DetailsInvalid with the fields.
    """
    values = {**asdict(request), "doi": _checked(request)}
    values["prose"] = {name: text for name, text in values["prose"].items() if text.strip()}
    found: ReleaseDetails = ReleaseDetails.objects.update_or_create(
        project=project, defaults=values
    )[0]
    record_event(
        actor=actor,
        verb="release.details_changed",
        target=f"project:{project.pk}",
        scope=project.slug,
        data={"doi": found.doi, "licence": found.licence},
        now=now,
    )
    return found


def _checked(request: DetailsRequest) -> str:
    """Return the DOI to store, if all fields are right."""
    fields: dict[str, list[str]] = {}
    doi = ""
    try:
        read_authors(request.authors)
    except DetailsUnreadable as error:
        line = _("“%s” is not “Family, Given; ORCID” or the name of an organisation.")
        fields["authors"] = [str(line) % error.args[0]]
    try:
        doi = read_doi(request.doi)
    except DetailsUnreadable:
        fields["doi"] = [str(_("Enter a DOI, such as 10.5281/zenodo.1234567."))]
    if request.url and not is_web_address(request.url):
        fields["url"] = [str(_("Enter a web address that begins with https:// or http://."))]
    fields |= _too_long(request)
    if fields:
        raise DetailsInvalid(fields=fields)
    return doi


def _too_long(request: DetailsRequest) -> dict[str, list[str]]:
    words = str(_("Enter at most %d characters."))
    long = {
        name: [words % most] for name, most in LONGEST.items() if len(getattr(request, name)) > most
    }
    prose = {
        name: [words % LONGEST_PROSE]
        for name, text in request.prose.items()
        if len(text) > LONGEST_PROSE
    }
    unknown = {name: [str(_("There is no such section."))] for name in {*request.prose} - {*PROSE}}
    return {**long, **prose, **unknown}
