"""Model specs: what is stored, what is refused, and that nothing is ever edited."""

from typing import Any

import pytest

from accounts.models import AuditEvent
from endpoints.actions import EndpointNotAllowed
from endpoints.enums import ProviderName
from endpoints.models import Endpoint, ModelSpec
from endpoints.parameters import epoch_parameters, is_allowed_endpoint, read_assignments
from endpoints.specs.actions import (
    ModelExists,
    ModelInvalid,
    ModelOutdated,
    ModelUnchanged,
    SpecValues,
    create_model,
    revise_model,
)
from endpoints.specs.queries import current_models
from projects.models import Project
from tests.evaluation.builders import NOW
from tests.factories import EndpointFactory

GOOD = SpecValues("api", " gpt-x ", {"temperature": 0, "seed": 7})


@pytest.fixture(autouse=True)
def endpoint(project: Project) -> Endpoint:
    return EndpointFactory(project=project, name="api", base_url="https://api.example.org/v1")


def create(project: Project, name: str = "gpt-x", values: SpecValues = GOOD) -> ModelSpec:
    return create_model(project=project, name=name, values=values, actor=None, now=NOW)


def change(**changes: Any) -> SpecValues:
    fields = ("endpoint", "model", "parameters")
    return SpecValues(**{name: getattr(GOOD, name) for name in fields} | changes)


def test_create_model_stores_clean_values_and_an_audit_row(project: Project) -> None:
    spec = create(project)

    assert (spec.name, spec.revision, spec.endpoint.name, spec.model) == (
        "gpt-x",
        1,
        "api",
        "gpt-x",
    )
    assert spec.parameters == {"temperature": 0, "seed": 7}
    event = AuditEvent.objects.get(verb="model.created")
    assert (event.target, event.scope) == (f"model:{spec.pk}", "ti")


def test_create_model_of_a_taken_name_is_refused(project: Project) -> None:
    create(project)
    with pytest.raises(ModelExists):
        create(project)
    assert ModelSpec.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model": "  "}, "model"),
        ({"model": "m" * 201}, "model"),
        ({"parameters": {"temperature": 3}}, "parameters"),
        ({"parameters": {"temperature": "hot"}}, "parameters"),
        ({"parameters": {"temperature": True}}, "parameters"),
        ({"parameters": {"top_p": -0.1}}, "parameters"),
        ({"parameters": {"max_tokens": 0}}, "parameters"),
        ({"parameters": {"max_tokens": 1.5}}, "parameters"),
        ({"parameters": {"seed": "x"}}, "parameters"),
        ({"parameters": {"api_key": "sk"}}, "parameters"),
        ({"parameters": {"model": "other"}}, "parameters"),
        ({"parameters": {"messages": []}}, "parameters"),
        ({"parameters": {"x": float("nan")}}, "parameters"),
        ({"parameters": {"stop": "x" * 5000}}, "parameters"),
        ({"parameters": {"stop": ["a\0b"]}}, "parameters"),
        ({"parameters": {"extra": {"a\0": 1}}}, "parameters"),
        ({"parameters": {"stop": "\ud800"}}, "parameters"),
    ],
)
def test_create_model_with_a_bad_value_is_refused_at_its_field(
    project: Project, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(ModelInvalid) as refusal:
        create(project, values=change(**changes))
    assert list(refusal.value.fields) == [field]
    assert "secret@" not in str(refusal.value.fields)


def test_template_with_the_key_or_a_path_elsewhere_is_refused_in_words(project: Project) -> None:
    EndpointFactory(
        project=project, name="nllb", base_url="https://nllb.example.org",
        provider=ProviderName.HTTP_TEMPLATE,
    )  # fmt: skip
    for parameters, words in (
        (
            {"body": {"q": "{texts}", "to": "{target}"}, "languages": {"bo": "{key}"}},
            "Remove {key}. The endpoint's key is sent as a bearer token.",
        ),
        ({"path": "/%2e%2e/x"}, "This parameter can't be used: path"),
    ):
        with pytest.raises(ModelInvalid) as refusal:
            create(project, values=change(endpoint="nllb", parameters=parameters))
        assert refusal.value.fields == {"parameters": [words]}


@pytest.mark.parametrize("name", ["", "a/b", "..", "-x", "ཀ", "x" * 101, "a b"])
def test_create_model_with_a_bad_name_is_refused(project: Project, name: str) -> None:
    with pytest.raises(ModelInvalid) as refusal:
        create(project, name=name)
    assert list(refusal.value.fields) == ["name"]


def test_create_model_outside_the_allowed_endpoints_is_refused(
    project: Project, settings: Any
) -> None:
    settings.ALLOWED_ENDPOINTS = ["http://127.0.0.1:8000/v1"]
    with pytest.raises(EndpointNotAllowed):
        create(project)


def test_create_model_at_an_endpoint_that_the_project_may_not_use_is_refused(
    project: Project,
) -> None:
    EndpointFactory(project=None, name="team-a", api_key_env="TEAM_A_API_KEY")
    EndpointFactory(name="foreign")
    EndpointFactory(project=project, name="closed", is_active=False)
    for name in ("team-a", "foreign", "closed", "nowhere"):
        with pytest.raises(ModelInvalid) as refusal:
            create(project, values=change(endpoint=name))
        assert "You can use: api" in refusal.value.fields["endpoint"][0]


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://a.org/v1", True),
        ("https://a.org/v1/x", True),
        ("https://a.org/v10", False),
        ("http://a.org/v1", False),
        ("https://a.org.evil.org/v1", False),
        ("https://a.org:8443/v1", False),
        ("https://a.org/v1/../admin", False),
        ("https://a.org/v1/%2e%2e/admin", False),
        ("https://a.org//v1", True),
    ],
)
def test_allowed_endpoints_are_compared_by_part(url: str, *, is_allowed: bool) -> None:
    assert is_allowed_endpoint(url, ["https://a.org/v1/"]) is is_allowed
    assert is_allowed_endpoint(url, []) is True


def test_revise_model_adds_a_revision_and_keeps_the_old(project: Project) -> None:
    first = create(project)

    second = revise_model(
        spec=first, values=change(parameters={"temperature": 1}), actor=None, now=NOW
    )

    assert (second.pk != first.pk, second.revision) == (True, 2)
    first.refresh_from_db()
    assert first.parameters == {"temperature": 0, "seed": 7}
    assert list(current_models(project)) == [second]


def test_revise_model_without_a_change_is_refused(project: Project) -> None:
    spec = create(project)
    with pytest.raises(ModelUnchanged):
        revise_model(spec=spec, values=GOOD, actor=None, now=NOW)


def test_revise_model_that_somebody_revised_is_refused(project: Project) -> None:
    spec = create(project)
    revise_model(spec=spec, values=change(model="gpt-y"), actor=None, now=NOW)
    with pytest.raises(ModelOutdated):
        revise_model(spec=spec, values=change(model="gpt-z"), actor=None, now=NOW)


def test_read_assignments_takes_json_and_text() -> None:
    texts = ["temperature=0.5", "stop=END", 'o={"a": 1}', "empty="]
    assert read_assignments(texts) == {
        "temperature": 0.5, "stop": "END", "o": {"a": 1}, "empty": "",
    }  # fmt: skip
    with pytest.raises(ValueError, match="temperature"):
        read_assignments(["temperature"])


def test_epoch_parameters_move_the_seed_on() -> None:
    assert epoch_parameters({"seed": 7, "top_p": 1}, 3) == {"seed": 9, "top_p": 1}
    assert epoch_parameters({"top_p": 1}, 3) == {"top_p": 1}
