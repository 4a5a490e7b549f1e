"""Words for stages, fields and reasons."""

from typing import Any

import pytest

from common.estimates import NoInterval, Undefined
from projects.criteria import DEFAULT_CRITERIA
from review.disputes.labels import ReasonText, field_label, reason_text
from review.enums import Purpose, VerdictRule
from review.figures.labels import n_text, no_interval_text, undefined_text
from review.report.labels import judges_text, stage_name
from review.report.rows import StageName


@pytest.mark.parametrize(
    ("stage", "name"),
    [
        (StageName(Purpose.INITIAL, 0, 1), "Initial"),
        (StageName(Purpose.INITIAL, 0, 2), "Initial, part 2"),
        (StageName(Purpose.ALIGNMENT, 1, 1), "1st Alignment"),
        (StageName(Purpose.ALIGNMENT, 2, 1), "2nd Alignment"),
        (StageName(Purpose.AUDIT, 1, 1), "Audit"),
        (StageName(Purpose.AUDIT, 2, 1), "2nd Audit"),
    ],
)
def test_stage_has_the_name_that_papers_print(stage: StageName, name: str) -> None:
    assert stage_name(stage) == name


@pytest.mark.parametrize(
    ("field", "label"), [("question", "Q"), ("options.0", "A"), ("options.5", "F")]
)
def test_field_has_its_letter(field: str, label: str) -> None:
    assert field_label(field) == label


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ({"code": "verdict_split"}, ReasonText("The verdicts are split", is_strong=True)),
        (
            {"code": "score_gap", "criterion": "cultural", "low": 1, "high": 4},
            ReasonText("Cultural alignment from 1 to 4", is_strong=False),
        ),
        (
            {"code": "different_corrections", "fields": ["question", "options.2"]},
            ReasonText("Different corrections for Q, C", is_strong=False),
        ),
        (
            {"code": "key_challenged"},
            ReasonText("A reviewer says the key is wrong", is_strong=True),
        ),
        (
            {"code": "flagged", "causes": ["duplicate", "open_errors"]},
            ReasonText("Flagged: duplicate, the checks found errors in the text", is_strong=True),
        ),
    ],
)
def test_reason_is_said_in_words(reason: dict[str, Any], text: ReasonText) -> None:
    assert reason_text(reason, DEFAULT_CRITERIA) == text


def test_every_undefined_statistic_has_words() -> None:
    assert all(undefined_text(reason) for reason in Undefined)


def test_every_withheld_interval_has_words() -> None:
    assert all(no_interval_text(reason) for reason in NoInterval)


@pytest.mark.parametrize(
    ("size", "rule", "expected"),
    [
        (1, VerdictRule.UNANIMOUS, "1 judgement, all agree"),
        (3, VerdictRule.MAJORITY, "3 judgements, more than half agree"),
    ],
)
def test_judges_text_counts_one_judgement_as_one(size: int, rule: str, expected: str) -> None:
    assert judges_text(size, rule) == expected


def test_n_text_counts_one_item_as_one() -> None:
    assert [n_text(1), n_text(2)] == ["n = 1 item", "n = 2 items"]
