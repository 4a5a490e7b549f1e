"""Every text is checked again by a job that can be taken up where it was, and the set as a whole."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.checks.actions import BesideOthers, check_again
from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.catalogue.labels import BESIDE_OTHERS
from annotation.checks.recheck import (
    AlreadyChecking,
    last_whole_set,
    start_recheck,
    texts_in_batches,
)
from annotation.checks.recheck_work import perform_recheck
from annotation.checks.siblings import FEWEST
from annotation.models import Finding, ImportBatch, Item
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from projects.enums import Role
from projects.models import Project
from tests.annotation.sibling_texts import sound_texts, swapped
from tests.factories import make_translated_item, store_translated_item

Member = Callable[..., User]


@pytest.fixture
def items(project: Project) -> list[Item]:
    return [
        make_translated_item(project=project, source__project=project, subject__project=project)
        for _ in range(3)
    ]


def started(project: Project) -> Job:
    return start_recheck(project=project, actor=None, now=timezone.now())


def done(project: Project) -> Job:
    job = started(project)
    result = perform_recheck(job, Progress(job.pk))
    now = timezone.now()
    times = {"started_at": now, "finished_at": now}
    Job.objects.filter(pk=job.pk).update(state=JobState.DONE, result=result, **times)
    return job


def test_job_checks_every_text_and_keeps_what_the_set_shows(
    project: Project, items: list[Item]
) -> None:
    found = {(f.revision_id, f.code) for f in Finding.objects.all()}
    Finding.objects.all().delete()

    job = done(project)

    assert last_whole_set(project) is not None
    job.refresh_from_db()
    assert job.result["checked"] == 3
    assert {(f.revision_id, f.code) for f in Finding.objects.all()} >= found
    assert sum(table["n"] for table in job.result["whole_set"]["keys"]) == 3


def test_job_that_was_stopped_goes_on_after_the_last_text(
    project: Project, items: list[Item]
) -> None:
    job = started(project)
    texts = sorted(item.working_translation.current_revision_id for item in items)  # type: ignore[union-attr, type-var]
    Job.objects.filter(pk=job.pk).update(params={"after": texts[1], "checked": 2, "new": 5})
    job.refresh_from_db()

    result = perform_recheck(job, Progress(job.pk))

    assert (result["checked"], result["new"] >= 5) == (3, True)


def test_job_compares_each_text_with_the_others_of_the_project(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(source_language="en", target_language="mn")
    for number, given in sound_texts(FEWEST):
        store_text(project, swapped(given) if number == 7 else given)

    done(project)

    found = Finding.objects.filter(code__in=BESIDE_OTHERS)
    [finding] = found.select_related("revision__translation__item")
    assert (finding.code, finding.data["one"]) == ("options_exchanged", "A")
    assert finding.revision.translation.item.question == sound_texts(FEWEST)[7][1].source_question


def test_what_a_text_shows_beside_others_goes_only_when_all_are_looked_at(
    project: Project, items: list[Item]
) -> None:
    problem = Problem("question_cut", "warning", "question", 0, 1, {"reason": "open"})

    def checked(beside: BesideOthers | None) -> list[str]:
        [batch] = texts_in_batches(project)
        check_again(revisions=batch, project=project, now=timezone.now(), beside=beside)
        found = Finding.objects.filter(code="question_cut")
        return list(found.values_list("data__reason", flat=True))

    assert checked(lambda _revision, _given: [problem]) == ["open"] * 3
    assert checked(None) == ["open"] * 3
    assert checked(lambda _revision, _given: []) == []


def store_text(project: Project, given: CheckInput) -> None:
    item = store_translated_item(
        project=project,
        source__project=project,
        subject__project=project,
        question=given.question,
        options=list(given.options),
    )
    item.question, item.options = given.source_question, list(given.source_options)
    item.save(update_fields=["question", "options"])


def test_second_job_is_refused_while_one_runs(project: Project) -> None:
    started(project)

    with pytest.raises(AlreadyChecking):
        started(project)


def test_manager_starts_it_and_readers_see_the_result(
    project: Project,
    items: list[Item],
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)
    address = "/api/v1/projects/ti/checks/"
    assert api_of(senior).get(address).json() == {
        "job": None, "checked_at": None, "whole_set": None,
    }  # fmt: skip
    assert "The whole set" not in browser_of(senior).get("/projects/ti/findings/").content.decode()
    job = done(project)

    assert "The whole set" in browser_of(senior).get("/projects/ti/findings/").content.decode()
    assert api_of(senior).get(address).json()["job"] == job.pk
    assert api_of(senior).post(address).status_code == 403
    assert api_of(manager).post(address).status_code == 202
    assert browser_of(manager).post("/projects/ti/findings/check-again/").status_code == 409


def test_findings_say_to_managers_that_new_texts_were_never_compared(
    project: Project, items: list[Item], member: Member, browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))

    def says_so() -> bool:
        page = manager.get("/projects/ti/findings/").content.decode()
        return "never compared with the others" in page

    assert not says_so()
    now = timezone.now()
    batch = ImportBatch.objects.create(
        project=project, writer="w", started_at=now, touched_at=now, finished_at=now
    )
    assert says_so()
    done(project)
    assert not says_so()
    ImportBatch.objects.filter(pk=batch.pk).update(finished_at=timezone.now())
    assert says_so()
