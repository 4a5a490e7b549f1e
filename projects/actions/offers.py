"""What a project tells the people whom it invites: the work, how long it takes and what it pays."""

import re
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.actions.audit import record
from projects.enums import JUDGES
from projects.models import Project, WorkOffer

LONGEST_ABOUT = 2000
_CURRENCY = re.compile(r"[A-Z]{3}")


class OfferInvalid(DomainError):
    code = "offer_invalid"
    detail = _("This description of the work cannot be used.")
    status = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferContent:
    """What `WorkOffer` has; what is left out is not said."""

    about: str = ""
    language: str = ""
    items: int | None = None
    minutes: int | None = None
    pay: Decimal | None = None
    currency: str = ""
    unit: str = "hour"


@transaction.atomic
def change_offer(
    *, project: Project, content: OfferContent, actor: User | None, now: datetime
) -> WorkOffer:
    """Say this in invitations from now on; those that were sent keep what they said.

    Keyed by project. Raises OfferInvalid.
    """
    values = asdict(content) | {"about": content.about.strip()}
    _check(WorkOffer(project=project, **values))
    offer, _is_new = WorkOffer.objects.update_or_create(project=project, defaults=values)
    data = values | {"pay": None if content.pay is None else str(content.pay)}
    record(project, actor=actor, verb="offer.changed", target=project, now=now, data=data)
    return offer


def offer_of(project: Project) -> OfferContent:
    """What invitations say now."""
    offer = WorkOffer.objects.filter(project=project).first()
    if offer is None:
        return OfferContent()
    return OfferContent(**{name: getattr(offer, name) for name in OfferContent.__slots__})


def offer_in_invitation(project: Project, role: str) -> dict[str, Any]:
    """What is stored with an invitation; amounts of work and pay are for people who judge."""
    offer = offer_of(project)
    said: dict[str, Any] = {
        "about": offer.about,
        "about_language": offer.language,
        "source_language": project.source_language,
        "target_language": project.target_language,
    }
    if role in JUDGES:
        pay = None if offer.pay is None else str(offer.pay)
        said |= {"items": offer.items, "minutes": offer.minutes, "pay": pay}
        said |= {"currency": offer.currency, "unit": offer.unit} if pay else {}
    return {name: value for name, value in said.items() if value not in (None, "")}


def _check(offer: WorkOffer) -> None:
    faults: dict[str, list[str]] = {}
    try:
        offer.clean_fields(exclude=["project"])
    except ValidationError as error:
        faults = dict(error.message_dict)
    if offer.language and offer.language not in dict(settings.LANGUAGES):
        faults["language"] = [str(_("The interface is not available in this language."))]
    if len(offer.about) > LONGEST_ABOUT:
        faults["about"] = [str(_("The text is too long."))]
    if "\0" in offer.about:
        faults["about"] = [str(_("The text contains a character that cannot be stored."))]
    if offer.pay is not None and not _CURRENCY.fullmatch(offer.currency):
        faults["currency"] = [str(_("Give a currency code of three capital letters, such as EUR."))]
    if faults:
        raise OfferInvalid(fields=faults)
