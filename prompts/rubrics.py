"""The texts that tell a judge model what to do: a template with named placeholders."""

import string
from collections.abc import Set as AbstractSet
from typing import Final

from django.utils.translation import gettext as _

LONGEST_RUBRIC: Final = 10_000


def rubric_fault(rubric: str, *, known: AbstractSet[str], required: AbstractSet[str]) -> str:
    """Return what is wrong with a rubric: "length", "braces", an unknown or missing name, or ""."""
    if len(rubric) > LONGEST_RUBRIC:
        return "length"
    try:
        parts = list(string.Formatter().parse(rubric))
    except ValueError:
        return "braces"
    if any(spec or conversion for _text, _name, spec, conversion in parts):
        return "braces"
    names = {name for _text, name, _spec, _conversion in parts if name is not None}
    wrong = [*sorted(names - known), *sorted(required - names)]
    return wrong[0] if wrong else ""


def rubric_words(fault: str, placeholders: str) -> str:
    """Say in words what is wrong; `placeholders` says which there are."""
    if fault == "length":
        return _("Enter at most %d characters.") % LONGEST_RUBRIC
    if fault == "braces":
        return _("Write a brace that is no placeholder as {{ or }}.")
    return placeholders
