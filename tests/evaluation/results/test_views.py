"""Pages of responses, and the files with the figures of a run."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Project
from tests.evaluation.builders import finished_run

pytestmark = pytest.mark.django_db


def page(name: str, *args: Any) -> str:
    return reverse(f"evaluation:{name}", args=args)


def test_response_page_shows_raw_text_escaped_and_reasons(
    project: Project, manager: Client
) -> None:
    run = finished_run(project, lambda request: "<script>alert(1)</script> C")
    response = run.responses.get(release_item__uid="history/test-0")
    body = manager.get(page("response", "ti", run.pk, response.pk)).content.decode()
    assert "<script>alert(1)" not in body
    assert "&lt;script&gt;alert(1)" in body
    assert "Found C. The key is A." in body


def test_response_page_marks_what_a_method_read(project: Project, manager: Client) -> None:
    run = finished_run(project, lambda request: "So: the answer is <C>.", methods=("anchored",))
    response = run.responses.get(release_item__uid="history/test-0")
    body = manager.get(page("response", "ti", run.pk, response.pk)).content.decode()
    assert "So: the <mark>answer is &lt;C</mark>&gt;." in body


def test_file_is_csv_under_its_published_name(project: Project, manager: Client) -> None:
    run = finished_run(project)
    name = f"{run.model_spec.name}_concern_all_answer_category_averages.csv"
    response = manager.get(page("file", "ti", run.pk, f"general/{name}"))
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response.content.decode().startswith("Category,Response Rate Average,")
