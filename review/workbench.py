"""What a reviewer sees of one item, for the page and the API alike."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from annotation.checks.presenters import ShownFinding, open_findings
from annotation.diffs import Segment, diff
from annotation.items.text_rows import TextRow, text_rows
from annotation.models import Revision
from common.prepared import prepared
from languages.letters import letter_of
from projects.models import Project
from review.models import Assignment, Panel

CLAIM_FIELDS = (
    "item__uid",
    "item__question",
    "item__options",
    "item__key",
    "item__subject__slug",
    "item__subject__category",
    "revision__number",
    "revision__question",
    "revision__options",
)
PAGE_FIELDS = (
    *CLAIM_FIELDS,
    "item__subject__name",
    "revision__origin",
    "revision__supersedes__question",
    "revision__supersedes__options",
)


def panel_rows(panel: Panel) -> list[TextRow]:
    """The question and each option of the item beside the text that the panel judges."""
    item, revision = panel.item, panel.revision
    findings = open_findings(revision.pk)
    return text_rows(item, revision, findings, option_count=len(item.options))


def surplus_options(panel: Panel) -> list[tuple[str, str]]:
    """Letter and text of the options that the translation has beyond those of its item.

    A correction has as many options as the item, so these can be read but not kept.
    """
    count = len(panel.item.options)
    return [
        (letter_of(count + index), text)
        for index, text in enumerate(panel.revision.options[count:])
    ]


def bench_rows(panel: Panel, typed: Mapping[str, str] | None = None) -> list[TextRow]:
    """The rows of a panel with what changed since the revision before and what was typed."""
    rows = panel_rows(panel)
    before = panel.revision.supersedes
    return [
        replace(
            row,
            diff=_changed(_text_in(before, row.field), row.target_text) if before else (),
            edited_text=typed.get(row.input_name) if typed else None,
        )
        for row in rows
    ]


def seat_with_texts(seat: Assignment) -> Assignment:
    """Fill `seat.panel` with the item and the texts that the page shows, in one query."""
    (seat.panel,) = _panel_of_page(panel=seat.panel_id)
    return seat


def load_texts(seat: Assignment) -> Assignment:
    """Fill `seat.panel` with the item and the text to judge, in one query of what a claim says."""
    (seat.panel,) = _panel_of_claim(panel=seat.panel_id)
    return seat


@prepared(panel=int)
def _panel_of_page(panel: int) -> QuerySet[Panel]:
    rows = Panel.objects.select_related("item__subject", "revision__supersedes")
    return rows.only(*PAGE_FIELDS).filter(pk=panel)


@prepared(panel=int)
def _panel_of_claim(panel: int) -> QuerySet[Panel]:
    rows = Panel.objects.select_related("item__subject", "revision")
    return rows.only(*CLAIM_FIELDS).filter(pk=panel)


def _text_in(revision: Revision, field: str) -> str:
    name, _dot, index = field.partition(".")
    if name == "question":
        return revision.question
    return revision.options[int(index)] if int(index) < len(revision.options) else ""


def _changed(old: str, new: str) -> Sequence[Segment]:
    return diff(old, new) if old != new else ()


def claim_json(assignment: Assignment) -> dict[str, Any]:
    """The body of a claim: the seat, the item in its source language and the text to judge."""
    panel = assignment.panel
    item, revision = panel.item, panel.revision
    project: Project = assignment.round.project
    return {
        "assignment": assignment.pk,
        "expires_at": assignment.expires_at,
        "round": assignment.round_id,
        "item": {
            "uid": item.uid,
            "subject": item.subject.slug,
            "category": item.subject.category,
            "option_count": len(item.options),
        },
        "source": {
            "language": project.source_language,
            "question": item.question,
            "options": item.options,
            "key": item.key,
        },
        "revision": {
            "id": revision.pk,
            "number": revision.number,
            "language": project.target_language,
            "question": revision.question,
            "options": revision.options,
        },
        "findings": list(map(_finding_json, open_findings(revision.pk))),
        "glossary": [],
    }


def _finding_json(finding: ShownFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "field": finding.field,
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
    }
