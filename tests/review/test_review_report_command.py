"""The command review_report: the same figures as JSON, as one CSV table and as tables of a paper."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from review import queries
from review.figures import ESTIMATES
from review.models import Panel

pytestmark = pytest.mark.django_db


def printed(capsys: Any, *words: str) -> str:
    call_command("review_report", "ti", *words)
    return str(capsys.readouterr().out)


def test_report_as_json_is_what_the_api_tells(
    disputed: Callable[..., Panel], project: Project, capsys: Any
) -> None:
    disputed()
    told = json.loads(printed(capsys, "--json"))
    assert told == json.loads(json.dumps(queries.report(project)))
    assert [stage["items_judged"] for stage in told["stages"]] == [1]
    assert [system["system"] for system in told["systems"]] == ["mt"]


def test_report_as_csv_is_one_table_of_stages_systems_and_subjects(
    disputed: Callable[..., Panel], capsys: Any
) -> None:
    subject = disputed(2).item.subject
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--format", "csv").strip())))
    names = ("of", "round", "code", "label", "panel_size", "items_judged")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("stage", "1", "initial", "Initial", "2", "2"),
        ("system", "", "mt", "mt", "2", "2"),
        ("subject", "1", subject.slug, subject.name, "2", "2"),
    ]
    assert {row["approval_rate"] for row in rows} == {"0.0"}
    assert [row["gwet_ac1_n_used"] for row in rows] == ["2", "2", ""]


def test_report_as_json_has_the_figures_of_each_subject_in_each_round(
    disputed: Callable[..., Panel], capsys: Any
) -> None:
    subject = disputed(2).item.subject
    (row,) = json.loads(printed(capsys, "--json"))["subjects"]
    assert (row["round"], row["subject"], row["name"]) == (1, subject.slug, subject.name)
    assert (row["items_judged"], row["approved"]) == (2, 0)
    estimates = [name for name in ESTIMATES if not name.startswith(("alpha", "gwet"))]
    assert {name: row[name]["n_used"] for name in estimates} == dict.fromkeys(estimates, 2)


@pytest.mark.parametrize(
    ("format_", "mark"), [("latex", r"\begin{tabular}"), ("markdown", "\n| --- |")]
)
def test_report_for_a_paper_is_a_table_of_stages_and_one_of_systems(
    disputed: Callable[..., Panel], capsys: Any, format_: str, mark: str
) -> None:
    disputed()
    text = printed(capsys, "--format", format_)
    assert text.count(mark) == 2
    assert text.index("Stage") < text.index("System")


def test_report_of_a_project_without_rounds_is_empty(project: Project, capsys: Any) -> None:
    assert json.loads(printed(capsys, "--json")) == {
        "project": "ti",
        "stages": [],
        "systems": [],
        "subjects": [],
    }
    assert printed(capsys, "--format", "markdown").strip() == ""


def test_report_of_an_unknown_project_is_refused_in_words(db: None) -> None:
    with pytest.raises(CommandError, match="nowhere") as refused:
        call_command("review_report", "nowhere")
    assert refused.value.returncode == 1
