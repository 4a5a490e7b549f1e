"""Control items: planted, silent, and counted nowhere but beside their reviewers."""

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.items.revisions import approve_translation
from annotation.models import Finding, Revision
from projects.enums import Role
from projects.models import Project
from projects.rules import role_in
from review.enums import Outcome, PanelState, SeatState
from review.models import Assignment, Control, Judgement, Panel, Round
from review.outcomes import Correction
from review.people.statements import open_lines, open_work
from review.people.work import WorkFilter, accepted_text, months_of_work, own_text, work_of
from review.report.peer_queries import reviewer_tables
from review.rounds.actions.rounds import RoundHasJudgements, close_round, discard_round, open_round
from review.rounds.actions.settings import RoundInvalid, RoundSettings
from review.rounds.queries import progress_told_to, round_progress
from review.seats.actions.seats import claim_seat, give_back_seats, reserve_seats
from review.seats.waiting import people_for_what_is_left
from review.selection.control_queries import control_counts
from review.selection.controls import plan_controls, shown_text
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.withdrawals import JudgementDecided, withdraw_judgement
from review.workbench.presenters import claim_json, load_texts, panel_rows, seat_with_texts
from review.workbench.queries import judgements_visible_to
from tests.review.conftest import content

pytestmark = pytest.mark.django_db


@pytest.fixture
def planted(project: Project, items: Callable[[int], None]) -> Callable[..., Round]:
    """A round on `count` new items with `known` approved ones from which controls are drawn."""

    def make(
        count: int = 4, known: int = 10, percent: int = 30, explanation: str = "", **settings: Any
    ) -> Round:
        items(known + count)
        Revision.objects.update(explanation=explanation)
        for item in project.items.order_by("uid")[:known]:
            approve_translation(revision=item.working_translation.current_revision)
        return open_round(
            project=project,
            settings=RoundSettings(control_percent=percent, **settings),
            actor=None,
            now=timezone.now(),
        )

    return make


def judge_all(round_: Round, user: User, **said: Any) -> list[Judgement]:
    """Judge every item that `user` gets, approving what `said` says nothing else of."""
    found = []
    while seat := claim_seat(round_=round_, reviewer=user, now=timezone.now()):
        judgement = submit_judgement(
            assignment=seat,
            reviewer=user,
            revision_id=seat.panel.revision_id,
            content=content(**said),
            idempotency_key=uuid.uuid4().hex,
            now=timezone.now(),
        )
        found.append(judgement)
    return found


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def controls_of(round_: Round) -> list[Panel]:
    return list(Panel.with_controls.filter(round=round_, is_control=True).order_by("position"))


def test_round_gets_its_share_of_controls_half_of_them_degraded(
    planted: Callable[..., Round],
) -> None:
    round_ = planted(count=20, percent=30)

    found = controls_of(round_)
    assert len(found) == round_.control_count == 6
    assert Control.objects.exclude(fault="").count() == 3
    assert round_.panel_count == 20
    positions = Panel.with_controls.filter(round=round_).values_list("position", flat=True)
    assert sorted(positions) == list(range(1, 27))
    assert Assignment.objects.filter(round=round_).count() == 26 * 2


def test_controls_repeat_what_figures_are_grouped_by(planted: Callable[..., Round]) -> None:
    controls = controls_of(planted())

    assert controls
    assert [(each.subject_id, each.system) for each in controls] == [
        (each.item.subject_id, each.revision.translation.system) for each in controls
    ]


def test_same_seed_plants_the_same_controls(planted: Callable[..., Round]) -> None:
    round_ = planted(count=10, seed=3)
    before = [
        (p.item_id, p.position, p.control.fault, p.control.options) for p in controls_of(round_)
    ]
    discard_round(round_=round_, actor=None, now=timezone.now())
    assert not Control.objects.exists()

    again = open_round(
        project=round_.project,
        settings=RoundSettings(control_percent=30, seed=3),
        actor=None,
        now=timezone.now(),
    )

    after = [
        (p.item_id, p.position, p.control.fault, p.control.options) for p in controls_of(again)
    ]
    assert before == after


def test_seed_that_everybody_may_know_does_not_tell_the_controls(
    planted: Callable[..., Round], settings: Any
) -> None:
    round_ = planted(count=10, seed=3)
    chosen = {panel.item_id for panel in Panel.objects.filter(round=round_, is_control=False)}

    def drawn() -> list[tuple[int, int]]:
        return [(each.item, each.position) for each in plan_controls(round_, chosen, percent=30)]

    here = drawn()
    settings.SECRET_KEY = "another server's"

    assert drawn() != here


def test_controls_without_an_approved_item_are_refused(
    project: Project, items: Callable[[int], None]
) -> None:
    items(3)

    with pytest.raises(RoundInvalid) as refused:
        open_round(
            project=project,
            settings=RoundSettings(control_percent=5),
            actor=None,
            now=timezone.now(),
        )

    assert "control_percent" in refused.value.fields


@pytest.mark.parametrize("percent", [-1, 31])
def test_share_of_controls_has_limits(
    project: Project, items: Callable[[int], None], percent: int
) -> None:
    items(3)

    with pytest.raises(RoundInvalid):
        open_round(
            project=project,
            settings=RoundSettings(control_percent=percent),
            actor=None,
            now=timezone.now(),
        )


def test_reviewer_judges_the_text_that_is_shown(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    judge_all(round_, person)

    shown = Judgement.with_controls.filter(reviewer=person, is_control=True)
    assert shown.count() == round_.control_count == 2
    assert "control" not in client_of(person).get("/my-work/").content.decode()
    assert "control" not in client_of(person).get("/api/v1/me/work/").content.decode()
    for row in work_of(person, WorkFilter()):
        if row.is_control:
            control = row.panel.control
            assert own_text(row) == Correction(control.question, tuple(control.options))


def test_fault_in_an_explanation_is_shown_to_reviewers_and_nowhere_else(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    text = "དེའི་ལོ་ ༡༩༥༩ ཡིན།"
    round_ = planted(explanation=text, known=20, count=20)
    control = Control.objects.filter(field="explanation").order_by("pk")[0]
    panel = Panel.with_controls.get(pk=control.pk)
    seat = Assignment.objects.filter(panel=panel, round=round_).order_by("pk")[0]
    seat.reviewer = reviewers(1)[0]

    shown = json.dumps(claim_json(load_texts(seat)), ensure_ascii=False)

    assert control.explanation != text
    assert (control.explanation in shown, text in shown) == (True, False)
    assert shown_text(panel).explanation == control.explanation
    assert {revision.explanation for revision in Revision.objects.all()} == {text}


def test_controls_count_in_no_figure(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    first, second = reviewers(2)
    judge_all(round_, first)
    judge_all(round_, second)

    round_.refresh_from_db()
    assert round_.judged_count == Judgement.objects.count() == 8
    assert round_.control_judged_count == 4
    assert round_progress(round_).seats == round_progress(round_).seats_judged == 8
    closed = close_round(round_=round_, actor=None, now=timezone.now())
    assert closed.figures["approval_rate"]["n_used"] == 4
    tables = reviewer_tables(round_.project)
    assert [row.figures.judgements for row in tables.reviewers] == [4, 4]
    assert {p.state for p in Panel.objects.filter(round=round_)} == {PanelState.SETTLED}


def test_control_changes_nothing_of_its_item(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    first, second = reviewers(2)
    judge_all(round_, first, verdict="reject")
    judge_all(round_, second, verdict="reject")

    for panel in controls_of(round_):
        panel.item.working_translation.refresh_from_db()
        assert panel.item.working_translation.state == "approved"
        assert panel.outcome == Outcome.REJECTED
        assert panel.state == PanelState.SETTLED


def test_disagreement_on_a_control_waits_for_no_senior(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    first, second = reviewers(2)
    judge_all(round_, first)
    judge_all(round_, second, verdict="reject")

    fates = {row.fate for row in work_of(first, WorkFilter())}
    assert {panel.state for panel in controls_of(round_)} == {PanelState.SETTLED}
    assert fates == {"disputed"}
    items = [panel.item_id for panel in controls_of(round_)]
    close_round(round_=round_, actor=None, now=timezone.now())
    again = open_round(
        project=round_.project,
        settings=RoundSettings(selection="all"),
        actor=None,
        now=timezone.now(),
    )
    assert set(items) <= set(again.panels.values_list("item", flat=True))


def test_reviewer_sees_controls_among_their_work_and_is_paid_for_them(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]], project: Project
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    said = judge_all(round_, person, active_seconds=0)

    assert len(said) == 6
    assert judgements_visible_to(project, person).count() == 6
    assert work_of(person, WorkFilter()).count() == 6
    (month,) = months_of_work(person, WorkFilter())
    assert month.judgements == 6
    (line,) = open_lines(project, month.month, open_work(project, month.month))
    assert line.judgements == 6


def test_manager_does_not_export_controls_among_judgements(
    planted: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
    member: Callable[..., User],
) -> None:
    round_ = planted()
    judge_all(round_, *reviewers(1))
    close_round(round_=round_, actor=None, now=timezone.now())

    assert judgements_visible_to(project, member(Role.MANAGER)).count() == 4


def test_progress_moves_with_every_judgement_for_who_judges(
    planted: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    member: Callable[..., User],
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    manager = member(Role.MANAGER)
    judge_all(round_, person)
    round_ = Round.objects.get(pk=round_.pk)

    told = progress_told_to(person, round_)
    assert (told.seats_judged, told.seats, told.panels) == (6, 12, 6)
    assert told.judging + told.settled + told.disputed == told.panels
    assert progress_told_to(manager, round_).seats_judged == 4


def test_seniors_get_no_controls(
    planted: Callable[..., Round], member: Callable[..., User]
) -> None:
    round_ = planted()

    said = judge_all(round_, member(Role.SENIOR))

    assert len(said) == 4
    assert not any(each.is_control for each in said)


def test_only_controls_left_keep_nobody_waiting(
    planted: Callable[..., Round],
    member: Callable[..., User],
    reviewers: Callable[[int], list[User]],
) -> None:
    round_ = planted(panel_size=1)
    reviewers(1)
    judge_all(round_, member(Role.SENIOR))

    assert people_for_what_is_left(round_, now=timezone.now()) == []


def test_reviewers_cannot_browse_items_while_controls_are_out(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]], project: Project
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    uid = controls_of(round_)[0].item_id
    client = Client()
    client.force_login(person)

    refused = client.get(f"/projects/{project.slug}/items/")
    assert refused.status_code == 403
    assert (
        "Reviewers can open this page again when the round is closed." in refused.content.decode()
    )
    assert "control" not in refused.content.decode()
    assert client.get(f"/projects/{project.slug}/items/{uid}/").status_code == 403
    assert client.get(f"/api/v1/projects/{project.slug}/items/").status_code == 403
    close_round(round_=round_, actor=None, now=timezone.now())
    assert client.get(f"/projects/{project.slug}/items/{uid}/").status_code == 200


def test_reviewer_cannot_tell_a_control_from_an_item_by_what_the_api_says(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    client = Client()
    client.force_login(person)
    keys: dict[bool, set[str]] = {}

    for _n in range(6):
        answer = client.post(f"/api/v1/rounds/{round_.pk}/claim/")
        seat = answer.json()
        is_control = Assignment.objects.get(pk=seat["assignment"]).panel.is_control
        sent = client.post(
            f"/api/v1/assignments/{seat['assignment']}/judgement/",
            {
                "verdict": "approve",
                "ratings": {"domain": 4, "cultural": 4},
                "tags": [],
                "comment": "",
                "active_seconds": 1,
                "revision": seat["revision"]["id"],
            },
            content_type="application/json",
            headers={"Idempotency-Key": uuid.uuid4().hex},
        )
        assert sent.status_code in (200, 201), sent.content
        said = {*seat, *seat["item"], *seat["revision"], *seat["source"], *sent.json()}
        keys.setdefault(is_control, set()).update(said)
        assert "control" not in (answer.content + sent.content).decode()

    assert keys[True] == keys[False]


def test_reservations_hold_controls_like_items_and_give_them_back(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    (person,) = reviewers(1)

    held = reserve_seats(round_=round_, reviewer=person, now=timezone.now())
    assert [seat.position for seat in held] == [1, 2, 3, 4, 5, 6]
    assert len({seat.expires_at for seat in held}) == 1
    assert give_back_seats(person, round_.project.slug, timezone.now()) == 6
    assert set(Assignment.objects.values_list("state", flat=True)) == {SeatState.OPEN}


def test_judgement_of_a_control_is_taken_back_like_another(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    first, second = reviewers(2)
    said = next(each for each in judge_all(round_, first) if each.is_control)

    seat = withdraw_judgement(judgement=said, reviewer=first, now=timezone.now())

    assert seat.state == SeatState.CLAIMED
    round_.refresh_from_db()
    assert (round_.judged_count, round_.control_judged_count) == (4, 1)
    again = submit_judgement(
        assignment=seat,
        reviewer=first,
        revision_id=said.revision_id,
        content=content(verdict="reject"),
        idempotency_key="again",
        now=timezone.now(),
    )
    judge_all(round_, second)
    with pytest.raises(JudgementDecided):
        withdraw_judgement(judgement=again, reviewer=first, now=timezone.now())


def test_round_with_a_judged_control_is_not_discarded(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted()
    (person,) = reviewers(1)
    for said in judge_all(round_, person):
        if not said.is_control:
            withdraw_judgement(judgement=said, reviewer=person, now=timezone.now())
            give_back_seats(person, round_.project.slug, timezone.now())

    with pytest.raises(RoundHasJudgements):
        discard_round(round_=round_, actor=None, now=timezone.now())


def test_reviewers_page_counts_found_missed_and_false_alarms(
    planted: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
    member: Callable[..., User],
) -> None:
    round_ = planted(count=20, percent=30)
    lax, strict = reviewers(2)
    judge_all(round_, lax)
    judge_all(round_, strict, verdict="reject")

    counts = control_counts(project)
    assert (counts[lax.pk].found, counts[lax.pk].missed, counts[lax.pk].false_alarms) == (0, 3, 0)
    assert (counts[strict.pk].found, counts[strict.pk].false_alarms) == (3, 3)
    assert counts[strict.pk].agreement.value == 0.5
    client = Client()
    client.force_login(member(Role.MANAGER))
    page = client.get("/projects/ti/report/reviewers/").content.decode()
    assert "Planted faults found" in page
    assert role_in(lax, project) == Role.REVIEWER


def test_closing_tells_in_my_work_what_the_control_was(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = planted(count=20)
    (person,) = reviewers(1)
    judge_all(round_, person)
    close_round(round_=round_, actor=None, now=timezone.now())

    page = client_of(person).get("/my-work/").content.decode()
    assert "This was a control item with a planted fault" in page
    assert "This was a control item, shown as it is" in page
    (month,) = months_of_work(person, WorkFilter())
    assert (month.judgements, month.decided) == (26, 0)
    told = [row for row in work_of(person, WorkFilter()) if row.is_control]
    assert {bool(row.panel.control.fault): row.fate for row in told} == {
        True: "edited",
        False: "kept",
    }
    for row in told:
        revision = row.panel.revision
        assert accepted_text(row) == Correction(revision.question, tuple(revision.options))


def test_reviewer_looks_up_terms_but_no_items_while_controls_are_about(
    planted: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    browser_of: Callable[[User], Client],
) -> None:
    round_ = planted()
    (reviewer,) = reviewers(1)
    claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())
    browser, base = browser_of(reviewer), f"/projects/{round_.project.slug}"
    page = browser.get(f"{base}/rounds/{round_.number}/workbench/").content.decode()
    assert "data-assignment" in page
    assert sorted(set(re.findall(r'data-help="(\w+)"', page))) == ["propose"]
    assert "/comments/" not in page
    addresses = ("glossary/", "glossary/propose/", "concordance/", "memory/", "items/")
    answers = [browser.get(f"{base}/{address}").status_code for address in addresses]
    assert answers == [200, 200, 403, 403, 403]


def test_findings_of_a_planted_fault_are_those_of_the_text_shown(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]], project: Project
) -> None:
    round_ = planted(panel_size=1)
    (person,) = reviewers(1)
    (panel, *_rest) = [each for each in controls_of(round_) if each.control.fault]
    Control.objects.filter(pk=panel.control.pk).update(
        fault="option_repeated", field="options.1", options=["གཅིག", "གཅིག", "གསུམ", "བཞི"]
    )
    Finding.objects.create(
        revision=panel.revision,
        code="empty_text",
        severity="info",
        field="question",
        created_at=timezone.now(),
    )
    seat = Assignment.objects.filter(panel=panel).first()
    assert seat is not None
    Assignment.objects.filter(pk=seat.pk).update(
        reviewer=person, state=SeatState.CLAIMED, expires_at=timezone.now() + timedelta(hours=1)
    )
    seat.refresh_from_db()

    codes = [each["code"] for each in claim_json(load_texts(seat))["findings"]]
    rows = panel_rows(seat_with_texts(seat).panel)
    typed = client_of(person).post(
        f"/api/v1/assignments/{seat.pk}/check/",
        {"question": panel.control.question, "options": ["གཅིག", "གཅིག", "གསུམ", "བཞི"]},
        content_type="application/json",
    )

    assert "equal_options" in codes
    assert "empty_text" not in codes
    assert {each.code for row in rows for each in row.findings} == set(codes)
    assert {each["code"] for each in typed.json()["findings"]} == set(codes)


def test_no_figure_of_a_reviewer_alone_tells_a_control_from_an_item(
    planted: Callable[..., Round], reviewers: Callable[[int], list[User]], project: Project
) -> None:
    """What changes with the judgement of an item changes with that of a control."""
    round_ = planted(panel_size=1)
    (person,) = reviewers(1)
    client = client_of(person)
    moved: dict[bool, set[frozenset[str]]] = {True: set(), False: set()}
    judge_next(round_, person)  # so that figures are there
    while True:
        before = figures_seen(client, round_)
        judgement = judge_next(round_, person)
        if judgement is None:
            break
        after = figures_seen(client, round_)
        changed = frozenset(name for name, body in after.items() if body != before[name])
        moved[judgement.is_control].add(changed)

    assert moved[True]
    assert moved[True] == moved[False]


def figures_seen(client: Client, round_: Round) -> dict[str, str]:
    """What a reviewer reads of the project's figures, by address."""
    slug = round_.project.slug
    pages = ["", "report/", "report/stages.json", "rounds/", f"rounds/{round_.number}/"]
    addresses = [f"/projects/{slug}/{page}" for page in pages]
    addresses += [f"/api/v1/projects/{slug}/report/", f"/api/v1/rounds/{round_.pk}/"]
    found = {}
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        body = answer.content.decode()
        found[address] = re.sub(
            r'(name="csrfmiddlewaretoken" value|nonce|X-CSRFToken)\S+', "", body
        )
    return found


def judge_next(round_: Round, user: User) -> Judgement | None:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    if seat is None:
        return None
    return submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=seat.panel.revision_id,
        content=content(),
        idempotency_key=uuid.uuid4().hex,
        now=timezone.now(),
    )


def test_page_of_a_round_tells_its_share_of_controls_to_managers_alone(
    planted: Callable[..., Round], member: Callable[..., User]
) -> None:
    planted(percent=30)
    for role in Role:
        page = client_of(member(role)).get("/projects/ti/rounds/1/").content.decode()
        assert ("Control items per 100 items" in page) == (role == Role.MANAGER), role
        assert ("ontrol item" in page) == (role == Role.MANAGER), role
