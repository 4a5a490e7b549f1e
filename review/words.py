"""Words for stages, undefined statistics and the reasons of a dispute, in the user's language."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.agreement import Undefined
from review.enums import ErrorTag
from review.figures import StageFigures
from review.queries import SystemFigures
from review.report_formats import ReportRow, ReportWords

LETTERS = "ABCDEF"


class ReasonText(NamedTuple):
    """Why a panel is in dispute, in words; `is_strong` marks what matters most."""

    text: str
    is_strong: bool


def stage_name(number: int) -> str:
    """The name of a stage: 0 is the initial review, k the k-th alignment."""
    if number == 0:
        return _("Initial")
    return _("Alignment %(number)s") % {"number": number}


def undefined_text(reason: Undefined) -> str:
    return {
        Undefined.NO_ITEMS: _("no items yet"),
        Undefined.NOTHING_TO_COMPARE: _("undefined: no item was judged by enough people"),
        Undefined.TOO_FEW_ITEMS: _("undefined: fewer than two items"),
        Undefined.NO_VARIATION: _("undefined: all gave the same answer"),
    }[reason]


def report_words(label: str = "") -> ReportWords:
    """The words of a table whose first column is headed `label` (by default Stage)."""
    return ReportWords(
        columns={
            "label": label or _("Stage"),
            "items_judged": _("Items"),
            "approval_rate": _("Approval (%)"),
            "domain_mean": _("Domain"),
            "cultural_mean": _("Culture"),
            "fleiss_kappa": _("Fleiss κ"),
            "alpha_verdicts": _("α verdicts"),
            "alpha_domain": _("α domain"),
            "alpha_cultural": _("α culture"),
            "gwet_ac1": _("Gwet AC1"),
        },
        undefined={reason: undefined_text(reason) for reason in Undefined},
        n_used=_("n %(used)d, %(left_out)d left out"),
        note=_(
            "In brackets the 95 % interval: Wilson for approval, else percentile bootstrap over "
            "items."
        ),
    )


def stage_rows(figures: Sequence[StageFigures]) -> list[ReportRow]:
    return [ReportRow(stage_name(each.number), each) for each in figures]


def system_rows(systems: Iterable[SystemFigures]) -> list[ReportRow]:
    return [ReportRow(row.system, row.figures, of="system") for row in systems]


def reason_text(reason: Mapping[str, Any]) -> ReasonText:
    """Say one stored reason of a panel."""
    code = reason["code"]
    if code == "verdict_split":
        return ReasonText(_("The verdicts are split"), is_strong=True)
    if code == "score_gap":
        name = {"domain": _("Domain alignment"), "cultural": _("Cultural alignment")}
        text = _("%(name)s from %(low)s to %(high)s")
        return ReasonText(text % {**reason, "name": name[reason["criterion"]]}, is_strong=False)
    if code == "different_corrections":
        fields = [field_label(field) for field in reason["fields"]]
        text = ngettext(
            "Different corrections of %(fields)s",
            "Different corrections of %(fields)s",
            len(fields),
        )
        return ReasonText(text % {"fields": ", ".join(fields)}, is_strong=False)
    if code == "key_challenged":
        return ReasonText(_("A reviewer says that the key is wrong"), is_strong=True)
    causes = ", ".join(_cause(cause) for cause in reason["causes"])
    return ReasonText(_("Flagged: %(causes)s") % {"causes": causes}, is_strong=True)


def field_label(field: str) -> str:
    """Q for the question, the letter for an option."""
    name, _dot, index = field.partition(".")
    return LETTERS[int(index)] if name == "options" else "Q"


def _cause(cause: str) -> str:
    if cause == "open_errors":
        return _("the checks found errors in the text")
    return str(ErrorTag(cause).label)
