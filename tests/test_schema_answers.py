"""What the API answers is what its schema says, for every role: status, media type and body."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rest_framework.serializers import Field, Serializer

from tests import openapi
from tests.openapi import schema_path
from tests.permissions import ADDRESSES, url_of
from tests.world import ROLES, World, addresses

EXPORTS = ["judgements/export/", "me/work/export/", "me/work/answers/export/"]


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_as_its_schema_says(world: World, role: str) -> None:
    client = world.browser(role)
    client.raise_request_exception = False
    faults = [
        f"GET {url} as {role}: {fault}"
        for url, operation in readable(world)
        for fault in faults_of(client.get(url), operation)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", EXPORTS)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_every_format_of_an_export_is_in_the_schema(world: World, path: str, kind: str) -> None:
    found = [(url, operation) for url, operation in readable(world) if url.endswith(path)]
    for url, operation in found:
        answer = world.browser("manager").get(url, {"format": kind})
        assert faults_of(answer, operation) == []
    assert found


def test_every_value_that_may_be_missing_says_so() -> None:
    document()  # which loads them all
    silent = [
        f"{serializer.__name__}.{name}"
        for serializer in serializers()
        for name, field in serializer._declared_fields.items()
        if may_be_missing(field) and not field.allow_null
    ]
    assert silent == []


def may_be_missing(field: Field[Any, Any, Any, Any]) -> bool:
    """Whether an answer has null in place of a field whose source leads to nothing."""
    return field.source is not None and field.default is None


def serializers() -> Iterator[Any]:
    waiting: list[Any] = [Serializer]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        yield kind


def readable(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every address of the API that answers GET, with what the schema says of it."""
    paths = document()["paths"]
    for name, pattern, route in addresses():
        operation = paths.get(f"/{schema_path(route)}", {}).get("get")
        if operation and name in ADDRESSES:
            yield url_of(world, name, pattern), operation


def faults_of(answer: Any, operation: dict[str, Any]) -> list[str]:
    """How an answer differs from what its operation documents."""
    said = operation["responses"].get(str(answer.status_code))
    if said is None:
        return [f"{answer.status_code} is not documented"]
    kinds = said.get("content", {})
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if kind not in (kinds or {"": None}):
        return [f"{kind} is not documented"] if kinds or kind else []
    if kind != "application/json":
        return []
    whole = kinds[kind].get("schema", {}) | {"components": document()["components"]}
    errors = Draft202012Validator(whole).iter_errors(answer.json())
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


@cache
def document() -> dict[str, Any]:
    """The schema, with `nullable` written as JSON Schema does."""
    found: dict[str, Any] = with_nulls(openapi.document())
    return found


def with_nulls(part: Any) -> Any:
    if isinstance(part, list):
        return [with_nulls(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {name: with_nulls(each) for name, each in part.items()}
    if found.pop("nullable", False) is True:
        return {"anyOf": [found, {"type": "null"}]}
    return found
