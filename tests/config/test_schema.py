"""The OpenAPI schema is complete enough to build a client from."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config.schema import SchemaView
from tests.openapi import document

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture
def schema() -> dict[str, Any]:
    return document()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method in METHODS & set(methods):
            yield f"{method} {path}", methods[method]


@pytest.mark.parametrize(
    ("kind", "language"), [("application/json", "en"), ("application/vnd.oai.openapi", "zh-hans")]
)
@pytest.mark.django_db
def test_schema_that_is_asked_for_again_is_the_same_answer(kind: str, language: str) -> None:
    headers = {"Accept": kind, "Accept-Language": language}
    SchemaView._written.clear()

    written, kept = (Client().get("/api/schema/", headers=headers) for _time in range(2))

    assert SchemaView._written
    assert (kept.status_code, kept.content) == (200, written.content)
    assert kept.headers.items() == written.headers.items()


@pytest.mark.django_db
def test_schema_is_kept_by_language_and_format_and_not_where_a_request_words_its_own() -> None:
    SchemaView._written.clear()
    client = Client()

    for accepted in ("application/json", "application/json; indent=2"):
        client.get("/api/schema/", headers={"Accept": accepted})
    client.get("/api/schema/?lang=zh-hans")
    client.get("/api/schema/", headers={"Accept-Language": "zh-hans"})

    assert {language for language, _kind in SchemaView._written} == {"en", "zh-hans"}
    assert len(SchemaView._written) == 2


def test_every_operation_lives_under_the_versioned_prefix(schema: dict[str, Any]) -> None:
    assert [path for path in schema["paths"] if not path.startswith("/api/v1/")] == []


def test_every_operation_has_its_own_name(schema: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(schema)]
    assert sorted(names) == sorted(set(names))


def test_every_operation_with_an_id_documents_that_it_may_not_exist(schema: dict[str, Any]) -> None:
    silent = [
        name
        for name, operation in operations(schema)
        if "{" in name and "404" not in operation["responses"]
    ]
    assert silent == []


def test_every_operation_that_takes_a_body_documents_a_bad_one(schema: dict[str, Any]) -> None:
    silent = [
        name
        for name, operation in operations(schema)
        if "requestBody" in operation and "400" not in operation["responses"]
    ]
    assert silent == []


def test_every_operation_has_a_summary_of_its_own(schema: dict[str, Any]) -> None:
    summaries = {name: operation.get("summary", "") for name, operation in operations(schema)}
    assert [name for name, summary in summaries.items() if len(summary) < 8] == []
    assert [name for name, summary in summaries.items() if len(summary) > 120] == []
    twice = [each for each, count in Counter(summaries.values()).items() if count > 1]
    assert twice == []


def test_every_description_begins_with_a_sentence_of_its_own(schema: dict[str, Any]) -> None:
    """The first line is the summary, so a sentence that goes on below it is cut in two."""
    described = {name: each.get("description", "") for name, each in operations(schema)}
    cut = [name for name, text in described.items() if text[:1].islower()]
    assert cut == []


def test_every_list_in_pages_documents_a_page_link_that_is_not_valid(
    schema: dict[str, Any],
) -> None:
    lists = {
        name: operation["responses"].get("400", {}).get("description", "")
        for name, operation in operations(schema)
        if "cursor" in [parameter["name"] for parameter in operation.get("parameters", [])]
    }
    assert len(lists) > 8
    assert [name for name, said in lists.items() if "bad_cursor" not in said] == []


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/projects/{slug}/imports/",
        "/api/v1/jobs/{id}/",
        "/api/v1/rounds/{id}/claim/",
        "/api/v1/assignments/{id}/judgement/",
        "/api/v1/assignments/{id}/skip/",
        "/api/v1/projects/{slug}/judgements/",
        "/api/v1/projects/{slug}/disputes/",
        "/api/v1/disputes/{id}/adjudication/",
        "/api/v1/projects/{slug}/report/",
        "/api/v1/releases/{project}/{version}/manifest/",
        "/api/v1/releases/{project}/{version}/artifacts/{name}",
    ],
)
def test_schema_has_the_calls_that_other_programs_rely_on(
    schema: dict[str, Any], path: str
) -> None:
    assert path in schema["paths"]
