"""Pages of releases: who gets in, what they show, what they cost."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from annotation.enums import Severity
from annotation.models import Finding
from jobs.enums import JobState
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState, Subset
from releases.models import Release
from releases.storage import release_folder
from tests.factories import ProjectFactory, ReleaseFactory, UserFactory
from tests.releases.builders import (
    NOW,
    add_dispute,
    build,
    build_published,
    fill,
    make_approved,
)

pytestmark = pytest.mark.django_db

Browser = Callable[[User], Client]
Member = Callable[..., User]
LIST_QUERIES, DETAIL_QUERIES, BUILD_QUERIES = 6, 9, 27
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


MEMBERS = ("manager", "senior", "reviewer", "viewer")
PAGES = [
    # page, method, (manager, other member, stranger) on a built, then on a published release
    ("detail", "get", (200, 404, 404), (200, 200, 404)),
    ("files", "get", (200, 404, 404), (200, 200, 404)),
    ("job", "get", (302, 404, 404), (302, 403, 404)),
    ("publish", "get", (200, 404, 404), (200, 403, 404)),
    ("publish", "post", (302, 404, 404), (409, 403, 404)),
    ("yank", "get", (200, 404, 404), (200, 403, 404)),
    ("yank", "post", (409, 404, 404), (302, 403, 404)),
    ("cancel", "post", (409, 404, 404), (409, 403, 404)),
    ("resume", "post", (409, 404, 404), (409, 403, 404)),
]


def test_page_of_a_release_answers_each_role(
    project: Project, member: Member, browser_of: Browser
) -> None:
    """What a visit changes is taken back, so that one pair of releases is there for all."""
    fill(project, subjects=1, tests=1)
    build_published(project, "0.1.0")
    build(project, "0.2.0")
    browsers = {who: browser_of(member(Role(who))) for who in MEMBERS}
    browsers["stranger"] = browser_of(UserFactory())
    found, wanted = {}, {}
    for page, method, built, published in PAGES:
        for who, browser in browsers.items():
            column = {"manager": 0, "stranger": 2}.get(who, 1)
            for version, codes in (("0.1.0", published), ("0.2.0", built)):
                case = (page, method, who, version)
                wanted[case] = codes[column]
                found[case] = status_of(browser, page, method, version)
    assert found == wanted


def status_of(browser: Client, page: str, method: str, version: str) -> int:
    name = "manifest.json" if page == "files" else None
    address = url("artifact" if name else page, "ti", version, *([name] if name else []))
    with transaction.atomic():
        answer = getattr(browser, method)(address, {"reason": "Wrong."})
        transaction.set_rollback(True)
    return int(answer.status_code)


@pytest.mark.parametrize(
    ("who", "listed", "form"),
    [
        ("manager", 200, 200),
        ("senior", 200, 403),
        ("reviewer", 200, 403),
        ("viewer", 200, 403),
        ("stranger", 404, 404),
    ],
)
def test_list_and_build_form_answer_each_role(
    project: Project, member: Member, browser_of: Browser, who: str, listed: int, form: int
) -> None:
    user = UserFactory() if who == "stranger" else member(Role(who))
    browser = browser_of(user)
    assert browser.get(url("list", "ti")).status_code == listed
    assert browser.get(url("build", "ti")).status_code == form
    refused = browser.post(url("build", "ti"), FORM).status_code
    assert refused == (409 if form == 200 else form)


def test_pages_ask_for_sign_in(project: Project) -> None:
    assert Client().get(url("list", "ti")).status_code == 302


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
def test_detail_costs_the_same_for_one_subject_and_for_three(
    project: Project,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: DjangoAssertNumQueries,
    number: int,
) -> None:
    fill(project, subjects=number)
    build_published(project)
    browser = browser_of(member(Role.MANAGER))
    with django_assert_num_queries(DETAIL_QUERIES):
        browser.get(url("detail", "ti", "0.1.0"))


@pytest.mark.parametrize("number", [1, 3])
def test_build_form_costs_the_same_for_one_subject_and_for_three(
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


@pytest.mark.parametrize(
    ("values", "status", "words"),
    [
        ({"version": "one"}, 400, "is not a semantic version"),
        ({"version": ""}, 400, "This field is required"),
        ({"version": "x" * 41}, 400, "at most 40"),
        ({"version": "0.1.0"}, 409, "already exists"),
        ({"dev_per_subject": "-1"}, 400, "greater than or equal to 0"),
        ({"black_box_percent": "101"}, 400, "less than or equal to 100"),
        ({"seed": "x"}, 400, "whole number"),
        ({"formats": ["xml"]}, 400, "not one of the available"),
        ({"formats": []}, 400, "This field is required"),
    ],
)
def test_build_form_with_wrong_values_says_so_beside_them(
    project: Project,
    member: Member,
    browser_of: Browser,
    values: dict[str, object],
    status: int,
    words: str,
) -> None:
    fill(project)
    build_published(project, "0.1.0")
    response = browser_of(member(Role.MANAGER)).post(url("build", "ti"), FORM | values)
    assert response.status_code == status
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


def test_build_form_names_what_blocks(
    project: Project, member: Member, browser_of: Browser
) -> None:
    item = make_approved(project, uid="a/1")
    Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="option_count",
        severity=Severity.ERROR,
        field="item",
        created_at=NOW,
    )
    browser = browser_of(member(Role.MANAGER))
    assert "a/1" in browser.get(url("build", "ti")).content.decode()
    assert browser.post(url("build", "ti"), FORM).status_code == 409


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


def test_pages_never_show_a_text_of_the_black_box(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    release = build_published(project, black_box_share=0.5)
    browser = browser_of(member(Role.MANAGER))
    addresses = [url("list", "ti"), url("build", "ti"), url("detail", "ti", "0.1.0")]
    pages = "".join(browser.get(address).content.decode() for address in addresses)
    for placed in release.items.filter(subset=Subset.BLACK_BOX).select_related("revision"):
        assert placed.revision.question not in pages


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


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "../0.1.0/manifest.json",
        "/etc/passwd",
        "csv/../manifest.json",
        "%2e%2e/secret_key",
    ],
)
def test_download_of_what_is_no_artifact_is_not_found(
    project: Project, member: Member, browser_of: Browser, name: str
) -> None:
    fill(project)
    build_published(project)
    browser = browser_of(member(Role.VIEWER))
    assert browser.get(f"/projects/ti/releases/0.1.0/files/{name}").status_code == 404


def test_download_of_a_file_that_is_gone_says_so(
    project: Project, member: Member, browser_of: Browser
) -> None:
    fill(project)
    build_published(project)
    (release_folder("ti", "0.1.0") / "manifest.json").unlink()
    response = browser_of(member(Role.VIEWER)).get(url("artifact", "ti", "0.1.0", "manifest.json"))
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
