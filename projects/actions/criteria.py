"""Reading the criteria that somebody gives a project: what is wrong is said by field."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from projects.criteria import (
    HIGHEST,
    MOST_CRITERIA,
    RESERVED_NAMES,
    SHORTCUTS,
    Criteria,
    Criterion,
)

NAME = re.compile(r"[a-z]+(?:_[a-z]+)*")
LONGEST_NAME = 20
LONGEST_LABEL = 60
LONGEST_SHORT_LABEL = 20
LONGEST_MEANING = 1_000


class CriteriaInvalid(DomainError):
    code = "criteria_invalid"
    detail = _("Some values of these criteria are not valid.")
    status = 400


def criteria_from(rows: Sequence[Mapping[str, Any]]) -> Criteria:
    """The criteria in `rows`: {name, label, short_label, lowest, highest, rubric}.

    An empty `short_label` is the label. `rubric` has one text a rating, the lowest first, or one
    about all of them. Raises CriteriaInvalid with the fields at fault ("criteria.0.name").
    """
    if not 1 <= len(rows) <= MOST_CRITERIA:
        words = _("Give from 1 to %(most)s criteria.") % {"most": MOST_CRITERIA}
        raise CriteriaInvalid(fields={"criteria": [str(words)]})
    criteria = [_criterion(row, shortcut) for row, shortcut in zip(rows, SHORTCUTS, strict=False)]
    faults: dict[str, list[str]] = {}
    for place, each in enumerate(criteria):
        others = {other.name for other in criteria[:place]}
        for field, words in _faults(each, others).items():
            faults[f"criteria.{place}.{field}"] = [words]
    if faults:
        raise CriteriaInvalid(fields=faults)
    return tuple(criteria)


def _criterion(row: Mapping[str, Any], shortcut: str) -> Criterion:
    label = row["label"].strip()
    return Criterion(
        name=row["name"].strip(),
        label=label,
        short_label=row.get("short_label", "").strip() or label,
        shortcut=shortcut,
        rubric=tuple(text.strip() for text in row["rubric"]),
        lowest=row["lowest"],
        highest=row["highest"],
    )


def _faults(criterion: Criterion, others: set[str]) -> dict[str, str]:
    found = {
        "name": _name_fault(criterion.name, others),
        "label": _text_fault(criterion.label, LONGEST_LABEL),
        "short_label": _text_fault(criterion.short_label, LONGEST_SHORT_LABEL),
        "lowest": "" if 0 <= criterion.lowest < HIGHEST else _number_words(0, HIGHEST - 1),
        "highest": _highest_fault(criterion),
        "rubric": _rubric_fault(criterion),
    }
    return {field: str(words) for field, words in found.items() if words}


def _name_fault(name: str, others: set[str]) -> str:
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        words = _("Use up to %(most)s small letters from a to z, with _ between words.")
        return str(words % {"most": LONGEST_NAME})
    if name in RESERVED_NAMES:
        return str(_("This word has another meaning in exports. Choose another one."))
    return str(_("Another criterion has this name.")) if name in others else ""


def _text_fault(text: str, most: int) -> str:
    if text and len(text) <= most and text.isprintable():
        return ""
    return str(_("Write from 1 to %(most)s letters on one line.") % {"most": most})


def _highest_fault(criterion: Criterion) -> str:
    if criterion.lowest < criterion.highest <= HIGHEST:
        return ""
    return _number_words(max(0, min(criterion.lowest, HIGHEST - 1)) + 1, HIGHEST)


def _number_words(lowest: int, highest: int) -> str:
    words = _("Enter a number from %(lowest)s to %(highest)s. Each rating is one keypress.")
    return str(words % {"lowest": lowest, "highest": highest})


def _rubric_fault(criterion: Criterion) -> str:
    texts, count = criterion.rubric, len(criterion.scale)
    is_readable = all(text and len(text) <= LONGEST_MEANING and "\0" not in text for text in texts)
    if is_readable and len(texts) in (1, count):
        return ""
    words = _("Write %(count)s lines, one for each rating, or one line about all of them.")
    return str(words % {"count": count})
