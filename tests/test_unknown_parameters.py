"""No call of the API ignores a parameter that it does not know: a misspelt filter is refused."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.openapi import document, schema_path
from tests.permissions import ADDRESSES, Browsers, url_of
from tests.world import World, addresses

FILES = [
    "/projects/ti/items.csv",
    "/projects/ti/items.jsonl",
    "/projects/ti/duplicates/download.csv",
    "/projects/ti/duplicates/download.jsonl",
    "/projects/ti/glossary.csv",
    "/projects/ti/audit.csv",
    "/audit.csv",
    "/sign-ins.csv",
    "/my-work.csv",
    "/my-work/answers.jsonl",
    "/projects/ti/statements/2026-01.csv",
    "/projects/ti/report/subjects.csv",
    "/boards/ti/1.0.0/board.csv",
    "/projects/ti/comparisons/csv",
]
METHODS = {"get", "post", "put", "patch", "delete"}


def test_every_call_refuses_an_unknown_parameter_by_name(world: World) -> None:
    faults, browsers = [], Browsers(world)
    calls = list(operations(world))
    for name, url, method, _operation in calls:
        send = getattr(browsers.of(name, method), method)
        answer = send(url, query_params={"sate": "approved"}, content_type="application/json")
        if answer.status_code != 400 or list(answer.json()["fields"]) != ["sate"]:
            faults.append(f"{method} {url}: {answer.status_code}")
    assert not faults, "\n".join(faults)
    assert len(calls) > 150


def test_every_documented_parameter_is_known(world: World) -> None:
    faults, browsers = [], Browsers(world)
    for name, url, method, operation in operations(world):
        known = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
        if method != "get" or not known:
            continue
        answer = browsers.of(name, method).get(url, dict.fromkeys(known, "x") | {"sate": "x"})
        if list(answer.json()["fields"]) != ["sate"]:
            faults.append(f"{url}: {answer.json()}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("role", ["manager", "anonymous"])
def test_refusal_names_the_parameters_that_the_address_takes(world: World, role: str) -> None:
    answer = world.browser(role).get("/api/v1/projects/ti/findings/?stat=open&sverity=error")
    words = ["Unknown parameter. Choose from: code, cursor, page_size, severity, state, system."]
    assert answer.json() == {
        "code": "invalid",
        "detail": "Some values are not valid.",
        "fields": {"stat": words, "sverity": words},
    }


@pytest.mark.django_db
def test_method_that_an_address_does_not_take_stays_refused_as_such() -> None:
    answer = Client().trace("/api/v1/releases/?sate=approved")
    assert answer.status_code == 405


def test_every_file_of_a_page_refuses_an_unknown_filter_by_name(world: World) -> None:
    faults, browser = [], world.browser("administrator")
    for address in FILES:
        answer = browser.get(address, {"sate": "approved"})
        if answer.status_code != 400 or "Unknown filter: sate." not in answer.content.decode():
            faults.append(f"{address}: {answer.status_code}")
    assert not faults, "\n".join(faults)


def test_every_list_page_refuses_an_unknown_filter_by_name(world: World) -> None:
    """A page with a list is one that refuses a page of it which is not there."""
    faults, lists, browsers = [], [], Browsers(world)
    for name, pattern, _route in addresses():
        if name not in ADDRESSES or name.startswith("api:") or ADDRESSES[name].of("get") is None:
            continue
        browser, url = browsers.of(name, "get"), url_of(world, name, pattern)
        refused = browser.get(url, {"cursor": "x"}, headers={"Accept": "application/json"})
        if refused.status_code != 400 or b"bad_cursor" not in refused.content:
            continue
        lists.append(name)
        answer = browser.get(url, {"sate": "approved"})
        if answer.status_code != 400 or "Unknown filter: sate." not in answer.content.decode():
            faults.append(f"{url}: {answer.status_code}")
        if 'href="?clear"' not in answer.content.decode():
            faults.append(f"{url}: no way back to the list")
        if browser.get(url, {"clear": ""}).status_code not in (200, 302):
            faults.append(f"{url}: does not begin anew")
    assert not faults, "\n".join(faults)
    assert len(lists) > 30, lists


def test_file_of_a_page_refuses_a_value_that_its_filter_does_not_take(world: World) -> None:
    answer = world.browser("manager").get("/projects/ti/items.csv?state=aproved")
    assert answer.status_code == 400
    assert "aproved" in answer.content.decode()


def test_calls_without_a_body_take_an_empty_object_and_refuse_a_field(world: World) -> None:
    place, browser = f"/api/v1/jobs/{world.job.pk}/cancel/", world.browser("manager")
    refused = browser.post(place, {"why": 1}, content_type="application/json")
    assert refused.json()["fields"] == {"why": ["Unknown field."]}
    assert browser.post(place, {}, content_type="application/json").status_code == 200


def operations(world: World) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Every call of the API: its name, address and method, with what the schema says of it."""
    paths = {path.lstrip("/"): methods for path, methods in document()["paths"].items()}
    for name, pattern, route in addresses():
        if name in ADDRESSES:
            for method in sorted(METHODS & set(paths.get(schema_path(route), {}))):
                yield name, url_of(world, name, pattern), method, paths[schema_path(route)][method]


def test_page_size_that_is_no_number_is_refused_by_name_everywhere(world: World) -> None:
    faults, browsers, count = [], Browsers(world), 0
    for name, url, method, operation in operations(world):
        known = {each["name"] for each in operation.get("parameters", [])}
        if "page_size" not in known:
            continue
        count += 1
        for size in ("x", "0", "-1", "1.5", ""):
            answer = browsers.of(name, method).get(url, {"page_size": size})
            if answer.status_code == 404:
                continue  # nothing is there to list
            if answer.status_code != 400 or list(answer.json()["fields"]) != ["page_size"]:
                faults.append(f"{url} {size!r}: {answer.status_code} {answer.content[:90]!r}")
    assert not faults, "\n".join(faults)
    assert count > 15
