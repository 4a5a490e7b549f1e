"""Whatever is sent to any form or API call is answered in words with 4xx, never with 500.

Addresses, and who may use them, come from the permission matrix; API bodies from the OpenAPI
schema; forms from the pages themselves. So a new address is tried as soon as it has its row.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import cycle
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import schemathesis
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, reverse
from hypothesis import Phase, given, settings

from common.errors import server_error
from tests.openapi import document, schema_path
from tests.permissions import ADDRESSES, OPEN, Browsers, arguments_of, url_of
from tests.world import World, addresses

LONG = "🦌" * 20_001
HUGE = 10**30
# In one field at a time, as what is refused first hides the rest; those of the second list in all.
STRANGE_VALUES = ["a\0b", None, HUGE, [{"a": 1}], "\ud800"]
RARE_VALUES = ["", -1, True, ["\0"], {"\ud800": 1}, float("inf"), "9" * 5000]
# What is no object is refused by each call, and so is what it does not read: forms and huge bodies.
NOT_OBJECTS = ["", "[]", "null", '{"\\ud800": 1}']
NOT_READ = [
    ("application/json", b'{"a": "' + b"x" * 6_000_000 + b'"}'),
    ("multipart/form-data; boundary=x", b'{"a": 1}'),
    ("text/plain", b"a"),
]
# Broken JSON and other kinds of content are refused by the one parser of all calls.
NOT_JSON = [
    *("{", '{"a": NaN}', "\0", "[" * 100_000, '{"a":' * 100_000, '{"a": 1e999}', "1" * 5000),
    *(b"\xff\xfe", b'{"a": "\xed\xa0\x80"}', '"x"', '{"a\\u0000": 1}'),
]
OTHER_KINDS = ["application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]
EXAMPLES = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the API that takes a body, the JSON schema of that, and its path in the document."""

    name: str
    path: str
    url: str
    method: str
    schema: dict[str, Any]

    @property
    def example(self) -> dict[str, Any]:
        fields = self.schema.get("properties", {})
        return {name: example_of(field) for name, field in fields.items()}


@dataclass
class Form:
    """One form of a page, with the values that its fields have."""

    page: str
    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> tuple[str, str, str]:
        """The same for the forms of all rows of a list."""
        return self.method, re.sub(r"\d+", "0", self.action), ",".join(self.values)

    def strange(self) -> Iterator[dict[str, str]]:
        """Nothing; then strange texts in all fields."""
        yield {}
        if self.values:
            yield dict.fromkeys(self.values, LONG)
            yield dict(zip(self.values, cycle(["a\0b", str(HUGE)]), strict=False))

    def one_strange(self) -> Iterator[dict[str, str]]:
        """The worst text for a field, in one field at a time."""
        for name, value in self.values.items():
            yield self.values | {name: str(HUGE) if value.isdigit() else "a\0b"}


@pytest.fixture(scope="module")
def forms(world_of_module: World) -> list[Form]:
    """A form of each kind that a page has."""
    found, browsers = {}, Browsers(world_of_module)
    with transaction.atomic():
        for name, url in readable_pages(world_of_module):
            for form in forms_of(browsers.of(name, "get"), name, url):
                found.setdefault(form.kind, form)
        transaction.set_rollback(True)
    return list(found.values())


def test_api_calls_answer_strange_bodies_with_4xx(world: World) -> None:
    faults, browsers = [], Browsers(world)
    for call in api_writes(world):
        fields = call.schema.get("properties", {})
        bodies = [*NOT_OBJECTS, json.dumps(call.example | {"no_such_field": 1})]
        for body in bodies:
            must_refuse = fields and body not in ("", "null")
            faults += faults_of(browsers, call, body, must_refuse=bool(must_refuse))
        faults += faults_of(browsers, call, json.dumps(dict.fromkeys(fields, LONG)))
    assert not faults, "\n".join(faults)


@pytest.mark.slow  # one field at a time: the tests of all fields at once are quick
def test_api_calls_answer_strange_fields_with_4xx(world: World) -> None:
    faults, browsers = [], Browsers(world)
    for call in api_writes(world):
        for value in RARE_VALUES:
            faults += faults_of(browsers, call, json.dumps(dict.fromkeys(call.example, value)))
        for name in call.example:
            rest = {key: value for key, value in call.example.items() if key != name}
            for body in (rest, *(rest | {name: value} for value in STRANGE_VALUES)):
                faults += faults_of(browsers, call, json.dumps(body))
    assert not faults, "\n".join(faults)


@pytest.mark.slow
def test_api_calls_take_what_their_schema_allows_without_a_crash(world: World) -> None:
    faults: list[str] = []
    browsers, schema = Browsers(world), schemathesis.openapi.from_dict(document())
    for call in api_writes(world):
        for body in bodies_of(schema[call.path][call.method]) if call.schema else ():
            faults += faults_of(browsers, call, json.dumps(body))
    assert not faults, "\n".join(faults)


def test_every_whole_number_in_a_body_has_an_upper_bound(world: World) -> None:
    """A larger one than the database holds would reach it as a fault."""
    unbounded = [
        f"{call.method} {call.name}: {name}"
        for call in api_writes(world)
        for name, field in call.schema.get("properties", {}).items()
        for kind in (field, field.get("items", {}))
        if kind.get("type") == "integer" and "maximum" not in kind and "enum" not in kind
    ]
    assert not unbounded, "\n".join(unbounded)


def test_api_calls_answer_strange_content_with_4xx(world: World) -> None:
    faults, browsers = [], Browsers(world)
    calls = list(api_writes(world))
    for call in calls:
        for kind, body in NOT_READ:
            is_empty_form = not call.schema and kind.endswith("boundary=x")
            faults += faults_of(browsers, call, body, kind, must_refuse=not is_empty_form)
    for text in NOT_JSON:
        faults += faults_of(browsers, calls[0], text, must_refuse=True)
    for kind in OTHER_KINDS:
        faults += faults_of(browsers, calls[0], b"a=1", kind, must_refuse=True)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", ["nope/", "jobs/abc/", "rounds/-1/claim/"])
def test_unknown_addresses_of_the_api_are_not_found_in_its_own_words(db: None, path: str) -> None:
    answer = Client().get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_api_answers_a_fault_of_ours_with_code_and_detail() -> None:
    answer = server_error(RequestFactory().get("/api/v1/me/"))
    assert answer.status_code == 500
    assert json.loads(answer.content)["code"] == "internal"


def test_pages_answer_strange_forms_without_a_crash(world: World, forms: list[Form]) -> None:
    browsers = Browsers(world)
    faults = [fault for form in forms for fault in crashes(browsers, form, form.strange())]
    assert not faults, "\n".join(faults)


@pytest.mark.slow  # one field at a time: the tests of all fields at once are quick
def test_pages_answer_one_strange_field_without_a_crash(
    world: World, forms: list[Form], empty_pages: None
) -> None:
    browsers = Browsers(world)
    faults = [fault for form in forms for fault in crashes(browsers, form, form.one_strange())]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "a\0b", "page_size": "-1", "q": "\0", "subject": str(HUGE), "round": "x"},
        {"next": "//evil.example", "page_size": str(HUGE), "state": "\0", "round": "\0"},
    ],
    ids=["cursor", "next"],
)
def test_addresses_answer_strange_queries_without_a_crash(
    world: World, query: dict[str, str]
) -> None:
    browsers = Browsers(world)
    faults = [
        name
        for name, url in readable_addresses(world)
        if browsers.of(name, "get").get(url, query).status_code >= 500
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("method", ["get", "post"])
def test_addresses_with_foreign_ids_are_not_found(
    world: World, method: str, empty_pages: None
) -> None:
    faults, browsers = [], Browsers(world)
    for name, pattern, _route in addresses():
        if name not in ADDRESSES or ADDRESSES[name].of(method) is None:
            continue
        for arguments in foreign_arguments(arguments_of(world, name, pattern)):
            try:
                url = reverse(name, kwargs=arguments)
            except NoReverseMatch:  # the pattern itself leaves it out
                continue
            status = getattr(browsers.of(name, method), method)(url).status_code
            is_missing = status in {400, 404, 405, 410} or ADDRESSES[name].right == OPEN
            if status >= 500 or not is_missing:
                faults.append(f"{method} {name} {arguments}: {status}")
    assert not faults, "\n".join(faults)


def bodies_of(operation: Any) -> list[Any]:
    """Some bodies that the schema of an operation allows, the same in each run."""
    found: list[Any] = []

    @given(case=operation.as_strategy())
    @settings(max_examples=10, phases=[Phase.generate], deadline=None, derandomize=True)
    def keep(case: Any) -> None:
        if isinstance(case.body, dict) and case.media_type == "application/json":
            found.append(case.body)

    keep()
    return found


def faults_of(
    browsers: Browsers,
    call: Call,
    body: str | bytes,
    kind: str = "application/json",
    *,
    must_refuse: bool = False,
) -> list[str]:
    """Send a body; what is wrong with the answer. What it changed is taken back."""
    write = getattr(browsers.of(call.name, "post"), call.method)
    with transaction.atomic():
        answer = write(call.url, body, content_type=kind, headers={"Idempotency-Key": "strange"})
        transaction.set_rollback(True)
    status = answer.status_code
    if status < 500 and not (must_refuse and status < 400) and is_in_words(answer):
        return []
    return [f"{call.method} {call.name} {kind} {body[:80]!r}: {status}"]


def crashes(browsers: Browsers, form: Form, changes: Iterable[dict[str, str]]) -> Iterator[str]:
    """Send a form with each of `changes`; those that made a page crash."""
    client = browsers.of(form.page, "get")
    write = client.post if form.method == "post" else client.get
    for values in changes:
        with transaction.atomic():
            status = write(form.action, values).status_code
            transaction.set_rollback(True)
        if status >= 500:
            yield f"{form.method} {form.action} {str(values)[:200]}: {status}"


def readable_addresses(world: World) -> Iterator[tuple[str, str]]:
    for name, pattern, _route in addresses():
        if name in ADDRESSES and ADDRESSES[name].of("get") and name not in ("schema", "api-docs"):
            yield name, url_of(world, name, pattern)


def readable_pages(world: World) -> Iterator[tuple[str, str]]:
    for name, url in readable_addresses(world):
        if not name.startswith("api") and name != "health":
            yield name, url


def foreign_arguments(right: dict[str, Any]) -> Iterator[dict[str, Any]]:
    strange: dict[str, list[Any]] = {
        "pk": [999_999_999, HUGE],
        "number": [999, HUGE],
        "version": ["9.9.9", "a\0b"],
        "name": ["../../etc/passwd", "a\0b"],
        "slug": ["nowhere"],
        "project": ["nowhere"],
    }
    for key in right:
        for value in strange.get(key, []):
            yield right | {key: value}


def api_writes(world: World) -> Iterator[Call]:
    """Every API call that takes a body."""
    paths = {path.lstrip("/"): operations for path, operations in document()["paths"].items()}
    for name, pattern, route in addresses():
        if not name.startswith("api:") or name not in ADDRESSES:
            continue
        path = schema_path(route)
        for method, operation in paths.get(path, {}).items():
            if method in ("post", "put", "patch"):
                url, schema = url_of(world, name, pattern), body_schema(operation)
                yield Call(name, f"/{path}", url, method, schema)


def body_schema(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def example_of(field: dict[str, Any]) -> Any:
    if "enum" in field:
        return field["enum"][0]
    return EXAMPLES.get(field.get("type", "string"), "x")


def is_in_words(answer: Any) -> bool:
    """Whether a refusal has the shape of every refusal of the API."""
    if answer.status_code < 400:
        return True
    is_json = answer.headers.get("Content-Type", "").startswith("application/json")
    return is_json and {"code", "detail"} <= set(answer.json())


class FormReader(HTMLParser):
    def __init__(self, page: str, url: str) -> None:
        super().__init__()
        self.page, self.url = page, url
        self.forms: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            action = urljoin(self.url, found.get("action", ""))
            self.forms.append(Form(self.page, action, found.get("method", "get").lower()))
        elif tag in ("input", "select", "textarea", "button") and self.forms:
            name = found.get("name")
            if name and not (name in self.forms[-1].values and found.get("type") == "radio"):
                self.forms[-1].values[name] = found.get("value", "")


def forms_of(client: Client, name: str, url: str) -> list[Form]:
    reader = FormReader(name, url)
    answer = client.get(url)
    if "html" not in answer.headers.get("Content-Type", ""):
        return []
    reader.feed(answer.content.decode())
    own = [form for form in reader.forms if not urlsplit(form.action).netloc]
    return [form for form in own if not form.action.endswith("/sign-out/")]
