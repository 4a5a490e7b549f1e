"""Opinions of models are shown as the round says, and to no reviewer before their verdict."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, Opinion
from projects.enums import Role
from projects.models import Project
from review.enums import OpinionsShown, Selection
from review.models import Assignment, Panel, Round
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.running import RoundChanges, change_round
from review.rounds.actions.settings import RoundSettings
from review.screening.opinions import opinions_after_verdict, opinions_in_dispute
from review.seats.actions.seats import claim_seat
from tests.annotation.screening.test_execution import start

pytestmark = pytest.mark.django_db
SAID = "ཨང་ཀི་གཅིག་ zwei لاتىنچە doubted-by-a-model"
Browser = Callable[[User], Client]


def screen(project: Project) -> None:
    """Have a model doubt every item, with words that are easy to find in a reply."""
    started = start(project, "unique")
    started.opinions.update(state="doubt", confidence=0.875, words=SAID)


@pytest.fixture
def screened(
    project: Project, opened: Callable[..., Round]
) -> Callable[[OpinionsShown, int], Round]:
    def make(shown: OpinionsShown, panel_size: int = 1) -> Round:
        round_ = opened(1, opinions_shown=shown, panel_size=panel_size)
        screen(project)
        return round_

    return make


def replies(browser: Client, round_: Round) -> Iterator[tuple[str, str]]:
    """Yield what a reviewer is told on pages and by the API around their work."""
    item, panel = Item.objects.get(), Panel.objects.get(round=round_)
    seats = Assignment.objects.filter(panel=panel).values_list("pk", flat=True)
    addresses = [
        "/my-work/", "/my-work.jsonl", "/my-work.csv", "/api/v1/me/work/", "/api/v1/me/work/export/",
        f"/projects/ti/rounds/{round_.number}/workbench/", f"/projects/ti/rounds/{round_.number}/",
        f"/projects/ti/items/{item.pk}/", "/projects/ti/items/", "/projects/ti/screenings/",
        f"/api/v1/projects/ti/items/{item.pk}/", "/api/v1/projects/ti/items/",
        "/api/v1/projects/ti/judgements/",
        f"/api/v1/projects/ti/screenings/{item.opinions.get().screening_job_id}/opinions/",
        f"/api/v1/rounds/{round_.pk}/", f"/api/v1/disputes/{panel.pk}/",
        f"/projects/ti/disputes/{panel.pk}/",
        *(f"/api/v1/assignments/{pk}/proposals/" for pk in seats),
    ]  # fmt: skip
    for address in addresses:
        answer = browser.get(address)
        body = answer.getvalue() if answer.streaming else answer.content
        yield address, body.decode()
    for address in (f"/api/v1/rounds/{round_.pk}/claim/", f"/api/v1/rounds/{round_.pk}/reserve/"):
        yield address, browser.post(address).content.decode()


def leaks(browser: Client, round_: Round) -> list[str]:
    told = list(replies(browser, round_))
    return [address for address, body in told if "doubted-by-a-model" in body or "0.875" in body]


@pytest.mark.parametrize("shown", OpinionsShown)
def test_no_reply_tells_a_reviewer_of_an_opinion_before_the_verdict(
    screened: Any, member: Any, browser_of: Browser, shown: OpinionsShown
) -> None:
    round_, user = screened(shown), member(Role.REVIEWER)
    browser = browser_of(user)
    assert leaks(browser, round_) == []
    assert claim_seat(round_=round_, reviewer=user, now=timezone.now()) is not None
    assert leaks(browser, round_) == []


def test_reviewer_sees_opinions_on_their_work_once_the_panel_has_its_outcome(
    screened: Any, member: Any, judge: Any, browser_of: Browser
) -> None:
    round_ = screened(OpinionsShown.AFTER_VERDICT, 2)
    first, second = member(Role.REVIEWER), member(Role.REVIEWER)
    judge(round_, first)
    assert leaks(browser_of(first), round_) == []  # the verdict can still be taken back
    judge(round_, second)

    assert leaks(browser_of(first), round_) == ["/my-work/", "/api/v1/me/work/"]
    [row] = browser_of(first).get("/api/v1/me/work/").json()["results"]
    model = Opinion.objects.get().screening_job.model_spec.name
    assert row["opinions"] == [
        {"screen": "unique", "state": "doubt", "confidence": 0.875, "reason": SAID, "model": model}
    ]


@pytest.mark.parametrize("shown", [OpinionsShown.NOBODY, OpinionsShown.SENIORS])
def test_other_rounds_never_tell_reviewers(
    screened: Any, member: Any, judge: Any, browser_of: Browser, shown: OpinionsShown
) -> None:
    round_, user = screened(shown), member(Role.REVIEWER)
    judge(round_, user)
    assert leaks(browser_of(user), round_) == []


def test_opinions_disappear_while_a_later_round_judges_the_item(
    screened: Any, project: Project, member: Any, judge: Any
) -> None:
    round_ = screened(OpinionsShown.AFTER_VERDICT)
    judgement = judge(round_, member(Role.REVIEWER))
    judgement.panel.refresh_from_db()
    assert list(opinions_after_verdict([judgement])) == [judgement.pk]
    close_round(round_=round_, actor=None, now=timezone.now())
    settings = RoundSettings(panel_size=1, selection=Selection.ALL)
    open_round(project=project, settings=settings, actor=None, now=timezone.now())
    assert opinions_after_verdict([judgement]) == {}


def test_control_items_and_opinions_on_another_text_are_not_told(
    screened: Any, member: Any, judge: Any, django_assert_num_queries: Any
) -> None:
    judgement = judge(screened(OpinionsShown.AFTER_VERDICT), member(Role.REVIEWER))
    judgement.panel.refresh_from_db()
    judgement.panel.is_control = judgement.panel.round is not None
    with django_assert_num_queries(0):
        assert opinions_after_verdict([judgement]) == {}
    judgement.panel.is_control = False
    judgement.panel.revision_id += 1
    Opinion.objects.update(revision=Panel.objects.get().revision)
    assert opinions_after_verdict([judgement]) == {judgement.pk: []}


@pytest.mark.parametrize(("shown", "is_told"), [
    (OpinionsShown.NOBODY, False), (OpinionsShown.SENIORS, True), (OpinionsShown.AFTER_VERDICT, True),
])  # fmt: skip
def test_dispute_tells_seniors_as_the_round_says(
    disputed: Callable[..., Panel], project: Project, member: Any, browser_of: Browser,
    shown: OpinionsShown, is_told: bool,
) -> None:  # fmt: skip
    panel = disputed()
    screen(project)
    Round.objects.update(opinions_shown=shown)
    senior = browser_of(member(Role.SENIOR))
    told = senior.get(f"/api/v1/disputes/{panel.pk}/").json()["opinions"]
    page = senior.get(f"/projects/ti/disputes/{panel.pk}/").content.decode()
    assert ([each["reason"] for each in told] == [SAID], SAID in page) == (is_told, is_told)
    panel.is_control = True
    assert opinions_in_dispute(panel) == []


def test_manager_chooses_who_sees_opinions_by_command_api_and_action(
    project: Project, items: Callable[[int], None], member: Any, browser_of: Browser
) -> None:
    items(1)
    call_command("open_round", "ti", "--opinions", "seniors", "--select", "all", "--force", verbosity=0)  # fmt: skip
    round_ = Round.objects.get()
    assert round_.opinions_shown == OpinionsShown.SENIORS
    changed = change_round(
        round_=round_, changes=RoundChanges(opinions_shown=OpinionsShown.AFTER_VERDICT), actor=None,
        now=timezone.now(),
    )  # fmt: skip
    assert changed.opinions_shown == OpinionsShown.AFTER_VERDICT
    browser = browser_of(member(Role.MANAGER))
    page = browser.get(f"/projects/ti/rounds/{round_.number}/").content.decode()
    assert "reviewers after their verdict" in page
    assert browser.get(f"/api/v1/rounds/{round_.pk}/").json()["opinions_shown"] == "after-verdict"
