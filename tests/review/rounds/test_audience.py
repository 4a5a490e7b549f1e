"""Whom a round asks: roles, languages, people left out, and an expert on each panel."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Revision
from common.errors import DomainError
from projects.enums import Role
from projects.models import Membership, Project, Subject
from review.audience import Audience
from review.enums import RoundKind, SeatState, Selection, SkipReason
from review.models import Assignment, Judgement, Panel, Round
from review.rounds.actions.rounds import RoundNotFinishable, close_round, open_round, preview_of
from review.rounds.actions.settings import RoundSettings
from review.rounds.labels import late_text, senior_text, timing_text
from review.rounds.previews import RoundPreview, preview_round, recent_pace
from review.rounds.staffing import Forecast, ItemGroup, Judge, Shortage, ShortageCode, forecast
from review.seats.actions.seats import claim_seat, free_expired_seats, skip_seat
from review.seats.refusals import NotAsked
from tests.markup import squeezed

NOW = timezone.now()
LAW, ART = 1, 2
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judging = Callable[..., Judgement]
Member = Callable[..., User]
Browser = Callable[[User], Client]
ROUNDS_API = "/api/v1/projects/ti/rounds/"


def make_expert(user: User, project: Project) -> User:
    membership = Membership.objects.get(user=user, project=project)
    membership.subjects.set(Subject.objects.filter(project=project))
    return user


def take(round_: Round, user: User, now: Any = NOW) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=now)
    assert seat is not None
    return seat


@pytest.mark.django_db
@pytest.mark.parametrize(
    "settings",
    [
        {"roles": ["senior"]},
        {"languages": ["zh"]},
        {"languages": ["bo", "zh"]},
        {"excluded_people": ["the reviewer"]},
    ],
)
def test_person_whom_a_round_does_not_ask_gets_no_seat(
    opened: Open, project: Project, member: Member, settings: dict[str, Any]
) -> None:
    reviewer, senior = member(Role.REVIEWER), member(Role.SENIOR)
    Membership.objects.filter(user=reviewer).update(languages=["bo"])
    Membership.objects.filter(user=senior).update(languages=["bo", "zh-Hans"])
    if "excluded_people" in settings:
        settings = {"excluded_people": [reviewer.pk]}
    round_ = opened(1, panel_size=1, **settings)

    with pytest.raises(NotAsked):
        claim_seat(round_=round_, reviewer=reviewer, now=NOW)
    assert claim_seat(round_=round_, reviewer=senior, now=NOW) is not None
    preview = preview_of(project, RoundSettings(**settings))
    assert {each.user: each.is_asked for each in preview.people} == {
        reviewer.pk: False,
        senior.pk: True,
    }
    assert preview.forecast.judges == 1


@pytest.mark.django_db
def test_one_seat_of_each_panel_is_for_an_expert(
    opened: Open, project: Project, reviewers: People, judge: Judging
) -> None:
    first, second, third, expert = reviewers(4)
    round_ = opened(3, panel_size=2, needs_expert=True)
    make_expert(expert, project)

    for _item in range(3):
        judge(round_, first)

    assert claim_seat(round_=round_, reviewer=first, now=NOW) is None
    assert claim_seat(round_=round_, reviewer=second, now=NOW) is None
    for _item in range(3):
        judge(round_, expert)
    assert claim_seat(round_=round_, reviewer=third, now=NOW) is None
    assert set(Panel.objects.values_list("state", flat=True)) == {"settled"}
    assert set(Assignment.objects.values_list("seat", "reviewer")) == {
        (1, expert.pk),
        (2, first.pk),
    }


@pytest.mark.django_db
def test_kept_seat_is_anybodys_when_an_expert_judged_from_the_other(
    opened: Open, project: Project, reviewers: People, judge: Judging
) -> None:
    first, second, anybody = reviewers(3)
    round_ = opened(1, panel_size=2, needs_expert=True)
    for person in (first, second):
        make_expert(person, project)
    kept = take(round_, first)
    other = take(round_, second)
    skip_seat(assignment=kept, reviewer=first, reason=SkipReason.OTHER, note="", now=NOW)

    assert (kept.seat, other.seat) == (1, 2)
    assert claim_seat(round_=round_, reviewer=anybody, now=NOW) is None
    judge(round_, second)
    assert take(round_, anybody).seat == 1


@pytest.mark.django_db
def test_expert_whose_time_ran_out_leaves_the_seat_to_experts(
    opened: Open, project: Project, reviewers: People
) -> None:
    expert, anybody = reviewers(2)
    round_ = opened(1, panel_size=1, needs_expert=True)
    make_expert(expert, project)
    take(round_, expert)
    later = NOW + timedelta(hours=1)
    free_expired_seats(round_=round_, now=later)

    assert claim_seat(round_=round_, reviewer=anybody, now=later) is None
    assert take(round_, expert, later).state == SeatState.CLAIMED


@pytest.mark.django_db
def test_claim_asks_as_much_with_experts_as_without(
    opened: Open, project: Project, reviewers: People
) -> None:
    first, second = reviewers(2)
    counts = []
    for number, needs_expert in enumerate((False, True)):
        round_ = opened(3 if not number else 0, panel_size=2, needs_expert=needs_expert)
        take(round_, second)
        with CaptureQueriesContext(connection) as queries:
            take(round_, first)
        counts.append(len(queries))
        Assignment.objects.update(state=SeatState.CLOSED, reviewer=None)
        Round.objects.update(state="closed")

    assert counts[0] == counts[1]


def test_items_that_no_expert_may_judge_are_a_shortage() -> None:
    judges = [Judge(1, frozenset({LAW})), Judge(2), Judge(3)]
    groups = {ItemGroup(LAW): 4, ItemGroup(LAW, frozenset({1})): 1, ItemGroup(ART): 3}

    found = forecast(groups, judges, panel_size=2, needs_expert=True)

    assert found.shortages == (Shortage(ShortageCode.NO_EXPERT, 4, (LAW, ART)),)
    assert forecast(groups, judges, panel_size=2).is_finishable


@pytest.mark.parametrize(
    ("judges", "needs_expert", "expected"),
    [
        ([Judge(1), Judge(2), Judge(3), Judge(4)], False, 15),
        ([Judge(1, frozenset({LAW})), Judge(2), Judge(3), Judge(4)], True, 20),
        ([Judge(1, frozenset({ART})), Judge(2), Judge(3)], False, 20),
        ([Judge(1, frozenset({ART})), Judge(2, frozenset({LAW})), Judge(3)], False, 20),
        ([], False, 0),
    ],
)
def test_workload_is_the_largest_share_of_one_person(
    judges: list[Judge], needs_expert: bool, expected: int
) -> None:
    groups = {ItemGroup(LAW): 20, ItemGroup(ART): 10}
    found = forecast(groups, judges, panel_size=2, needs_expert=needs_expert)
    assert found.workload == expected


@pytest.mark.django_db
def test_pace_is_the_median_of_a_person_and_a_day(
    opened: Open, project: Project, reviewers: People, judge: Judging
) -> None:
    assert recent_pace(project) is None
    first, second = reviewers(2)
    round_ = opened(6, panel_size=2)
    for _item in range(6):
        judge(round_, first)
    for _item in range(2):
        judge(round_, second)
    yesterday = Judgement.objects.filter(reviewer=first).values_list("pk", flat=True)[:1]
    Judgement.objects.filter(pk__in=list(yesterday)).update(
        submitted_at=timezone.now() - timedelta(days=1)
    )

    assert recent_pace(project) == 2.0  # of 1, 2 and 5
    preview = preview_round(
        project, project.items.none(), panel_size=1, cap_per_person=None, is_same_panel_allowed=True
    )
    assert preview.pace == 2.0


@pytest.mark.django_db
@pytest.mark.both_databases
def test_preview_counts_each_item_once_whoever_wrote_or_judged_it(
    opened: Open, project: Project, reviewers: People, judge: Judging
) -> None:
    first, second, third = reviewers(3)
    round_ = opened(4, panel_size=1)
    judged = {judge(round_, first).panel.item_id for _turn in range(2)}
    close_round(round_=round_, actor=None, now=NOW)
    texts = Revision.objects.filter(translation__item__project=project)
    texts.filter(translation__item__in=judged).update(author=first)  # judged it and wrote it
    other = texts.exclude(translation__item__in=judged).order_by("pk").first()
    texts.filter(pk=other.pk).update(author=second)

    def counted(**settings: Any) -> dict[int, int]:
        chosen = RoundSettings(selection=Selection.ALL, panel_size=1, **settings)
        found = preview_of(project, chosen).forecast
        assert found.items == (settings.get("sample_size") or 4)
        return dict(found.items_for)

    assert counted(is_same_panel_allowed=False) == {first.pk: 2, second.pk: 3, third.pk: 4}
    assert counted(is_same_panel_allowed=True) == {first.pk: 2, second.pk: 3, third.pk: 4}
    texts.update(author=None)
    assert counted(is_same_panel_allowed=False) == {first.pk: 2, second.pk: 4, third.pk: 4}
    assert counted(is_same_panel_allowed=True) == dict.fromkeys((first.pk, second.pk, third.pk), 4)
    drawn = counted(is_same_panel_allowed=False, sample_size=3)
    assert drawn[third.pk] == 3
    assert drawn[first.pk] in (1, 2)


@pytest.mark.django_db
def test_round_whose_seniors_may_all_sit_on_one_panel_is_warned_of(
    project: Project, member: Callable[..., User], reviewers: People
) -> None:
    def told(panel_size: int = 2, **settings: Any) -> str:
        preview = preview_round(
            project,
            project.items.none(),
            panel_size=panel_size,
            cap_per_person=None,
            is_same_panel_allowed=True,
            **settings,
        )
        return senior_text(preview)

    reviewers(2)
    assert "no active senior" in told()
    senior = member(Role.SENIOR, name="Sonam")
    assert "Every senior is asked to judge in this round: Sonam." in told()
    assert told(audience=Audience(roles=(Role.REVIEWER,))) == ""
    assert told(kind=RoundKind.COMPARISON) == ""
    Membership.objects.filter(user=member(Role.SENIOR)).update(is_paused=True)
    assert told()
    Membership.objects.exclude(user=senior).update(is_paused=False)
    assert told()
    assert told(panel_size=1) == ""


def preview_with(workload: int, pace: float | None) -> RoundPreview:
    made = Forecast(items=9, panel_size=2, judges=3, largest_panel=3, workload=workload)
    return RoundPreview(made, [], pace)


def test_timing_says_how_long_and_until_when() -> None:
    today = date(2026, 11, 20)

    assert timing_text(preview_with(50, 20.0), today) == (
        "The busiest person judges at least 50 items. At the pace of the last rounds, 20 "
        "judgements by one person on one day, this takes at least 3 days, until 22 Nov 2026 if "
        "work begins today."
    )
    assert timing_text(preview_with(50, None), today).endswith(
        "No pace is known yet: nobody has judged anything in this project."
    )
    assert timing_text(preview_with(0, 20.0), today) == ""
    assert timing_text(preview_with(10**9, 0.5), today)


def test_preview_of_no_items_says_so() -> None:
    made = Forecast(items=0, panel_size=2, judges=3, largest_panel=0)

    assert timing_text(RoundPreview(made, [], None), date(2026, 1, 5)) == (
        "No item matches this choice."
    )


@pytest.mark.parametrize(
    ("due_on", "pace", "is_late"),
    [
        (date(2026, 11, 21), 20.0, True),
        (date(2026, 11, 22), 20.0, False),
        (date(2026, 11, 21), None, False),
        (None, 20.0, False),
    ],
)
def test_due_date_before_the_end_of_the_work_is_told(
    due_on: date | None, pace: float | None, is_late: bool
) -> None:
    assert bool(late_text(preview_with(50, pace), date(2026, 11, 20), due_on)) is is_late


@pytest.mark.django_db
def test_audience_is_stored_and_read_back(opened: Open, member: Member) -> None:
    person = member(Role.REVIEWER)
    round_ = opened(
        1, roles=["reviewer"], languages=["bo"], excluded_people=[person.pk], needs_expert=True
    )
    assert Audience.from_json(Round.objects.get(pk=round_.pk).audience) == Audience(
        roles=("reviewer",), languages=("bo",), excluded=(person.pk,), needs_expert=True
    )
    assert Audience.from_json({}) == Audience()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "field"), [({"roles": ["manager"]}, "roles"), ({"excluded_people": [77]}, "excluded_people")]
)  # fmt: skip
def test_audience_of_others_is_refused_by_field(
    project: Project, settings: dict[str, Any], field: str
) -> None:
    with pytest.raises(DomainError) as refused:
        open_round(project=project, settings=RoundSettings(**settings), actor=None, now=NOW)
    assert list(refused.value.fields) == [field]


@pytest.mark.django_db
def test_round_without_an_expert_needs_a_confirmation(
    project: Project, items: Callable[[int], None], reviewers: People
) -> None:
    items(1)
    reviewers(2)
    with pytest.raises(RoundNotFinishable) as refused:
        open_round(
            project=project, settings=RoundSettings(needs_expert=True), actor=None, now=NOW,
            is_unfinishable_allowed=False,
        )  # fmt: skip
    found = refused.value.preview.forecast.shortages
    assert [each.code for each in found] == [ShortageCode.NO_EXPERT]


@pytest.mark.django_db
def test_page_shows_who_and_how_long_before_the_button(
    items: Callable[[int], None],
    member: Member,
    browser_of: Callable[[User], Client],
) -> None:
    items(2)
    left_out, asked = member(Role.REVIEWER), member(Role.REVIEWER)
    browser = browser_of(member(Role.MANAGER))
    typed = {
        "selection": "all", "panel_size": 1, "verdict_rule": "unanimous", "score_gap": 2,
        "reservation_minutes": 30, "roles": ["reviewer"], "excluded_people": [left_out.pk],
        "needs_expert": "on",
    }  # fmt: skip

    shown = browser.post("/projects/ti/rounds/open/", {**typed, "preview": "1"}).content.decode()
    refused = browser.post("/projects/ti/rounds/open/", typed)
    opened = browser.post("/projects/ti/rounds/open/", {**typed, "is_unfinishable_allowed": "on"})

    assert "Not asked in this round" in shown
    assert "subjects without an expert" in shown
    assert "No pace is known yet" in shown
    assert shown.index("No pace is known yet") < shown.index("Open the round</button>")
    assert (refused.status_code, opened.status_code) == (400, 302)
    assert asked.name in shown
    assert Round.objects.get().audience == {
        "roles": ["reviewer"], "languages": [], "excluded": [left_out.pk], "needs_expert": True,
    }  # fmt: skip


@pytest.mark.django_db
def test_api_previews_a_round_and_opens_nothing(
    items: Callable[[int], None], member: Member, api_of: Callable[[User], APIClient]
) -> None:
    items(2)
    person = member(Role.REVIEWER)
    api = api_of(member(Role.MANAGER))

    body = api.post(f"{ROUNDS_API}preview/", {"panel_size": 2}, format="json").json()
    refused = api.post(f"{ROUNDS_API}preview/", {"excluded_people": [77]}, format="json")

    assert body.pop("people") == [
        {
            "user": person.pk, "name": person.name, "role": "reviewer", "subjects": "",
            "status": "", "items": 2,
        }
    ]  # fmt: skip
    (shortage,) = body.pop("shortages")
    assert (shortage["code"], shortage["count"]) == ("too_few_people", 2)
    assert body.pop("no_senior").startswith("This project has no active senior")
    assert body == {
        "items": 2, "panel_size": 2, "judges": 1, "largest_panel": 1, "workload": 2,
        "pace": None, "days": None, "finished_on": None, "left_out": 0,
    }  # fmt: skip
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["excluded_people"])
    assert not Round.objects.exists()


@pytest.mark.django_db
def test_command_says_whom_a_round_asks(
    project: Project, items: Callable[[int], None], member: Member
) -> None:
    items(1)
    person = member(Role.REVIEWER)
    call_command(
        "open_round", "ti", "--role", "reviewer", "--language", "bo", "--exclude", person.email,
        "--needs-expert", "--due-on", "2126-12-01", "--force",
    )  # fmt: skip

    round_ = Round.objects.get()
    assert round_.due_on == date(2126, 12, 1)
    assert round_.audience == {
        "roles": ["reviewer"], "languages": ["bo"], "excluded": [person.pk], "needs_expert": True,
    }  # fmt: skip
    with pytest.raises(CommandError):
        call_command("open_round", "ti", "--exclude", "nobody@example.org")


@pytest.mark.django_db
def test_page_of_a_round_says_whom_it_asks_and_names_people_to_those_who_lead(
    opened: Callable[..., Round], member: Member, browser_of: Browser
) -> None:
    left_out = member(Role.REVIEWER, name="Pema")
    opened(
        3, panel_size=1, sample_size=2, seed=7, roles=["reviewer"], languages=["en", "bo"],
        excluded_people=[left_out.pk], needs_expert=True,
    )  # fmt: skip
    pages = {
        role: squeezed(browser_of(member(role)).get("/projects/ti/rounds/1/").content.decode())
        for role in Role
    }
    for page in pages.values():
        assert "2 items, drawn with the seed 7" in page
        assert "Reviewers, not seniors" in page
        assert "Only people who also read" in page
        assert "English" in page
        assert "&lt;" not in page
        assert "comes from an expert in its subject" in page
    assert {role for role, page in pages.items() if "Pema" in page} == {Role.MANAGER, Role.SENIOR}


@pytest.mark.django_db
@pytest.mark.parametrize("roles", [[], ["senior", "reviewer"]])
def test_page_of_a_round_for_everybody_says_so(
    opened: Callable[..., Round], member: Member, browser_of: Browser, roles: list[str]
) -> None:
    opened(1, roles=roles)
    page = browser_of(member(Role.VIEWER)).get("/projects/ti/rounds/1/").content.decode()
    assert "Reviewers and seniors" in page
    assert "drawn with the seed" not in page
    assert "People who are not asked" not in page


@pytest.mark.django_db
def test_api_names_the_people_whom_a_round_excludes_only_to_those_who_lead(
    opened: Callable[..., Round], member: Member, api_of: Callable[[User], APIClient]
) -> None:
    person = member(Role.REVIEWER)
    opened(1, roles=["reviewer"], excluded_people=[person.pk])

    told = {
        role: api_of(member(role)).get(ROUNDS_API).json()["results"][0]["audience"].get("excluded")
        for role in (Role.MANAGER, Role.SENIOR, Role.REVIEWER, Role.VIEWER)
    }

    assert told == {
        Role.MANAGER: [person.pk],
        Role.SENIOR: [person.pk],
        Role.REVIEWER: None,
        Role.VIEWER: None,
    }
