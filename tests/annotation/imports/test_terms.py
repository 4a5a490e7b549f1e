"""Importing terms: a job in short transactions, which a kill stops and nothing else undoes."""

import signal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent
from annotation.glossary.queries import glossary_of, terms_in_source
from annotation.imports import terms
from annotation.imports.terms import start_term_import
from annotation.models import ImportJob, Term
from jobs.actions import cancel_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.factories import make_term
from tests.processes import start_python

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def start(project: Project, *rows: str, **options: Any) -> ImportJob:
    file = BytesIO("\n".join(["source,preferred", *rows]).encode())
    return start_term_import(
        project=project, file=file, name="terms.csv", actor=None, now=timezone.now(), **options
    )


def words(count: int) -> list[str]:
    return [f"词{number},ཚིག{number}" for number in range(count)]


def test_import_reports_what_it_wrote_and_the_checks_see_it(project: Project) -> None:
    make_term(project, "词0")
    glossary_of(project)

    job = run_now(start(project, *words(3)).job)

    project.refresh_from_db()
    counts = {"read": 3, "created": 2, "changed": 1, "unchanged": 0}
    assert (job.state, job.result) == (JobState.DONE, {**counts, "outcome": "imported"})
    assert [hit.term.preferred for hit in terms_in_source(project, "词2", [])] == [("ཚིག2",)]
    assert AuditEvent.objects.get(verb="glossary.imported").data["created"] == 2


def test_file_with_a_wrong_row_writes_nothing_and_the_report_names_the_row(
    project: Project,
) -> None:
    started = start(project, "法律,ཁྲིམས", "民族,")

    job = run_now(started.job)

    assert (job.state, job.error_code, Term.objects.count()) == ("failed", "terms_refused", 0)
    (problem,) = terms.term_import_result(job)["problems"]
    assert (problem["row"], problem["field"]) == (3, "preferred")
    assert "at least one rendering" in problem["message"]


def test_file_that_is_too_large_to_be_read_whole_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "MOST_MEGABYTES", 0)

    job = run_now(start(project, *words(1)).job)

    (problem,) = terms.term_import_result(job)["problems"]
    assert problem["message"] == "The file is larger than 0 MB. Split it."


def test_import_takes_a_bounded_number_of_statements_and_one_transaction_for_some_rows(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "ROWS_AT_ONCE", 100)
    run_now(start(project, *words(200)).job)
    started = start(project, *(row + "་" for row in words(200)))

    with CaptureQueriesContext(connection) as captured:
        job = run_now(started.job)

    assert job.result["changed"] == 200
    assert len([q for q in captured if str(q["sql"]).startswith("SAVEPOINT")]) < 20
    assert len(captured) < 80


def test_import_that_was_cancelled_continues_when_it_is_resumed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "ROWS_AT_ONCE", 10)
    started = start(project, *words(30))

    def cancel(_progress: Progress, done: int) -> None:
        if done == 10:
            cancel_job(job=started.job, actor=None, now=timezone.now())
            _progress.check()

    with monkeypatch.context() as patched:
        patched.setattr(Progress, "advance_to", cancel)
        stopped = run_now(started.job).state
    project.refresh_from_db()
    seen = len(terms_in_source(project, "词1", []))
    written = Term.objects.count()
    resume_job(job=started.job, actor=None, now=timezone.now())
    job = run_now(started.job)

    assert (stopped, written, seen) == (JobState.CANCELLED, 10, 1)
    assert (job.state, job.result["created"], Term.objects.count()) == (JobState.DONE, 30, 30)


KILLED_WORKER = """
import os, signal, sys
import django
django.setup()
from annotation.imports import terms
from jobs.progress import Progress
from jobs.worker import run_job

terms.ROWS_AT_ONCE = 10
Progress.advance_to = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
run_job(int(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_import_whose_worker_is_killed_continues_where_it_was(project: Project) -> None:
    started = start(project, *words(30))

    killed = start_python(KILLED_WORKER, started.job_id)
    killed.communicate(timeout=170)
    written = Term.objects.count()
    job = run_now(started.job)

    assert (killed.returncode, written) == (-signal.SIGKILL, 10)
    assert (job.state, job.result["created"], job.result["unchanged"]) == (JobState.DONE, 30, 0)


def test_api_queues_an_import_and_the_job_tells_its_result(
    project: Project, member: Any, api_of: Any
) -> None:
    api = api_of(member(Role.SENIOR))
    file = SimpleUploadedFile("terms.csv", b"source,preferred\na,b\n")

    answer = api.post("/api/v1/projects/ti/terms/import/", {"file": file}, format="multipart")
    run_now(Job.objects.get(pk=answer.json()["job"]))
    told = api.get(f"/api/v1/jobs/{answer.json()['job']}/").json()

    assert (answer.status_code, told["result"]["created"]) == (202, 1)
    assert api.get("/api/v1/projects/ti/terms/").json()["results"][0]["source"] == "a"


def test_uploaded_terms_are_removed_once_they_are_imported(project: Project) -> None:
    started = start(project, *words(1))
    path = Path(started.path)

    run_now(started.job)

    assert not path.exists()
