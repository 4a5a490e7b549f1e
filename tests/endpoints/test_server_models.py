"""Models of the whole server: one definition for every project that may use the endpoint."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from endpoints.connections import EndpointClosed
from endpoints.enums import ProviderName
from endpoints.models import Endpoint, ModelSpec
from endpoints.specs.actions import (
    ModelExists,
    ModelOutdated,
    ModelRetired,
    SpecValues,
    create_model,
    retire_model,
    revise_model,
)
from endpoints.specs.queries import current_models, own_models
from endpoints.specs.selectors import get_model
from evaluation.runs.actions import OtherProject
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from tests.evaluation.builders import NOW, make_run, work_off
from tests.factories import EndpointFactory, ModelSpecFactory, ProjectFactory, UserFactory
from tests.races import interleave

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
VALUES = SpecValues("shared", "gpt-x", {"temperature": 0})
VALUES_NEW = SpecValues("shared", "gpt-y")
Member = Callable[..., User]


@pytest.fixture
def endpoint(project: Project) -> Endpoint:
    made = EndpointFactory(project=None, name="shared")
    made.allowed_projects.add(project)
    return made


@pytest.fixture
def spec(endpoint: Endpoint) -> ModelSpec:
    return create_model(project=None, name="gpt-x", values=VALUES, actor=None, now=NOW)


def names(project: Project) -> list[tuple[str, int]]:
    return [(each.name, each.revision) for each in current_models(project)]


def test_projects_that_may_use_the_endpoint_have_the_latest_revision(
    project: Project, endpoint: Endpoint, spec: ModelSpec
) -> None:
    other = ProjectFactory()
    revise_model(spec=spec, values=SpecValues("shared", "gpt-y"), actor=None, now=NOW)
    assert names(project) == [("gpt-x", 2)]
    assert names(other) == []
    Endpoint.objects.filter(pk=endpoint.pk).update(is_active=False)
    assert names(project) == []
    assert [each.revision for each in own_models(None)] == [2]
    assert AuditEvent.objects.get(verb="model.created").scope == ""


def test_a_model_of_the_project_hides_one_of_the_same_name(
    project: Project, spec: ModelSpec
) -> None:
    own = ModelSpecFactory(project=project, name="gpt-x", revision=3)
    assert names(project) == [("gpt-x", 3)]
    assert get_model(project, "gpt-x") == own
    with pytest.raises(ModelExists):
        create_model(project=None, name="gpt-x", values=VALUES, actor=None, now=NOW)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_revised_first", [True, False])
def test_of_revising_and_retiring_at_once_one_is_refused(
    spec: ModelSpec, *, is_revised_first: bool
) -> None:
    acts = [
        (lambda: revise_model(spec=spec, values=VALUES_NEW, actor=None, now=NOW), "INSERT INTO"),
        (lambda: retire_model(spec=spec, actor=None, now=NOW), "UPDATE"),
    ]
    (first, behind), (second, _behind) = acts if is_revised_first else acts[::-1]
    refused = interleave(first, second, behind=f'{behind} "endpoints_modelspec"')
    assert [type(fault) for fault in refused] == [
        type(None), ModelOutdated if is_revised_first else ModelRetired
    ]  # fmt: skip
    assert own_models(None).get().retired_at == (None if is_revised_first else NOW)


def test_a_model_that_answered_elsewhere_hides_none(project: Project, spec: ModelSpec) -> None:
    elsewhere = EndpointFactory(project=project, provider=ProviderName.ELSEWHERE, is_active=False)
    ModelSpecFactory(project=project, name="gpt-x", endpoint=elsewhere)
    assert get_model(project, "gpt-x") == spec


def test_runs_ask_it_as_long_as_the_project_may(
    project: Project, endpoint: Endpoint, spec: ModelSpec
) -> None:
    run = make_run(project, spec=spec)
    assert work_off(run).state == "done"

    endpoint.allowed_projects.clear()
    with pytest.raises(EndpointClosed):
        make_run(project, run.release, spec=spec)
    with pytest.raises(OtherProject):
        make_run(project, run.release, spec=ModelSpecFactory(project=ProjectFactory()))


def test_managers_test_and_choose_it_but_do_not_change_it(
    project: Project, spec: ModelSpec, member: Member, client: Client
) -> None:
    client.force_login(member(Role.MANAGER))
    page = client.get(reverse("endpoints:models", args=["ti"])).content.decode()
    assert "of the server" in page
    assert reverse("endpoints:revise-model", args=["ti", "gpt-x"]) not in page
    refused = client.get(reverse("endpoints:revise-model", args=["ti", "gpt-x"]))
    assert refused.status_code == 403
    assert "Ask an administrator" in refused.content.decode()
    retired = client.post(reverse("api:retire-model", args=["ti", "gpt-x"]))
    assert (retired.status_code, retired.json()["code"]) == (403, "model_of_server")
    tested = client.post(reverse("endpoints:test-model", args=["ti", "gpt-x"]))
    assert tested.status_code == 302
    assert Job.objects.get(kind="model_test").scope == "ti"
    listed = client.get(reverse("api:models", args=["ti"])).json()["results"]
    assert [(each["name"], each["is_of_server"]) for each in listed] == [("gpt-x", True)]


def test_administrators_add_revise_and_retire_it_by_page_and_api(
    endpoint: Endpoint, project: Project, client: Client
) -> None:
    client.force_login(UserFactory(is_superuser=True))
    sent = {"name": "m", "endpoint": "shared", "model": "x"}
    assert client.post(reverse("endpoints:add-server-model"), sent).status_code == 302
    revised = client.put(
        reverse("api:server-model", args=["m"]), {"endpoint": "shared", "model": "y"},
        content_type="application/json",
    )  # fmt: skip
    assert revised.status_code == 201
    assert names(project) == [("m", 2)]
    page = client.get(reverse("endpoints:server-models")).content.decode()
    assert reverse("endpoints:retire-server-model", args=["m"]) in page
    client.post(reverse("endpoints:retire-server-model", args=["m"]))
    listed = client.get(reverse("api:server-models")).json()["results"]
    assert listed[0]["retired_at"]
    client.post(reverse("api:return-server-model", args=["m"]))
    assert own_models(None).get().retired_at is None


def test_command_without_a_project_defines_one(endpoint: Endpoint, project: Project) -> None:
    out = StringIO()
    call_command("create_model", "m", "--endpoint", "shared", "--model", "x", "--json", stdout=out)
    assert json.loads(out.getvalue())["project"] is None
    assert names(project) == [("m", 1)]
    with pytest.raises(CommandError, match="needs --endpoint"):
        call_command("create_model", "n", "--base-url", "http://127.0.0.1:9/v1", "--model", "x")
