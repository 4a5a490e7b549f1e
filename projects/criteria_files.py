"""Criteria in a JSON file, in the shape of the API: its faults are named by field."""

import json
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from projects.actions.criteria import CriteriaInvalid, criteria_from
from projects.criteria import Criteria

_TEXTS: Final = {"name": "", "label": "", "short_label": ""}
_NUMBERS: Final = {"lowest": 0, "highest": 5}


def criteria_in(path: Path) -> Criteria:
    """The criteria in a file: a list of objects, or {"criteria": [...]}.

    Raises CriteriaInvalid with the fields at fault, and OSError.
    """
    try:
        given = json.loads(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise _invalid("criteria", _("This is not a JSON file.")) from error
    rows = given.get("criteria") if isinstance(given, dict) else given
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _invalid("criteria", _("The file has to hold a list of criteria."))
    return criteria_from([_row(row, f"criteria.{place}") for place, row in enumerate(rows)])


def _row(given: dict[str, Any], path: str) -> dict[str, Any]:
    """The row with what is not said, of the types that `criteria_from` takes."""
    row: dict[str, Any] = {**_TEXTS, **_NUMBERS, "rubric": [], **given}
    for name, value in row.items():
        if words := _fault(name, value):
            raise _invalid(f"{path}.{name}", words)
    return row


def _fault(name: str, value: object) -> str:
    if name in _TEXTS:
        return "" if isinstance(value, str) else _("Write a text.")
    if name in _NUMBERS:
        return "" if type(value) is int else _("Write a whole number.")
    if name == "rubric":
        is_texts = isinstance(value, list) and all(isinstance(text, str) for text in value)
        return "" if is_texts else _("Write a list of texts.")
    return _("A criterion has no such field.")


def _invalid(field: str, words: str) -> CriteriaInvalid:
    return CriteriaInvalid(fields={field: [words]})
