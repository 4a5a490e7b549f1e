"""The page and the API that make items of sentences."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import ImportJob, Item
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
VALUES = {
    "way": "word-order", "question": "哪一句正确？", "sentences": "今天|我们|去|学校。\n我们去。", "seed": 5,
}  # fmt: skip


def test_page_shows_what_would_be_made_before_it_imports_it(
    project: Project, member: Member, browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))
    url = reverse("annotation:make-items", args=["ti"])
    shown = manager.post(url, VALUES)
    assert shown.status_code == 200
    (item,) = shown.context["shown"]
    assert shown.context["faults"][0][0] == 2
    assert not ImportJob.objects.exists()

    assert manager.post(url, {**VALUES, "confirm": "yes"}).status_code == 302
    run_now(ImportJob.objects.get().job)
    stored = Item.objects.get()
    assert (stored.uid, tuple(stored.options), stored.key) == (item.uid, item.options, item.key)


def test_page_refuses_in_words(
    project: Project, member: Member, browser_of: Callable[[User], Client]
) -> None:
    manager = browser_of(member(Role.MANAGER))
    url = reverse("annotation:make-items", args=["ti"])
    cloze = manager.post(url, {**VALUES, "way": "cloze", "question": "%s"})
    assert (cloze.status_code, "needs a vocabulary" in cloze.content.decode()) == (400, True)
    assert manager.post(url, {**VALUES, "sentences": "a\n" * 1001}).status_code == 400
    nothing = manager.post(url, {**VALUES, "sentences": "我们去。", "confirm": "yes"})
    assert nothing.status_code == 409


def test_api_returns_ten_items_or_queues_their_import(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/make-items/"
    lines = "\n".join(f"今天|我们|去|第{number}|学校。" for number in range(12))
    dry = api.post(url, {**VALUES, "sentences": lines, "dry_run": True}, format="json").json()
    assert (dry["made"], len(dry["items"]), dry["left_out"]) == (12, 10, [])
    assert not ImportJob.objects.exists()
    started = api.post(url, {**VALUES, "sentences": lines}, format="json")
    assert (started.status_code, started.json()["job"]) == (202, ImportJob.objects.get().job_id)
    many = api.post(url, {**VALUES, "sentences": "a\n" * 1001}, format="json")
    assert (many.status_code, [*many.json()["fields"]]) == (400, ["sentences"])
