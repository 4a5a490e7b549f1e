"""What the pages of items, findings, duplicates, imports and terms show or give as a file, by the API."""

from typing import Any

import pytest
from django.utils import timezone

from annotation.duplicates.actions import start_search
from annotation.glossary.actions import change_term
from annotation.glossary.term_values import TermValues
from tests.world import MANAGER, REVIEWER, World, make_world

ROOT = "/api/v1/projects/ti"
REPORT = {
    "read": 3,
    "imported": 1,
    "joined": 1,
    "unchanged": 0,
    "refused": 1,
    "errors": [{"file": "a.jsonl", "row": 3, "code": "no_uid", "data": {}}],
}


@pytest.fixture
def world(db: None) -> World:
    made = make_world()
    made.import_job.report = REPORT
    made.import_job.save()
    return made


@pytest.mark.parametrize(
    ("page", "export", "names"),
    [
        ("/projects/ti/items.{}", f"{ROOT}/items/export/", ["csv", "jsonl"]),
        ("/projects/ti/items.{}?q=x", f"{ROOT}/items/export/?q=x", ["csv"]),
        ("/projects/ti/duplicates/download.{}", f"{ROOT}/duplicates/export/", ["csv", "jsonl"]),
        ("/jobs/{job}/errors.{}", "/api/v1/jobs/{job}/errors/", ["csv"]),
    ],
)
def test_exports_are_the_files_of_the_pages(
    world: World, page: str, export: str, names: list[str]
) -> None:
    browser, job = world.browser(MANAGER), world.import_job.job_id
    for name in names:
        file = browser.get(page.format(name, job=job))
        answer = browser.get(export.format(job=job), {**query_of(export), "format": name})
        assert answer.status_code == 200
        for header in ("Content-Type", "Content-Disposition"):
            assert answer.headers[header] == file.headers[header]
        text = answer.getvalue()
        assert text == file.getvalue()
        assert "?" in page or text.count(b"\n") >= 2 or name == "jsonl"


def query_of(address: str) -> dict[str, str]:
    _path, _mark, query = address.partition("?")
    return dict(each.split("=") for each in query.split("&")) if query else {}


@pytest.mark.parametrize("place", ["items", "duplicates"])
def test_exports_refuse_a_filter_that_does_not_exist(world: World, place: str) -> None:
    answer = world.browser(MANAGER).get(f"{ROOT}/{place}/export/", {"state": "nope"})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["state"])


def test_imports_are_listed_with_their_counts(world: World) -> None:
    (listed,) = world.browser(MANAGER).get(f"{ROOT}/imports/").json()["results"]

    assert (listed["job"], listed["name"]) == (world.import_job.job_id, "items.jsonl")
    counts = {name: listed[name] for name in ("read", "imported", "joined", "refused")}
    assert counts == {"read": 3, "imported": 1, "joined": 1, "refused": 1}


def test_searches_for_duplicates_are_listed(world: World) -> None:
    search = start_search(project=world.project, methods=["exact"], actor=None, now=timezone.now())

    listed, _older = world.browser(MANAGER).get(f"{ROOT}/duplicate-searches/").json()["results"]

    assert (listed["id"], listed["job"], listed["methods"]) == (search.pk, search.job_id, ["exact"])
    assert (listed["state"], listed["finished_at"]) == ("queued", None)


def test_pairs_name_their_items_by_what_other_calls_take(world: World) -> None:
    browser = world.browser(MANAGER)
    (pair,) = browser.get(f"{ROOT}/duplicates/").json()["results"]
    for side in "ab":
        assert browser.get(f"{ROOT}/items/{pair[f'{side}_id']}/").json()["uid"] == pair[side]


def test_findings_are_counted_by_check_with_what_it_is_for(world: World) -> None:
    (count,) = world.browser(REVIEWER).get(f"{ROOT}/findings/counts/").json()

    assert (count["code"], count["findings"], count["items"]) == ("empty_text", 1, 1)
    assert count["severity"] == "warning"
    assert count["explanation"].startswith("#")
    none: Any = world.browser(REVIEWER).get(f"{ROOT}/findings/counts/", {"system": "other"})
    assert none.json() == []


def test_history_of_a_term_names_people_to_those_who_lead_alone(world: World) -> None:
    term = world.term
    values = TermValues(source=term.source, preferred=("another",))
    manager = world.people[MANAGER]
    change_term(term=term, values=values, seen=None, actor=manager, now=timezone.now())

    told = {
        role: world.browser(role).get(f"{ROOT}/terms/{term.pk}/history/").json()
        for role in (MANAGER, REVIEWER)
    }

    newest = told[MANAGER][0]
    assert "another" in [change["after"] for change in newest["changes"]]
    assert newest["author"] == manager.email
    assert {event["author"] for event in told[REVIEWER]} == {""}
