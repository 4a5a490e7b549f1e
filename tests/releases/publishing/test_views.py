"""Pages of releases: who gets in, what they show, what they cost."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from jobs.enums import JobState
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState
from releases.files.storage import release_folder
from releases.models import Release
from tests.factories import ProjectFactory, ReleaseFactory
from tests.releases.builders import NOW, add_dispute, build, build_published, fill, make_approved

pytestmark = pytest.mark.django_db

Browser = Callable[[User], Client]
Member = Callable[..., User]
LIST_QUERIES, DETAIL_QUERIES, BUILD_QUERIES = 6, 10, 39
FORM = {
    "version": "1.0.0",
    "dev_per_subject": "2",
    "black_box_percent": "20",
    "seed": "3",
    "formats": ["csv", "jsonl"],
    "notes": "",
}


def url(name: str, *arguments: str) -> str:
    return reverse(f"releases:{name}", args=arguments)


def test_list_shows_members_what_is_public_and_managers_all(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project, "0.1.0")
    build(project, "0.2.0")
    pages = {
        role: browser_of(member(role)).get(url("list", "ti")).content.decode()
        for role in (Role.MANAGER, Role.VIEWER)
    }
    assert "0.2.0" in pages[Role.MANAGER]
    assert "0.2.0" not in pages[Role.VIEWER]
    assert "0.1.0" in pages[Role.VIEWER]


@pytest.mark.parametrize("number", [1, 3])
def test_list_costs_the_same_for_one_release_and_for_three(
    project: Project,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: DjangoAssertNumQueries,
    number: int,
) -> None:
    for index in range(number):
        counts = {"items": 1, "test": 1, "dev": 0, "open": 1, "black_box": 0}
        ReleaseFactory(project=project, version=f"1.{index}.0", counts=counts, frozen_at=NOW)
    browser = browser_of(member(Role.MANAGER))
    with django_assert_num_queries(LIST_QUERIES):
        browser.get(url("list", "ti"))


@pytest.mark.parametrize("number", [1, 3])
def test_detail_and_build_form_cost_the_same_for_one_subject_and_for_three(
    project: Project,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: DjangoAssertNumQueries,
    number: int,
) -> None:
    fill(project, subjects=number)
    browser = browser_of(member(Role.MANAGER))
    with django_assert_num_queries(BUILD_QUERIES):
        browser.get(url("build", "ti"))
    build_published(project)
    with django_assert_num_queries(DETAIL_QUERIES):
        browser.get(url("detail", "ti", "0.1.0"))


def test_build_form_names_in_words_what_may_be_waived(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    page = browser_of(member(Role.MANAGER)).get(url("build", "ti")).content.decode()
    assert "Reason to waive: Subjects with fewer than five dev items" in page
    assert "waive missing_dev" not in page


def test_build_form_calls_optional_only_what_can_be_left_empty(
    project: Project, member: Member, browser_of: Browser
) -> None:
    """A list without an empty entry always has a value."""
    fill(project)
    page = browser_of(member(Role.MANAGER)).get(url("build", "ti")).content.decode()
    labels = re.findall(r'<label for="id_(\w+)">(.*?)</label>', page, re.DOTALL)
    marked = {name: "optional" in label for name, label in labels}
    names = ("version", "dev_from", "option_order", "seed", "notes")
    assert [name for name in names if marked[name]] == ["notes"]


def test_build_form_that_is_sent_queues_the_build_and_leads_to_it(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    manager = member(Role.MANAGER)
    response = browser_of(manager).post(url("build", "ti"), FORM)
    release = Release.objects.get()
    assert response.headers["Location"] == url("detail", "ti", "1.0.0")
    assert (release.black_box_share, release.seed, release.created_by) == (0.2, 3, manager)
    page = browser_of(manager).get(response.headers["Location"]).content.decode()
    assert "No worker is running." in page


def test_build_form_with_wrong_values_says_so_beside_them(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project, "0.1.0")
    browser = browser_of(member(Role.MANAGER))
    for values, status, words in (
        ({"version": "one"}, 400, "is not a semantic version"),
        ({"version": "0.1.0"}, 409, "already exists"),
        ({"black_box_percent": "101"}, 400, "less than or equal to 100"),
        ({"formats": []}, 400, "This field is required"),
    ):
        response = browser.post(url("build", "ti"), FORM | values)
        assert (response.status_code, values) == (status, values)
        assert words in response.content.decode()
    assert Release.objects.count() == 1


def test_build_form_previews_with_the_values_sent(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project, subjects=1, tests=10, devs=3)
    query = {"dev_per_subject": "2", "black_box_percent": "30", "seed": "0", "formats": "csv"}
    page = browser_of(member(Role.MANAGER)).get(url("build", "ti"), query)
    preview = page.context["preview"]
    assert (preview.test, preview.dev, preview.black_box, preview.left_out) == (10, 2, 3, 1)


def test_build_form_names_what_is_in_dispute(
    project: Project, member: Member, browser_of: Browser
) -> None:
    add_dispute(make_approved(project, uid="a/1"))
    browser = browser_of(member(Role.MANAGER))
    page = browser.get(url("build", "ti")).content.decode()
    assert "Approved items that a later round put in dispute." in page
    assert "a/1" in page
    assert 'class="btn primary" disabled' in page
    assert browser.post(url("build", "ti"), FORM).status_code == 409


def test_detail_links_to_every_file(project: Project, member: Member, browser_of: Browser) -> None:
    fill(project)
    release = build_published(project, "1.0.0+a.b")
    browser = browser_of(member(Role.VIEWER))
    page = browser.get(url("detail", "ti", "1.0.0+a.b")).content.decode()
    addresses = re.findall(r'href="([^"]+/files/[^"]+)"', page)
    assert {browser.get(address).status_code for address in addresses} == {200}
    assert len({unquote(address) for address in addresses}) == release.artifacts.count()


def test_detail_shows_notes_as_the_public_page_does(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project, notes="The **first** one.")
    browser = browser_of(member(Role.VIEWER))
    page = browser.get(url("detail", "ti", "0.1.0")).content.decode()
    assert "The <strong>first</strong> one." in page


def test_download_streams_the_file_under_a_name_of_its_own(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project)
    browser = browser_of(member(Role.VIEWER))
    response = browser.get(url("artifact", "ti", "0.1.0", "csv/test/s0.csv"))
    data = b"".join(response.streaming_content)
    assert data == (release_folder("ti", "0.1.0") / "csv/test/s0.csv").read_bytes()
    assert response["Content-Disposition"] == 'attachment; filename="ti-0.1.0-csv-test-s0.csv"'
    assert response["Content-Type"] == "text/csv"


def test_download_of_what_is_no_artifact_is_not_found_and_of_one_that_is_gone_says_so(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project, subjects=1, tests=1)
    build_published(project)
    browser = browser_of(member(Role.VIEWER))
    for name in ("nothing", "../0.1.0/manifest.json", "/etc/passwd", "csv/../manifest.json"):
        assert browser.get(f"/projects/ti/releases/0.1.0/files/{name}").status_code == 404, name
    (release_folder("ti", "0.1.0") / "manifest.json").unlink()
    response = browser.get(url("artifact", "ti", "0.1.0", "manifest.json"))
    assert response.status_code == 404
    assert "missing on this server" in response.content.decode()


def test_job_partial_of_a_running_build_polls_and_of_an_ended_one_refreshes(
    project: Project, member: Member, browser_of: Browser
) -> None:
    job = Job.objects.create(kind="release", scope="ti", created_at=NOW, queued_at=NOW)
    ReleaseFactory(project=project, version="1.0.0", state=ReleaseState.BUILDING, job=job)
    browser = browser_of(member(Role.MANAGER))
    response = browser.get(url("job", "ti", "1.0.0"), headers={"HX-Request": "true"})
    assert b"every 2s" in response.content
    assert b"<html" not in response.content
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED, error_code="build_ended")
    response = browser.get(url("job", "ti", "1.0.0"), headers={"HX-Request": "true"})
    assert response["HX-Refresh"] == "true"
    assert b"This build has already ended." in response.content


def test_cancel_and_resume_move_the_build(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    browser = browser_of(member(Role.MANAGER))
    browser.post(url("build", "ti"), FORM)
    browser.post(url("cancel", "ti", "1.0.0"))
    assert Release.objects.get().state == ReleaseState.FAILED
    browser.post(url("resume", "ti", "1.0.0"))
    assert Release.objects.get().state == ReleaseState.BUILDING


def test_publish_then_yank_shows_the_reason_to_readers(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build(project)
    manager, viewer = browser_of(member(Role.MANAGER)), browser_of(member(Role.VIEWER))
    manager.post(url("publish", "ti", "0.1.0"))
    assert manager.post(url("yank", "ti", "0.1.0"), {"reason": ""}).status_code == 400
    manager.post(url("yank", "ti", "0.1.0"), {"reason": "Keys of s0 are wrong."})
    page = viewer.get(url("detail", "ti", "0.1.0")).content.decode()
    assert "Keys of s0 are wrong." in page


def test_release_of_another_project_is_not_found(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project)
    ProjectFactory(slug="other")
    browser = browser_of(member(Role.MANAGER))
    assert browser.get(url("detail", "other", "0.1.0")).status_code == 404
    assert browser.get(url("detail", "ti", "9.9.9")).status_code == 404
