"""What a reviewer sees of one item, for the page and the API alike."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from annotation.checks.base import letter_of
from annotation.checks.messages import describe
from annotation.diffs import Segment, diff
from annotation.models import Finding, Item, Project, Revision
from review.models import Assignment, Panel

LETTERS = "ABCDEF"
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


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding in words; `start` and `end` count code points in its field."""

    code: str
    severity: str
    field: str
    start: int
    end: int
    message: str

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "field": self.field,
            "start": self.start,
            "end": self.end,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the bench: the question or an option, source beside target."""

    label: str
    field: str
    input_name: str
    source_text: str
    target_text: str
    is_key: bool
    findings: Sequence[ShownFinding]
    diff: Sequence[Segment] = ()
    edited_text: str | None = None


def shown_findings(revision: Revision) -> list[ShownFinding]:
    """Open findings of a text, worst first."""
    rows = Finding.objects.filter(revision_id=revision.pk).open().order_by("pk")
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(
        (
            ShownFinding(
                f.code, f.severity, f.field, f.start, f.end, describe(f.code, f.data, gettext)
            )
            for f in rows
        ),
        key=lambda finding: order[finding.severity],
    )


def rows_of(item: Item, revision: Revision, findings: Sequence[ShownFinding]) -> list[Row]:
    """The question and each option of the item beside the text of the revision.

    Where the published options could not be read the option texts are empty and the whole text
    stands in the question.
    """
    by_field: Mapping[str, list[ShownFinding]] = _by_field(findings)
    target = list(revision.options) + [""] * (len(item.options) - len(revision.options))
    question = Row(
        label="Q",
        field="question",
        input_name="question",
        source_text=item.question,
        target_text=revision.question,
        is_key=False,
        findings=[*by_field.get("question", []), *by_field.get("item", [])],
    )
    options = [
        Row(
            label=LETTERS[index],
            field=f"options.{index}",
            input_name=f"option_{index}",
            source_text=source,
            target_text=target[index],
            is_key=item.key == LETTERS[index],
            findings=by_field.get(f"options.{index}", []),
        )
        for index, source in enumerate(item.options)
    ]
    return [question, *options]


def surplus_options(panel: Panel) -> list[tuple[str, str]]:
    """Letter and text of the options that the translation has beyond those of its item.

    A correction has as many options as the item, so these can be read but not kept.
    """
    count = len(panel.item.options)
    return [
        (letter_of(count + index), text)
        for index, text in enumerate(panel.revision.options[count:])
    ]


def bench_rows(panel: Panel, typed: Mapping[str, str] | None = None) -> list[Row]:
    """The rows of a panel with what changed since the revision before and what was typed."""
    rows = rows_of(panel.item, panel.revision, shown_findings(panel.revision))
    before = panel.revision.supersedes
    return [
        replace(
            row,
            diff=_changed(_text_in(before, row.field), row.target_text) if before else (),
            edited_text=typed.get(row.input_name) if typed else None,
        )
        for row in rows
    ]


def seat_with_texts(pk: int) -> Assignment:
    """A seat with its item and texts, in one query."""
    return Assignment.objects.select_related(
        "panel__item__subject",
        "panel__revision__supersedes",
        "round__project",
    ).get(pk=pk)


def load_texts(seat: Assignment) -> Assignment:
    """Fill `seat.panel` with the item and the text to judge, in one query of what a claim says."""
    seat.panel = (
        Panel.objects.select_related("item__subject", "revision")
        .only(*CLAIM_FIELDS)
        .get(pk=seat.panel_id)
    )
    return seat


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
        "findings": [finding.as_json() for finding in shown_findings(revision)],
        "glossary": [],
    }


def _by_field(findings: Sequence[ShownFinding]) -> Mapping[str, list[ShownFinding]]:
    grouped: dict[str, list[ShownFinding]] = defaultdict(list)
    for finding in findings:
        grouped[finding.field].append(finding)
    return grouped
