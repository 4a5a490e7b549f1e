"""A table that no format knows: its columns are mapped, previewed, imported and kept by name."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.imports.actions import UploadRemoved, import_kept, options_again
from annotation.imports.mappings import MappingNameInvalid, MappingUnknown, keep_mapping, mapping_of
from annotation.imports.opening import FileRefused
from annotation.models import ImportJob, ImportMapping, Item
from jobs.worker import run_job
from projects.models import Project
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

Member = Callable[..., User]
BrowserOf = Callable[[User], Client]

TABLE = "Frage;a1;a2;Lösung\nWas?;ja;nein;2\nWer?;du;ich;3\n"
MAPPED = {
    "question": "Frage",
    "options": ["a1", "a2"],
    "key": "Lösung",
    "key_as": "one",
    "kind": "choice",
}
MAPPING = "question=Frage,options=a1+a2,key=Lösung,key_as=one,kind=choice"


@pytest.fixture
def manager(member: Member, browser_of: BrowserOf) -> Client:
    return browser_of(member("manager"))


@pytest.fixture(autouse=True)
def kept_files(tmp_path: Path, settings: Any) -> None:
    settings.IMPORT_FOLDER = tmp_path / "uploads"


def upload(browser: Client, project: Project, text: str = TABLE, **fields: Any) -> ImportJob:
    file = SimpleUploadedFile("fragen.csv", text.encode())
    response = browser.post(
        reverse("annotation:import", args=[project.slug]), {"file": file, **fields}
    )
    started = ImportJob.objects.latest("pk")
    page = "import-columns" if not fields and text == TABLE else ""
    assert response.status_code == 302
    assert not page or response["Location"] == reverse(f"annotation:{page}", args=[started.job_id])
    return started


def columns_url(import_job: ImportJob) -> str:
    return reverse("annotation:import-columns", args=[import_job.job_id])


def test_unknown_table_opens_a_page_with_samples_and_guesses(
    project: Project, manager: Client
) -> None:
    started = upload(manager, project)
    response = manager.get(columns_url(started))
    page = response.context["page"]
    assert page.samples == [
        ("Frage", ["Was?", "Wer?"]),
        ("a1", ["ja", "du"]),
        ("a2", ["nein", "ich"]),
        ("Lösung", ["2", "3"]),
    ]
    initial = page.form.initial
    assert (initial["question"], initial["options"], initial["key"]) == (
        "Frage",
        ["a1", "a2"],
        "Lösung",
    )
    assert initial["key_as"] == "one"


def test_preview_shows_items_and_refusals_and_writes_nothing(
    project: Project, manager: Client
) -> None:
    started = upload(manager, project)
    response = manager.post(columns_url(started), MAPPED | {"action": "preview"})
    first, second = response.context["page"].items
    assert (first["item"].options, first["item"].key) == (("ja", "nein"), "B")
    assert "the last option is B" in second["reason"]
    assert not Item.objects.exists()


def test_mapping_that_lacks_the_key_is_asked_for_it(project: Project, manager: Client) -> None:
    started = upload(manager, project)
    response = manager.post(columns_url(started), MAPPED | {"key_as": "", "action": "import"})
    assert response.status_code == 400
    assert list(response.context["page"].form.errors) == ["key_as"]


def test_columns_are_imported_and_kept_for_the_next_file(project: Project, manager: Client) -> None:
    text = "Frage;a1;a2;Lösung\nWas?;ja;nein;2\n"
    started = upload(manager, project, text)
    manager.post(columns_url(started), MAPPED | {"keep_as": "exam", "action": "import"})
    run_job(ImportJob.objects.latest("pk").job_id)

    item = Item.objects.get()
    assert (item.uid, item.question, item.options, item.key) == (
        "fragen/0",
        "Was?",
        ["ja", "nein"],
        "B",
    )
    assert ImportMapping.objects.get().mapping == MAPPING
    assert AuditEvent.objects.filter(verb="import-mapping.kept").count() == 1
    again = upload(manager, project, text.replace("Was", "Wo"))
    kept = manager.get(columns_url(again), {"kept": "exam"}).context["page"].form.initial
    assert {name: kept[name] for name in MAPPED} == MAPPED


def test_kept_columns_with_a_range_or_other_case_are_chosen_as_the_import_reads_them(
    project: Project, manager: Client
) -> None:
    mapping = "question=frage,options=A1:a2,key=Lösung,key_as=one,year=Jahr"
    ImportMapping.objects.create(
        project=project, name="exam", mapping=mapping, kept_at=timezone.now()
    )
    found = manager.get(columns_url(upload(manager, project)), {"kept": "exam"})
    initial = found.context["page"].form.initial
    assert {name: initial[name] for name in MAPPED} == MAPPED
    assert "year" not in initial  # the table has no such column


def test_command_takes_and_keeps_columns(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("q,r,w\nQ,x,y\n", "utf-8")
    told = io.StringIO()
    mapping = "question=q,options=r+w,key=r,key_as=text"
    call_command(
        "import_items",
        project.slug,
        str(path),
        map=mapping,
        keep_map="pairs",
        json=True,
        stdout=told,
    )
    assert json.loads(told.getvalue())["imported"] == 1
    assert mapping_of(project, "pairs") == mapping
    again = io.StringIO()
    call_command("import_items", project.slug, str(path), map="pairs", json=True, stdout=again)
    assert json.loads(again.getvalue())["outcome"] == "unchanged"


def test_mapping_that_is_not_kept_or_cannot_be_read_is_refused(project: Project) -> None:
    with pytest.raises(MappingUnknown):
        mapping_of(project, "nothing")
    with pytest.raises(FileRefused):
        keep_mapping(project=project, name="x", mapping="question", actor=None, now=timezone.now())
    assert not ImportMapping.objects.exists()


def test_dry_run_offers_its_rows_and_is_imported_without_a_second_upload(
    project: Project, manager: Client
) -> None:
    text = "uid,subject,question,option_a,option_b,key\nu1,law,Q,x,y,B\n"
    tried = upload(manager, project, text, dry_run="on")
    run_job(tried.job_id)
    page = manager.get(reverse("jobs:job", args=[tried.job_id])).content.decode()
    tried.refresh_from_db()
    assert tried.report["samples"] == [
        {
            "uid": "u1",
            "system": "",
            "question": "Q",
            "options": ["x", "y"],
            "key": "B",
            "language": "zh",
        }
    ]
    assert 'id="import-now"' in page
    assert 'id="samples"' in page

    manager.post(reverse("annotation:import-now", args=[tried.job_id]))
    started = ImportJob.objects.latest("pk")
    run_job(started.job_id)
    assert Item.objects.get().uid == "u1"
    assert started.pk != tried.pk
    user = UserFactory.create()
    with pytest.raises(UploadRemoved):
        import_kept(import_job=tried, options=options_again(tried), actor=user, now=timezone.now())


def test_table_too_wide_to_choose_from_is_named(project: Project, manager: Client) -> None:
    wide = ";".join(f"c{number}" for number in range(400))
    started = upload(manager, project, f"{wide}\n{wide}\n", format="")
    page = manager.get(columns_url(started)).context["page"]
    assert "400 columns" in page.problem
    assert len(page.samples) == 300


def test_column_that_no_page_can_show_is_shown_all_the_same(
    project: Project, manager: Client
) -> None:
    started = upload(manager, project, '{"\\ud800": "a", "b": "c"}\n', format="")
    assert manager.get(columns_url(started)).status_code == 200


def test_name_for_columns_is_no_mapping(project: Project) -> None:
    with pytest.raises(MappingNameInvalid):
        keep_mapping(project=project, name="a,b=c", mapping=MAPPING, actor=None, now=timezone.now())
