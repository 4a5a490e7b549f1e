"""Saved filters: who sees which, that names which look alike are one, and the page and the API."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.items import saved_filters as saving
from annotation.items.queries import ItemFilter
from annotation.items.saved_filters import (
    FilterEmpty,
    FilterNameInvalid,
    FilterNameTaken,
    TooManyFilters,
    remove_filter,
    rename_filter,
    save_filter,
    saved_filters_for,
)
from annotation.models import SavedFilter
from common.errors import TextInvalid
from projects.enums import Role
from projects.models import Project
from tests.factories import ProjectFactory

Member = Callable[..., User]
BrowserOf = Callable[[User], Client]
NOW = timezone.now()
PAGE = "/projects/ti/items/filters/"
API = "/api/v1/projects/ti/item-filters/"
pytestmark = pytest.mark.django_db


def save(project: Project, actor: User, name: str = "Errors", **more: Any) -> SavedFilter:
    said = {"wanted": ItemFilter(findings="error"), "is_shared": False} | more
    return save_filter(project=project, name=name, actor=actor, now=NOW, **said)


def names_for(project: Project, user: User) -> list[str]:
    return [saved.name for saved in saved_filters_for(project, user)]


def test_people_see_their_own_filters_and_the_shared_ones_of_the_project(
    project: Project, member: Member
) -> None:
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)
    save(project, manager, "Mine")
    save(project, manager, "Shared", is_shared=True)
    save(project, senior, "Hers")
    save(ProjectFactory(slug="other"), senior, "Elsewhere")

    assert names_for(project, manager) == ["Mine", "Shared"]
    assert names_for(project, senior) == ["Hers", "Shared"]


def test_saving_keeps_what_is_set_with_an_audit_row(project: Project, member: Member) -> None:
    saved = save(project, member(Role.SENIOR), wanted=ItemFilter(system="mt", length_from="3"))

    assert saved.values == {"system": "mt", "length_from": "3"}
    event = AuditEvent.objects.get(verb="item-filter.saved")
    assert event.data == {"name": "Errors", "values": saved.values, "is_shared": False}


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["errors", "ＥＲＲＯＲＳ", " Errors ", "Er\u200brors"])
def test_names_that_look_alike_are_one(project: Project, member: Member, name: str) -> None:
    senior = member(Role.SENIOR)
    save(project, senior)

    with pytest.raises(FilterNameTaken):
        save(project, senior, name)
    save(project, member(Role.SENIOR), name)


def test_own_name_differs_from_shared_ones_but_not_from_those_of_others(
    project: Project, member: Member
) -> None:
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)
    save(project, senior)
    save(project, manager, is_shared=True)

    with pytest.raises(FilterNameTaken):
        save(project, manager, "errors")


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "a\nb", "x" * 101, "ﷺ" * 100])
def test_name_that_is_no_name_is_refused(project: Project, member: Member, name: str) -> None:
    with pytest.raises(FilterNameInvalid):
        save(project, member(Role.SENIOR), name)


def test_empty_filter_null_character_and_one_filter_too_many_are_refused(
    project: Project, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    senior = member(Role.SENIOR)
    with pytest.raises(FilterEmpty):
        save(project, senior, wanted=ItemFilter())
    with pytest.raises(TextInvalid):
        save(project, senior, "a\0b")
    monkeypatch.setattr(saving, "MOST", 1)
    save(project, senior)
    with pytest.raises(TooManyFilters):
        save(project, senior, "Second")


def test_renaming_takes_its_own_name_in_another_spelling_but_no_other(
    project: Project, member: Member
) -> None:
    senior = member(Role.SENIOR)
    saved = save(project, senior)
    save(project, senior, "Second")

    rename_filter(saved=saved, name="ERRORS", actor=senior, now=NOW)
    with pytest.raises(FilterNameTaken):
        rename_filter(saved=saved, name="second", actor=senior, now=NOW)

    assert names_for(project, senior) == ["ERRORS", "Second"]
    assert AuditEvent.objects.get(verb="item-filter.renamed").data == {
        "name": "ERRORS",
        "before": "Errors",
    }


def test_removing_leaves_an_audit_row_that_repeats_the_filter(
    project: Project, member: Member
) -> None:
    senior = member(Role.SENIOR)
    remove_filter(saved=save(project, senior), actor=senior, now=NOW)

    assert names_for(project, senior) == []
    assert AuditEvent.objects.get(verb="item-filter.removed").data["values"] == {
        "findings": "error"
    }


def test_page_saves_the_filter_of_its_address_and_the_list_offers_it(
    project: Project, member: Member, browser_of: BrowserOf
) -> None:
    browser = browser_of(member(Role.MANAGER))

    offer = browser.get("/projects/ti/items/?findings=error").content.decode()
    answer = browser.post(f"{PAGE}?findings=error", {"name": "Errors", "is_shared": "on"})
    listed = browser.get("/projects/ti/items/?state=pending").content.decode()

    assert f'href="{PAGE}?findings=error"' in offer
    assert answer.status_code == 302
    assert 'href="?findings=error"' in listed
    assert 'href="/projects/ti/items/?findings=error"' in browser.get(PAGE).content.decode()


def test_page_refuses_an_unknown_filter_and_says_what_is_wrong_with_a_name(
    project: Project, member: Member, browser_of: BrowserOf
) -> None:
    browser = browser_of(member(Role.SENIOR))
    assert browser.get(f"{PAGE}?sate=approved").status_code == 400
    assert browser.get(f"{PAGE}?state=aproved").status_code == 400
    browser.post(f"{PAGE}?findings=error", {"name": "Errors"})

    answer = browser.post(f"{PAGE}?findings=error", {"name": "errors"})

    assert answer.status_code == 400
    assert "looks the same" in answer.content.decode()


@pytest.mark.parametrize("role", [Role.SENIOR, Role.REVIEWER])
def test_only_managers_share_and_change_what_is_shared(
    project: Project, member: Member, browser_of: BrowserOf, role: Role
) -> None:
    shared = save(project, member(Role.MANAGER), is_shared=True)
    browser = browser_of(member(role))

    said = {"name": "Mine", "is_shared": "on"}
    assert browser.post(f"{PAGE}?findings=error", said).status_code == 403
    assert browser.post(f"{PAGE}{shared.pk}/rename/", {"name": "x"}).status_code == 403
    assert browser.post(f"{PAGE}{shared.pk}/remove/").status_code == 403
    assert browser.delete(f"{API}{shared.pk}/").status_code == 403


def test_filters_of_others_are_not_found(
    project: Project, member: Member, browser_of: BrowserOf
) -> None:
    hers = save(project, member(Role.SENIOR))
    browser = browser_of(member(Role.MANAGER))

    assert browser.post(f"{PAGE}{hers.pk}/remove/").status_code == 404
    assert browser.delete(f"{API}{hers.pk}/").status_code == 404


def test_api_saves_lists_renames_and_removes(
    project: Project, member: Member, browser_of: BrowserOf
) -> None:
    browser = browser_of(member(Role.MANAGER))
    said = {"name": "Errors", "item_filter": {"findings": "error"}, "is_shared": True}

    made = browser.post(API, said, content_type="application/json")
    place = f"{API}{made.json()['id']}/"
    renamed = browser.put(place, {"name": "Faults"}, content_type="application/json")
    listed = browser.get(API).json()
    removed = browser.delete(place)

    assert (made.status_code, renamed.json()["name"]) == (201, "Faults")
    assert [(each["name"], each["query"]) for each in listed] == [("Faults", "findings=error")]
    assert (removed.status_code, browser.get(API).json()) == (204, [])


@pytest.mark.parametrize("item_filter", [{"sate": "x"}, {"state": "x"}, {"round": "1"}])
def test_api_refuses_an_unknown_filter(
    project: Project, member: Member, browser_of: BrowserOf, item_filter: dict[str, str]
) -> None:
    browser = browser_of(member(Role.SENIOR))
    said = {"name": "x", "item_filter": item_filter}

    answer = browser.post(API, said, content_type="application/json")

    assert answer.status_code == 400
    assert not SavedFilter.objects.exists()
