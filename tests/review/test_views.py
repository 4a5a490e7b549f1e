"""The review pages: looking changes nothing, forms work without scripts, nothing typed is lost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.enums import Role
from annotation.models import Finding, Project, Revision, Translation
from review.actions.rounds import close_round
from review.actions.seats import claim_seat
from review.enums import PanelState, SeatState
from review.models import Adjudication, Assignment, Guideline, Judgement, Panel, Round
from tests.factories import RUBRIC, UserFactory, make_translated_item
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
BENCH = "/projects/ti/rounds/1/judge/"
SUBMIT = "/projects/ti/rounds/1/submit/"
TYPED = {"question": "འདྲི་བ་གསར་པ།", **{f"option_{n}": text for n, text in enumerate(OPTIONS)}}


def held(round_: Round, user: User) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    return seat


def form(seat: Assignment, **typed: Any) -> dict[str, Any]:
    fields = {
        "assignment": seat.pk,
        "revision": seat.panel.revision_id,
        "idempotency_key": "k1",
        "verdict": "approve",
        "domain": 4,
        "cultural": 5,
        **TYPED,
    }
    return {name: value for name, value in {**fields, **typed}.items() if value is not None}


def everything() -> dict[str, list[Any]]:
    """All rows of the domain as they stand."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for app in ("accounts", "annotation", "review")
        for model in apps.get_app_config(app).get_models()
    }


@pytest.mark.parametrize("is_expired", [False, True])
def test_looking_at_the_bench_changes_nothing(
    opened: Open, reviewers: People, browser_of: Browser, is_expired: bool
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(2), user)
    if is_expired:
        Assignment.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(1))
    browser = browser_of(user)
    before = everything()

    assert browser.get(BENCH).status_code == 200
    assert everything() == before


def test_looking_without_a_seat_offers_to_take_one(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    opened(1)
    browser = browser_of(reviewers(1)[0])

    assert b"/projects/ti/rounds/1/claim/" in browser.get(BENCH).content
    assert not Assignment.objects.filter(state=SeatState.CLAIMED).exists()
    taken = browser.post("/projects/ti/rounds/1/claim/")
    assert (taken.status_code, taken["Location"]) == (303, BENCH)
    assert Assignment.objects.filter(state=SeatState.CLAIMED).count() == 1


def test_plain_form_stores_the_judgement_and_lands_on_the_next_item(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(2), user)
    browser = browser_of(user)

    page = browser.post(SUBMIT, form(seat, tags=["grammar"], comment="a\r\nb"), follow=True)

    stored = Judgement.objects.get()
    assert (stored.verdict, stored.domain, stored.cultural, stored.tags) == (
        "approve",
        4,
        5,
        ["grammar"],
    )
    assert (stored.comment, stored.correction) == ("a\nb", None)
    assert page.redirect_chain == [(BENCH, 303)]
    assert page.context["item"].uid == "s/00001"


def test_last_item_lands_on_nothing_left(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    page = browser_of(user).post(SUBMIT, form(seat), follow=True)
    assert page.context["has_nothing_left"]


def test_revision_typed_in_the_form_is_stored(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    browser_of(user).post(SUBMIT, form(seat, verdict="revise"))

    assert Judgement.objects.get().correction == {
        "question": TYPED["question"],
        "options": list(OPTIONS),
    }


@pytest.mark.parametrize(
    "missing", ["verdict", "domain", "cultural", "revision", "idempotency_key"]
)
def test_refused_form_shows_all_that_was_typed(
    opened: Open, reviewers: People, browser_of: Browser, missing: str
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    page = browser_of(user).post(
        SUBMIT, form(seat, comment="ཧ་ཅང་ལེགས།", tags=["culture"], **{missing: None})
    )

    assert page.status_code == 400
    assert list(page.context["errors"]) == [missing]
    assert page.context["values"]["tags"] == ["culture"]
    text = page.content.decode()
    assert "ཧ་ཅང་ལེགས།" in text
    assert TYPED["question"] in text
    assert not Judgement.objects.exists()


@pytest.mark.parametrize(
    "odd",
    [
        {"domain": "9"}, {"domain": "x"}, {"revision": "9" * 40}, {"active_seconds": "-1"}, {"tags": ["nice"]},
        {"comment": "a\x00"}, {"question": "\x00", "verdict": "revise"}, {"comment": "x" * 20_001},
        {"verdict": "revise", "option_3": ""}, {"idempotency_key": "x" * 101}, {"domain": "༤༤"},
    ],
)  # fmt: skip
def test_odd_values_are_refused_in_words(
    opened: Open, reviewers: People, browser_of: Browser, odd: dict[str, Any]
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    page = browser_of(user).post(SUBMIT, form(seat, **odd))
    assert page.status_code == 400
    assert not Judgement.objects.exists()


def test_script_gets_its_refusal_as_json(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    answer = browser_of(user).post(
        SUBMIT, form(seat, verdict=None), headers={"accept": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "judgement_invalid"
    assert list(answer.json()["fields"]) == ["verdict"]


def test_script_whose_round_closed_meanwhile_is_not_told_that_its_judgement_failed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    seat = held(round_, user)
    browser = browser_of(user)
    browser.post(SUBMIT, form(seat))
    close_round(round_=round_, actor=None, now=timezone.now())

    again = browser.post(SUBMIT, form(seat), headers={"accept": "application/json"})
    assert (again.status_code, again["Location"]) == (303, BENCH)
    page = browser.get(BENCH).content.decode()
    assert "This round is closed" in page


def test_paused_reviewers_judgement_is_stored_and_the_page_says_why_there_is_no_next(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(2), user)
    user.memberships.update(is_paused=True)

    page = browser_of(user).post(SUBMIT, form(seat), follow=True)
    assert Judgement.objects.count() == 1
    assert "paused" in page.content.decode()


def test_late_form_renews_the_seat(opened: Open, reviewers: People, browser_of: Browser) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)
    Assignment.objects.filter(pk=seat.pk).update(
        state=SeatState.OPEN, reviewer=None, expires_at=None, claimed_at=None
    )

    assert browser_of(user).post(SUBMIT, form(seat)).status_code == 303
    assert Judgement.objects.get().assignment == seat


def test_form_for_a_seat_that_somebody_else_took_shows_what_was_typed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    slow, quick = reviewers(2)
    round_ = opened(1, panel_size=1)
    seat = held(round_, slow)
    Assignment.objects.update(reviewer=quick)

    page = browser_of(slow).post(SUBMIT, form(seat, comment="ངའི་བསམ་འཆར།"))

    assert page.status_code == 409
    assert page.context["conflict"]["code"] == "seat_taken"
    assert "ངའི་བསམ་འཆར།" in page.content.decode()


def test_stale_text_is_shown_beside_what_was_typed(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)
    newer = Revision.objects.create(
        translation=seat.panel.revision.translation, number=2, supersedes=seat.panel.revision, question="གཞན།",
        options=list(OPTIONS), origin="imported", content_hash="x", created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.update(current_revision=newer)
    browser = browser_of(user)

    page = browser.post(SUBMIT, form(seat, verdict="revise"))
    answer = browser.post(SUBMIT, form(seat), headers={"accept": "application/json"})

    assert page.status_code == 409
    assert page.context["conflict"]["current"]["question"] == "གཞན།"
    assert TYPED["question"] in page.content.decode()
    assert (answer.status_code, answer.json()["current"]["revision"]) == (409, newer.pk)


def test_skip_goes_on_and_without_a_reason_is_refused(
    opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (user,) = reviewers(1)
    seat = held(opened(2), user)
    browser = browser_of(user)
    path = "/projects/ti/rounds/1/skip/"

    refused = browser.post(path, {"assignment": seat.pk, "reason": "bored"})
    assert refused.status_code == 400
    assert (
        browser.post(path, {"assignment": seat.pk, "reason": "other", "note": "n"}).status_code
        == 303
    )
    assert browser.get(BENCH).context["item"].uid == "s/00001"


@pytest.mark.parametrize("pk", ["", "0", "-1", "x", "9" * 40, "\x00"])
def test_unknown_seat_is_404(opened: Open, reviewers: People, browser_of: Browser, pk: str) -> None:
    (user,) = reviewers(1)
    seat = held(opened(1), user)

    assert browser_of(user).post(SUBMIT, form(seat, assignment=pk)).status_code == 404


def test_strangers_get_404_and_members_without_the_right_403(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    paths = [
        "/projects/ti/rounds/",
        "/projects/ti/rounds/1/",
        BENCH,
        f"/projects/ti/disputes/{panel.pk}/",
    ]
    stranger, viewer = browser_of(UserFactory()), browser_of(member(Role.VIEWER))

    assert {stranger.get(path).status_code for path in paths} == {404}
    assert [viewer.get(path).status_code for path in paths] == [200, 200, 403, 403]
    assert viewer.get("/projects/ti/rounds/open/").status_code == 403
    assert viewer.post("/projects/ti/rounds/guideline/", {}).status_code == 403


# Disputes


def decide(browser: Client, panel: Panel, **typed: Any) -> Any:
    return browser.post(f"/projects/ti/disputes/{panel.pk}/adjudicate/", {**TYPED, **typed})


def test_dispute_page_shows_the_judgements_without_names(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()

    text = (
        browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/{panel.pk}/").content.decode()
    )

    assert "better" in text
    for user in User.objects.filter(judgements__isnull=False):
        assert user.name not in text
        assert user.email not in text


@pytest.mark.parametrize(
    ("typed", "state"),
    [
        ({"decision": "approve", "reason": "it is right"}, "approved"),
        ({"decision": "reject"}, "rejected"),
        ({"decision": "adopt", "adopted": "revise"}, "pending"),
        ({"decision": "adopt", "adopted": "revise", "fields": ["question"]}, "pending"),
        ({"decision": "merge", "question": "མཐའ།"}, "pending"),
    ],
)
def test_decision_settles_and_shows_the_next(
    disputed: Dispute, member: Member, browser_of: Browser, typed: dict[str, Any], state: str
) -> None:
    panel = disputed(2)
    adopted = typed.pop("adopted", None)
    extra = {"judgement": panel.judgements.get(verdict=adopted).pk} if adopted else {}

    answer = decide(browser_of(member(Role.SENIOR)), panel, **typed, **extra)

    following = Panel.objects.get(state=PanelState.DISPUTED)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/projects/ti/disputes/{following.pk}/",
    )
    assert Translation.objects.get(item=panel.item).state == state
    assert Adjudication.objects.get().panel == panel


def test_overruling_without_a_reason_is_refused_and_keeps_what_was_typed(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    page = decide(browser_of(member(Role.SENIOR)), disputed(), decision="approve", question="བྲིས་པ།")

    assert page.status_code == 400
    assert "Say why" in page.content.decode()
    assert "བྲིས་པ།" in page.content.decode()


def test_approval_with_open_errors_is_refused_in_words(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    Finding.objects.create(
        revision=panel.revision,
        code="equal_options",
        data={"other": "A", "letter": "B"},
        severity="error",
        field="question",
        created_at=timezone.now(),
    )

    page = decide(browser_of(member(Role.SENIOR)), panel, decision="approve", reason="r")
    assert page.status_code == 409
    assert "set the findings aside" in page.content.decode()


def test_second_senior_is_told(disputed: Dispute, member: Member, browser_of: Browser) -> None:
    panel = disputed()
    decide(browser_of(member(Role.SENIOR)), panel, decision="reject")

    late = decide(browser_of(member(Role.SENIOR)), panel, decision="reject")
    assert late.status_code == 409
    assert "settled by somebody else" in late.content.decode()
    seen = browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/{panel.pk}/")
    assert seen["Location"] == "/projects/ti/disputes/"


def test_senior_who_judged_gets_403_and_does_not_see_it_in_the_queue(
    disputed: Dispute, browser_of: Browser
) -> None:
    panel = disputed()
    own = panel.judgements.get(verdict="reject").reviewer
    own.memberships.update(role=Role.SENIOR)
    browser = browser_of(own)

    assert browser.get(f"/projects/ti/disputes/{panel.pk}/").status_code == 403
    assert decide(browser, panel, decision="reject").status_code == 403
    assert browser.get("/projects/ti/disputes/").context["rows"] == []


@pytest.mark.parametrize(
    "typed",
    [
        {}, {"decision": "guess"}, {"decision": "adopt"}, {"decision": "adopt", "judgement": "9" * 40},
        {"decision": "adopt", "judgement": "x"}, {"decision": "merge", "question": ""},
        {"decision": "reject", "reason": "\x00"}, {"decision": "reject", "reason": "x" * 20_001},
    ],
)  # fmt: skip
def test_odd_decisions_are_refused_in_words(
    disputed: Dispute, member: Member, browser_of: Browser, typed: dict[str, Any]
) -> None:
    page = decide(browser_of(member(Role.SENIOR)), disputed(), **typed)
    assert page.status_code == 400
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize("query", ["subject=%00", "subject=none", "subject=" + "x" * 5000])
def test_queue_with_an_odd_filter_is_empty(
    disputed: Dispute, member: Member, browser_of: Browser, query: str
) -> None:
    disputed()
    assert browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/?{query}").status_code == 200


def test_option_without_a_counterpart_in_the_source_is_shown_to_judges_and_seniors(
    project: Project,
    opened: Open,
    member: Member,
    judge: Callable[..., Judgement],
    browser_of: Browser,
) -> None:
    texts = [*OPTIONS, "ལྔ་པ།"]
    make_translated_item(
        project=project, source__project=project, subject__project=project, options=texts
    )
    round_ = opened(0)
    first, second = member(Role.REVIEWER), member(Role.REVIEWER)
    held(round_, first)

    bench = browser_of(first).get(BENCH)
    judge(round_, first, verdict="reject")
    judge(round_, second)
    dispute = browser_of(member(Role.SENIOR)).get(
        f"/projects/ti/disputes/{Panel.objects.get().pk}/"
    )

    for page in (bench, dispute):
        assert page.context["surplus"] == [("E", "ལྔ་པ།")]
        assert "ལྔ་པ།" in page.content.decode()
    assert bench.content.decode().count('<textarea class="target-edit"') == 5


# Rounds and the guideline


def test_round_is_opened_and_closed_by_forms(
    items: Callable[[int], None], member: Member, browser_of: Browser, project: Project
) -> None:
    items(2)
    browser = browser_of(member(Role.MANAGER))
    typed = {
        "panel_size": 1, "selection": "all", "seed": 0, "verdict_rule": "unanimous", "score_gap": 2,
        "reservation_minutes": 30, "is_same_panel_allowed": "no",
    }  # fmt: skip

    assert browser.post("/projects/ti/rounds/open/", {**typed, "panel_size": 99}).status_code == 400
    assert browser.post("/projects/ti/rounds/open/", typed)["Location"] == "/projects/ti/rounds/1/"
    assert Round.objects.get().is_same_panel_allowed is False
    again = browser.post("/projects/ti/rounds/open/", typed)
    assert again.status_code == 400
    assert "still open" in again.content.decode()
    assert browser.post("/projects/ti/rounds/1/close/")["Location"] == "/projects/ti/rounds/1/"
    assert browser.post("/projects/ti/rounds/1/close/").status_code == 409
    assert browser.get("/projects/ti/rounds/99999999/").status_code == 404


def test_guideline_is_written_as_the_next_version(
    project: Project, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.MANAGER))
    lines = {name: "\n".join(RUBRIC[name]) for name in RUBRIC}

    refused = browser.post(
        "/projects/ti/rounds/guideline/", {"text": "T", **lines, "domain": "one"}
    )
    stored = browser.post("/projects/ti/rounds/guideline/", {"text": "**T**", **lines})

    assert (refused.status_code, stored.status_code) == (400, 302)
    assert Guideline.objects.get().rubric == RUBRIC
    assert "<strong>T</strong>" in browser.get("/projects/ti/rounds/guideline/").content.decode()


@pytest.mark.parametrize(("name", "start"), [("csv", "Stage"), ("latex", "\\"), ("markdown", "|")])
@pytest.mark.parametrize("table", ["stages", "systems"])
def test_report_comes_as_a_file(
    disputed: Dispute, member: Member, browser_of: Browser, name: str, start: str, table: str
) -> None:
    disputed()
    answer = browser_of(member(Role.VIEWER)).get(f"/projects/ti/rounds/report.{name}?table={table}")

    assert answer.status_code == 200
    assert f"ti-{table}" in answer["Content-Disposition"]
    assert answer.content.decode().lstrip("﻿").strip()


PAGES = {
    "/projects/ti/rounds/": (Role.MANAGER, 10),
    "/projects/ti/rounds/1/": (Role.MANAGER, 10),
    "/projects/ti/rounds/open/": (Role.MANAGER, 7),
    "/projects/ti/rounds/guideline/": (Role.MANAGER, 5),
    "/projects/ti/disputes/": (Role.SENIOR, 6),
    BENCH: (Role.REVIEWER, 9),
    "dispute": (Role.SENIOR, 10),
}


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("path", PAGES)
def test_page_asks_a_fixed_number_of_queries(
    disputed: Dispute,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Any,
    path: str,
    count: int,
) -> None:
    panel = disputed(count)
    role, queries = PAGES[path]
    user = member(role)
    if path == BENCH:
        Assignment.objects.create(
            panel=panel, round=panel.round, position=1, seat=9, reviewer=user, state=SeatState.CLAIMED,
            claimed_at=timezone.now(), expires_at=timezone.now() + timedelta(1),
        )  # fmt: skip
    browser = browser_of(user)
    address = f"/projects/ti/disputes/{panel.pk}/" if path == "dispute" else path
    browser.get(address)

    with django_assert_num_queries(queries):
        assert browser.get(address).status_code == 200
