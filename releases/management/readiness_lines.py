"""Print what is in the way of a release."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from releases.readiness.checks import uid_list


def readiness_lines(found: Mapping[str, Any]) -> list[str]:
    """Return two lines a matter, the matter and who can do what, then the version that fits.

    `found` is what `Readiness.as_json` gives.
    """
    kinds = ((_("blocks"), found["blocking"]), (_("warning"), found["warnings"]))
    lines = [line for kind, matters in kinds for each in matters for line in _lines(kind, each)]
    return [*lines, _("The version that fits the changes is %s.") % found["proposed_version"]]


def _lines(kind: str, matter: Mapping[str, Any]) -> Iterator[str]:
    named = uid_list(matter["items"])
    yield f"{kind}: {matter['code']}: {matter['detail']} ({matter['count']}) {named}".rstrip()
    people = f" ({', '.join(matter['people'])})" if matter["people"] else ""
    waive = " " + _("It can be waived with a reason.") if matter["can_waive"] else ""
    yield f"  {matter['who']}{people} {matter['url']}{waive}"
