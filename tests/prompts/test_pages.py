"""The page and the API of prompts."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from prompts.queries import known_prompts
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]


def test_looking_at_prompts_writes_nothing(
    project: Project, member: Member, browser_of: Browser
) -> None:
    url = reverse("prompts:list", args=["ti"])
    shown = browser_of(member(Role.VIEWER)).get(url)
    assert "{question}" in shown.content.decode()
    assert not PromptTemplate.objects.exists()
    assert browser_of(UserFactory()).get(url).status_code == 404


def test_prompts_are_listed_with_the_names_that_a_run_takes(
    project: Project, member: Member, api_of: Api
) -> None:
    listed = api_of(member(Role.VIEWER)).get("/api/v1/projects/ti/prompts/").json()

    found = known_prompts(project, now=timezone.now())
    assert [(each["name"], each["frame"]) for each in listed] == [
        (prompt.name, prompt.frame) for prompt in found
    ]
    assert listed[0]["style"] == "direct"
    assert "{question}" in listed[0]["frame"]


WANTED = {
    "name": "mine", "language": "bo", "frame": "{question}\n{options}", "layout": "text",
    "labels": "script", "shot_seed": 3, "prefill": "ལན་ནི་",
}  # fmt: skip


def test_prompt_is_added_and_revised_by_managers_in_the_api(
    project: Project, member: Member, api_of: Api
) -> None:
    manager, url = api_of(member(Role.MANAGER)), "/api/v1/projects/ti/prompts/"

    added = manager.post(url, WANTED, format="json")
    revised = manager.put(
        f"{url}mine/", {**WANTED, "revision": 1, "labels": "numbers"} | {"name": None},
        format="json",
    )  # fmt: skip

    assert (added.status_code, added.json()["revision"]) == (201, 1)
    assert {name: added.json()[name] for name in WANTED} == WANTED
    assert revised.status_code == 400
    body = {name: value for name, value in WANTED.items() if name != "name"}
    revised = manager.put(
        f"{url}mine/", {**body, "revision": 1, "labels": "numbers"}, format="json"
    )
    assert (revised.status_code, revised.json()["revision"]) == (201, 2)
    listed = api_of(member(Role.VIEWER)).get(f"{url}mine/").json()["results"]
    assert [(each["revision"], each["labels"]) for each in listed] == [
        (2, "numbers"), (1, "script"),
    ]  # fmt: skip
    again = manager.put(f"{url}mine/", {**body, "revision": 1}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "prompt_outdated")
    assert manager.put(f"{url}other/", {**body, "revision": 1}, format="json").status_code == 404


def test_reviewers_change_no_prompts(project: Project, member: Member, api_of: Api) -> None:
    reviewer = api_of(member(Role.REVIEWER))
    assert reviewer.post("/api/v1/projects/ti/prompts/", WANTED, format="json").status_code == 403
