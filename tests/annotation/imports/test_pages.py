"""The import page, the job page, and the command: upload, progress, refusals, downloads."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.imports.actions import perform_import
from annotation.models import ImportJob, Item
from jobs.enums import JobState
from jobs.models import Job
from jobs.reaper import record_beat
from jobs.worker import run_now
from projects.models import Project
from tests.factories import JobFactory
from tests.markup import squeezed

GOOD = {"uid": "law/1", "subject": "law", "question": "题", "options": ["甲", "乙"], "key": "A"}


def upload(rows: list[dict[str, Any]], name: str = "items.jsonl") -> SimpleUploadedFile:
    content = "".join(json.dumps(row) + "\n" for row in rows)
    return SimpleUploadedFile(name, content.encode())


@pytest.fixture(autouse=True)
def kept_files(tmp_path: Path, settings: Any) -> None:
    settings.IMPORT_FOLDER = tmp_path / "kept"


def send(browser: Client, rows: list[dict[str, Any]], **fields: Any) -> Job:
    response = browser.post("/projects/ti/import/", {"file": upload(rows), **fields})
    assert response.status_code == 302
    import_job = ImportJob.objects.latest("pk")
    assert response["Location"] == f"/jobs/{import_job.job_id}/"
    return import_job.job


def test_upload_becomes_a_job_whose_page_shows_the_report(
    project: Project, manager: Client
) -> None:
    job = send(manager, [GOOD], licence="CC BY 4.0")

    run_now(job, perform_import)

    html = squeezed(manager.get(f"/jobs/{job.pk}/").content.decode())
    assert "<dt>New items</dt><dd>1</dd>" in html
    assert Item.objects.get().source.licence == "CC BY 4.0"
    assert "items.jsonl" in manager.get("/projects/ti/import/").content.decode()


def test_refused_rows_are_shown_and_downloaded_with_defused_cells(
    project: Project, manager: Client
) -> None:
    rows = [GOOD, GOOD | {"uid": "law/2", "key": "=HYPERLINK(1)"}]
    job = run_now(send(manager, rows), perform_import)
    ImportJob.objects.update(
        report=ImportJob.objects.get().report
        | {"errors": [{"file": "=a.csv", "row": 2, "code": "-1+1", "data": {}}]}
    )

    html = manager.get(f"/jobs/{job.pk}/").content.decode()
    download = manager.get(f"/jobs/{job.pk}/errors.csv")

    assert "Nothing was imported: 1 of 2 rows were refused." in html
    assert "Skip refused rows" in html
    assert ">Resume<" not in html
    text = b"".join(download.streaming_content).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(text))
    assert row == {"file": "'=a.csv", "row": "2", "code": "'-1+1", "reason": "'-1+1"}


def test_dry_run_says_so_and_writes_nothing(project: Project, manager: Client) -> None:
    job = run_now(send(manager, [GOOD], dry_run="on"), perform_import)

    html = manager.get(f"/jobs/{job.pk}/").content.decode()
    assert "dry run: nothing was written" in html
    assert Item.objects.count() == 0


BAD = GOOD | {"uid": "law/2", "key": "Z"}


@pytest.mark.parametrize(
    ("rows", "chosen", "badge"),
    [
        ([BAD], {"dry_run": "on"}, "every row refused"),
        ([BAD], {"skip_refused": "on"}, "every row refused"),
        ([GOOD, BAD], {"dry_run": "on"}, "rows refused"),
        ([GOOD, BAD], {"skip_refused": "on"}, "done"),
        ([GOOD, BAD], {"dry_run": "on", "skip_refused": "on"}, "done"),
        ([GOOD], {"dry_run": "on"}, "done"),
    ],
)
def test_import_with_refused_rows_is_not_a_green_done(
    project: Project, manager: Client, rows: list[Any], chosen: dict[str, str], badge: str
) -> None:
    job = run_now(send(manager, rows, **chosen), perform_import)
    assert job.state == JobState.DONE
    html = squeezed(manager.get(f"/jobs/{job.pk}/").content.decode())
    color = "done" if badge == "done" else "warning"
    (found,) = re.findall(r'class="badge dot (\w+) ?" role="status">([^<]*)<', html)
    assert found == (color, badge)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "This field is required."),
        ({"file": SimpleUploadedFile("a.jsonl", b"")}, "The submitted file is empty."),
        ({"file": upload([GOOD]), "format": "docx"}, "docx is not one of the available choices"),
        ({"file": upload([GOOD]), "system": "s" * 101}, "at most 100 characters"),
        ({"file": "no file"}, "This field is required."),
    ],
)
def test_form_that_cannot_be_taken_answers_in_words(
    project: Project, manager: Client, fields: dict[str, Any], words: str
) -> None:
    response = manager.post("/projects/ti/import/", fields)

    assert response.status_code == 400
    assert words in response.content.decode()
    assert not Job.objects.exists()


def test_file_over_the_limit_is_refused_before_it_is_kept(
    project: Project, manager: Client, settings: Any
) -> None:
    settings.IMPORT_LIMITS = settings.IMPORT_LIMITS | {"file_bytes": 10}

    response = manager.post("/projects/ti/import/", {"file": upload([GOOD])})

    assert response.status_code == 400
    assert "larger than 10 bytes" in response.content.decode()
    assert not settings.IMPORT_FOLDER.exists()


def test_pages_say_when_no_worker_is_running(project: Project, manager: Client) -> None:
    job = send(manager, [GOOD])
    addresses = ("/projects/ti/import/", f"/jobs/{job.pk}/")

    before = ["No worker is running" in manager.get(a).content.decode() for a in addresses]
    record_beat(name="host/1", now=timezone.now())
    after = ["No worker is running" in manager.get(a).content.decode() for a in addresses]

    assert (before, after) == ([True, True], [False, False])


def test_job_page_polls_while_it_waits_and_stops_when_it_ended(
    project: Project, manager: Client
) -> None:
    job = send(manager, [GOOD])
    asked = {"HX-Request": "true"}

    waiting = manager.get(f"/jobs/{job.pk}/", headers=asked).content.decode()
    run_now(job, perform_import)
    ended = manager.get(f"/jobs/{job.pk}/", headers=asked).content.decode()

    assert f'hx-get="/jobs/{job.pk}/"' in waiting
    assert "hx-get" not in ended
    assert 'id="report"' in ended
    assert "<html" not in waiting + ended


def test_job_is_cancelled_and_taken_up_again_from_its_page(
    project: Project, manager: Client
) -> None:
    job = send(manager, [GOOD])

    manager.post(f"/jobs/{job.pk}/cancel/")
    job.refresh_from_db()
    cancelled = job.state
    again = manager.post(f"/jobs/{job.pk}/cancel/")
    manager.post(f"/jobs/{job.pk}/resume/")

    assert cancelled == JobState.CANCELLED
    assert (again.status_code, "already ended" in again.content.decode()) == (409, True)
    assert run_now(job, perform_import).state == JobState.DONE


def test_job_without_its_import_still_has_a_page(project: Project, manager: Client) -> None:
    job = JobFactory(scope=project.slug)
    assert manager.get(f"/jobs/{job.pk}/").status_code == 200


@pytest.mark.parametrize("count", [1, 3])
def test_import_page_costs_the_same_for_any_number_of_imports(
    project: Project, manager: Client, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        send(manager, [GOOD])

    with django_assert_num_queries(6):
        response = manager.get("/projects/ti/import/")

    assert len(response.context["page"].rows) == count


def test_import_page_leaves_the_errors_of_its_reports_in_the_database(
    project: Project, manager: Client, django_assert_num_queries: Any
) -> None:
    run_now(send(manager, [GOOD, GOOD | {"uid": "law/2", "key": "Z"}]), perform_import)

    with django_assert_num_queries(6):
        response = manager.get("/projects/ti/import/")

    (row,) = response.context["page"].rows
    assert (row.rows_read, row.new_items, row.rows_refused) == (2, 0, 1)
    assert "report" in row.get_deferred_fields() and "result" in row.job.get_deferred_fields()
    assert '<span class="bad">1</span>' in response.content.decode()


def test_command_prints_one_object_and_refuses_with_exit_one(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(upload([GOOD, GOOD | {"uid": "law/2", "key": "Z"}]).read())

    with pytest.raises(SystemExit) as ended:
        call_command("import_items", "ti", str(path), "--json")
    refused = capsys.readouterr()
    call_command("import_items", "ti", str(path), "--json", "--skip-refused")
    done = capsys.readouterr()

    assert ended.value.code == 1
    report = json.loads(refused.out)
    assert (report["outcome"], report["refused"], report["errors"][0]["row"]) == ("refused", 1, 2)
    assert "--skip-refused" in refused.err
    assert json.loads(done.out)["imported"] == 1


@pytest.mark.parametrize(
    ("rows", "options", "code"),
    [
        (["bad"], [], 1),
        (["bad"], ["--skip-refused"], 1),
        (["good", "bad"], [], 1),
        (["good", "bad"], ["--skip-refused"], 0),
        (["good"], [], 0),
    ],
)
def test_dry_run_of_the_command_exits_1_where_the_import_would_be_refused(
    project: Project, tmp_path: Path, rows: list[str], options: list[str], code: int
) -> None:
    kinds = {"good": GOOD, "bad": GOOD | {"uid": "law/2", "key": "Z"}}
    path = tmp_path / "a.jsonl"
    path.write_bytes(upload([kinds[row] for row in rows]).read())
    ended = 0
    try:
        call_command("import_items", "ti", str(path), "--dry-run", *options)
    except SystemExit as end:
        ended = int(end.code or 0)
    assert ended == code


def test_check_command_lists_findings_and_changes_nothing_the_second_time(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    row = GOOD | {"system": "mt", "translation_question": "ཀ", "translation_options": ["ཁ", " "]}
    path.write_bytes(upload([row]).read())
    call_command("import_items", "ti", str(path), "--json")
    capsys.readouterr()

    call_command("check_items", "ti", "--json", "--output", str(tmp_path / "out.jsonl"))

    result = json.loads(capsys.readouterr().out)
    assert result.pop("whole_set")["several_ways_count"] == 0
    assert result == {
        "checked": 1,
        "new": 0,
        "errors": 1,
        "warnings": 0,
        "findings": [],
    }
    [line] = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert set(json.loads(line)) >= {"uid", "code", "severity", "field", "message"}


def test_report_says_in_the_readers_language_which_files_were_read_and_which_not(
    project: Project, manager: Client
) -> None:
    job = run_now(send(manager, [GOOD, GOOD | {"uid": "law/2", "key": "Z"}]))
    stored = ImportJob.objects.get().report
    file = {"name": "b.txt", "format": "", "rows": 0, "used": False}
    unread = file | {"code": "hidden_file", "data": {}}
    ImportJob.objects.update(report=stored | {"files": [*stored["files"], unread]})

    html = manager.get(f"/jobs/{job.pk}/").content.decode()
    body = manager.get(f"/api/v1/jobs/{job.pk}/").json()

    assert [error.keys() for error in stored["errors"]] == [{"file", "row", "code", "data"}]
    assert "Hidden files are not read." in html
    assert [f["reason"] for f in body["result"]["files"]] == ["", "Hidden files are not read."]
    assert body["result"]["errors"][0]["reason"] == "The key is “Z”, but the last option is B."


def test_import_page_lists_the_columns_of_every_format(project: Project, manager: Client) -> None:
    html = manager.get(f"/projects/{project.slug}/import/").content.decode()

    assert "Columns of each format" in html
    assert "polished_ti_content" in html
