"""What became of a batch repair, in words."""

from collections.abc import Mapping
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from review.enums import LeftOut


def repaired_words(outcome: Mapping[str, Any]) -> list[str]:
    """How many texts were repaired, and a sentence for each reason why others were not."""
    first = _("Texts repaired: %(count)s.") % {"count": intcomma(outcome["repaired"])}
    return [first, *reason_words(outcome["left"])]


def restored_words(outcome: Mapping[str, Any]) -> list[str]:
    """How many texts are what they were before, and why others keep the repair."""
    first = _("Texts brought back: %(count)s.") % {"count": intcomma(outcome["restored"])}
    return [first, *reason_words(outcome["kept"])]


def reason_words(counts: Mapping[str, int]) -> list[str]:
    """A sentence for each reason that leaves texts as they are, with their number."""
    return [
        _("Left as they are: %(count)s. %(reason)s")
        % {"count": intcomma(counts[reason]), "reason": LeftOut(reason).label}
        for reason in LeftOut
        if counts.get(reason)
    ]
