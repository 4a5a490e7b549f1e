"""Pages of models: who sees what, what they show, what they refuse."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from endpoints.models import ModelSpec
from endpoints.specs.queries import current_models
from projects.enums import Role
from projects.models import Project
from tests.factories import EndpointFactory, ModelSpecFactory, UserFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
MODEL = {
    "name": "gpt-x",
    "endpoint": "a",
    "model": "gpt-x",
    "temperature": "0",
    "other": '{"top_k": 5}',
}
FOR_MANAGERS = {"add-model", "revise-model"}


@pytest.fixture
def manager(project: Project, member: Member, browser_of: Browser) -> Client:
    EndpointFactory(project=project, name="a", base_url="https://a.org/v1")
    return browser_of(member(Role.MANAGER))


def page(name: str, *args: str) -> str:
    return reverse(f"endpoints:{name}", args=args)


@pytest.mark.parametrize("role", [None, *Role])
def test_pages_by_role(
    project: Project, member: Member, browser_of: Browser, role: Role | None
) -> None:
    browser = browser_of(member(role) if role else UserFactory())
    name = ModelSpecFactory(project=project).name
    pages = {"models": (), "add-model": (), "revise-model": (name,)}
    for name, further in pages.items():
        allowed = role == Role.MANAGER or name not in FOR_MANAGERS
        status = (200 if allowed else 403) if role else 404
        assert browser.get(page(name, "ti", *further)).status_code == status, name


def test_model_that_nobody_added_is_404(manager: Client) -> None:
    assert manager.get(page("revise-model", "ti", "nobody")).status_code == 404


def test_add_model_and_revise_it(project: Project, manager: Client) -> None:
    assert manager.post(page("add-model", "ti"), MODEL).status_code == 302
    first = ModelSpec.objects.get()
    assert first.parameters == {"temperature": 0.0, "top_k": 5}

    revise = page("revise-model", "ti", "gpt-x")
    assert "https://a.org/v1" in manager.get(revise).content.decode()
    assert manager.post(revise, MODEL | {"temperature": "1", "name": "other"}).status_code == 302

    latest = current_models(project).get()
    assert (latest.name, latest.revision, latest.parameters["temperature"]) == ("gpt-x", 2, 1.0)
    assert manager.post(revise, MODEL | {"temperature": "1"}).status_code == 409


def test_training_data_and_base_model_are_stated_and_shown(
    project: Project, manager: Client
) -> None:
    ModelSpecFactory(project=project, name="base")
    stated = {"cutoff": "2024-06", "tuned_from": "base"}
    assert manager.post(page("add-model", "ti"), MODEL | stated).status_code == 302
    spec = current_models(project).get(name=MODEL["name"])
    assert (spec.cutoff, spec.tuned_from) == ("2024-06", "base")
    shown = manager.get(page("models", "ti")).content.decode()
    assert ">2024-06</td>" in shown
    assert "tuned from base" in shown


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"endpoint": "nowhere"}, 400, "Select a valid choice"),
        ({"name": "a b"}, 400, "Latin letters"),
        ({"temperature": "9"}, 400, "temperature must be a number from 0 to 2"),
        ({"other": "nonsense"}, 400, "This is not valid JSON"),
        ({"other": "[1]"}, 400, "Enter a JSON object"),
        ({"other": '{"seed": 1}'}, 400, "separate field for seed"),
        ({"other": '{"api_key": "sk"}'}, 400, "is a secret"),
        ({"model": ""}, 400, "required"),
    ],
)
def test_add_model_with_a_bad_value_shows_the_form_with_words(
    manager: Client, changes: dict[str, str], status: int, message: str
) -> None:
    response = manager.post(page("add-model", "ti"), MODEL | changes)

    assert response.status_code == status
    assert message in response.content.decode()
    assert not ModelSpec.objects.exists()


def test_add_model_of_a_taken_name_shows_why(manager: Client) -> None:
    manager.post(page("add-model", "ti"), MODEL)
    response = manager.post(page("add-model", "ti"), MODEL)
    assert response.status_code == 409
    assert "already a model" in response.content.decode()


def test_models_page_names_the_endpoint_and_not_its_address(
    project: Project, member: Member, browser_of: Browser
) -> None:
    ModelSpecFactory(
        project=project, endpoint__name="inside", endpoint__base_url="https://hidden.example/v1"
    )
    shown = browser_of(member(Role.VIEWER)).get(page("models", "ti")).content.decode()
    assert ("inside" in shown, "hidden.example" in shown) == (True, False)
