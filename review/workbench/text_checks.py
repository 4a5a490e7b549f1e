"""What the checks say of a text while somebody types it: nothing is stored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.checks.actions import findings_for, repair_of
from annotation.checks.presenters import (
    ShownFinding,
    causes_in_words,
    open_causes,
    place_of,
)
from annotation.checks.repairs import LABELS, LETTERS, OPTIONS, Repair
from annotation.models import Finding, Item, Revision
from projects.models import Project
from review.models import Panel
from review.outcomes import FURTHER, Correction
from review.selection.controls import control_findings, is_degraded
from review.workbench.actions.numbers import changed_numbers, in_words

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When findings were made that are not stored."""


@dataclass(frozen=True, slots=True)
class ShownRepair:
    """A repaired text with what the button says that it does."""

    label: str
    question: str
    options: Sequence[str]

    @property
    def texts(self) -> list[str]:
        """The question and each option."""
        return [self.question, *self.options]

    @property
    def texts_json(self) -> str:
        return json.dumps(self.texts, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class TypedText:
    """What is wrong with a typed text, which numbers it changes, and a repair of it if there is one.

    `numbers` has (field, sentence) for each field that changes a number or formula.
    """

    findings: Sequence[ShownFinding]
    numbers: Sequence[tuple[str, str]]
    repair: ShownRepair | None


NOTHING_SAID = TypedText((), (), None)


def check_panel_text(panel: Panel, typed: Correction, project: Project) -> TypedText:
    """Check a text in the place of the one that a panel judges or disputes."""
    checked = check_typed(typed, item=panel.item, revision=panel.revision, project=project)
    is_same = typed.in_full(panel.revision) == Correction.of(panel.revision)
    if is_same and is_degraded(panel):
        return replace(checked, findings=_of_control(panel))
    return checked


def check_typed(
    typed: Correction, *, item: Item, revision: Revision, project: Project
) -> TypedText:
    """Check a text in the place of `revision`, which may be the same; one or two queries."""
    text = typed.in_full(revision)
    numbers = in_words(changed_numbers(text, item, revision, project))
    new = as_revision(text, revision)
    is_same = text == Correction.of(revision)
    findings = open_causes(revision) if is_same else _findings(new, item, revision, project)
    return TypedText(findings, numbers, shown_repair(new, item, project))


def as_revision(text: Correction, before: Revision) -> Revision:
    """A text in the shape of a revision that is not stored; its key is that of the one `before`."""
    further = dict(text.further())
    return Revision(question=text.question, options=list(text.options), key=before.key, **further)


def typed_numbers(typed: Correction, item: Item, revision: Revision) -> list[str]:
    """A sentence for each field in which a typed text changes a number or formula."""
    text = typed.in_full(revision)
    changes = changed_numbers(text, item, revision, item.project)
    return [f"{place_of(field)}: {words}" for field, words in in_words(changes)]


def shown_repair(text: Revision, item: Item, project: Project) -> ShownRepair | None:
    """The certain repair of a text, None where it needs none or none is certain."""
    found = repair_of(item=item, text=text, project=project)
    return ShownRepair(_label(found), found.question, found.options) if found else None


def as_json(checked: TypedText) -> dict[str, Any]:
    repair = checked.repair
    return {
        "findings": [
            {
                "code": each.code,
                "severity": each.severity,
                "field": each.field,
                "message": each.message,
                "spans": [[span.field, span.start, span.end] for span in each.spans],
            }
            for each in checked.findings
        ],
        "numbers": [
            {"field": field, "place": place_of(field), "message": words}
            for field, words in checked.numbers
        ],
        "repair": repair
        and {"label": repair.label, "question": repair.question, "options": repair.options},
    }


def _findings(
    text: Revision, item: Item, revision: Revision, project: Project
) -> list[ShownFinding]:
    """What is found in a text, but for what was dismissed in a field that it leaves as it was."""
    found = findings_for(item=item, revision=text, project=project, now=_NEVER)
    dismissed = set(
        Finding.objects.filter(revision=revision, dismissed_at__isnull=False).values_list(
            "code", "field"
        )
    )
    unchanged = _unchanged_fields(text, revision)
    left = [
        each
        for each in found
        if (each.code, each.field) not in dismissed or each.field not in unchanged
    ]
    return causes_in_words(left, text)


def _of_control(panel: Panel) -> list[ShownFinding]:
    return causes_in_words(control_findings(panel), panel.revision)


def _unchanged_fields(text: Revision, revision: Revision) -> set[str]:
    pairs = enumerate(zip(text.options, revision.options, strict=False))
    same = {f"options.{n}" for n, (new, old) in pairs if new == old}
    names = ("question", *FURTHER)
    return same | {name for name in names if getattr(text, name) == getattr(revision, name)}


def _label(repair: Repair) -> str:
    """What the button does, in words."""
    words = {
        (LABELS,): _("Remove the option labels"),
        (LETTERS,): _("Put the cut-out letters back"),
        (LABELS, LETTERS): _("Remove the labels and put the cut-out letters back"),
        (OPTIONS,): _("Give each option its field"),
        (LETTERS, OPTIONS): _("Put the letters back and give each option its field"),
    }
    return words.get(repair.steps, _("Repair the text"))
