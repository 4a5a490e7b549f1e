"""Changing all items of a filter: what a preview says is what is done, by whom, and the way back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.enums import ItemState
from annotation.items.actions import exclude_item, restore_item
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Finding, Item, ItemStateChange
from common.reasons import ReasonMissing
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.bulk import actions
from review.bulk.actions import (
    BulkFixed,
    ItemsBeingChanged,
    NothingToChange,
    SelectionChanged,
    change_items,
    undo_exclusion,
)
from review.bulk.plans import CategoryInvalid, Plan, WantedChange, plan_change
from review.enums import BulkKind
from review.models import BulkChange, Round
from review.rounds.actions.rounds import close_round
from tests.factories import ItemFactory, SubjectFactory, make_duplicate_pair, make_translated_item

NOW = timezone.now()
ALL = ItemFilter()
PAGE = "/projects/ti/items/bulk/"
API = "/api/v1/projects/ti/items/bulk/"
Items = Callable[[int], None]
Member = Callable[..., User]
BrowserOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


def wanted(
    kind: BulkKind = BulkKind.EXCLUDE, chosen: ItemFilter = ALL, category: str = ""
) -> WantedChange:
    return WantedChange(kind=kind, item_filter=chosen, category=category)


def told(plan: Plan) -> tuple[int, dict[str, int]]:
    return len(plan.changing), dict(plan.left_out)


def do(project: Project, change: WantedChange | None = None, **more: Any) -> BulkChange:
    change = change or wanted()
    said = {"digest": plan_change(project, change).digest, "reason": "twice", "actor": None} | more
    return change_items(project=project, wanted=change, now=NOW, **said)


def states(project: Project) -> list[str]:
    return list(project.items.order_by("uid").values_list("state", flat=True))


@pytest.mark.both_databases
def test_excluding_does_what_the_preview_says_with_one_audit_row(
    project: Project, items: Items
) -> None:
    items(3)
    exclude_item(item=Item.objects.get(uid="s/00000"), reason="bad", actor=None, now=NOW)

    plan = plan_change(project, wanted())
    bulk = do(project)

    assert told(plan) == (2, {"excluded": 1})
    assert states(project) == ["excluded"] * 3
    event = AuditEvent.objects.get(verb="items.bulk_excluded")
    assert (event.target, event.data["items"]) == (f"bulkchange:{bulk.pk}", 2)
    assert AuditEvent.objects.filter(verb="item.excluded").count() == 1
    reasons = ItemStateChange.objects.order_by("pk").values_list("reason", flat=True)
    assert list(reasons) == ["bad", "twice", "twice"]


def test_only_items_of_the_filter_change(project: Project, items: Items) -> None:
    items(3)
    do(project, wanted(chosen=ItemFilter(q="s/00001")))
    assert states(project) == ["active", "excluded", "active"]


def test_items_in_an_open_round_or_dispute_are_left_out(
    project: Project, opened: Callable[..., Round], items: Items
) -> None:
    opened(2)
    make_translated_item(project=project, uid="t/1")

    assert told(plan_change(project, wanted())) == (1, {"in_round": 2})
    do(project)

    assert states(project) == ["active", "active", "excluded"]


def test_items_of_a_closed_round_are_found_by_its_number_and_may_be_excluded(
    project: Project, opened: Callable[..., Round]
) -> None:
    round_ = opened(2)
    make_translated_item(project=project, uid="t/1")
    of_round = ItemFilter(round="1")
    assert not filtered_items(project, of_round).exists()

    close_round(round_=round_, actor=None, now=NOW)

    assert told(plan_change(project, wanted(chosen=of_round))) == (2, {})


def test_restoring_leaves_out_active_items_and_decided_duplicates(
    project: Project, items: Items, member: Member
) -> None:
    items(4)
    do(project, wanted(chosen=ItemFilter(q="s/0000")))
    one, two, three, _four = project.items.order_by("uid")
    restore_item(item=three, reason="fine", actor=None, now=NOW)
    pair = make_duplicate_pair(a=one, b=two)
    person = member(Role.MANAGER)
    type(pair).objects.filter(pk=pair.pk).update(
        state="duplicate", dropped=one, decided_by=person, decided_at=NOW
    )
    change = wanted(BulkKind.RESTORE)

    assert told(plan_change(project, change)) == (2, {"duplicate": 1, "not_excluded": 1})
    do(project, change)

    assert states(project) == ["excluded", "active", "active", "active"]


def test_checking_again_finds_what_the_checks_find_now_and_leaves_out_items_without_a_text(
    project: Project, items: Items
) -> None:
    items(1)
    ItemFactory(project=project, uid="s/without")
    make_translated_item(project=project, uid="s/short", question=" ")
    assert not Finding.objects.exists()
    change = wanted(BulkKind.CHECK)

    assert told(plan_change(project, change)) == (2, {"no_text": 1})
    bulk = do(project, change, reason="")

    assert bulk.item_count == 2
    assert Item.objects.get(uid="s/short").has_open_errors
    assert AuditEvent.objects.get(verb="items.bulk_checked").data["items"] == 2


def test_category_goes_to_subjects_that_are_selected_as_a_whole(
    project: Project, items: Items
) -> None:
    items(2)
    law, art = (SubjectFactory(project=project, slug=slug) for slug in ("law", "art"))
    SubjectFactory(project=project, slug="music", category="Humanities")
    for uid, subject in (("x/1", law), ("x/2", art), ("y/1", art)):
        make_translated_item(project=project, uid=uid, subject=subject)
    change = wanted(BulkKind.CATEGORY, ItemFilter(q="x/"), "humanities")

    plan = plan_change(project, change)
    do(project, change, reason="")

    assert (told(plan), plan.category) == ((1, {"part_of_subject": 1}), "Humanities")
    law.refresh_from_db()
    art.refresh_from_db()
    assert (law.category, art.category) == ("Humanities", "")
    assert AuditEvent.objects.get(verb="subjects.grouped").data["items"] == 1
    assert told(plan_change(project, change)) == (0, {"part_of_subject": 1, "same": 1})


@pytest.mark.parametrize("category", ["", " ", "a\nb", "x" * 101, "\u200b"])
def test_category_that_is_none_is_refused(project: Project, category: str) -> None:
    with pytest.raises(CategoryInvalid):
        plan_change(project, wanted(BulkKind.CATEGORY, category=category))


@pytest.mark.both_databases
def test_selection_that_changed_since_the_preview_is_shown_again_and_not_done(
    project: Project, items: Items
) -> None:
    items(2)
    seen = plan_change(project, wanted()).digest
    items_now = make_translated_item(project=project, uid="new")

    with pytest.raises(SelectionChanged) as refused:
        do(project, digest=seen)

    assert refused.value.current == plan_change(project, wanted()).as_json()
    assert states(project) == ["active"] * 3
    exclude_item(item=items_now, reason="x", actor=None, now=NOW)
    with pytest.raises(SelectionChanged):
        do(project, digest=seen)  # as many change, but one more stays


def test_second_of_two_with_the_same_preview_is_refused(project: Project, items: Items) -> None:
    items(2)
    seen = plan_change(project, wanted()).digest
    do(project, digest=seen)

    with pytest.raises(SelectionChanged):
        do(project, digest=seen)

    assert ItemStateChange.objects.count() == 2


def test_digest_of_another_change_is_refused(project: Project, items: Items) -> None:
    items(1)
    with pytest.raises(SelectionChanged):
        do(project, digest=plan_change(project, wanted(BulkKind.CHECK)).digest)


def test_change_of_no_items_or_without_a_reason_is_refused(project: Project, items: Items) -> None:
    with pytest.raises(NothingToChange):
        do(project)
    items(1)
    with pytest.raises(ReasonMissing):
        do(project, reason=" ")
    assert not BulkChange.objects.exists()


@pytest.mark.both_databases
def test_undoing_brings_back_what_that_change_excluded_and_nothing_else(
    project: Project, items: Items
) -> None:
    items(4)
    one, two, three, _four = project.items.order_by("uid")
    exclude_item(item=one, reason="before", actor=None, now=NOW)
    bulk = do(project)
    restore_item(item=two, reason="fine", actor=None, now=NOW)
    restore_item(item=three, reason="fine", actor=None, now=NOW)
    exclude_item(item=three, reason="again", actor=None, now=NOW)

    undoing = undo_exclusion(bulk=bulk, actor=None, now=NOW)

    assert states(project) == ["excluded", "active", "excluded", "active"]
    assert undoing.item_count == 1
    assert AuditEvent.objects.get(verb="items.bulk_restored").data["undoes"] == bulk.pk
    with pytest.raises(BulkFixed):
        undo_exclusion(bulk=bulk, actor=None, now=NOW)
    with pytest.raises(BulkFixed):
        undo_exclusion(bulk=undoing, actor=None, now=NOW)


def test_undoing_what_was_all_brought_back_is_refused(project: Project, items: Items) -> None:
    items(1)
    bulk = do(project)
    restore_item(item=project.items.get(), reason="fine", actor=None, now=NOW)
    with pytest.raises(NothingToChange):
        undo_exclusion(bulk=bulk, actor=None, now=NOW)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make three items many, and one a batch."""
    for name, value in {"CHANGED_AT_ONCE": 2, "CHECKED_AT_ONCE": 2, "BATCH": 1}.items():
        monkeypatch.setattr(actions, name, value)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", [BulkKind.EXCLUDE, BulkKind.CHECK])
def test_many_items_are_changed_by_a_job_with_one_audit_row_of_the_whole(
    project: Project, items: Items, kind: BulkKind
) -> None:
    items(3)

    bulk = do(project, wanted(kind))
    assert bulk.job
    job = run_now(bulk.job)

    assert (job.state, job.result) == (JobState.DONE, {"changed": 3, "planned": 3})
    assert AuditEvent.objects.get(verb=actions.VERBS[kind]).data["items"] == 3
    bulk.refresh_from_db()
    assert bulk.finished_at
    assert bulk.item_ids == []


@pytest.mark.usefixtures("few")
def test_while_a_job_changes_items_a_second_change_is_refused(
    project: Project, items: Items
) -> None:
    items(3)
    do(project)
    with pytest.raises(ItemsBeingChanged):
        do(project)
    assert Job.objects.filter(kind=actions.BULK_KIND).count() == 1


@pytest.mark.usefixtures("few")
def test_job_leaves_items_that_changed_since_it_was_queued(project: Project, items: Items) -> None:
    items(3)
    bulk = do(project)
    exclude_item(item=project.items.get(uid="s/00001"), reason="bad", actor=None, now=NOW)

    job = run_now(bulk.job)

    assert job.result == {"changed": 2, "planned": 3}
    undoing = undo_exclusion(bulk=bulk, actor=None, now=NOW)
    assert undoing.item_count == 2
    assert states(project) == ["active", "excluded", "active"]


@pytest.mark.usefixtures("few")
def test_job_that_was_stopped_goes_on_where_it_was(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(3)
    bulk = do(project)
    done = BulkChange.objects.get(pk=bulk.pk)
    assert actions._do_batch(done, NOW)  # and then its worker died

    job = run_now(bulk.job)

    assert job.result == {"changed": 3, "planned": 3}
    assert ItemStateChange.objects.count() == 3


@pytest.mark.parametrize("role", [Role.SENIOR, Role.REVIEWER, Role.VIEWER])
def test_only_managers_change_many_items(
    project: Project, member: Member, browser_of: BrowserOf, role: Role
) -> None:
    browser = browser_of(member(role))
    said = {"change": "exclude", "digest": "x", "reason": "x"}
    assert browser.get(PAGE).status_code == 403
    assert browser.post(f"{PAGE}?change=exclude", said).status_code == 403
    assert browser.post(f"{API}1/undo/").status_code == 403
    for place in (API, f"{API}preview/"):
        answer = browser.post(place, said, content_type="application/json")
        assert answer.status_code == 403


def test_page_previews_confirms_and_undoes(project: Project, items: Items, manager: Client) -> None:
    items(60)  # more than a page of the list
    place = f"{PAGE}?q=s%2F0005&change=exclude"

    listed = manager.get("/projects/ti/items/?q=s/0005").content.decode()
    shown = manager.get(place)
    digest = shown.context["plan"].digest
    answer = manager.post(place, {"digest": digest, "reason": "bad"}, follow=True)
    undone = manager.post(f"{PAGE}{BulkChange.objects.get().pk}/undo/", follow=True)

    assert f'href="{PAGE}?q=s%2F0005"' in listed
    assert "10 items would change." in shown.content.decode()
    assert "10 items are excluded." in answer.content.decode()
    assert "10 items are back." in undone.content.decode()
    assert set(states(project)) == {ItemState.ACTIVE}


def test_page_shows_a_stale_preview_again_with_what_was_typed(
    project: Project, items: Items, manager: Client
) -> None:
    items(2)
    place = f"{PAGE}?change=exclude"
    digest = manager.get(place).context["plan"].digest
    make_translated_item(project=project, uid="new")

    answer = manager.post(place, {"digest": digest, "reason": "typed words"})

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "have changed since you looked" in page
    assert "3 items would change." in page
    assert "typed words" in page
    assert states(project) == ["active"] * 3
    new = answer.context["confirm"]["digest"].value()
    assert manager.post(place, {"digest": new, "reason": "typed words"}).status_code == 302


@pytest.mark.parametrize(
    "query", ["sate=x", "state=x", "change=x", "change=category", "to_category=x"]
)
def test_page_refuses_what_it_does_not_know(project: Project, manager: Client, query: str) -> None:
    assert manager.get(f"{PAGE}?{query}").status_code == 400


def test_page_for_no_items_offers_nothing_to_confirm(project: Project, manager: Client) -> None:
    page = manager.get(f"{PAGE}?change=exclude").content.decode()
    assert "0 items would change." in page
    assert 'name="digest"' not in page


def test_api_previews_does_lists_and_undoes(
    project: Project, items: Items, manager: Client
) -> None:
    items(2)
    said: dict[str, Any] = {"change": "exclude", "item_filter": {"q": "s/00001"}}

    shown = manager.post(f"{API}preview/", said, content_type="application/json").json()
    said |= {"digest": shown["digest"], "reason": "bad"}
    done = manager.post(API, said, content_type="application/json")
    stale = manager.post(API, said, content_type="application/json")
    undone = manager.post(f"{API}{done.json()['id']}/undo/")

    assert (shown["selected"], shown["changing"], shown["left_out"]) == (1, 1, {})
    assert (done.status_code, done.json()["item_count"]) == (200, 1)
    assert (stale.status_code, stale.json()["code"]) == (409, "selection_changed")
    assert stale.json()["current"]["left_out"] == {"excluded": 1}
    assert undone.json()["undoes"] == done.json()["id"]
    assert [each["change"] for each in manager.get(API).json()] == ["restore", "exclude"]


@pytest.mark.usefixtures("few")
def test_many_items_answer_with_the_job_and_its_page(
    project: Project, items: Items, manager: Client
) -> None:
    items(3)
    said: dict[str, Any] = {"change": "check"}
    shown = manager.post(f"{API}preview/", said, content_type="application/json").json()

    said["digest"] = shown["digest"]
    done = manager.post(API, said, content_type="application/json")

    assert done.status_code == 202
    run_now(Job.objects.get(pk=done.json()["job"]))
    assert "3 items are checked." in manager.get(f"/jobs/{done.json()['job']}/").content.decode()


def test_api_refuses_an_unknown_filter(project: Project, manager: Client) -> None:
    for item_filter in ({"sate": "x"}, {"state": "x"}):
        said = {"change": "exclude", "item_filter": item_filter}
        answer = manager.post(f"{API}preview/", said, content_type="application/json")
        assert answer.status_code == 400
