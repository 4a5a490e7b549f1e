"""Which items a round takes by each choice, and what becomes of approved items that are audited."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import ItemState, Origin, Severity, TranslationState
from annotation.index import refresh_finding_flags
from annotation.items.queries import ItemFilter
from annotation.items.revisions import create_revision
from annotation.items.uid_lists import uids_of
from annotation.models import Finding, Item, Translation
from common.errors import DomainError
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import DecisionKind, RoundState, Selection
from review.models import Judgement, Panel, Round, RoundChoice
from review.outcomes import Correction
from review.rounds.actions.opening import perform_opening
from review.rounds.actions.rounds import close_round, discard_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.selection.item_choice import (
    ItemChoice,
    Unusable,
    chosen_items,
    read_items,
    unusable_lines,
)
from tests.factories import SubjectFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Items = Callable[[int], None]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
FORM = {
    "panel_size": 1, "verdict_rule": "unanimous", "score_gap": 2, "reservation_minutes": 30,
    "is_unfinishable_allowed": "on",
}  # fmt: skip
OPEN_PAGE = "/projects/ti/rounds/open/"
ROUNDS_API = "/api/v1/projects/ti/rounds/"


def approve(*uids: str) -> None:
    Translation.objects.filter(item__uid__in=uids).update(state=TranslationState.APPROVED)


def add_finding(uid: str, severity: Severity) -> None:
    item = Item.objects.get(uid=uid)
    Finding.objects.create(
        revision=item.working_translation.current_revision, code="identical_options",
        severity=severity, field="options",
        created_at=timezone.now(),
    )  # fmt: skip
    refresh_finding_flags([item.pk])


def rewrite(uid: str) -> None:
    item = Item.objects.get(uid=uid)
    create_revision(
        base=item.working_translation.current_revision, question="འདྲི་བ་གསར་པ།", options=OPTIONS,
        origin=Origin.HUMAN, author=None, now=timezone.now(),
    )  # fmt: skip


def chosen(project: Project, selection: Selection, **more: Any) -> list[str]:
    choice = ItemChoice(selection=selection, **more)
    return [item.uid for item in read_items(chosen_items(project, choice))]


def in_round(round_: Round) -> set[str]:
    return set(round_.panels.values_list("item__uid", flat=True))


def open_(project: Project, **settings: Any) -> Round:
    return open_round(
        project=project, settings=RoundSettings(**settings), actor=None, now=timezone.now()
    )


def test_each_choice_takes_its_items(project: Project, items: Items) -> None:
    items(5)
    approve("s/00001", "s/00002")
    add_finding("s/00000", Severity.ERROR)
    add_finding("s/00002", Severity.WARNING)
    add_finding("s/00003", Severity.INFO)

    assert {each: chosen(project, each) for each in (
        Selection.ALL, Selection.NOT_APPROVED, Selection.APPROVED, Selection.FINDINGS,
    )} == {
        Selection.ALL: [f"s/0000{n}" for n in range(5)],
        Selection.NOT_APPROVED: ["s/00000", "s/00003", "s/00004"],
        Selection.APPROVED: ["s/00001", "s/00002"],
        Selection.FINDINGS: ["s/00000", "s/00002"],
    }  # fmt: skip
    assert chosen(project, Selection.LIST, uids=["s/00004", "", "s/00001", "s/00004"]) == [
        "s/00001",
        "s/00004",
    ]
    wanted = ItemFilter(state="approved", findings="warning")
    assert chosen(project, Selection.FILTER, item_filter=wanted) == ["s/00002"]


def test_changed_takes_texts_that_are_newer_than_the_round(
    opened: Open, project: Project, items: Items, reviewers: People, judge: Judge
) -> None:
    items(3)
    rewrite("s/00000")
    Item.objects.get(uid="s/00000").working_translation.revisions.update(
        created_at=timezone.now() - timedelta(days=1)
    )
    round_ = opened(0, panel_size=1)
    judge(round_, reviewers(1)[0], correction=Correction("འདྲི་བ་གཞན།", OPTIONS))
    close_round(round_=round_, actor=None, now=timezone.now())
    revised = Panel.objects.get(outcome="revised").item.uid
    second = open_(project, selection=Selection.CHANGED)

    assert in_round(second) == {revised}
    assert second.choice.since_round == 1
    assert chosen(project, Selection.CHANGED, since_round=1) == [revised]
    assert chosen(project, Selection.CHANGED, since_round=2) == []


def test_sample_is_drawn_from_any_choice_by_subject(project: Project, items: Items) -> None:
    items(6)
    other = SubjectFactory(project=project)
    for number in range(3):
        make_translated_item(
            project=project, source=Item.objects.all()[0].source, subject=other, uid=f"t/{number}"
        )
    approve(*[f"s/0000{n}" for n in range(4)], "t/0", "t/1")

    drawn = chosen(project, Selection.APPROVED, sample_size=3, seed=5)

    assert [uid[0] for uid in drawn] == ["s", "s", "t"]
    assert drawn == chosen(project, Selection.APPROVED, sample_size=3, seed=5)
    assert set(drawn) < set(chosen(project, Selection.APPROVED))


def test_lines_that_name_no_item_to_judge_say_why(project: Project, disputed: Any) -> None:
    dispute = disputed(1)
    Item.objects.filter(pk=dispute.item_id).update(uid="d")
    for uid in ("x", "n", "ok"):
        make_translated_item(project=project, source=dispute.item.source,
            subject=dispute.item.subject, uid=uid)  # fmt: skip
    Item.objects.filter(uid="x").update(state=ItemState.EXCLUDED)
    Item.objects.filter(uid="n").update(working_translation=None)

    assert unusable_lines(project, ["ok", "", "nowhere", "d", "x", "n"]) == [
        Unusable(3, "nowhere", "unknown"),
        Unusable(4, "d", "disputed"),
        Unusable(5, "x", "excluded"),
        Unusable(6, "n", "untranslated"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\n", ["a", "b"]),
        ('﻿uid\n a \n\n"b"', ["", "a", "", "b"]),
        ("", []),
        ('say "hi"\n"say ""hi"""\n"', ['say "hi"', 'say "hi"', '"']),
    ],
)
def test_list_is_read_line_by_line(text: str, expected: list[str]) -> None:
    assert uids_of(text) == expected


@pytest.mark.parametrize(
    ("settings", "faults"),
    [
        (
            {"selection": Selection.LIST, "uids": ["", "s/00000", "gone"]},
            {"uids": ["Line 3: there is no item gone in this project."]},
        ),
        (
            {"selection": Selection.LIST, "uids": ["", ""]},
            {"uids": ["Give the uids of the items, one on each line."]},
        ),
        (
            {"selection": Selection.LIST, "uids": ["s/00000"] * 50_001},
            {"uids": ["A list can have at most 50000 items. Choose them by a filter instead."]},
        ),
        (
            {"selection": Selection.CHANGED},
            {"since_round": ["Nothing has been judged yet. Choose other items."]},
        ),
        (
            {"selection": Selection.CHANGED, "since_round": 10**30},
            {"since_round": [f"There is no round {10**30} in this project."]},
        ),
    ],
)
def test_choice_that_lacks_something_is_refused_by_field(
    project: Project, items: Items, settings: dict[str, Any], faults: dict[str, list[str]]
) -> None:
    items(1)

    with pytest.raises(DomainError) as refused:
        open_(project, **settings)

    assert (refused.value.code, refused.value.fields) == ("round_invalid", faults)
    assert not Round.objects.exists()


def test_long_list_of_faults_is_cut(project: Project) -> None:
    with pytest.raises(DomainError) as refused:
        open_(project, selection=Selection.LIST, uids=[f"gone/{n}" for n in range(25)])

    lines = refused.value.fields["uids"]
    assert (len(lines), lines[-1]) == (21, "and 5 more lines")


def test_opening_by_a_job_takes_the_stored_choice(
    project: Project, items: Items, monkeypatch: Any
) -> None:
    items(4)
    monkeypatch.setattr("review.rounds.actions.rounds.OPENED_AT_ONCE", 1)
    settings = RoundSettings(selection=Selection.LIST, uids=["s/00001", "", "s/00003"])
    queued = open_round(
        project=project, settings=settings, actor=None, now=timezone.now(), is_in_background=True
    )
    assert queued.job is not None

    perform_opening(queued.job, _NoProgress())

    queued.refresh_from_db()
    assert (queued.state, in_round(queued)) == (RoundState.OPEN, {"s/00001", "s/00003"})
    assert queued.choice.uids == ["s/00001", "s/00003"]
    discard_round(round_=queued, actor=None, now=timezone.now())
    assert not RoundChoice.objects.exists()


class _NoProgress:
    def start(self, total: int) -> None: ...

    def advance_to(self, done: int) -> None: ...


def state_of(uid: str) -> str:
    return str(Translation.objects.get(item__uid=uid).state)


@pytest.fixture
def audit(items: Items, project: Project, reviewers: People) -> Callable[[], tuple[Any, ...]]:
    """A round over one approved item, and two people who judge it."""

    def make() -> tuple[Any, ...]:
        items(2)
        approve("s/00000")
        return (open_(project, selection=Selection.APPROVED), *reviewers(2))

    return make


def test_audit_that_approves_keeps_the_item_approved(audit: Any, judge: Judge) -> None:
    round_, first, second = audit()
    judge(round_, first)
    judge(round_, second)

    assert in_round(round_) == {"s/00000"}
    assert (Panel.objects.get().outcome, state_of("s/00000")) == ("approved", "approved")


def test_audit_that_ends_in_dispute_reopens_the_item_until_a_senior_settles_it(
    audit: Any, judge: Judge, member: Member
) -> None:
    round_, first, second = audit()
    judge(round_, first)
    assert state_of("s/00000") == "approved"
    judge(round_, second, verdict="reject")

    assert (Panel.objects.get().outcome, state_of("s/00000")) == ("disputed", "pending")
    adjudicate_panel(
        panel=Panel.objects.select_related("round__project", "revision__translation", "item").get(),
        senior=member(Role.SENIOR), content=DecisionContent(kind=DecisionKind.APPROVE),
        now=timezone.now(),
    )  # fmt: skip
    assert state_of("s/00000") == "approved"


def test_audit_that_revises_or_rejects_reopens_or_rejects_the_item(
    audit: Any, judge: Judge
) -> None:
    round_, first, second = audit()
    for person in (first, second):
        judge(round_, person, correction=Correction("འདྲི་བ་གསར་པ།", OPTIONS))

    assert (Panel.objects.get().outcome, state_of("s/00000")) == ("revised", "pending")


def test_dispute_about_a_text_that_was_never_approved_changes_nothing(disputed: Any) -> None:
    panel = disputed(1)
    assert state_of(panel.item.uid) == "pending"


def test_page_opens_a_round_on_a_pasted_and_an_uploaded_list(
    items: Items, member: Member, browser_of: Callable[[User], Client]
) -> None:
    items(4)
    browser = browser_of(member(Role.MANAGER))
    file = SimpleUploadedFile("list.txt", b"uid\ns/00003\n")
    refused = browser.post(OPEN_PAGE, {**FORM, "selection": "list", "uids": "s/00000\ngone"})
    binary = SimpleUploadedFile("list.txt", b"\xff\xfe\x00")
    unreadable = browser.post(OPEN_PAGE, {**FORM, "selection": "list", "uids_file": binary})
    done = browser.post(
        OPEN_PAGE, {**FORM, "selection": "list", "uids": "s/00000", "uids_file": file}
    )

    assert (refused.status_code, unreadable.status_code, done.status_code) == (400, 400, 302)
    assert "Line 2: there is no item gone" in refused.content.decode()
    assert "not a text file" in unreadable.content.decode()
    assert in_round(Round.objects.get()) == {"s/00000", "s/00003"}


def test_list_of_items_leads_to_a_round_on_its_filter(
    items: Items, member: Member, browser_of: Callable[[User], Client]
) -> None:
    items(3)
    approve("s/00001")
    manager = browser_of(member(Role.MANAGER))
    listed = manager.get("/projects/ti/items/?state=approved").content.decode()
    address = f"{OPEN_PAGE}?selection=filter&amp;state=approved"
    assert address in listed
    page = manager.get(address.replace("&amp;", "&")).content.decode()

    assert 'value="state=approved"' in page
    assert "State: approved" in page
    answer = manager.post(
        OPEN_PAGE, {**FORM, "selection": "filter", "items_query": "state=approved"}
    )
    assert answer.status_code == 302
    assert in_round(Round.objects.get()) == {"s/00001"}
    assert RoundChoice.objects.get().item_filter["state"] == "approved"
    reviewer = browser_of(member(Role.REVIEWER)).get("/projects/ti/items/").content.decode()
    assert "Open a round on these" not in reviewer


@pytest.mark.parametrize("query", ["state=dreaming", "nonsense=1", "subject=none"])
def test_filter_that_is_not_known_is_refused(
    items: Items, member: Member, browser_of: Callable[[User], Client], query: str
) -> None:
    items(1)
    browser = browser_of(member(Role.MANAGER))

    answer = browser.post(OPEN_PAGE, {**FORM, "selection": "filter", "items_query": query})

    assert answer.status_code == 400
    assert browser.get(f"{OPEN_PAGE}?selection=filter&{query}").status_code == 200
    assert not Round.objects.exists()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"selection": "list", "uids": ["s/00002"]}, {"s/00002"}),
        ({"selection": "filter", "item_filter": {"state": "approved"}}, {"s/00001"}),
        ({"selection": "approved", "sample_size": 500}, {"s/00001"}),
        ({"selection": "findings"}, {"s/00002"}),
    ],
)
def test_api_opens_a_round_on_each_choice(
    items: Items,
    member: Member,
    api_of: Callable[[User], APIClient],
    said: dict[str, Any],
    expected: set[str],
) -> None:
    items(3)
    approve("s/00001")
    add_finding("s/00002", Severity.WARNING)
    said |= {"is_unfinishable_allowed": True}

    answer = api_of(member(Role.MANAGER)).post(ROUNDS_API, said, format="json")

    assert (answer.status_code, answer.json()["selection"]) == (201, said["selection"])
    assert in_round(Round.objects.get()) == expected


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"selection": "list", "uids": ["gone"]}, "uids"),
        ({"selection": "filter", "item_filter": {"state": "dreaming"}}, "item_filter"),
        ({"selection": "filter", "item_filter": {"colour": "red"}}, "item_filter.colour"),
        ({"selection": "changed", "since_round": 4}, "since_round"),
    ],
)
def test_api_refuses_a_choice_by_its_field(
    project: Project,
    member: Member,
    api_of: Callable[[User], APIClient],
    said: dict[str, Any],
    field: str,
) -> None:
    answer = api_of(member(Role.MANAGER)).post(ROUNDS_API, said, format="json")

    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [field]


def test_command_opens_an_audit_sample_and_a_list(
    project: Project, items: Items, tmp_path: Path
) -> None:
    items(4)
    approve("s/00001", "s/00002", "s/00003")
    file = tmp_path / "uids.txt"
    file.write_text("s/00000\ns/00003\n", encoding="utf-8")

    made = []
    for choice in (["approved", "--sample", "2"], [f"list:{file}"], ["filter:state=approved"]):
        out = StringIO()
        call_command("open_round", "ti", "--json", "--force", "--select", *choice, stdout=out)
        round_ = Round.objects.get()
        made.append((json.loads(out.getvalue())["panels"], round_.selection, round_.sample_size))
        call_command("discard_round", "ti", str(round_.number))

    assert made == [(2, "approved", 2), (2, "list", None), (3, "filter", None)]


@pytest.mark.parametrize("choice", ["list:/nowhere/at/all", "filter:state=dreaming", "changed:3"])
def test_command_refuses_a_choice_in_words(project: Project, items: Items, choice: str) -> None:
    items(1)
    with pytest.raises(CommandError) as refused:
        call_command("open_round", "ti", "--force", "--select", choice)
    assert refused.value.returncode == 1
