"""The command review_report: the same figures as JSON, as one CSV table and as tables of a paper."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from review.models import Panel
from review.report.queries import report
from review.report.tables import PUBLIC, TABLES

pytestmark = pytest.mark.django_db


def printed(capsys: Any, *words: str) -> str:
    call_command("review_report", "ti", *words)
    return str(capsys.readouterr().out)


def test_report_as_json_has_all_tables(
    disputed: Callable[..., Panel], project: Project, capsys: Any
) -> None:
    disputed()
    told = json.loads(printed(capsys, "--json"))
    assert set(told) == {"project", "as_of", *TABLES}
    assert {name: told[name] for name in PUBLIC} == {
        name: each
        for name, each in json.loads(json.dumps(report(project).as_json())).items()
        if name in PUBLIC
    }
    assert [stage["items_judged"] for stage in told["stages"]] == [1]
    assert [system["system"] for system in told["systems"]] == ["mt"]


@pytest.mark.parametrize("table", TABLES)
def test_report_of_one_table_is_that_table_alone(
    disputed: Callable[..., Panel], capsys: Any, table: str
) -> None:
    disputed(2)
    assert set(json.loads(printed(capsys, "--table", table, "--json"))) == {
        "project",
        "as_of",
        table,
    }
    rows = csv.DictReader(io.StringIO(printed(capsys, "--table", table, "--format", "csv").strip()))
    assert {row["table"] for row in rows} <= {table}


def test_report_as_csv_has_the_same_numbers_as_json(
    disputed: Callable[..., Panel], capsys: Any
) -> None:
    subject = disputed(2).item.subject
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--format", "csv").strip())))
    (row,) = [row for row in rows if row["table"] == "subjects"]
    (told,) = json.loads(printed(capsys, "--table", "subjects", "--json"))["subjects"]
    assert (row["code"], row["name"], row["stage"]) == (subject.slug, subject.name, "Initial")
    assert row["final_approval_rate_high"] == str(told["final_approval_rate"]["high"])


def test_report_for_a_paper_has_the_tables_of_the_paper(
    disputed: Callable[..., Panel], capsys: Any
) -> None:
    disputed()
    text = printed(capsys, "--table", "stages", "--format", "latex")
    assert text.count(r"\begin{table}") == text.count(r"\bottomrule") == 3
    assert (
        r"\caption{Expert approval and ratings by stage (n = 1 item; 2 judgements, all agree, gap 2)}"
        in text
    )


def test_report_as_of_a_round_that_is_open_is_refused(
    disputed: Callable[..., Panel], capsys: Any
) -> None:
    disputed()
    with pytest.raises(CommandError, match="not closed yet"):
        call_command("review_report", "ti", "--as-of", "1")


def test_report_of_a_project_without_rounds_is_empty(project: Project, capsys: Any) -> None:
    told = json.loads(printed(capsys, "--json"))
    assert {name: each for name, each in told.items() if name in TABLES} == {
        key: [] for key in TABLES
    }
    call_command("review_report", "ti", "--format", "markdown")
    output = capsys.readouterr()
    assert output.out.strip() == ""
    assert "No figures yet. They appear as soon as an item has all its judgements." in output.err


def test_report_of_an_unknown_project_is_refused_in_words(db: None) -> None:
    with pytest.raises(CommandError, match="nowhere") as refused:
        call_command("review_report", "nowhere")
    assert refused.value.returncode == 1
