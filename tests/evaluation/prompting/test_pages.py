"""Prompts on pages and in the API: added, revised and previewed with open items by managers alone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from prompts.starters import starters
from tests.evaluation.builders import make_release
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]

FORM: dict[str, Any] = {
    "name": "mine", "language": "bo", "style": "direct", "system": "", "labels": "script",
    "frame": "{question}\r\n{options}", "option_line": "{letter}) {option}", "layout": "turns",
    "shot_frame": "", "shot_seed": "", "prefill": "", "number_system": "", "number_frame": "",
    "release": "", "shots": "2", "uid": "",
}  # fmt: skip
ADD = reverse("evaluation:add-prompt", args=["ti"])
REVISE = reverse("evaluation:revise-prompt", args=["ti", "mine"])
PREVIEW = "/api/v1/projects/ti/prompt-preview/"


def test_prompt_is_added_and_revised_on_pages(project: Project, manager: Client) -> None:
    assert manager.post(ADD, FORM).status_code == 302
    first = PromptTemplate.objects.get(name="mine")
    assert (first.frame, first.labels, first.shot_seed) == ("{question}\n{options}", "script", None)
    shown = manager.get(REVISE).content.decode()
    assert "{letter}) {option}" in shown

    revised = manager.post(REVISE, {**FORM, "revision": 1, "shot_seed": "7"})
    outdated = manager.post(REVISE, {**FORM, "revision": 1, "shot_seed": "8"})

    assert (revised.status_code, outdated.status_code) == (302, 409)
    rows = PromptTemplate.objects.filter(name="mine").order_by("revision")
    assert list(rows.values_list("revision", "shot_seed")) == [(1, None), (2, 7)]
    listed = manager.get(reverse("prompts:list", args=["ti"])).content.decode()
    assert "Revision 1 of" in listed
    assert "seed 7" in listed


def test_faults_of_a_prompt_are_shown_and_nothing_is_saved(
    project: Project, manager: Client
) -> None:
    shown = manager.post(ADD, {**FORM, "frame": "{question}"})

    assert shown.status_code == 400
    assert "The frame must contain {options}." in shown.content.decode()
    assert not PromptTemplate.objects.filter(name="mine").exists()


def test_preview_shows_an_open_item_with_its_shots_and_saves_nothing(
    project: Project, manager: Client
) -> None:
    release = make_release(project, devs=3, hidden=2)
    body = {**FORM, "preview": "yes", "release": release.pk}

    shown = manager.post(ADD, body).content.decode()

    assert "Preview with history/test-0" in shown
    assert "2 examples. About" in shown
    assert "ཀ) " in shown
    assert "history/dev-1" in shown
    assert "history/dev-2" not in shown
    assert not PromptTemplate.objects.filter(name="mine").exists()


def test_hidden_items_are_in_no_preview(project: Project, member: Member, api_of: Api) -> None:
    release = make_release(project, hidden=2)
    hidden = release.items.filter(subset="black-box").first()
    assert hidden is not None
    api = api_of(member(Role.MANAGER))
    body = {"language": "bo", "frame": "{question}{options}", "release": release.version}

    for uid in (hidden.uid, hidden.public_id, "nothing"):
        answer = api.post(PREVIEW, {**body, "uid": uid}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (404, "preview_item_unknown"), uid
    [first] = api.post(PREVIEW, body, format="json").json()
    assert first["uid"] == "history/test-0"


def test_preview_in_the_api_has_messages_tokens_and_examples_without_explanation(
    project: Project, member: Member, api_of: Api
) -> None:
    release = make_release(project, devs=2)
    dev = release.items.filter(split="dev", subject__slug="history").order_by("position").first()
    assert dev is not None
    type(dev.revision).objects.filter(pk=dev.revision_id).update(explanation="དེས་ན།")
    body = {
        "language": "bo", "frame": "{question}\n{options}", "style": "chain-of-thought",
        "release": release.version, "shots": 2, "prefill": "ལན་ནི་",
    }  # fmt: skip

    [found] = api_of(member(Role.MANAGER)).post(PREVIEW, body, format="json").json()

    roles = [message["role"] for message in found["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"]
    size = sum(len(message["content"].encode()) for message in found["messages"])
    assert (found["tokens"], found["bytes_per_token"], found["measured_on"]) == (
        round(size / 3), 3.0, 0,
    )  # fmt: skip
    assert (found["shots"], found["bare_shots"]) == (2, 1)


def test_starters_fill_the_form(project: Project, manager: Client) -> None:
    plain = manager.get(ADD).content.decode()
    for starter in starters():
        assert f"?start={starter.name}" in plain
    shown = manager.get(f"{ADD}?start=tmlu").content.decode()
    assert "({letter}) {option}" in shown
    assert manager.get(f"{ADD}?start=nothing").status_code == 200


def test_start_form_tells_once_of_examples_without_explanation(
    project: Project, manager: Client
) -> None:
    release = make_release(project, devs=2)
    spec = ModelSpecFactory(project=project)
    body = {
        "release": release.pk, "model": spec.pk, "prompt": "chain-of-thought", "shots": 2,
        "epochs": 1, "methods": ["anchored"], "concurrency": 1,
    }  # fmt: skip
    url = reverse("evaluation:start", args=["ti"])

    told = manager.post(url, body)
    estimated = manager.post(url, {**body, "estimate": "yes"})
    started = manager.post(url, {**body, "bare_shots_told": "yes"})

    words = "4 of 4 examples have no explanation in the target language"
    assert words in told.content.decode()
    assert words in estimated.content.decode()
    assert (told.status_code, started.status_code) == (200, 302)
    assert manager.post(url, {**body, "prompt": "direct"}).status_code == 302
