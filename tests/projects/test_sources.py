"""Sources: what is known about where texts come from can be corrected, with a trace."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from projects import actions
from projects.actions.sources import SourceValues
from projects.enums import Role
from projects.models import Project, Source
from tests.factories import SourceFactory

VALUES = {
    "name": "CMMLU",
    "revision": "1.0.1",
    "url": "https://example.org/cmmlu",
    "licence": "CC BY-NC-SA 4.0",
    "attribution": "Li et al.",
}


@pytest.fixture
def source(project: Project) -> Source:
    return SourceFactory(project=project, name="upload.zip", revision="0123456789ab")


def change(source: Source, **changes: str) -> Source:
    values = SourceValues(**(VALUES | changes))
    return actions.change_source(source=source, values=values, actor=None, now=timezone.now())


def stored(source: Source) -> dict[str, Any]:
    return Source.objects.values(*VALUES).get(pk=source.pk)


def test_change_stores_the_values_and_records_those_from_before(source: Source) -> None:
    change(source)

    row = AuditEvent.objects.get(verb="source.changed")
    assert stored(source) == VALUES
    assert row.data["before"] == {
        "name": "upload.zip",
        "revision": "0123456789ab",
        "url": "",
        "licence": "",
        "attribution": "",
    }


def test_change_to_the_same_values_records_nothing(source: Source) -> None:
    change(source)
    change(source)
    assert AuditEvent.objects.filter(verb="source.changed").count() == 1


@pytest.mark.parametrize(
    ("changes", "field"), [({"name": " "}, "name"), ({"url": "javascript:x"}, "url")]
)
def test_change_to_values_that_are_not_valid_is_refused(
    source: Source, changes: dict[str, str], field: str
) -> None:
    before = stored(source)
    with pytest.raises(actions.SourceInvalid) as refusal:
        change(source, **changes)
    assert refusal.value.fields.keys() == {field}
    assert stored(source) == before


def test_change_to_name_and_version_of_another_source_is_refused(
    project: Project, source: Source
) -> None:
    SourceFactory(project=project, name="CMMLU", revision="1.0.1")
    with pytest.raises(actions.SourceTaken):
        change(source)


def test_page_changes_a_source(
    source: Source, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    client = browser_of(member(Role.MANAGER))
    answer = client.post(f"/projects/ti/sources/{source.pk}/", VALUES)
    assert (answer.status_code, stored(source)) == (302, VALUES)
    assert "CC BY-NC-SA 4.0" in client.get("/projects/ti/sources/").content.decode()


def test_page_and_api_show_the_system_of_each_source(
    project: Project,
    source: Source,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    SourceFactory(project=project, name="google.jsonl", system="Google Translate")
    manager = member(Role.MANAGER)
    page = browser_of(manager).get("/projects/ti/sources/").content.decode()
    rows = api_of(manager).get("/api/v1/projects/ti/sources/").json()["results"]
    assert ("Google Translate" in page, ">items<" in page) == (True, True)
    assert [row["system"] for row in rows] == ["", "Google Translate"]


def test_page_names_the_field_that_is_not_valid(
    source: Source, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    client = browser_of(member(Role.MANAGER))
    answer = client.post(f"/projects/ti/sources/{source.pk}/", VALUES | {"url": "no address"})
    assert (answer.status_code, answer.context["form"].errors.keys()) == (400, {"url"})


def test_api_changes_what_is_sent_and_keeps_the_rest(
    source: Source, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    answer = api.patch(f"/api/v1/projects/ti/sources/{source.pk}/", {"licence": "MIT"})
    assert (answer.status_code, answer.json()["licence"]) == (200, "MIT")
    assert stored(source) == VALUES | {
        "name": "upload.zip",
        "revision": "0123456789ab",
        "url": "",
        "licence": "MIT",
        "attribution": "",
    }


def test_source_of_another_project_is_not_found(
    source: Source, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    foreign = SourceFactory()
    api = api_of(member(Role.MANAGER))
    answer = api.patch(f"/api/v1/projects/ti/sources/{foreign.pk}/", {"licence": "MIT"})
    assert answer.status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "is_linked"),
    [
        ("HTTPS://example.org/a", True),
        ("http://example.org/", True),
        ("javascript:alert(1)//http://", False),
        (" https://example.org/", False),
        ("//example.org/", False),
        ("ftp://example.org/", False),
    ],
)
def test_address_of_a_source_is_a_link_only_to_the_web(
    source: Source, browser_of: Callable[[User], Client], member: Any, url: str, is_linked: bool
) -> None:
    Source.objects.filter(pk=source.pk).update(url=url)

    page = browser_of(member(Role.MANAGER)).get("/projects/ti/sources/").content.decode()

    assert (f'href="{url}"' in page) == is_linked
    assert "upload.zip" in page


# What these hold, this server made itself.
OWN = set(
    """
    action address board.url canonical cell.url commit crumb.url entry.url error.way_on.0 files
    found.url link link.url matter.url step.url swagger_ui_bundle swagger_ui_css
    swagger_ui_standalone token.url unsubscribe url
    """.split()
)


def test_every_foreign_address_on_a_page_goes_through_the_filter() -> None:
    templates = Path(settings.ROOT / "templates").rglob("*.html")
    text = "\n".join(path.read_text("utf-8") for path in templates)
    held = set(re.findall(r'(?:href|src|action)="\{\{ *([^ }]+) *\}\}', text))

    unknown = {each for each in held - OWN if not each.partition("|")[0].endswith("_url")}

    assert unknown == {"source.url|web_address", "request.META.HTTP_REFERER|web_address"}
