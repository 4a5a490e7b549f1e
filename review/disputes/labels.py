"""Labels for reasons of disputes and what became of them, in the user's language."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.items.text_rows import label_of
from projects.criteria import Criterion, criterion_of
from review.enums import ErrorTag
from review.guidelines.labels import criterion_label


class ReasonText(NamedTuple):
    """A reason why a panel is in dispute, for people; `is_strong` marks the most important."""

    text: str
    is_strong: bool


def reason_text(reason: Mapping[str, Any], criteria: Sequence[Criterion]) -> ReasonText:
    """Say one stored reason of a panel."""
    code = reason["code"]
    if code == "verdict_split":
        return ReasonText(_("The verdicts are split"), is_strong=True)
    if code == "score_gap":
        text = _("%(name)s from %(low)s to %(high)s")
        name = criterion_label(criterion_of(criteria, reason["criterion"]))
        return ReasonText(text % {**reason, "name": name}, is_strong=False)
    if code == "different_corrections":
        fields = [field_label(field) for field in reason["fields"]]
        text = ngettext(
            "Different corrections for %(fields)s",
            "Different corrections for %(fields)s",
            len(fields),
        )
        return ReasonText(text % {"fields": ", ".join(fields)}, is_strong=False)
    if code == "key_challenged":
        return ReasonText(_("A reviewer says the key is wrong"), is_strong=True)
    if code == "experts_disagree":
        text = _("%(against)s of %(answers)s experts chose another answer than the key")
        return ReasonText(text % reason, is_strong=True)
    causes = ", ".join(_cause(cause) for cause in reason["causes"])
    return ReasonText(_("Flagged: %(causes)s") % {"causes": causes}, is_strong=True)


def reason_name(code: str) -> str:
    """A reason as a choice of a filter."""
    return {
        "verdict_split": _("Split verdicts"),
        "score_gap": _("Ratings far apart"),
        "different_corrections": _("Different corrections"),
        "key_challenged": _("Key challenged"),
        "flagged": _("Flagged"),
        "experts_disagree": _("Experts disagree with the key"),
    }[code]


def verdicts_name(letters: str) -> str:
    """The verdicts of a panel as a choice of a filter: "2 approve, 1 revise" for AAE."""
    words = {
        "A": _("%(count)s approve"),
        "E": _("%(count)s revise"),
        "R": _("%(count)s reject"),
    }
    found = [words[each] % {"count": letters.count(each)} for each in words if each in letters]
    return ", ".join(found)


def refusal_name(code: str) -> str:
    """Why a dispute was left out when many were settled."""
    return {
        "dispute_settled": _("Left out, somebody else settled them"),
        "errors_open": _("Left out, open errors in the text"),
        "revision_stale": _("Left out, the text changed"),
        "own_judgement": _("Left out, you judged or wrote them"),
        "key_in_dispute": _("Left out, the dispute is about the key"),
    }.get(code, _("Left out"))


def field_label(field: str) -> str:
    """Q for the question, the letter for an option, a word for the rest."""
    return label_of(field)


def _cause(cause: str) -> str:
    if cause == "open_errors":
        return _("the checks found errors in the text")
    return str(ErrorTag(cause).label)
