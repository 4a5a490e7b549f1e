"""Answers from elsewhere become a run of a release, all or none, and are scored like any other."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.specs.queries import current_models
from evaluation.models import ModelResponse, Run
from evaluation.results.queries.responses import reading_of
from evaluation.runs.actions import RunImported, resume_run
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.models import Release, ReleaseItem
from tests.evaluation.builders import NOW, make_release

Member = Callable[[Role], User]


@pytest.fixture
def release(project: Project) -> Release:
    return make_release(project, tests=3, hidden=1)


def items_of(release: Release) -> list[ReleaseItem]:
    return list(release.items.select_related("item").order_by("position"))


def table(path: Path, release: Release, more: str = "") -> Path:
    rows = [f"{placed.public_id},The answer is {placed.key}" for placed in items_of(release)]
    path.write_text("id,answer\n" + "\n".join(rows[:-1]) + f"\n{more}", "utf-8")
    return path


def command(release: Release, path: Path, *words: str) -> Any:
    out = StringIO()
    call_command(
        "import_run", release.project.slug, release.version, str(path), *words, "--json", stdout=out
    )
    return json.loads(out.getvalue())


def test_command_imports_scores_and_names_what_does_not_join(
    release: Release, tmp_path: Path
) -> None:
    path = table(tmp_path / "a.csv", release, "nobody,A\n")

    found = command(release, path, "--format", "csv", "--model", "their-model")

    run = Run.objects.get()
    assert (run.imported_from, run.model_spec.name, run.epochs) == ("csv", "their-model", 1)
    assert found["import"]["unjoined_rows"] == [{"file": "a.csv", "row": 7, "id": "nobody"}]
    assert (found["import"]["joined"], ModelResponse.objects.count()) == (5, 5)
    assert (run.headline_read, run.headline_accuracy) == (5, 1.0)


def test_imported_run_is_not_resumed_and_shows_no_prompt(release: Release, tmp_path: Path) -> None:
    command(release, table(tmp_path / "a.csv", release), "--format", "csv", "--model", "m")
    run = Run.objects.get()

    with pytest.raises(RunImported):
        resume_run(run=run, actor=None, now=NOW)
    response = ModelResponse.objects.select_related("run", "release_item__revision").first()
    assert response is not None
    assert reading_of(response).messages == ()
    assert list(current_models(release.project)) == []


def test_second_import_of_a_model_uses_the_same_model(release: Release, tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", release)
    for _ in range(2):
        command(release, path, "--format", "csv", "--model", "m")

    assert Run.objects.count() == 2
    assert len({run.model_spec_id for run in Run.objects.all()}) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,answer\nnobody,A\n", "None of the 1 answers belongs to a test item"),
        ("id\n1\n", "the columns id and answer are missing"),
        ("id,answer,epoch\n{},A,51\n", "A run has at most 50 epochs"),
    ],
)
def test_refusal_says_why_and_stores_nothing(
    release: Release, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text.replace("{}", items_of(release)[0].public_id), "utf-8")

    with pytest.raises(CommandError, match=words):
        call_command(
            "import_run", "ti", release.version, str(path), "--format", "csv", "--model", "m"
        )

    assert not Run.objects.exists()


def test_file_without_a_model_name_asks_for_one(release: Release, tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", release)

    with pytest.raises(CommandError, match="The file does not name the model"):
        call_command("import_run", "ti", release.version, str(path), "--format", "csv")


def test_manager_uploads_by_page_and_by_api(
    release: Release,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.IMPORT_FOLDER = tmp_path / "imports"
    manager = member(Role.MANAGER)
    content = table(tmp_path / "a.csv", release).read_bytes()

    page = browser_of(manager).post(
        "/projects/ti/runs/import/",
        {
            "file": SimpleUploadedFile("a.csv", content), "format": "csv", "model": "m",
            "release": release.pk, "methods": ["anchored"],
        },
    )  # fmt: skip
    assert page.status_code == 302
    answer = api_of(manager).post(
        "/api/v1/projects/ti/runs/import/",
        {
            "file": SimpleUploadedFile("a.csv", content), "format": "csv", "model": "m",
            "release": release.version,
        },
        format="multipart",
    )  # fmt: skip
    assert answer.status_code == 202
    for job in Job.objects.order_by("pk"):
        assert run_now(job).state == "done"
    assert Run.objects.count() == 2
    assert not any((tmp_path / "imports").iterdir())
    shown = browser_of(manager).get(f"/projects/ti/runs/{Run.objects.latest('pk').pk}/")
    assert "5 answers of the file belong to items of the release." in shown.content.decode()
    form = browser_of(manager).get("/projects/ti/runs/import/").content.decode()
    assert "Anchored (Lotsawa)" in form
    assert "MethodLabel" not in form
    assert "imported" in browser_of(manager).get("/projects/ti/runs/").content.decode()


def test_file_of_several_megabytes_is_taken(
    release: Release,
    member: Member,
    api_of: Callable[[User], APIClient],
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.IMPORT_FOLDER = tmp_path / "imports"
    content = b"id,answer\n" + b"nobody,A\n" * 300_000
    given = {"file": SimpleUploadedFile("a.csv", content), "format": "csv", "model": "m",
             "release": release.version}  # fmt: skip

    answer = api_of(member(Role.MANAGER)).post(
        "/api/v1/projects/ti/runs/import/", given, format="multipart"
    )

    assert answer.status_code == 202
