"""What the page and the API advise who may not do something: what helps, by the reason."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import make_run
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
ASK_A_MANAGER = "ask a manager of the project to change your role"
EVERYBODY: dict[str, list[str]] = {"roles": [], "languages": [], "excluded": []}
LISTS = ("releases", "runs")
SIGN_IN = "Only administrators of this server can do this. If you are one, sign in as one."


def refused_page(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 403
    return answer.content.decode()


def test_member_whose_role_is_not_enough_is_sent_to_a_manager(
    project: Project, member: Member, browser_of: Browser
) -> None:
    page = refused_page(browser_of(member(Role.REVIEWER)), "/projects/ti/import/")
    assert ASK_A_MANAGER in page


@pytest.mark.parametrize("address", ["/audit/", "/audit.csv", "/accounts/", "/sign-ins/"])
def test_pages_of_administrators_say_whose_they_are(
    project: Project, member: Member, browser_of: Browser, address: str
) -> None:
    page = refused_page(browser_of(member(Role.MANAGER)), address)
    assert SIGN_IN in page
    assert ASK_A_MANAGER not in page


def test_api_gives_the_reason_too(project: Project, member: Member, api_of: Api) -> None:
    answer = api_of(member(Role.MANAGER)).get("/api/v1/audit-events/")
    assert answer.json() == {"code": "permission_denied", "detail": SIGN_IN}


def test_whoever_cannot_create_projects_is_sent_to_an_administrator(
    browser_of: Browser, api_of: Api
) -> None:
    person = UserFactory()
    page = refused_page(browser_of(person), "/new-project/")
    answer = api_of(person).post("/api/v1/projects/", {"name": "N", "slug": "n"})
    assert "Ask an administrator to do it" in page
    assert "Ask an administrator to do it" in answer.json()["detail"]
    assert ASK_A_MANAGER not in page


@pytest.mark.parametrize(
    ("role", "closing"),
    [(Role.REVIEWER, {"is_browsing_closed": True}), (Role.SENIOR, {"solving_audience": EVERYBODY})],
)
def test_who_has_to_wait_is_not_sent_to_a_manager(
    project: Project,
    member: Member,
    browser_of: Browser,
    api_of: Api,
    role: Role,
    closing: dict[str, object],
) -> None:
    Project.objects.filter(pk=project.pk).update(**closing)
    person = member(role)
    page = refused_page(browser_of(person), "/projects/ti/items/")
    answer = api_of(person).get("/api/v1/projects/ti/items/")
    assert "round is closed" in page
    assert ASK_A_MANAGER not in page
    assert "round is closed" in answer.json()["detail"]


def test_lists_link_to_no_release_and_run_that_a_solving_round_closes(
    project: Project, member: Member, browser_of: Browser, api_of: Api
) -> None:
    run = make_run(project)
    pages = [f"releases/{run.release.version}/", f"runs/{run.pk}/"]
    addresses = [f"/projects/{project.slug}/{page}" for page in pages]
    person = member(Role.REVIEWER)

    def lists() -> str:
        found = [browser_of(person).get(f"/projects/{project.slug}/{name}/") for name in LISTS]
        return "".join(answer.content.decode() for answer in found)

    assert all(f'href="{address}"' in lists() for address in addresses)
    Project.objects.filter(pk=project.pk).update(solving_audience=EVERYBODY)
    assert not any(f'href="{address}"' in lists() for address in addresses)
    assert lists().count("keys again when that round is closed") == len(LISTS)
    for address in addresses:
        assert "keys again when that round is closed" in refused_page(browser_of(person), address)
    answer = api_of(person).get(f"/api/v1/runs/{run.pk}/")
    assert "keys again when that round is closed" in answer.json()["detail"]
