"""A request that is too large for its route is refused before anything of it is read."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.client import ClientHandler
from django.utils import timezone

from accounts.actions import create_token
from accounts.models import User
from annotation.models import ImportJob
from projects.enums import Role
from projects.models import Project
from tests.annotation.translating.builders import make_items
from tests.annotation.translating.test_batch_files import held
from tests.factories import ReleaseFactory, UserFactory

LARGE = 700_000_000
IMPORT, API_IMPORT = "/projects/ti/import/", "/api/v1/projects/ti/imports/"
LEAKS = ["/projects/ti/submissions/leaks/1.0.0/", "/api/v1/projects/ti/leaks/"]
SUBMISSIONS = "/api/v1/releases/ti/1.0.0/submissions/"


class Untouched:
    """A body that must not be read."""

    def read(self, *_sizes: int) -> bytes:
        raise AssertionError("the body was read")

    readline = read


class Endless:
    """A body without an end; counts what was read of it."""

    taken = 0

    def read(self, size: int) -> bytes:
        self.taken += size
        return b"x" * size

    readline = read


def send(path: str, body: Any, **environ: Any) -> HttpResponse:
    """POST a body as the server hands it to the application, with the form's protection on."""
    values = {**RequestFactory().post(path).environ, "wsgi.input": body, **environ}
    kept = {name: value for name, value in values.items() if value is not None}
    return ClientHandler(enforce_csrf_checks=True)(kept)


def large(path: str, length: int = LARGE, **environ: Any) -> HttpResponse:
    return send(
        path,
        Untouched(),
        CONTENT_LENGTH=str(length),
        CONTENT_TYPE="multipart/form-data; boundary=x",
        **environ,
    )


def cookie_of(client: Client) -> str:
    return f"sessionid={client.cookies['sessionid'].value}"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/sign-in/", "/accounts/password-reset/", "/help/"])
def test_large_form_of_nobody_is_refused_unread_in_words(path: str) -> None:
    answer = large(path)
    assert answer.status_code == 413
    assert b"The request is too large" in answer.content
    assert answer["Cache-Control"] == "private, no-store"
    assert "Content-Security-Policy" in answer


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/projects/", "/api/v1/me/tokens/"])
def test_large_call_of_the_api_is_refused_unread_in_its_own_words(path: str) -> None:
    answer = large(path)
    assert (answer.status_code, json.loads(answer.content)["code"]) == (413, "too_large")


@pytest.mark.django_db
def test_script_of_a_page_is_refused_in_json() -> None:
    answer = large("/accounts/profile/", HTTP_ACCEPT="application/json")
    assert (answer.status_code, json.loads(answer.content)["code"]) == (413, "too_large")


@pytest.mark.parametrize("path", [IMPORT, API_IMPORT])
def test_upload_of_nobody_is_refused_unread_and_says_to_sign_in(
    project: Project, path: str
) -> None:
    answer = large(path, 2_000_000)
    assert answer.status_code == 413
    assert b"Sign in and upload it again" in answer.content


@pytest.mark.parametrize("path", [IMPORT, API_IMPORT])
@pytest.mark.parametrize("role", [None, Role.REVIEWER])
def test_upload_of_who_may_not_import_here_is_refused_unread(
    project: Project, member: Callable[..., User], browser_of: Any, path: str, role: Role | None
) -> None:
    user = member(role) if role else UserFactory()
    answer = large(path, 2_000_000, HTTP_COOKIE=cookie_of(browser_of(user)))
    assert answer.status_code == 413


@pytest.mark.parametrize("path", [IMPORT, API_IMPORT])
def test_upload_beyond_the_limit_of_imports_is_refused_unread(
    project: Project, member: Callable[..., User], browser_of: Any, path: str
) -> None:
    cookie = cookie_of(browser_of(member(Role.MANAGER)))
    answer = large(path, HTTP_COOKIE=cookie)
    assert answer.status_code == 413
    assert b"larger than 512 MB together" in answer.content


@pytest.mark.parametrize("path", LEAKS)
@pytest.mark.parametrize("role", [Role.MANAGER, Role.SENIOR])
def test_a_leak_may_be_larger_than_a_form_and_smaller_than_an_import(
    project: Project, member: Callable[..., User], browser_of: Any, path: str, role: Role
) -> None:
    cookie = cookie_of(browser_of(member(role)))
    answer = large(path, 22_000_000, HTTP_COOKIE=cookie)
    assert answer.status_code == 413
    assert (b"larger than 20 MB together" in answer.content) is (role == Role.MANAGER)


def test_leak_of_a_manager_is_taken_by_page_and_api(
    project: Project, member: Callable[..., User], browser_of: Any, settings: Any
) -> None:
    settings.BODY_BYTES = 100_000
    ReleaseFactory(project=project, version="1.0.0")
    browser = browser_of(member(Role.MANAGER))
    for path in LEAKS:
        file = BytesIO(b"x" * 200_000)
        file.name = "found.txt"
        answer = browser.post(path, {"file": file, "release": "1.0.0"})
        assert (answer.status_code, b"No team" in answer.content) == (409, True)


def upload(size: int) -> dict[str, Any]:
    row = b'{"uid": "a/1", "question": "q", "options": ["a", "b"], "answer": "A"}\n'
    file = BytesIO(row + b" " * size)
    file.name = "items.jsonl"
    return {"file": file, "format": "items"}


def test_upload_of_a_manager_is_taken_by_page_and_api(
    project: Project, member: Callable[..., User], browser_of: Any, settings: Any
) -> None:
    settings.BODY_BYTES = 100_000
    manager = member(Role.MANAGER)
    secret = create_token(user=manager, name="t", actor=None, now=timezone.now()).secret
    token = {"Authorization": f"Token {secret}"}

    page = browser_of(manager).post(IMPORT, upload(200_000))
    api = Client().post(API_IMPORT, upload(200_000), headers=token)
    wrong = Client().post(API_IMPORT, upload(200_000), headers={"Authorization": "Token x"})

    assert (page.status_code, api.status_code, wrong.status_code) == (302, 202, 413)
    assert ImportJob.objects.count() == 2


def chunked(path: str, body: Any, **environ: Any) -> HttpResponse:
    return send(path, body, CONTENT_LENGTH=None, HTTP_TRANSFER_ENCODING="chunked", **environ)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/sign-in/", "/api/v1/me/tokens/"])
def test_chunks_without_an_end_are_read_no_further_than_the_limit(path: str, settings: Any) -> None:
    body = Endless()
    assert chunked(path, body).status_code == 413
    assert body.taken == settings.BODY_BYTES + 1


def test_chunks_within_the_limit_are_the_body(
    project: Project, member: Callable[..., User]
) -> None:
    manager = member(Role.MANAGER)
    secret = create_token(user=manager, name="t", actor=None, now=timezone.now()).secret
    answer = chunked(
        "/api/v1/me/tokens/",
        BytesIO(b'{"name": "notebook"}'),
        CONTENT_TYPE="application/json",
        HTTP_AUTHORIZATION=f"Token {secret}",
    )
    assert (answer.status_code, json.loads(answer.content)["name"]) == (201, "notebook")


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["", "0", "-1", "many"])
def test_length_that_is_none_crashes_nothing(length: str) -> None:
    answer = send("/accounts/sign-in/", BytesIO(b""), CONTENT_LENGTH=length)
    assert answer.status_code in (403, 413)


def test_request_within_the_limit_costs_no_query(
    member: Callable[..., User], browser_of: Any, django_assert_num_queries: Any
) -> None:
    browser = browser_of(member(Role.MANAGER))
    with django_assert_num_queries(2):  # session, person
        browser.get("/help/")
    assert SessionStore.get_model_class().objects.count() == 1


def test_answers_of_a_batch_file_may_be_as_large_as_an_import(
    project: Project, member: Callable[..., User], browser_of: Any, settings: Any
) -> None:
    make_items(project)
    job = held(project).job
    settings.BODY_BYTES = 100_000
    file = BytesIO(b" " * 200_000)
    file.name = "answers.jsonl"
    paths = [f"/jobs/{job.pk}/batch-answers/", f"/api/v1/jobs/{job.pk}/batch-answers/"]

    given = [browser_of(member(Role.MANAGER)).post(paths[0], {"file": file}).status_code]
    given += [
        large(path, 200_000, HTTP_COOKIE=cookie_of(browser_of(member(Role.REVIEWER)))).status_code
        for path in paths
    ]

    assert given == [302, 413, 413]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "limit"),
    [(SUBMISSIONS, 1_000_000), (SUBMISSIONS, 3_000_000), ("/submit/ti/1.0.0/", 3_100_000)],
)
def test_chunks_of_answers_are_read_as_far_as_answers_may_be_long(
    browser_of: Any, path: str, limit: int
) -> None:
    body = Endless()
    cookie = {"HTTP_COOKIE": cookie_of(browser_of(UserFactory()))} if limit > 1_000_000 else {}
    assert chunked(path, body, **cookie).status_code == 413
    assert body.taken == limit + 1
