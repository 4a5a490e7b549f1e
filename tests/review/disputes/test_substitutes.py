"""A dispute that every senior judged or wrote is settled by somebody whom a manager names."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Membership, Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.inquiries import ask_further_judgement
from review.disputes.actions.substitutes import (
    SubstitutesNamed,
    name_substitute,
    name_substitutes,
)
from review.disputes.queries import disputes_for
from review.disputes.substitution import blocked_disputes, candidates_for, people_involved
from review.enums import RoundKind
from review.models import Judgement, Panel, Round, Substitute
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.rules import own_panels
from tests.review.conftest import OPTIONS
from tests.review.kinds import refusal, solve

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


@pytest.fixture
def stuck(opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement]) -> Panel:
    """A dispute of a reviewer with the only senior."""
    round_ = opened(1)
    judge(round_, member(Role.REVIEWER), correction=NEW)
    judge(round_, member(Role.SENIOR), verdict="reject")
    return Panel.objects.get()


def name(panel: Panel, user: User, actor: User, note: str = "only they can") -> Substitute:
    return name_substitute(panel=panel, user=user, note=note, actor=actor, now=timezone.now())


def test_one_person_is_named_once_for_all_disputes_of_a_round_that_they_did_not_judge(
    opened: Callable[..., Round], member: Member, judge: Callable[..., Judgement], project: Project
) -> None:
    round_ = opened(3)
    senior, other, manager = member(Role.SENIOR), member(Role.REVIEWER), member(Role.MANAGER)
    for reviewer in (member(Role.REVIEWER), member(Role.REVIEWER), other):
        judge(round_, reviewer, correction=NEW)
        judge(round_, senior, verdict="reject")
    given = {"round_": round_, "note": "no other senior", "actor": manager, "now": timezone.now()}

    done = name_substitutes(user=other, **given)

    own = Panel.objects.get(judgements__reviewer=other)
    assert done == SubstitutesNamed(named=2, left=1)
    assert list(blocked_disputes(project)) == [own]
    assert set(disputes_for(project, other)) == set(Panel.objects.exclude(pk=own.pk))
    assert refusal(lambda: name_substitutes(user=other, **given)).code == "substitute_unfit"
    assert refusal(lambda: name_substitutes(user=manager, **{**given, "note": " "})).code == (
        "reason_missing"
    )
    named = AuditEvent.objects.filter(verb="panel.substitute-named")
    assert len({event.data["bulk"] for event in named}) == 1


def test_rounds_with_several_blocked_disputes_offer_one_substitute_on_page_and_api(
    opened: Callable[..., Round],
    member: Member,
    judge: Callable[..., Judgement],
    browser_of: Browser,
    project: Project,
) -> None:
    round_ = opened(4)
    reviewer, senior, manager = member(Role.REVIEWER), member(Role.SENIOR), member(Role.MANAGER)
    for _number in range(2):
        judge(round_, reviewer, correction=NEW)
        judge(round_, senior, verdict="reject")
    browser = browser_of(manager)
    assert "2 disputes" in browser.get("/projects/ti/disputes/blocked/").content.decode()
    address = f"/projects/ti/rounds/{round_.number}/substitutes/"

    browser.post(address, {"user": manager.pk, "note": "no other senior"})

    assert not blocked_disputes(project).exists()
    for _number in range(2):
        judge(round_, reviewer, correction=NEW)
        judge(round_, senior, verdict="reject")
    said = {"user": manager.email, "note": "no other senior"}
    answer = browser.post(
        f"/api/v1/rounds/{round_.pk}/substitutes/", said, content_type="application/json"
    )
    assert (answer.status_code, answer.json()) == (201, {"named": 2, "left": 0})


def test_dispute_of_the_only_senior_is_blocked_until_another_comes(
    stuck: Panel, project: Project, member: Member
) -> None:
    assert list(blocked_disputes(project)) == [stuck]

    second = member(Role.SENIOR)
    assert list(blocked_disputes(project)) == []

    Membership.objects.filter(user=second).update(is_paused=True)
    assert list(blocked_disputes(project)) == [stuck]


def test_dispute_is_blocked_where_there_is_no_senior(
    disputed: Callable[..., Panel], project: Project
) -> None:
    panel = disputed()

    assert list(blocked_disputes(project)) == [panel]


def test_candidates_read_the_language_and_have_no_part_in_the_text(
    stuck: Panel, project: Project, member: Member
) -> None:
    fit, manager = member(Role.REVIEWER), member(Role.MANAGER)
    member(Role.VIEWER)
    Membership.objects.filter(user=member(Role.REVIEWER)).update(languages=["lo"])
    Membership.objects.filter(user=member(Role.REVIEWER)).update(is_paused=True)

    assert set(candidates_for(project, [stuck])[stuck.pk]) == {fit, manager}


@pytest.mark.parametrize("verdict", ["adopt", "both"])
def test_people_involved_are_those_whose_own_it_is(
    opened: Callable[..., Round],
    member: Member,
    judge: Callable[..., Judgement],
    project: Project,
    verdict: str,
) -> None:
    round_ = opened(1)
    first, second, senior = member(Role.REVIEWER), member(Role.REVIEWER), member(Role.SENIOR)
    said = judge(round_, first, correction=NEW)
    if verdict == "both":
        judge(round_, second, correction=NEW)
    else:
        judge(round_, second, verdict="reject")
        adjudicate_panel(
            panel=Panel.objects.get(),
            senior=senior,
            content=DecisionContent(kind="adopt", judgement=said),
            now=timezone.now(),
        )
    close_round(round_=round_, actor=None, now=timezone.now())
    again = opened(0, is_same_panel_allowed=True)
    judge(again, member(Role.REVIEWER), verdict="reject")
    judge(again, member(Role.REVIEWER))
    panel = Panel.objects.select_related("revision").get(round=again)

    assert people_involved([panel])[panel.pk] == {
        user.pk
        for user in User.objects.all()
        if Panel.objects.filter(own_panels(user), pk=panel.pk).exists()
    }
    assert first.pk in people_involved([panel])[panel.pk]


def test_substitute_settles_it_and_nothing_else(
    stuck: Panel, project: Project, member: Member, browser_of: Browser
) -> None:
    reviewer, manager = member(Role.REVIEWER), member(Role.MANAGER)
    browser = browser_of(reviewer)
    assert browser.get("/projects/ti/disputes/").status_code == 403

    named = name(stuck, reviewer, manager)

    assert (named.named_by, named.note) == (manager, "only they can")
    event = AuditEvent.objects.get(verb="panel.substitute-named")
    assert (event.actor, event.data["substitute"], event.data["note"]) == (
        manager, reviewer.email, "only they can",
    )  # fmt: skip
    assert list(disputes_for(project, reviewer)) == [stuck]
    assert list(blocked_disputes(project)) == []
    assert f"/disputes/{stuck.pk}/" in browser.get("/projects/ti/disputes/").content.decode()
    assert browser.get(f"/projects/ti/disputes/{stuck.pk}/").status_code == 200
    browser.post(f"/projects/ti/disputes/{stuck.pk}/adjudicate/", {"decision": "reject"})
    assert Panel.objects.get().adjudication.senior == reviewer
    assert list(disputes_for(project, reviewer)) == []


def test_substitute_lands_in_the_queue_when_done_and_can_take_the_decision_back(
    stuck: Panel, member: Member, browser_of: Browser
) -> None:
    reviewer = member(Role.REVIEWER)
    browser = browser_of(reviewer)
    name(stuck, reviewer, member(Role.MANAGER))

    done = browser.post(
        f"/projects/ti/disputes/{stuck.pk}/adjudicate/", {"decision": "reject"}, follow=True
    )
    assert done.status_code == 200
    assert "No more disputes wait for you." in done.content.decode()
    assert stuck.item.uid in browser.get("/projects/ti/disputes/settled/").content.decode()
    browser.post(f"/projects/ti/disputes/{stuck.pk}/reopen/", {"reason": "a slip"})
    assert Panel.objects.get().state == "disputed"


@pytest.mark.parametrize(
    "change", [{"is_paused": True}, {"role": Role.VIEWER}, {"project": None}, {"judged": True}]
)
def test_dispute_is_blocked_again_when_its_substitute_cannot_settle_it(
    stuck: Panel,
    project: Project,
    member: Member,
    judge: Callable[..., Judgement],
    change: dict[str, object],
) -> None:
    first, manager = member(Role.REVIEWER), member(Role.MANAGER)
    name(stuck, first, manager)
    places = Membership.objects.filter(user=first)

    if "judged" in change:
        ask_further_judgement(panel=stuck, actor=member(Role.SENIOR), now=timezone.now())
        judge(stuck.round, first)
        Membership.objects.filter(role=Role.SENIOR).update(is_paused=True)
    elif "project" in change:
        places.delete()
    else:
        places.update(**change)

    assert list(blocked_disputes(project)) == [stuck]
    second = member(Role.REVIEWER)
    name(stuck, second, manager)
    assert list(disputes_for(project, second)) == [stuck]
    assert list(blocked_disputes(project)) == []


def test_first_page_and_overview_tell_the_substitute(
    stuck: Panel, project: Project, member: Member, browser_of: Browser
) -> None:
    fit, manager = member(Role.REVIEWER), member(Role.MANAGER)
    browser = browser_of(fit)
    assert "1 dispute to settle" not in browser.get("/").content.decode()

    name(stuck, fit, manager)

    assert "1 dispute to settle" in browser.get("/").content.decode()
    overview = browser.get("/projects/ti/").content.decode()
    assert "<b>1 dispute</b> waits for you" in overview
    assert "You cannot settle it" not in overview
    Membership.objects.filter(user=fit).update(role=Role.VIEWER)
    assert "1 dispute to settle" not in browser.get("/").content.decode()


def test_each_refusal(stuck: Panel, project: Project, member: Member) -> None:
    manager, fit = member(Role.MANAGER), member(Role.REVIEWER)
    judged = stuck.judgements.get(verdict="revise").reviewer

    assert refusal(lambda: name(stuck, fit, manager, note=" ")).code == "reason_missing"
    assert refusal(lambda: name(stuck, judged, manager)).code == "substitute_unfit"
    assert refusal(lambda: name(stuck, member(Role.VIEWER), manager)).code == "substitute_unfit"
    assert refusal(lambda: name(stuck, User(), manager)).code == "substitute_unfit"
    name(stuck, fit, manager)
    assert refusal(lambda: name(stuck, fit, manager)).code == "substitute_not_needed"
    Panel.objects.update(state="settled")
    assert refusal(lambda: name(stuck, fit, manager)).code == "dispute_settled"


def test_dispute_that_a_senior_can_settle_needs_no_substitute(
    disputed: Callable[..., Panel], member: Member
) -> None:
    panel = disputed()
    member(Role.SENIOR)

    assert refusal(lambda: name(panel, member(Role.REVIEWER), member(Role.MANAGER))).code == (
        "substitute_not_needed"
    )


def test_manager_names_a_substitute_on_the_page(
    stuck: Panel, member: Member, browser_of: Browser
) -> None:
    fit, browser = member(Role.REVIEWER), browser_of(member(Role.MANAGER))

    assert browser.get("/projects/ti/disputes/").context["blocked"] == 1
    page = browser.get("/projects/ti/disputes/blocked/").content.decode()
    assert fit.name in page
    for odd in ("", "x", "9" * 30):
        sent = browser.post(
            f"/projects/ti/disputes/{stuck.pk}/substitute/", {"user": odd, "note": "n"}
        )
        assert sent.status_code == 400
    browser.post(f"/projects/ti/disputes/{stuck.pk}/substitute/", {"user": fit.pk, "note": "away"})
    assert Substitute.objects.get().user == fit


def test_manager_names_a_substitute_through_the_api(
    stuck: Panel, member: Member, browser_of: Browser
) -> None:
    fit, browser = member(Role.REVIEWER), browser_of(member(Role.MANAGER))

    (row,) = browser.get("/api/v1/projects/ti/disputes/blocked/").json()["results"]
    assert (row["id"], row["item"]) == (stuck.pk, stuck.item.uid)
    assert {"email": fit.email, "name": fit.name} in row["candidates"]
    sent = browser.post(
        f"/api/v1/disputes/{stuck.pk}/substitute/",
        {"user": fit.email, "note": "away"},
        content_type="application/json",
    )
    assert (sent.status_code, sent.json()) == (201, {"substitute": fit.email})


@pytest.mark.parametrize("count", [1, 3])
def test_page_of_blocked_disputes_costs_the_same_for_one_and_three(
    disputed: Callable[..., Panel],
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Callable[..., object],
    count: int,
) -> None:
    disputed(count)
    browser = browser_of(member(Role.MANAGER))
    browser.get("/projects/ti/disputes/blocked/")

    with django_assert_num_queries(16):  # type: ignore[attr-defined]
        page = browser.get("/projects/ti/disputes/blocked/")
    assert len(page.context["rows"]) == count


def test_who_answered_an_item_is_no_candidate_for_the_dispute_about_its_key(
    opened: Callable[..., Round], project: Project, member: Member
) -> None:
    answered, senior, fit = member(Role.REVIEWER), member(Role.SENIOR), member(Role.REVIEWER)
    round_ = opened(1, kind=RoundKind.SOLVING, panel_size=2)
    for person in (answered, senior):
        solve(round_, person, "B")
    close_round(round_=round_, actor=None, now=timezone.now())
    panel = Panel.objects.get()

    assert list(blocked_disputes(project)) == [panel]
    assert candidates_for(project, [panel])[panel.pk] == [fit]
