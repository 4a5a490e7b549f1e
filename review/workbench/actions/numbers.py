"""Texts that change numbers or formulas against their source are taken only if that is meant."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.checks.guard import NumberChange, number_changes
from annotation.models import Item, Revision
from common.errors import DomainError
from projects.models import Project
from review.models import Panel
from review.outcomes import Correction


class NumbersUnconfirmed(DomainError):
    code = "numbers_unconfirmed"
    detail = gettext_lazy(
        "Your text changes numbers or formulas against the source. Correct it, or confirm that "
        "you meant to."
    )
    status = 400


def confirm_numbers(
    correction: Correction | None,
    panel: Panel,
    *,
    is_confirmed: bool,
    known: Sequence[Correction] = (),
) -> bool:
    """Return whether the text changes numbers or formulas, which somebody then confirmed.

    `known` are corrections whose own changes were confirmed, so that they need it no more. Raises
    NumbersUnconfirmed with the fields at fault.
    """
    if correction is None:
        return False
    texts = (panel.item, panel.revision, panel.round.project)
    changes = changed_numbers(correction, *texts)
    asked = set(changes) if changes else set()
    for each in known if asked else ():
        asked.difference_update(changed_numbers(each, *texts))
    refuse_unconfirmed(sorted(asked), is_confirmed=is_confirmed)
    return bool(changes)


def refuse_unconfirmed(changes: Sequence[NumberChange], *, is_confirmed: bool) -> None:
    """Raise NumbersUnconfirmed where there are changes that nobody confirmed."""
    if changes and not is_confirmed:
        raise NumbersUnconfirmed(fields={f"correction.{f}": [w] for f, w in in_words(changes)})


def changed_numbers(
    correction: Correction, item: Item, before: Revision, project: Project
) -> list[NumberChange]:
    """The numbers and formulas that a text changes against the source of its item.

    A native item has no source beside its text.
    """
    if project.is_monolingual:
        return []
    languages = (project.source_language, project.target_language)
    changes = number_changes(
        (item.question, *item.options),
        (before.question, *before.options),
        (correction.question, *correction.options),
        *languages,
    )
    for field, text in correction.further():
        theirs, old = getattr(item, field), getattr(before, field)
        if theirs and text != old:
            found = number_changes((theirs,), (old,), (text,), *languages)
            changes += [replace(each, field=field) for each in found]
    return changes


def in_words(changes: Sequence[NumberChange]) -> list[tuple[str, str]]:
    """Each field with a sentence that says what is missing in it and what is new."""
    return [
        (field, _sentence(list(group)))
        for field, group in groupby(sorted(changes), key=lambda change: change.field)
    ]


def _sentence(changes: Sequence[NumberChange]) -> str:
    missing = ", ".join(each.value for each in changes if each.is_missing)
    added = ", ".join(each.value for each in changes if not each.is_missing)
    if not added:
        return _("In the source, but not in your text: %(missing)s.") % {"missing": missing}
    if not missing:
        return _("In your text, but not in the source: %(added)s.") % {"added": added}
    words = {"missing": missing, "added": added}
    return (
        _("In the source, but not in your text: %(missing)s. Not in the source: %(added)s.") % words
    )
