"""Correcting a key: what changes with it, what stays, and what is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.checks.actions import check_again
from annotation.duplicates.clusters import measure_clusters_of
from annotation.enums import PairKind, TextSide, TranslationState
from annotation.items.actions import exclude_item, restore_item
from annotation.items.keys import KeyStale, KeyUnchanged, KeyUnknown, correct_key
from annotation.items.revisions import approve_translation
from annotation.models import Finding, Item, ItemStateChange, KeyChange, Revision
from common.reasons import ReasonMissing
from projects.enums import Role
from projects.models import Project
from tests.factories import make_duplicate_pair, make_translated_item

pytestmark = pytest.mark.both_databases

Member = Callable[..., User]
NOW = timezone.now()


@pytest.fixture
def item(project: Project) -> Item:
    return make_translated_item(project=project, uid="law/1", key="A")


def correct(item: Item, key: str, reason: str = "the law says so", actor: Any = None) -> KeyChange:
    return correct_key(item=item, key=key, reason=reason, actor=actor, now=NOW)


def chain(item: Item) -> list[tuple[Any, ...]]:
    rows = KeyChange.objects.filter(item=item).order_by("number")
    return list(rows.values_list("number", "supersedes__number", "old_key", "new_key", "reason"))


def open_codes(item: Item) -> list[str]:
    assert item.working_translation
    rows = Finding.objects.open().filter(revision=item.working_translation.current_revision)
    return sorted(rows.values_list("code", flat=True))


def publish_key(item: Item, key: str) -> None:
    """Say that the translation was published with this key, and run the checks."""
    assert item.working_translation
    Revision.objects.filter(translation=item.working_translation).update(key=key)
    rows = Revision.objects.filter(translation=item.working_translation)
    check_again(revisions=rows, project=item.project, now=NOW)


def test_corrected_key_keeps_the_old_ones_in_a_chain(item: Item, member: Member) -> None:
    senior = member(Role.SENIOR, name="Pema")
    correct(item, "c", actor=senior)
    correct(item, "B", "on second thoughts")

    item.refresh_from_db()
    assert item.key == "B"
    assert chain(item) == [
        (1, None, "A", "C", "the law says so"),
        (2, 1, "C", "B", "on second thoughts"),
    ]
    event = AuditEvent.objects.filter(verb="item.key_corrected").earliest("pk")
    assert (event.actor, event.target, event.data) == (
        senior,
        f"item:{item.pk}",
        {"uid": "law/1", "from": "A", "to": "C", "reason": "the law says so"},
    )


@pytest.mark.parametrize(
    ("key", "reason", "refusal"),
    [
        ("E", "why", KeyUnknown),
        ("", "why", KeyUnknown),
        ("AB", "why", KeyUnknown),
        ("A", "why", KeyUnchanged),
        ("B", " ", ReasonMissing),
    ],
)
def test_key_is_not_corrected_without_another_option_and_a_reason(
    item: Item, key: str, reason: str, refusal: Any
) -> None:
    with pytest.raises(refusal):
        correct(item, key, reason)
    item.refresh_from_db()
    assert (item.key, chain(item)) == ("A", [])


def test_of_two_corrections_of_one_key_the_second_is_refused(item: Item) -> None:
    seen_by_another = Item.objects.get(pk=item.pk)
    correct(item, "B")
    with pytest.raises(KeyStale):
        correct(seen_by_another, "C")
    assert [row[3] for row in chain(item)] == ["B"]


def test_history_of_a_key_cannot_fork(item: Item) -> None:
    first = correct(item, "B")
    correct(item, "C")
    with pytest.raises(IntegrityError), transaction.atomic():
        KeyChange.objects.create(
            item=item, number=3, supersedes=first, old_key="B", new_key="D", reason="r",
            created_at=NOW,
        )  # fmt: skip


def test_approved_text_stays_approved_under_the_new_key(item: Item) -> None:
    translation = item.working_translation
    assert translation and translation.current_revision
    approve_translation(revision=translation.current_revision)
    correct(item, "B")
    translation.refresh_from_db()
    assert (translation.state, translation.current_revision.number) == (
        TranslationState.APPROVED,
        1,
    )


def test_correction_answers_the_finding_that_the_published_key_differs(item: Item) -> None:
    publish_key(item, "C")
    assert "key_changed" in open_codes(item)
    correct(item, "C")
    item.refresh_from_db()
    assert "key_changed" not in open_codes(item)
    assert not item.has_open_errors


def test_published_key_that_the_item_had_once_is_no_finding(item: Item) -> None:
    publish_key(item, "A")
    correct(item, "B")
    assert "key_changed" not in open_codes(item)
    call_command("check_items", "ti")
    assert "key_changed" not in open_codes(item)


def test_correction_to_a_key_that_the_translation_lacks_is_an_error(project: Project) -> None:
    item = make_translated_item(project=project, uid="law/2", options=["ཀ", "ཁ", "ག"])
    correct(item, "D")
    item.refresh_from_db()
    assert "key_out_of_range" in open_codes(item)
    assert item.has_open_errors


def test_duplicates_say_anew_whether_their_keys_agree(project: Project, item: Item) -> None:
    other = make_translated_item(project=project, uid="law/2", key="A")
    pairs = [
        make_duplicate_pair(item, other, kind=PairKind.EXACT, side=side, has_same_key=True)
        for side in (TextSide.SOURCE, TextSide.TARGET)
    ]
    measure_clusters_of(item)

    correct(item, "B")

    for pair in pairs:
        pair.refresh_from_db()
        assert (pair.has_same_key, pair.cluster.has_same_key) == (False, False)


@pytest.mark.parametrize(("role", "status"), [(Role.SENIOR, 302), (Role.MANAGER, 302)])
def test_page_corrects_the_key_and_leads_back(
    item: Item, member: Member, browser_of: Callable[[User], Client], role: Role, status: int
) -> None:
    browser = browser_of(member(role))
    page = browser.get(f"/projects/ti/items/{item.pk}/").content.decode()
    response = browser.post(
        f"/projects/ti/items/{item.pk}/key/",
        {"key": "D", "reason": "law 7", "next": "/projects/ti/items/"},
    )
    assert "Correct the key" in page
    assert (response.status_code, response["Location"]) == (status, "/projects/ti/items/")
    item.refresh_from_db()
    assert item.key == "D"
    assert "A → D" in browser.get(f"/projects/ti/items/{item.pk}/").content.decode()


def test_reviewer_sees_the_correction_without_a_name_and_no_form(
    item: Item, member: Member, browser_of: Callable[[User], Client]
) -> None:
    correct(item, "B", actor=member(Role.SENIOR, name="Pema"))
    page = browser_of(member(Role.REVIEWER)).get(f"/projects/ti/items/{item.pk}/").content.decode()
    assert "A → B" in page
    assert "the law says so" in page
    assert "Pema" not in page
    assert "Correct the key" not in page


def test_api_corrects_the_key_and_refuses_in_words(
    item: Item, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.SENIOR, name="Pema"))
    url = f"/api/v1/projects/ti/items/{item.pk}/key/"
    done = api.post(url, {"key": "B", "reason": "law 7"}, format="json")
    refused = api.post(url, {"key": "F", "reason": "law 7"}, format="json")

    (change,) = done.json()["key_changes"]
    assert change.pop("created_at")
    assert (done.status_code, done.json()["key"]) == (200, "B")
    assert change == {"old_key": "A", "new_key": "B", "reason": "law 7", "author": "Pema"}
    assert (refused.status_code, refused.json()["code"]) == (400, "key_unknown")


def test_command_corrects_the_key(item: Item, capsys: Any) -> None:
    call_command("correct_key", "ti", "law/1", "B", reason="law 7")
    assert capsys.readouterr().out.strip() == "law/1: A → B"
    item.refresh_from_db()
    assert item.key == "B"


def test_command_names_an_item_that_is_not_there(item: Item) -> None:
    with pytest.raises(CommandError, match="no item “law/9”"):
        call_command("correct_key", "ti", "law/9", "B", reason="law 7")


def test_exclusions_and_restorations_keep_a_row_each(item: Item) -> None:
    exclude_item(item=item, reason="twice", actor=None, now=NOW)
    item.refresh_from_db()
    restore_item(item=item, reason="once", actor=None, now=NOW)
    rows = ItemStateChange.objects.order_by("pk").values_list("item", "state", "reason")
    assert list(rows) == [(item.pk, "excluded", "twice"), (item.pk, "active", "once")]
