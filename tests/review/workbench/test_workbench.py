"""What the workbench and the dispute page show of an item."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from annotation.checks.presenters import shown_findings
from annotation.models import Finding, Revision
from projects.models import Project
from review.models import Assignment, Panel, Round
from review.workbench.presenters import claim_json, load_texts, seat_with_texts, workbench_rows
from tests.factories import make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def add_finding(revision: Revision, severity: str, field: str) -> None:
    Finding.objects.create(
        revision=revision, code="equal_options", severity=severity, field=field,
        data={"other": "A", "letter": "B"}, created_at=timezone.now(),
    )  # fmt: skip


def test_rows_pair_source_and_target_with_their_findings(opened: Callable[..., Round]) -> None:
    opened(1)
    panel = Panel.objects.get()
    add_finding(panel.revision, "warning", "options.1")
    add_finding(panel.revision, "error", "item")

    rows = workbench_rows(panel)

    assert [row.label for row in rows] == ["Q", "A", "B", "C", "D"]
    assert [row.input_name for row in rows] == [
        "question",
        "option_0",
        "option_1",
        "option_2",
        "option_3",
    ]
    assert [row.target_text for row in rows[1:]] == list(OPTIONS)
    assert [row.is_key for row in rows] == [False, True, False, False, False]
    assert [len(row.findings) for row in rows] == [1, 0, 1, 0, 0]
    assert [f.severity for f in shown_findings(panel.revision)] == ["error", "warning"]


def test_text_without_readable_options_has_empty_rows(
    project: Project, opened: Callable[..., Round]
) -> None:
    make_translated_item(
        project=project,
        source__project=project,
        subject__project=project,
        question="A. ཀ",
        options=[],
    )
    opened(0)

    assert [row.target_text for row in workbench_rows(Panel.objects.get())] == [
        "A. ཀ",
        "",
        "",
        "",
        "",
    ]


def test_rows_show_what_changed_and_what_was_typed(opened: Callable[..., Round]) -> None:
    opened(1)
    panel = Panel.objects.get()
    newer = Revision.objects.create(
        translation=panel.revision.translation, number=2, supersedes=panel.revision,
        question="འདྲི་བ་གཉིས་པ།", options=list(OPTIONS), origin="human", content_hash="x",
        created_at=timezone.now(),
    )  # fmt: skip
    panel.revision = newer

    question, first, *_rest = workbench_rows(panel, {"option_0": "ཀ"})

    assert (
        "".join(segment.text for segment in question.diff if segment.op != "del") == newer.question
    )
    assert (first.diff, first.edited_text) == ((), "ཀ")


def test_claim_says_the_same_from_either_way_of_reading(opened: Callable[..., Round]) -> None:
    opened(1, panel_size=1)
    seat = Assignment.objects.order_by("pk")[0]

    assert claim_json(load_texts(seat)) == claim_json(seat_with_texts(Assignment.objects.get()))
