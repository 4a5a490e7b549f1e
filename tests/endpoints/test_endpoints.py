"""Endpoints: whose they are, whose keys they may send where, and who may use them."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from endpoints.actions import (
    EndpointInvalid,
    EndpointNotAllowed,
    EndpointNotPublic,
    EndpointTaken,
    EndpointValues,
    change_endpoint,
    create_endpoint,
    ensure_own_endpoint,
)
from endpoints.connections import EndpointClosed, KeyMissing, check_usable, connect
from endpoints.models import Endpoint
from endpoints.queries import endpoint_limit
from endpoints.selectors import EndpointUnknown, get_endpoint
from projects.enums import Role
from projects.models import Project
from tests.factories import EndpointFactory, ProjectFactory, UserFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
VALUES = EndpointValues(name="gpu-1", base_url="http://127.0.0.1:9/v1/")
Member = Callable[..., User]


def create(project: Project | None, **changes: Any) -> Endpoint:
    fields = {"name": VALUES.name, "base_url": VALUES.base_url} | changes
    allowed = fields.pop("allowed_projects", ())
    return create_endpoint(
        values=EndpointValues(**fields),
        project=project,
        allowed_projects=allowed,
        actor=None,
        now=timezone.now(),
    )


def test_own_endpoint_is_stored_clean_and_recorded(project: Project) -> None:
    endpoint = create(project, requests_per_minute=30)

    event = AuditEvent.objects.get()
    assert (endpoint.base_url, endpoint.requests_per_minute) == ("http://127.0.0.1:9/v1", 30)
    assert (event.verb, event.scope, event.data["name"]) == ("endpoint.created", "ti", "gpu-1")


def test_own_endpoint_never_has_a_key(project: Project) -> None:
    with pytest.raises(EndpointInvalid) as refusal:
        create(project, api_key_env="TEAM_A_API_KEY")
    assert "Ask an administrator" in refusal.value.fields["api_key_env"][0]
    with pytest.raises(IntegrityError), transaction.atomic():
        EndpointFactory(project=project, api_key_env="TEAM_A_API_KEY")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "a b"}, "name"),
        ({"base_url": "ftp://example.org"}, "base_url"),
        ({"base_url": "https://user:secret@example.org/v1"}, "base_url"),
        ({"base_url": "https://example.org/v1?key=1"}, "base_url"),
        ({"base_url": "https://example.org/v1/../admin"}, "base_url"),
        ({"base_url": "https://example.org/v1/%2e%2e/admin"}, "base_url"),
        ({"base_url": "nonsense"}, "base_url"),
        ({"base_url": "https://example.org/" + "a" * 300}, "base_url"),
        ({"api_key_env": "sk-abcdef"}, "api_key_env"),
        ({"api_key_env": "LOTSAWA_SECRET_API_KEY"}, "api_key_env"),
        ({"api_key_env": "DATABASE_URL"}, "api_key_env"),
        ({"requests_per_minute": 0}, "requests_per_minute"),
        ({"requests_per_minute": 100_001}, "requests_per_minute"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 1_001}, "concurrency"),
    ],
)
def test_bad_value_is_refused_at_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(EndpointInvalid) as refusal:
        create(None, **changes)
    assert list(refusal.value.fields) == [field]
    assert not Endpoint.objects.exists()


def test_name_is_taken_once_in_a_project_and_once_on_the_server(project: Project) -> None:
    create(project)
    create(None)
    for owner in (project, None):
        with pytest.raises(EndpointTaken):
            create(owner)
    assert create(ProjectFactory()).name == "gpu-1"


def test_address_outside_the_allowed_ones_is_refused(project: Project, settings: Any) -> None:
    settings.ALLOWED_ENDPOINTS = ["http://127.0.0.1:8000/v1"]
    with pytest.raises(EndpointNotAllowed):
        create(project)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "[::127.0.0.1]",
        "192.0.0.9",
        "169.254.169.254",
        "127.1",
        "0x7f000001",
        "localhost",
    ],
)
def test_endpoint_of_a_project_is_public_and_one_of_the_server_is_anywhere(
    project: Project, settings: Any, host: str
) -> None:
    settings.ENDPOINT_NETWORKS = []
    base_url = f"http://{host}:9/v1"
    with pytest.raises(EndpointNotPublic, match="LOTSAWA_ENDPOINT_NETWORKS"):
        create(project, base_url=base_url)
    assert create(None, base_url=base_url).base_url == base_url
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8", "192.0.0.0/24", "169.254.0.0/16", "::/96"]
    assert create(project, base_url=base_url).base_url == base_url


@pytest.mark.parametrize(
    ("networks", "words"),
    [(["127.0.0.0/8"], "these networks"), ([], "public addresses only")],
)
def test_page_of_endpoints_says_what_they_may_reach(
    project: Project, member: Member, browser_of: Callable[[User], Client], settings: Any,
    networks: list[str], words: str,
) -> None:  # fmt: skip
    settings.ENDPOINT_NETWORKS = networks
    browser = browser_of(member(Role.MANAGER))
    for name in ("project-endpoints", "add-project-endpoint"):
        shown = browser.get(reverse(f"endpoints:{name}", args=["ti"])).content.decode()
        assert words in shown
        assert ("127.0.0.0/8" in shown) == bool(networks)


def test_own_endpoint_at_an_address_is_made_once(project: Project) -> None:
    EndpointFactory(project=project, name="127.0.0.1-9", base_url="http://127.0.0.1:9/other")
    ensure: Any = {"requests_per_minute": None, "actor": None, "now": timezone.now()}

    first = ensure_own_endpoint(project=project, base_url="http://127.0.0.1:9/v1", **ensure)
    again = ensure_own_endpoint(project=project, base_url="http://127.0.0.1:9/v1/", **ensure)

    assert (first, first.name) == (again, "127.0.0.1-9-2")


def test_project_uses_its_own_and_what_it_is_allowed(project: Project) -> None:
    own = EndpointFactory(project=project, name="gpu")
    server = create(None, name="gpu", allowed_projects=[project])
    shared = create(None, name="shared", allowed_projects=[project])
    EndpointFactory(project=project, name="closed", is_active=False)
    create(None, name="others")

    assert get_endpoint(project, "gpu") == own
    assert get_endpoint(project, "shared") == shared
    assert set(Endpoint.objects.usable_in(project)) == {own, server, shared}
    with pytest.raises(EndpointUnknown, match="You can use: gpu, shared"):
        get_endpoint(project, "others")


def test_endpoint_that_is_taken_away_is_not_called_any_more(project: Project) -> None:
    endpoint = create(None, allowed_projects=[project])
    check_usable(endpoint, project)

    change_endpoint(
        endpoint=endpoint,
        api_key_env="",
        requests_per_minute=None,
        concurrency=None,
        is_active=True,
        allowed_projects=[],
        actor=None,
        now=timezone.now(),
    )

    with pytest.raises(EndpointClosed):
        check_usable(endpoint, project)


def test_connection_takes_the_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = create(None, api_key_env="TEAM_A_API_KEY")
    monkeypatch.delenv("TEAM_A_API_KEY", raising=False)
    with pytest.raises(KeyMissing):
        connect(endpoint)

    monkeypatch.setenv("TEAM_A_API_KEY", "sk-1")
    assert "sk-1" not in repr(connect(endpoint))


def test_limit_is_the_smallest_at_the_address(project: Project) -> None:
    free = EndpointFactory(project=project, base_url="https://a.org/v1")
    EndpointFactory(base_url="https://a.org/v1", requests_per_minute=50)
    EndpointFactory(base_url="https://a.org/v1", requests_per_minute=20, is_active=False)
    EndpointFactory(base_url="https://b.org/v1", requests_per_minute=1)
    assert endpoint_limit(free) == 50


def test_manager_adds_and_changes_an_endpoint(
    project: Project, member: Member, browser_of: Callable[[User], Client]
) -> None:
    client = browser_of(member(Role.MANAGER))
    form = {"name": "gpu", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "TEAM_A_API_KEY"}
    assert client.post("/projects/ti/endpoints/new/", form).status_code == 302
    endpoint = Endpoint.objects.get()

    page = f"/projects/ti/endpoints/{endpoint.pk}/"
    limits = {"requests_per_minute": "5", "concurrency": "3"}
    changed = client.post(page, {"base_url": "http://evil/v1", **limits})

    endpoint.refresh_from_db()
    assert changed.status_code == 302
    assert (endpoint.base_url, endpoint.api_key_env) == ("http://127.0.0.1:9/v1", "")
    assert (endpoint.requests_per_minute, endpoint.concurrency) == (5, 3)
    assert not endpoint.is_active
    assert client.post(page, {"requests_per_minute": "0"}).status_code == 400
    listed = client.get("/projects/ti/endpoints/").content.decode()
    assert "5 calls per minute" in listed
    assert "3 calls at the same time" in listed


def test_manager_learns_of_a_key_and_not_of_its_variable(
    project: Project,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    create(None, api_key_env="TEAM_A_API_KEY", allowed_projects=[project])
    manager = member(Role.MANAGER)

    page = browser_of(manager).get("/projects/ti/endpoints/").content.decode()
    answer = api_of(manager).get("/api/v1/projects/ti/endpoints/")

    assert "TEAM_A_API_KEY" not in page + answer.content.decode()
    assert answer.json()["results"][0]["has_key"] is True


def test_administrator_defines_and_changes_an_endpoint(
    project: Project, browser_of: Callable[[User], Client]
) -> None:
    client = browser_of(UserFactory(is_superuser=True))
    form = {"name": "api", "base_url": "https://a.org/v1", "api_key_env": "TEAM_A_API_KEY"}
    assert client.post("/endpoints/new/", form).status_code == 302
    endpoint = Endpoint.objects.get()
    assert client.get(f"/endpoints/{endpoint.pk}/").status_code == 200

    change = {"api_key_env": "B_API_KEY", "allowed_projects": [project.pk], "is_active": "on"}
    assert client.post(f"/endpoints/{endpoint.pk}/", change).status_code == 302

    endpoint.refresh_from_db()
    assert (endpoint.api_key_env, list(endpoint.allowed_projects.all())) == ("B_API_KEY", [project])
    assert "B_API_KEY" in client.get("/endpoints/").content.decode()


def test_api_of_the_server_is_for_administrators(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    administrator, manager = api_of(UserFactory(is_superuser=True)), api_of(member(Role.MANAGER))
    body = {"name": "api", "base_url": "https://a.org/v1", "api_key_env": "A_API_KEY"}

    made = administrator.post("/api/v1/endpoints/", body | {"projects": ["ti"]})
    address = f"/api/v1/endpoints/{made.json()['id']}/"

    assert (made.status_code, made.json()["projects"]) == (201, ["ti"])
    assert manager.patch(address, {"api_key_env": "B_API_KEY"}).status_code == 404
    limits = {"requests_per_minute": 9, "concurrency": 4}
    changed = administrator.patch(address, limits | {"projects": []}).json()
    assert changed.items() >= limits.items()
    assert changed["projects"] == []
    assert (changed["api_key_env"], changed["is_active"]) == ("A_API_KEY", True)


def test_api_of_a_project_adds_an_endpoint_without_a_key(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    manager = api_of(member(Role.MANAGER))
    body = {"name": "gpu", "base_url": "http://127.0.0.1:9/v1"}

    made = manager.post("/api/v1/projects/ti/endpoints/", body)
    keyed = manager.post("/api/v1/projects/ti/endpoints/", body | {"api_key_env": "A_API_KEY"})
    closed = manager.patch(f"/api/v1/endpoints/{made.json()['id']}/", {"is_active": False})

    assert (made.status_code, made.json()["project"], made.json()["has_key"]) == (201, "ti", False)
    assert (keyed.status_code, list(keyed.json()["fields"])) == (400, ["api_key_env"])
    assert (closed.status_code, closed.json()["is_active"]) == (200, False)


def test_command_defines_an_endpoint_with_a_key(project: Project) -> None:
    out = StringIO()
    call_command(
        "create_endpoint", "api", "--base-url", "https://a.org/v1", "--api-key-env", "A_API_KEY",
        "--requests-per-minute", "60", "--concurrency", "4", "--project", "ti", "--json", stdout=out,
    )  # fmt: skip
    endpoint = Endpoint.objects.get()
    assert (endpoint.api_key_env, endpoint.requests_per_minute) == ("A_API_KEY", 60)
    assert endpoint.concurrency == 4
    assert list(endpoint.allowed_projects.all()) == [project]
