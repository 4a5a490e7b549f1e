"""Every kind of finding by its code, and the words for a finding; marked for translation."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue import ALL_CHECKS
from annotation.checks.catalogue.base import FindingKind
from annotation.checks.catalogue.siblings import SIBLING_KINDS
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_position
from languages.letters import letter_of

_PLACES: Final[Mapping[str, str]] = MappingProxyType(
    {"question": _("Question"), "answer": _("Answer"), "explanation": _("Explanation")}
)


class ReportedByReader(FindingKind):
    """A report by readers of a release; no check finds it, so no check takes it away."""

    code = "reported"
    severity = "warning"
    family = "readers"
    title = _("Reported by a reader")
    sentence = _("A reader of a release reports: %(why)s.")
    reasons = MappingProxyType(
        {
            "reported_broken": _("the item is broken"),
            "reported_offensive": _("the item is offensive"),
            "reported_other": _("something else is wrong"),
            "reported_translation": _("the translation is wrong"),
            "reported_wrong_key": _("the key is wrong"),
        }
    )
    why = _(
        "A release that is shown to everybody lets its readers report a problem with an "
        "item. A report marks the item’s current text, so that nobody builds the next "
        "release without knowing of it."
    )
    faulty = _(
        "A reader of release 1.2.0 writes that the key of `law/12` should be B. The text of "
        "`law/12` gets the finding “A reader of a release reports: the key is wrong.”"
    )
    sound = _("A new text has no finding until somebody reports it.")
    fix = _(
        "Managers and seniors read the report under *Releases → Problem reports* and accept "
        "or dismiss it, with words. An accepted report is an erratum on the release’s public "
        "page. Correct the text or the key. After a corrected key, dismiss the finding with "
        "a reason."
    )
    when_wrong = _(
        "Dismiss the report with a reason. Dismissing the last report of an item dismisses "
        "its finding too."
    )


REPORTED: Final = ReportedByReader.code
KINDS: Final[Mapping[str, FindingKind]] = MappingProxyType(
    {kind.code: kind for kind in (*ALL_CHECKS, *SIBLING_KINDS, ReportedByReader())}
)
BESIDE_OTHERS: Final = frozenset(kind.code for kind in SIBLING_KINDS)
"""Codes that only a look at all texts of a project finds, or takes away."""


def describe(
    code: str,
    data: Mapping[str, str | int],
    translate: Callable[[str], str] = lambda message: message,
) -> str:
    """Return the sentence of a problem; `translate` is gettext where there is a language."""
    kind = KINDS[code]
    empty = [name for name in kind.without if data.get(name) == ""]
    sentence = kind.without[empty[0]] if empty else kind.sentence
    shown = dict(data)
    reason = str(data.get("reason", ""))
    if reason:
        shown["why"] = translate(kind.reasons[reason])
    return translate(sentence) % shown


def place_of(field: str, translate: Callable[[str], str] = lambda message: message) -> str:
    """Return the place of a finding in words; `translate` is gettext where there is a language."""
    position = option_position(field)
    if position is not None:
        return translate(_("Option %(letter)s")) % {"letter": letter_of(position)}
    return translate(_PLACES.get(field, _("Whole item")))


def title(code: str, translate: Callable[[str], str] = lambda message: message) -> str:
    """Return the short title of a code; the code itself where no check has it any more."""
    return translate(KINDS[code].title) if code in KINDS else code
