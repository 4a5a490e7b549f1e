"""Whatever is sent to any form or API call is answered in words with 4xx, never with 500.

Addresses, and who may use them, come from the permission matrix; API bodies from the OpenAPI
schema; forms from the pages themselves. So a new address is tried as soon as it has its row.
"""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, reverse
from drf_spectacular.generators import SchemaGenerator

from common.errors import server_error
from tests.permissions import (
    ADDRESSES,
    COMMON_ARGUMENTS,
    OPEN,
    PERMISSIONS,
    SIGNED_IN,
    Needs,
)
from tests.world import ADMINISTRATOR, MANAGER, ROLES, World, addresses, make_world

LONG = "x" * 20_001
HUGE = 10**30
STRANGE_VALUES = ["a\0b", LONG, "", None, -1, HUGE, 999_999_999, True, [], {}, [{"a": 1}], ["\0"]]
STRANGE_VALUES += ["\ud800", ["\ud800"], {"\ud800": 1}, float("inf"), "9" * 5000]
NOT_OBJECTS = ["", "{", "[]", '"x"', "1", "null", "[[1]]", '{"a": NaN}', "\0", '{"a\\u0000": 1}']
NOT_OBJECTS += ["[" * 100_000, '{"a":' * 100_000, '{"\\ud800": 1}', '{"a": 1e999}', "1" * 5000]
# (content type, body), all of which every call that takes JSON refuses.
STRANGE_CONTENT = [
    ("application/json", b"\xff\xfe"),
    ("application/json", b'{"a": "\xed\xa0\x80"}'),
    ("application/json", b'{"a": "' + b"x" * 6_000_000 + b'"}'),
    ("application/x-www-form-urlencoded", b"a=1"),
    ("multipart/form-data", b"a"),
    ("multipart/form-data; boundary=x", b'{"a": 1}'),
    ("text/plain", b"a"),
    ("application/xml", b"<a/>"),
]
STRANGE_TEXTS = ["a\0b", LONG, "", "999999999", str(HUGE), "-1", "🦌" * 300]
EXAMPLES = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def test_api_calls_answer_strange_bodies_with_4xx(world: World) -> None:
    faults = []
    for name, url, method, schema in api_writes(world):
        client = world.browser(role_for(ADDRESSES[name], "post"))
        for body, must_refuse in strange_bodies(schema):
            answer = send(client, method, url, body)
            status = answer.status_code
            if status >= 500 or (must_refuse and status < 400) or not is_in_words(answer):
                faults.append(f"{method} {name} {body[:80]!r}: {status}")
    assert not faults, "\n".join(faults)


def test_api_calls_answer_strange_content_with_4xx(world: World) -> None:
    faults = []
    for name, url, method, _schema in api_writes(world):
        client = world.browser(role_for(ADDRESSES[name], "post"))
        for kind, body in STRANGE_CONTENT:
            answer = send(client, method, url, body, kind)
            if not 400 <= answer.status_code < 500 or not is_in_words(answer):
                faults.append(f"{method} {name} {kind} {body[:60]!r}: {answer.status_code}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", ["nope/", "jobs/abc/", "rounds/-1/claim/"])
def test_unknown_addresses_of_the_api_are_not_found_in_its_own_words(db: None, path: str) -> None:
    answer = Client().get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_api_answers_a_fault_of_ours_with_code_and_detail() -> None:
    answer = server_error(RequestFactory().get("/api/v1/me/"))
    assert answer.status_code == 500
    assert json.loads(answer.content)["code"] == "internal"


def test_pages_answer_strange_forms_without_a_crash(world: World) -> None:
    faults, tried = [], set()
    for name, url in readable_pages(world):
        client = world.browser(role_for(ADDRESSES[name], "get"))
        for form in forms_of(client, url):
            if form.kind in tried:
                continue
            tried.add(form.kind)
            for values in form.changes():
                status = send_form(client, form, values)
                if status >= 500:
                    faults.append(f"{form.method} {form.action} {str(values)[:200]}: {status}")
    assert not faults, "\n".join(faults)


def test_addresses_answer_strange_queries_without_a_crash(world: World) -> None:
    faults = []
    queries = [
        {"cursor": "a\0b", "page_size": "-1", "q": "\0", "subject": str(HUGE), "round": "x"},
        {"next": "//evil.example", "page_size": str(HUGE), "state": "\0", "round": "\0"},
    ]
    for name, url in readable_addresses(world):
        client = world.browser(role_for(ADDRESSES[name], "get"))
        faults += [
            f"{name} {str(query)[:100]}"
            for query in queries
            if client.get(url, query).status_code >= 500
        ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("method", ["get", "post"])
def test_addresses_with_foreign_ids_are_not_found(world: World, method: str) -> None:
    faults = []
    for name, pattern, _route in addresses():
        if name not in ADDRESSES:
            continue
        for arguments in foreign_arguments(world, name, parameters_of(pattern)):
            try:
                url = reverse(name, kwargs=arguments)
            except NoReverseMatch:  # the pattern itself leaves it out
                continue
            client = world.browser(role_for(ADDRESSES[name], method))
            status = getattr(client, method)(url).status_code
            if status not in {400, 404, 405, 410} and ADDRESSES[name].right != OPEN:
                faults.append(f"{method} {name} {arguments}: {status}")
            if status >= 500:
                faults.append(f"{method} {name} {arguments}: {status}")
    assert not faults, "\n".join(faults)


def role_for(row: Needs, method: str) -> str:
    """A role that is let in, so that what is sent is read; the administrator where no member is."""
    right = row.of(method) or row.right
    if right in (OPEN, SIGNED_IN):
        return MANAGER
    allowed = PERMISSIONS[right][0].allowed
    return next((role for role in ROLES if role in allowed), ADMINISTRATOR)


def parameters_of(pattern: Any) -> list[str]:
    return list(pattern.pattern.converters or pattern.pattern.regex.groupindex)


def url_of(world: World, name: str, pattern: Any) -> str:
    arguments = COMMON_ARGUMENTS | ADDRESSES[name].arguments
    return reverse(name, kwargs={key: arguments[key](world) for key in parameters_of(pattern)})


def readable_addresses(world: World) -> Iterator[tuple[str, str]]:
    for name, pattern, _route in addresses():
        if name in ADDRESSES and ADDRESSES[name].of("get") and name not in ("schema", "api-docs"):
            yield name, url_of(world, name, pattern)


def readable_pages(world: World) -> Iterator[tuple[str, str]]:
    for name, url in readable_addresses(world):
        if not name.startswith("api") and name != "health":
            yield name, url


def foreign_arguments(world: World, name: str, parameters: list[str]) -> Iterator[dict[str, Any]]:
    known = COMMON_ARGUMENTS | ADDRESSES[name].arguments
    right = {key: known[key](world) for key in parameters}
    strange: dict[str, list[Any]] = {
        "pk": [999_999_999, HUGE],
        "number": [999, HUGE],
        "version": ["9.9.9", "a\0b"],
        "name": ["../../etc/passwd", "a\0b"],
        "slug": ["nowhere"],
        "project": ["nowhere"],
    }
    for key in parameters:
        for value in strange.get(key, []):
            yield right | {key: value}


def api_writes(world: World) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """(name, url, method, JSON schema of the body) of every API call that takes a body."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    paths = {path.lstrip("/"): operations for path, operations in document["paths"].items()}
    for name, pattern, route in addresses():
        if not name.startswith("api:") or name not in ADDRESSES:
            continue
        for method, operation in paths.get(schema_path(route), {}).items():
            if method in ("post", "put", "patch"):
                schema = body_schema(document, operation)
                yield name, url_of(world, name, pattern), method, schema


def schema_path(route: str) -> str:
    """ "projects/<slug:slug>/" as the schema writes it: "projects/{slug}/"."""
    parts = [
        "{" + part.strip("<>").rpartition(":")[2] + "}" if part.startswith("<") else part
        for part in route.split("/")
    ]
    return "/".join(parts)


def body_schema(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def strange_bodies(schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """(body, whether it must be refused): broken JSON, then one strange field at a time."""
    fields = schema.get("properties", {})
    for text in NOT_OBJECTS:
        yield text, bool(fields) and text not in ("", "null")
    base = {name: example_of(field) for name, field in fields.items()}
    yield json.dumps(base | {"no_such_field": 1}), bool(fields)
    for name in base:
        yield json.dumps({key: value for key, value in base.items() if key != name}), False
        for value in STRANGE_VALUES:
            yield json.dumps(base | {name: value}), False


def example_of(field: dict[str, Any]) -> Any:
    if "enum" in field:
        return field["enum"][0]
    return EXAMPLES.get(field.get("type", "string"), "x")


def send(
    client: Client, method: str, url: str, body: str | bytes, kind: str = "application/json"
) -> Any:
    headers = {"Idempotency-Key": "strange"}
    with transaction.atomic():
        answer = getattr(client, method)(url, body, content_type=kind, headers=headers)
        transaction.set_rollback(True)
    return answer


def is_in_words(answer: Any) -> bool:
    """Whether a refusal has the shape of every refusal of the API."""
    if answer.status_code < 400:
        return True
    is_json = answer.headers.get("Content-Type", "").startswith("application/json")
    return is_json and {"code", "detail"} <= set(answer.json())


class Form:
    """One form of a page, with the values that its fields have."""

    def __init__(self, action: str, method: str) -> None:
        self.action, self.method = action, method
        self.values: dict[str, str] = {}

    @property
    def kind(self) -> tuple[str, str, str]:
        """The same for the forms of all rows of a list."""
        return self.method, re.sub(r"\d+", "0", self.action), ",".join(self.values)

    def changes(self) -> Iterator[dict[str, str]]:
        """Nothing; each strange text in all fields; the worst of them in one field at a time."""
        yield {}
        for text in STRANGE_TEXTS:
            yield dict.fromkeys(self.values, text)
        for name in self.values:
            for text in ("a\0b", str(HUGE)):
                yield self.values | {name: text}


class FormReader(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.forms: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            action = urljoin(self.url, found.get("action", ""))
            self.forms.append(Form(action, found.get("method", "get").lower()))
        elif tag in ("input", "select", "textarea", "button") and self.forms:
            name = found.get("name")
            if name and not (name in self.forms[-1].values and found.get("type") == "radio"):
                self.forms[-1].values[name] = found.get("value", "")


def forms_of(client: Client, url: str) -> list[Form]:
    reader = FormReader(url)
    answer = client.get(url)
    if "html" not in answer.headers.get("Content-Type", ""):
        return []
    reader.feed(answer.content.decode())
    own = [form for form in reader.forms if not urlsplit(form.action).netloc]
    return [form for form in own if not form.action.endswith("/sign-out/")]


def send_form(client: Client, form: Form, values: dict[str, str]) -> int:
    with transaction.atomic():
        answer = (client.post if form.method == "post" else client.get)(form.action, values)
        transaction.set_rollback(True)
    return int(answer.status_code)
