"""What an invitation says of the work, in the language of whoever reads it.

`Invitation.offer` is what the project offered when it invited: {"about": text, "about_language":
code, "source_language": code, "target_language": code, "items": number, "minutes": number, "pay":
decimal as text, "currency": code, "unit": "hour" or "item"}; what is not known is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import number_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from languages import get_language
from languages.markup import language_attributes


@dataclass(frozen=True, slots=True)
class OfferLine:
    """One line of a list; `lang` where the text is not of the interface.

    `markup` is the same text for pages, where parts of it are of other languages.
    """

    label: str
    text: str
    lang: str = ""
    markup: str = ""


def offer_lines(offer: Mapping[str, Any]) -> list[OfferLine]:
    """What the work is, which languages, how long and what it pays, as far as it was said."""
    lines = []
    if offer.get("about"):
        lines.append(OfferLine(_("The work"), offer["about"], offer.get("about_language", "")))
    if offer.get("target_language"):
        lines.append(_languages(offer))
    if time := _time(offer):
        lines.append(OfferLine(_("How long"), time))
    if offer.get("pay"):
        lines.append(OfferLine(_("Pay"), _pay(offer)))
    return lines


def _languages(offer: Mapping[str, Any]) -> OfferLine:
    words = _("from %(source_language)s into %(target_language)s")
    codes = {name: offer[name] for name in ("source_language", "target_language")}
    names = {name: get_language(code).name or code for name, code in codes.items()}
    marked = {name: _marked(code) for name, code in codes.items()}
    return OfferLine(
        _("Languages"),
        words % names,
        markup=mark_safe(conditional_escape(words) % marked),  # noqa: S308
    )


def _marked(code: str) -> str:
    """A language's name for itself, with the tag that its fonts and line height go by."""
    language = get_language(code)
    tag = language.name_tag or language.code
    attributes = mark_safe(language_attributes(tag))  # noqa: S308 - escapes what it is given
    return format_html('<span {} class="inline">{}</span>', attributes, language.name or code)


def _time(offer: Mapping[str, Any]) -> str:
    items, minutes = offer.get("items"), offer.get("minutes")
    parts = []
    if items:
        words = ngettext("about %(count)s item", "about %(count)s items", items)
        parts.append(words % {"count": intcomma(items)})
    if minutes:
        words = ngettext("%(count)s minute each", "%(count)s minutes each", minutes)
        parts.append(words % {"count": minutes})
    if items and minutes:
        hours = max(1, round(items * minutes / 60))
        words = ngettext("some %(count)s hour in all", "some %(count)s hours in all", hours)
        parts.append(words % {"count": intcomma(hours)})
    return ", ".join(parts)


def _pay(offer: Mapping[str, Any]) -> str:
    words = _("%(pay)s per item") if offer["unit"] == "item" else _("%(pay)s per hour")
    amount = number_format(Decimal(offer["pay"]), decimal_pos=2)
    return words % {"pay": f"{amount} {offer['currency']}"}
