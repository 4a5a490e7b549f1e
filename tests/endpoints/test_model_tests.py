"""A model is tested with one short question, and what came of it is said in words."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from endpoints.models import ModelSpec
from endpoints.specs.actions import (
    ModelRetired,
    SpecValues,
    retire_model,
    return_model,
    revise_model,
)
from endpoints.specs.testing import ask_once, texts_of_test
from evaluation.models import Run
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import NOW, make_release, make_run, serving
from tests.factories import ModelSpecFactory, make_keyed_spec

pytestmark = pytest.mark.django_db


@contextmanager
def answering(status: int, body: dict[str, Any]) -> Iterator[str]:
    """An endpoint on loopback that says the same to everybody."""

    class Always(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Always)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def reply(text: str, **more: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    usage = {"prompt_tokens": 20, "completion_tokens": 1}
    return {"model": "m", "choices": [choice], "usage": usage}


def said_of(project: Project, status: int, body: dict[str, Any]) -> list[str]:
    with answering(status, body) as url:
        spec = ModelSpecFactory(project=project, model="m", endpoint__base_url=url)
        texts = texts_of_test(ask_once(spec, spec.project))
    return [text for text in texts if "seconds" not in text]


def test_what_came_of_a_test_is_said_in_words(project: Project) -> None:
    none, some = "It gives no log-probabilities.", "It gives log-probabilities."
    unlikely = "It does not say how probable options are, so likelihood methods cannot be used."
    silent = {**reply("A"), "usage": None}
    unknown = "it does not know this address or this model"
    cases = [
        (200, reply("A"), [none, unlikely]),
        (200, reply("A", logprobs={"content": []}), [some, unlikely]),
        (200, {**reply("A"), "model": "n"}, ["It answered as “n”, not as “m”.", none, unlikely]),
        (
            200,
            reply(""),
            ["Its answer is empty (finish reason: stop). Allow more tokens.", none, unlikely],
        ),
        (
            200,
            silent,
            [
                "It does not say how many tokens an answer took, so it can have no budget.",
                none,
                unlikely,
            ],
        ),
        (
            401,
            {"error": {"message": "bad key ABC"}},
            [
                "The endpoint did not answer: it does not accept the key (HTTP 401).",
                "Ask the administrator to correct the key of the endpoint.",
            ],
        ),
        (
            404,
            {"error": {"message": "no such model"}},
            [
                f"The endpoint did not answer: {unknown} (HTTP 404).",
                "Correct the name of the model, or the address of the endpoint.",
            ],
        ),
        (
            500,
            {},
            [
                "The endpoint did not answer: it reported an internal error (HTTP 500).",
                "Test again later.",
            ],
        ),
    ]
    for status, body, wanted in cases:
        assert said_of(project, status, body) == wanted, (status, body)


def test_missing_key_and_dead_address_are_said_in_words(project: Project) -> None:
    keyed = make_keyed_spec(project, "NOT_THERE_API_KEY")
    assert texts_of_test(ask_once(keyed, keyed.project))[0] == (
        "The endpoint did not answer: the worker has no key for it."
    )
    dead = ModelSpecFactory(project=project, endpoint__base_url="http://127.0.0.1:9/v1")
    assert "could not be reached" in texts_of_test(ask_once(dead, dead.project))[0]


def test_api_and_page_queue_a_test_and_its_job_has_the_words(
    project: Project,
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    manager = member(Role.MANAGER)
    with serving() as server:
        spec = ModelSpecFactory(project=project, endpoint__base_url=server.base_url)
        queued = api_of(manager).post(f"/api/v1/projects/ti/models/{spec.name}/test/")
        assert queued.status_code == 202
        run_now(Job.objects.get(pk=queued.json()["job"]))
        page = browser_of(manager).post(
            reverse("endpoints:test-model", args=["ti", spec.name]), follow=True
        )
    body = api_of(manager).get(f"/api/v1/jobs/{queued.json()['job']}/").json()
    assert body["result"]["texts"][-2:] == [
        "It gives no log-probabilities.",
        "It says how probable options are, so likelihood methods can be used.",
    ]
    assert "Test of the model" in page.content.decode()
    shown = browser_of(manager).get(reverse("jobs:job", args=[queued.json()["job"]]))
    assert "It gives no log-probabilities." in shown.content.decode()
    viewer = api_of(member(Role.VIEWER))
    assert viewer.post(f"/api/v1/projects/ti/models/{spec.name}/test/").status_code == 403
    assert viewer.get(f"/api/v1/jobs/{queued.json()['job']}/").status_code in {403, 404}


def test_command_says_it_and_exits_with_1_where_the_model_cannot_be_used(project: Project) -> None:
    with serving() as server:
        spec = ModelSpecFactory(project=project, endpoint__base_url=server.base_url)
        out = StringIO()
        call_command("test_model", "ti", spec.name, stdout=out)
    assert "The model answered in" in out.getvalue()
    with pytest.raises(SystemExit) as ended:
        call_command("test_model", "ti", spec.name, stdout=StringIO())
    assert ended.value.code == 1


def test_retired_model_starts_nothing_gets_no_revision_and_stays_visible(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    spec: ModelSpec = ModelSpecFactory(project=project)
    release = make_release(project)
    retire_model(spec=spec, actor=None, now=NOW)

    with pytest.raises(ModelRetired):
        make_run(project, release, spec=spec)
    with pytest.raises(ModelRetired):
        values = SpecValues(spec.endpoint.name, "other")
        revise_model(spec=spec, values=values, actor=None, now=NOW)
    with pytest.raises(ModelRetired):
        retire_model(spec=spec, actor=None, now=NOW)
    assert not Run.objects.exists()
    manager = browser_of(member(Role.MANAGER))
    assert "retired" in manager.get(reverse("endpoints:models", args=["ti"])).content.decode()
    assert spec.name not in manager.get(reverse("evaluation:start", args=["ti"])).content.decode()

    return_model(spec=spec, actor=None, now=NOW)
    return_model(spec=spec, actor=None, now=NOW)
    make_run(project, release, spec=spec)
    verbs = AuditEvent.objects.filter(target=f"model:{spec.pk}").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["model.retired", "model.returned"]


def test_models_are_retired_and_brought_back_by_api_and_page(
    project: Project,
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    spec, manager = ModelSpecFactory(project=project), member(Role.MANAGER)
    url = f"/api/v1/projects/ti/models/{spec.name}"
    assert api_of(manager).post(f"{url}/retire/").json()["retired_at"] is not None
    assert api_of(manager).post(f"{url}/retire/").json()["code"] == "model_retired"
    assert api_of(manager).post(f"{url}/return/").json()["retired_at"] is None
    for name, is_retired in (("retire-model", True), ("return-model", False)):
        browser_of(manager).post(reverse(f"endpoints:{name}", args=["ti", spec.name]))
        spec.refresh_from_db()
        assert (spec.retired_at is not None) == is_retired
