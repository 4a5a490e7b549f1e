"""Pages of items and findings: what they show, what they refuse, and at what cost."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.checks.actions import FindingAlreadyDismissed, dismiss_finding
from annotation.enums import ItemState, Origin
from annotation.index import refresh_finding_flags
from annotation.items import timeline, views
from annotation.items.actions import (
    ItemAlreadyExcluded,
    ItemNotExcluded,
    exclude_item,
    restore_item,
)
from annotation.items.revisions import (
    RevisionStale,
    approve_translation,
    create_revision,
    reject_translation,
)
from annotation.models import Finding, Item, ItemStateChange, Revision, Translation
from common.reasons import ReasonMissing, ReasonTooLong
from projects.actions import grant_role
from projects.enums import Role
from projects.models import Project
from tests.factories import ProjectFactory, SourceFactory, SubjectFactory, make_translated_item

Member = Callable[..., User]
BrowserOf = Callable[[User], Client]
NOW = timezone.now()


def add_items(project: Project, count: int) -> list[Item]:
    source = SourceFactory(project=project)
    subject = SubjectFactory(project=project, slug="law", name="Law", category="Humanities")
    return [
        make_translated_item(
            project=project, source=source, subject=subject, uid=f"law/{n:03}", question=f"དྲི་བ་{n}།"
        )
        for n in range(count)
    ]


def add_finding(item: Item, code: str = "numbers_differ", severity: str = "warning") -> Finding:
    translation = item.working_translation
    assert translation and translation.current_revision
    data = {"missing": "7", "added": ""} if code == "numbers_differ" else {}
    finding = Finding.objects.create(
        revision=translation.current_revision,
        code=code,
        severity=severity,
        field="question",
        data=data,
        created_at=NOW,
    )
    refresh_finding_flags([item.pk])
    return finding


def uids_on(response: Any) -> list[str]:
    return [item.uid for item, _counts in response.context["rows"]]


@pytest.mark.parametrize("count", [1, 3])
def test_items_page_costs_the_same_for_any_number_of_rows(
    project: Project, manager: Client, count: int, django_assert_num_queries: Any
) -> None:
    for item in add_items(project, count):
        add_finding(item)

    with django_assert_num_queries(11):
        response = manager.get("/projects/ti/items/")

    assert len(uids_on(response)) == count
    assert response.content.decode().count("1 warning") == count


@pytest.mark.parametrize("count", [1, 3])
def test_item_page_costs_the_same_for_any_number_of_revisions_findings_and_systems(
    project: Project, manager: Client, count: int, django_assert_num_queries: Any
) -> None:
    item = add_items(project, 1)[0]
    for n in range(count):
        base = Revision.objects.get(translation=item.working_translation, number=n + 1)
        text = f"དྲི་བ་{n} གསར།"
        options = ["ཀ", "ཁ", "ག", "ང"]
        create_revision(
            base=base, question=text, options=options, origin=Origin.HUMAN, author=None, now=NOW
        )
        other = Translation.objects.create(item=item, system=f"other{n}", created_at=NOW)
        other.current_revision = Revision.objects.create(
            translation=other, number=1, question="གཞན།", origin=Origin.MT, created_at=NOW
        )
        other.save()

    with django_assert_num_queries(12):
        response = manager.get(f"/projects/ti/items/{item.pk}/")
    history = manager.get(f"/projects/ti/items/{item.pk}/history/").content.decode()

    assert response.status_code == 200
    shown = response.content.decode()
    assert shown.count("<summary><b>other") == count
    link = f'<a href="/projects/ti/items/{item.pk}/history/">Show what happened to this item</a>'
    assert link in shown
    assert history.count("<b>Revision") == count + 1
    assert "<ins>" in history


def test_item_page_leads_to_the_items_beside_it_in_the_list(
    project: Project, manager: Client
) -> None:
    for uid in ("law/1", "law/2", "law/10"):
        item = make_translated_item(project=project, uid=uid)
        if uid != "law/2":
            add_finding(item)
    one, two, ten = Item.objects.order_by("uid_order")

    def beside(item: Item, query: str = "") -> tuple[Any, Any]:
        context = manager.get(f"/projects/ti/items/{item.pk}/", {"list": query}).context
        return context["before"], context["after"]

    assert [beside(item) for item in (one, two, ten)] == [
        (None, two.pk),
        (one.pk, ten.pk),
        (two.pk, None),
    ]
    assert beside(one, "findings=any") == (None, ten.pk)
    assert beside(two, "findings=any&cursor=x") == (one.pk, ten.pk)
    assert beside(two, "findings=nonsense") == (one.pk, ten.pk)
    page = manager.get(f"/projects/ti/items/{one.pk}/?list=findings%3Dany").content.decode()
    assert f'href="/projects/ti/items/{ten.pk}/?list=findings%3Dany"' in page


def test_item_page_says_each_finding_once_and_where(project: Project, manager: Client) -> None:
    item = add_items(project, 1)[0]
    finding = add_finding(item)
    Finding.objects.filter(pk=finding.pk).update(field="options.2")
    page = manager.get(f"/projects/ti/items/{item.pk}/").content.decode()
    assert page.count("Missing numbers: 7.") == 1
    assert "option C" in page


@pytest.mark.parametrize("count", [1, 3])
def test_findings_pages_cost_the_same_for_any_number_of_findings(
    project: Project, manager: Client, count: int, django_assert_num_queries: Any
) -> None:
    for item in add_items(project, count):
        add_finding(item)

    with django_assert_num_queries(9):
        response = manager.get("/projects/ti/findings/")
    with django_assert_num_queries(7):
        detail = manager.get("/projects/ti/findings/numbers_differ/")

    assert [(c.code, c.finding_count) for c in response.context["counts"]] == [
        ("numbers_differ", count)
    ]
    assert detail.content.decode().count("Missing numbers: 7.") == count


FILTERED = [
    ("", ["law/000", "law/001", "law/002", "law/003"]),
    ("q=law/002", ["law/002"]),
    ("q=དྲི་བ་3", ["law/003"]),
    ("q=nothing", []),
    ("subject=law&split=test", ["law/000", "law/001", "law/002", "law/003"]),
    ("split=dev", []),
    ("category=Humanities&q=001", ["law/001"]),
    ("findings=error", ["law/001"]),
    ("findings=warning", ["law/000"]),
    ("findings=any", ["law/000", "law/001"]),
    ("findings=none", ["law/002", "law/003"]),
    ("code=empty_text", ["law/001"]),
    ("code=empty_text&findings=warning", []),
    ("state=pending", ["law/000", "law/001", "law/002"]),
    ("state=excluded", ["law/003"]),
    ("state=untranslated", []),
    ("system=mt", ["law/000", "law/001", "law/002", "law/003"]),
    ("key=A", ["law/000", "law/001", "law/002", "law/003"]),
    ("key=a&q=001", ["law/001"]),
    ("key=B", []),
    ("length_from=9", []),
    ("length_from=8&length_to=8&q=002", ["law/002"]),
    ("length_to=7", []),
]


def test_items_are_filtered_by_what_the_address_says(project: Project, manager: Client) -> None:
    items = add_items(project, 4)
    add_finding(items[0])
    add_finding(items[1], code="empty_text", severity="error")
    exclude_item(item=items[3], reason="twice", actor=None, now=NOW)
    on_pages, in_files = [], []
    for query, _expected in FILTERED:
        on_pages.append((query, uids_on(manager.get(f"/projects/ti/items/?{query}"))))
        lines = b"".join(manager.get(f"/projects/ti/items.jsonl?{query}").streaming_content)
        in_files.append((query, [json.loads(line)["uid"] for line in lines.splitlines()]))
    assert on_pages == FILTERED
    assert in_files == FILTERED


@pytest.mark.parametrize(
    "query",
    [
        "subject=foreign",
        "state=x",
        "code=nope",
        "q=" + "x" * 300,
        "q=%00",
        "split=train",
        "system=nobody",
        "round=1",
        "length_from=x",
        "length_from=9&length_to=8",
        "key=" + "A" * 41,
    ],
)
def test_filter_that_is_not_known_answers_in_words(
    project: Project, manager: Client, query: str
) -> None:
    response = manager.get(f"/projects/ti/items/?{query}")

    assert response.status_code == 400
    assert "Unknown filter" in response.content.decode()
    assert manager.get(f"/projects/ti/items.csv?{query}").status_code == 400


def test_items_come_in_pages_of_fifty_and_back(project: Project, manager: Client) -> None:
    add_items(project, 60)

    first = manager.get("/projects/ti/items/?subject=law")
    page = first.context["page"]
    second = manager.get("/projects/ti/items/", {"subject": "law", "cursor": page.next_cursor})
    back = manager.get(
        "/projects/ti/items/", {"subject": "law", "cursor": second.context["page"].previous_cursor}
    )

    assert (len(uids_on(first)), len(uids_on(second))) == (50, 10)
    assert uids_on(back) == uids_on(first)
    assert "subject=law" in second.content.decode()


def test_items_come_as_people_count_on_the_page_and_in_the_download(
    project: Project, manager: Client
) -> None:
    for uid in ("law/10", "law/2", "law/1", "art/3"):
        make_translated_item(project=project, uid=uid)

    page = uids_on(manager.get("/projects/ti/items/"))
    lines = b"".join(manager.get("/projects/ti/items.jsonl").streaming_content).decode()

    assert page == ["art/3", "law/1", "law/2", "law/10"]
    assert [json.loads(line)["uid"] for line in lines.splitlines()] == page


def test_list_says_how_many_items_match_up_to_a_bound(
    project: Project, manager: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for item in add_items(project, 3)[:2]:
        add_finding(item)
    assert "3 in this list" in manager.get("/projects/ti/items/").content.decode()
    assert "2 in this list" in manager.get("/projects/ti/items/?findings=any").content.decode()
    monkeypatch.setattr(views, "COUNTED_OF_ALL", 2)
    page = manager.get("/projects/ti/items/?clear", follow=True).content.decode()
    assert "More than 2 in this list" in page


def test_list_shows_the_source_beside_the_translation(project: Project, manager: Client) -> None:
    item = add_items(project, 1)[0]
    page = manager.get("/projects/ti/items/").content.decode()
    assert item.question in page
    assert "དྲི་བ་0།" in page


def test_last_filter_is_kept_for_the_session_until_it_is_cleared(
    project: Project, manager: Client, member: Member, browser_of: BrowserOf
) -> None:
    add_items(project, 60)
    filtered = manager.get("/projects/ti/items/?subject=law&q=")
    page, link = filtered.context["page"], 'href="?clear">Clear filters</a>'
    assert link in filtered.content.decode()
    manager.get("/projects/ti/items/", {"subject": "law", "q": "", "cursor": page.next_cursor})

    back = manager.get("/projects/ti/items/")
    assert (back.status_code, back["Location"]) == (302, "/projects/ti/items/?subject=law&q=")
    assert browser_of(member(Role.MANAGER)).get("/projects/ti/items/").status_code == 200

    cleared = manager.get("/projects/ti/items/?clear")
    assert cleared["Location"] == "/projects/ti/items/"
    everything = manager.get("/projects/ti/items/")
    assert everything.status_code == 200
    assert link not in everything.content.decode()


def test_form_without_any_filter_clears_the_last_one(project: Project, manager: Client) -> None:
    add_items(project, 1)
    manager.get("/projects/ti/items/?subject=law")
    page = manager.get("/projects/ti/items/?subject=&q=")
    assert page.status_code == 200
    assert manager.get("/projects/ti/items/").status_code == 200


def test_filter_of_another_project_is_not_used(project: Project, manager: Client) -> None:
    other = ProjectFactory(slug="other")
    grant_role(
        project=other, user=manager.get("/").wsgi_request.user, role="manager", actor=None, now=NOW
    )
    add_items(project, 1)
    manager.get("/projects/ti/items/?subject=law")
    assert manager.get("/projects/other/items/").status_code == 200


def test_unknown_filter_is_not_kept(project: Project, manager: Client) -> None:
    manager.get("/projects/ti/items/?state=x")
    assert manager.get("/projects/ti/items/").status_code == 200


def test_findings_stand_beside_the_texts_of_their_field(project: Project, manager: Client) -> None:
    item = add_items(project, 1)[0]
    finding = add_finding(item)
    Finding.objects.filter(pk=finding.pk).update(field="options.2", start=1, end=3)
    (row,) = manager.get("/projects/ti/findings/numbers_differ/").context["rows"]
    assert (row.place, row.source_text, row.before, row.marked, row.after) == (
        "option C",
        "three",
        "ག",
        "སུ",
        "མ",
    )


@pytest.mark.parametrize(("field", "place"), [("question", "question"), ("item", "whole item")])
def test_finding_on_a_whole_text_marks_nothing_in_it(
    project: Project, manager: Client, field: str, place: str
) -> None:
    item = add_items(project, 1)[0]
    finding = add_finding(item)
    Finding.objects.filter(pk=finding.pk).update(field=field, start=0, end=100)
    (row,) = manager.get("/projects/ti/findings/numbers_differ/").context["rows"]
    assert (row.place, row.before, row.marked, row.after) == (place, "དྲི་བ་0།", "", "")


def test_bad_cursor_is_refused_in_words(project: Project, manager: Client) -> None:
    response = manager.get("/projects/ti/items/?cursor=abc")

    assert response.status_code == 400
    assert "Start again from the first page" in response.content.decode()


def test_download_as_csv_defuses_cells_that_a_spreadsheet_would_run(
    project: Project, manager: Client
) -> None:
    item = add_items(project, 1)[0]
    Item.objects.filter(pk=item.pk).update(question="=1+1")

    response = manager.get("/projects/ti/items.csv")

    text = b"".join(response.streaming_content).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(text))
    assert row["question"] == "'=1+1"
    assert row["translation_question"] == "དྲི་བ་0།"
    assert json.loads(row["options"]) == ["one", "two", "three", "four"]


def test_item_page_links_back_to_the_list_it_was_opened_from(
    project: Project, manager: Client
) -> None:
    item = add_items(project, 1)[0]

    page = manager.get("/projects/ti/items/?subject=law&q=law").content.decode()
    detail = manager.get(f"/projects/ti/items/{item.pk}/?list=subject%3Dlaw%26q%3Dlaw")

    assert f"/projects/ti/items/{item.pk}/?list=subject%3Dlaw%26q%3Dlaw" in page
    assert 'href="/projects/ti/items/?subject=law&amp;q=law"' in detail.content.decode()


def test_item_of_another_project_and_impossible_numbers_are_not_found(
    project: Project, manager: Client
) -> None:
    foreign = make_translated_item(project=ProjectFactory(slug="other"))

    for pk in (foreign.pk, 0, 999_999, 10**30):
        assert manager.get(f"/projects/ti/items/{pk}/").status_code == 404
        assert manager.post(f"/projects/ti/findings/{pk}/dismiss/").status_code == 404
    assert manager.get("/projects/other/items/").status_code == 404
    assert manager.get("/projects/ti/findings/no_such_code/").status_code == 404


def test_dismissed_finding_leaves_the_counts_and_keeps_its_reason(
    project: Project, manager: Client
) -> None:
    item = add_items(project, 1)[0]
    finding = add_finding(item)

    response = manager.post(
        f"/projects/ti/findings/{finding.pk}/dismiss/",
        {"reason": "the number is a year", "next": "/projects/ti/findings/numbers_differ/"},
    )

    assert response["Location"] == "/projects/ti/findings/numbers_differ/"
    assert uids_on(manager.get("/projects/ti/items/?findings=any")) == []
    assert "the number is a year" in manager.get(f"/projects/ti/items/{item.pk}/").content.decode()
    assert AuditEvent.objects.get(verb="finding.dismissed").data["reason"] == "the number is a year"


def test_dismissal_does_not_lead_to_another_site(project: Project, manager: Client) -> None:
    item = add_items(project, 1)[0]
    finding = add_finding(item)

    response = manager.post(
        f"/projects/ti/findings/{finding.pk}/dismiss/",
        {"reason": "fine", "next": "https://example.com/"},
    )

    assert response["Location"] == f"/projects/ti/items/{item.pk}/"


def test_dismissal_needs_a_reason_and_happens_once(project: Project, member: Member) -> None:
    senior = member(Role.SENIOR)
    finding = add_finding(add_items(project, 1)[0])

    for reason, refusal in (("  ", ReasonMissing), ("r" * 2001, ReasonTooLong)):
        with pytest.raises(refusal):
            dismiss_finding(finding=finding, reason=reason, actor=senior, now=NOW)
    dismiss_finding(finding=finding, reason="fine", actor=senior, now=NOW)
    with pytest.raises(FindingAlreadyDismissed):
        dismiss_finding(finding=finding, reason="fine", actor=senior, now=NOW)

    finding.refresh_from_db()
    assert (finding.dismissed_by, finding.dismissal_reason) == (senior, "fine")


def test_item_is_excluded_and_restored_with_reasons(project: Project, manager: Client) -> None:
    item = add_items(project, 1)[0]

    manager.post(f"/projects/ti/items/{item.pk}/exclude/", {"reason": "no right answer"})
    item.refresh_from_db()
    excluded = (item.state, item.state_reason)
    manager.post(f"/projects/ti/items/{item.pk}/restore/", {"reason": "there is one"})
    item.refresh_from_db()

    assert excluded == (ItemState.EXCLUDED, "no right answer")
    assert item.state == ItemState.ACTIVE
    events = AuditEvent.objects.order_by("pk").values_list("verb", "data")
    assert [(verb, data["reason"]) for verb, data in events] == [
        ("item.excluded", "no right answer"),
        ("item.restored", "there is one"),
    ]


def test_item_moves_are_refused_without_reason_or_twice(project: Project) -> None:
    item = add_items(project, 1)[0]

    for reason, refusal in ((" ", ReasonMissing), ("r" * 2001, ReasonTooLong)):
        with pytest.raises(refusal):
            exclude_item(item=item, reason=reason, actor=None, now=NOW)
    with pytest.raises(ItemNotExcluded):
        restore_item(item=item, reason="why", actor=None, now=NOW)
    exclude_item(item=item, reason="why", actor=None, now=NOW)
    with pytest.raises(ItemAlreadyExcluded):
        exclude_item(item=item, reason="why", actor=None, now=NOW)

    assert AuditEvent.objects.count() == 1


def test_reviewer_sees_no_author_of_a_revision(
    project: Project, member: Member, browser_of: BrowserOf
) -> None:
    item = add_items(project, 1)[0]
    assert item.working_translation and item.working_translation.current_revision
    create_revision(
        base=item.working_translation.current_revision,
        question="གསར།",
        options=["ཀ", "ཁ", "ག", "ང"],
        origin=Origin.HUMAN,
        author=member(name="Tashi Namgyal"),
        now=NOW,
    )
    address = f"/projects/ti/items/{item.pk}/history/"

    assert "Tashi Namgyal" not in browser_of(member()).get(address).content.decode()
    assert "Tashi Namgyal" in browser_of(member(Role.SENIOR)).get(address).content.decode()


def test_item_page_with_a_translation_of_eleven_options_shows_them_all(
    project: Project, manager: Client
) -> None:
    (item,) = add_items(project, 1)
    assert item.working_translation
    other = Translation.objects.create(item=item, system="other", created_at=NOW)
    revision = Revision.objects.create(
        translation=other,
        question="དྲི་བ།",
        options=[*"ཀཁགངཅཆཇཉཏཐད"],
        number=1,
        origin=Origin.IMPORTED,
        content_hash="0" * 64,
        created_at=NOW,
    )
    Translation.objects.filter(pk=other.pk).update(current_revision=revision)
    Revision.objects.filter(translation=item.working_translation).update(options=[*"ཀཁགངཅཆཇཉཏཐད"])

    sheet = manager.get(f"/projects/ti/items/{item.pk}/").context["sheet"]

    assert [row.label for row in sheet.rows] == ["Q", *"ABCDEFGHIJ", "11"]
    assert [option for _letter, option in sheet.others[0].options][-1] == "ད"
    events = manager.get(f"/projects/ti/items/{item.pk}/history/").context["page"].rows
    assert [f.label for e in events for f in e.fields if f.text == "ད"] == ["11"]


def test_page_of_a_check_marks_tibetan_and_begins_its_headings_at_level_two(
    project: Project, manager: Client
) -> None:
    explanation = manager.get("/projects/ti/findings/blanks_missing/").context["explanation"]

    assert explanation.startswith("<h2>")
    assert 'lang="bo"' in explanation and "<h1" not in explanation

    page = manager.get("/projects/ti/findings/blanks_missing/", HTTP_ACCEPT_LANGUAGE="zh-hans")
    assert "<h2>如何修正</h2>" in page.context["explanation"]


@pytest.mark.parametrize("decide", [approve_translation, reject_translation])
def test_decision_on_a_text_that_is_no_longer_current_is_refused_as_stale(
    project: Project, decide: Callable[..., None]
) -> None:
    item = add_items(project, 1)[0]
    assert item.working_translation and item.working_translation.current_revision
    old = item.working_translation.current_revision
    new = create_revision(
        base=old, question="གསར།", options=[*"ཀཁགང"], origin=Origin.HUMAN, author=None, now=NOW
    )

    with pytest.raises(RevisionStale):
        decide(revision=old)
    decide(revision=new)
    decide(revision=new)


@pytest.mark.django_db
def test_only_texts_that_are_shown_are_compared(
    project: Project, browser_of: BrowserOf, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = make_translated_item(project=project)
    assert item.working_translation
    text = item.working_translation.current_revision
    for number in range(40):
        text = create_revision(
            base=text, question=f"གསར་{number}།", options=[*"ཀཁགང"], origin=Origin.HUMAN,
            author=None, now=NOW,
        )  # fmt: skip
    compared = Mock(wraps=timeline.changed_fields)
    monkeypatch.setattr(timeline, "changed_fields", compared)
    page = browser_of(member(Role.MANAGER)).get(f"/projects/ti/items/{item.pk}/history/")
    assert "Revision 41" in page.content.decode()
    assert 0 < compared.call_count <= 30


@pytest.mark.django_db
def test_long_history_comes_in_parts(
    project: Project, browser_of: BrowserOf, member: Member
) -> None:
    item, manager = make_translated_item(project=project), member(Role.MANAGER)
    states = [ItemState.EXCLUDED, ItemState.ACTIVE] * 35
    ItemStateChange.objects.bulk_create(
        ItemStateChange(item=item, state=state, author=manager, reason="x", created_at=NOW)
        for state in states
    )
    browser, address = browser_of(manager), f"/projects/ti/items/{item.pk}/history/"

    parts = [browser.get(address, {"cursor": n}).content.decode() for n in ("1", "2", "3")]

    events = [part[part.index('class="timeline"') :].count('<li class="') for part in parts]
    assert events == [30, 30, 12]  # with the first text and the import
    assert ["Show older events" in part for part in parts] == [True, True, False]
