"""Pages and API of comparisons and solving rounds; above all what they do not show."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item, Revision
from projects.criteria import DEFAULT_NAMES
from projects.enums import Role
from projects.models import Project
from review.answers.comparing import candidates_for
from review.enums import RoundKind, Selection
from review.models import Answer, Assignment, Round
from review.rounds.actions.rounds import close_round
from review.rounds.actions.running import pause_round
from review.rounds.labels import left_out_text
from review.seats import waiting
from review.selection.item_choice import ItemChoice, left_out_count
from tests.review.kinds import add_system, add_text, solve, take

pytestmark = pytest.mark.django_db
SECRET = "THE-EXPLANATION"
OF_THE_KEYBOARD = (
    r'(?s)<dialog\s+id="keymap".*?</dialog>|idempotency_key|keyshortcuts|text-keys|data-key'
)


@pytest.fixture
def solving(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> Callable[..., Round]:
    """A solving round whose items have the key C and an explanation."""

    def make(count: int = 1, **settings: Any) -> Round:
        items(count)
        Item.objects.filter(project=project).update(key="C", explanation=SECRET)
        return opened(0, kind=RoundKind.SOLVING, **settings)

    return make


@pytest.fixture
def comparing(
    project: Project, items: Callable[[int], None], opened: Callable[..., Round]
) -> Callable[..., Round]:
    def make(count: int = 1, **settings: Any) -> Round:
        items(count)
        add_system(project, "hidden-system")
        project.items.get().translations.filter(system="mt").update(system="first-system")
        return opened(0, kind=RoundKind.COMPARISON, **settings)

    return make


def test_solving_page_and_api_never_hold_the_key(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    user = member(Role.REVIEWER)
    client = browser_of(user)

    page = client.post(_url(round_, "take/"), follow=True).content.decode()
    seat = round_.assignments.get(reviewer=user)
    body = client.post(f"/api/v1/rounds/{round_.pk}/take/").json()

    assert "འདྲི་བ།" in page
    for text in (page, str(body)):
        assert SECRET not in text
        assert not re.search(r"\bkey\b", re.sub(OF_THE_KEYBOARD, "", text))
    # Every option is offered alike.
    options = re.findall(r'name="choice"\s+value="(\w+)"(.*?)>', page, re.DOTALL)
    assert [value for value, _rest in options] == ["A", "B", "C", "D", "unsure"]
    assert {re.sub(r'"\w \d"|"0"|\s|required', "", rest) for _value, rest in options} == {
        "aria-keyshortcuts="
    }
    assert body["assignment"] == seat.pk
    assert set(body) == {
        "assignment", "expires_at", "round", "kind", "item", "source", "text"
    }  # fmt: skip
    form = {"assignment": seat.pk, "idempotency_key": "k", "choice": "unsure"}
    assert "Undo" in client.post(_url(round_, "send/"), form, follow=True).content.decode()


@pytest.mark.parametrize(
    "path", ["workbench/", "workbench/shell/", "claim/", "reserve/", "submit/", "skip/"]
)
def test_pages_of_review_give_nothing_of_a_solving_round(
    solving: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    path: str,
) -> None:
    round_ = solving()
    user = member(Role.REVIEWER)
    seat = take(round_, user)
    client = browser_of(user)
    method = client.get if path.startswith("judge") else client.post
    address = f"/projects/{round_.project.slug}/rounds/{round_.number}/{path}"
    headers = {"lotsawa-fragment": "items"}

    answer: Any = method(address, {"assignment": seat.pk, "reason": "other"}, headers=headers)

    text = answer.content.decode()
    assert "འདྲི་བ།" not in text
    assert SECRET not in text
    assert not Assignment.objects.filter(pk=seat.pk).exclude(state="claimed").exists()


@pytest.mark.parametrize("path", ["judgement", "renew", "skip", "suggestion"])
def test_api_of_review_does_not_know_seats_of_a_solving_round(
    solving: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    path: str,
) -> None:
    round_ = solving()
    user = member(Role.REVIEWER)
    seat = take(round_, user)

    answer = browser_of(user).post(
        f"/api/v1/assignments/{seat.pk}/{path}/",
        {},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )

    assert answer.status_code == 404


@pytest.mark.parametrize("path", ["claim", "reserve"])
def test_api_of_review_gives_no_seat_of_a_solving_round(
    solving: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    path: str,
) -> None:
    round_ = solving()

    answer = browser_of(member(Role.REVIEWER)).post(f"/api/v1/rounds/{round_.pk}/{path}/")

    assert (answer.status_code, answer.json()["code"]) == (409, "other_kind_of_round")


def test_comparison_page_and_api_never_name_a_system(
    comparing: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = comparing()
    user = member(Role.REVIEWER)
    client = browser_of(user)

    page = client.post(_url(round_, "take/"), follow=True).content.decode()
    body = client.post(f"/api/v1/rounds/{round_.pk}/take/").json()

    for text in (page, str(body)):
        assert "གཞན།" in text
        assert "འདྲི་བ།" in text
        assert "hidden-system" not in text
        assert "first-system" not in text
        assert "revision" not in text.replace("data-revision", "")
    assert [set(each) for each in body["texts"]] == [
        {"number", "question", "options", "answer", "explanation"}
    ] * 2


@pytest.mark.parametrize("kind", ["comparing", "solving"])
def test_round_page_counts_disputes_where_there_can_be_any(
    request: pytest.FixtureRequest,
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    kind: str,
) -> None:
    round_ = request.getfixturevalue(kind)()
    address = f"/projects/{round_.project.slug}/rounds/{round_.number}/"
    page = browser_of(member(Role.MANAGER)).get(address).content.decode()
    assert ("In dispute" in page) == (kind == "solving")


def test_comparison_shows_answers_and_explanations(
    project: Project,
    comparing: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
) -> None:
    round_ = comparing()
    project.items.update(explanation="因为如此")
    Revision.objects.filter(translation__system="hidden-system").update(explanation="དེའི་ཕྱིར།")
    client = browser_of(member(Role.REVIEWER))

    page = client.post(_url(round_, "take/"), follow=True).content.decode()
    body = client.post(f"/api/v1/rounds/{round_.pk}/take/").json()

    rows = re.findall(r'scope="row".*?>\s*<span>(\w+)</span>', page)
    assert rows == ["Q", "A", "B", "C", "D", "Explanation"]
    assert ("因为如此" in page, "དེའི་ཕྱིར།" in page, page.count("no text")) == (True, True, 1)
    assert body["source"]["explanation"] == "因为如此"
    assert {each["explanation"] for each in body["texts"]} == {"", "དེའི་ཕྱིར།"}


def test_texts_that_differ_in_the_explanation_alone_are_two(
    comparing: Callable[..., Round], member: Callable[..., User]
) -> None:
    round_ = comparing()
    seat = take(round_, member(Role.REVIEWER))
    Revision.objects.update(question="དྲི་བ།")
    together = candidates_for(seat.panel, round_, 1).texts
    Revision.objects.filter(translation__system="hidden-system").update(explanation="དེའི་ཕྱིར།")

    apart = candidates_for(seat.panel, round_, 1).texts

    assert [len(each.revisions) for each in together] == [2]
    assert sorted(each.explanation for each in apart) == ["", "དེའི་ཕྱིར།"]


def test_answering_a_comparison_by_form_leads_to_the_next_item(
    project: Project,
    comparing: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
) -> None:
    round_ = comparing()
    client = browser_of(member(Role.REVIEWER))
    page = client.post(_url(round_, "take/"), follow=True).content.decode()

    answer = client.post(_url(round_, "send/"), _comparison_form(page), follow=True)

    assert answer.status_code == 200
    assert "Nothing left for you in this round" in answer.content.decode()
    stored = Answer.objects.get()
    assert sorted(stored.texts.values_list("rank", flat=True)) == [1, 2]
    assert [set(ratings) for ratings in stored.texts.values_list("ratings", flat=True)] == [
        set(DEFAULT_NAMES)
    ] * 2


def test_a_refused_comparison_shows_what_was_typed(
    comparing: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = comparing()
    client = browser_of(member(Role.REVIEWER))
    page = client.post(_url(round_, "take/"), follow=True).content.decode()
    form = _comparison_form(page) | {"rank_1": "", "comment": "keep me"}

    answer = client.post(_url(round_, "send/"), form)

    assert answer.status_code == 400
    text = answer.content.decode()
    assert "Rank all texts, or none." in text
    assert "keep me" in text
    chosen = re.findall(r'name="(\w+)"\s+value="(\w*)"[^>]*\schecked', text)
    assert dict(chosen) == {name: form[name] for name, _value in chosen}
    assert len(chosen) == 2 * (2 + len(DEFAULT_NAMES))


def test_an_answer_is_taken_back_by_form_and_its_values_come_again(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving(2)
    user = member(Role.REVIEWER)
    client = browser_of(user)
    answer = solve(round_, user, "B", comment="hm")

    page = client.post(_url(round_, "undo/"), {"answer": answer.pk}, follow=True)

    text = page.content.decode()
    assert re.search(r'value="B"[^>]*checked', text)
    assert ">hm</textarea>" in text


def test_undo_of_another_persons_answer_is_not_found(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    answer = solve(round_, member(Role.REVIEWER), "B")

    refused = browser_of(member(Role.REVIEWER)).post(_url(round_, "undo/"), {"answer": answer.pk})

    assert refused.status_code == 404
    assert Answer.objects.count() == 1


def test_send_to_the_seat_of_another_person_stores_nothing(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    seat = take(round_, member(Role.REVIEWER))
    form = {"assignment": seat.pk, "idempotency_key": "k", "choice": "A"}

    refused = browser_of(member(Role.REVIEWER)).post(_url(round_, "send/"), form)

    assert refused.status_code == 409
    assert not Answer.all_rows.exists()


def test_take_in_a_paused_round_gives_nothing(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    pause_round(round_=round_, reason="wait", actor=None, now=timezone.now())

    page = browser_of(member(Role.REVIEWER)).post(_url(round_, "take/"), follow=True)

    assert "This round is paused" in page.content.decode()
    assert not round_.assignments.filter(reviewer__isnull=False).exists()


def test_workbench_of_another_kind_leads_to_its_page(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    workbench = f"/projects/{round_.project.slug}/rounds/{round_.number}/workbench/"

    answer = browser_of(member(Role.REVIEWER)).get(workbench)

    assert (answer.status_code, answer["Location"]) == (302, _url(round_))


def test_answer_page_of_a_review_round_is_not_found(
    opened: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    assert browser_of(member(Role.REVIEWER)).get(_url(opened(1))).status_code == 404


def test_results_of_an_open_round_are_not_told(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving()
    solve(round_, member(Role.REVIEWER), "C")
    client = browser_of(member(Role.MANAGER))

    page = client.get(_url(round_).replace("answer/", "results/"))
    api = client.get(f"/api/v1/rounds/{round_.pk}/results/")
    answers = client.get(f"/api/v1/rounds/{round_.pk}/answers/")

    assert "You see the results when the round is closed" in page.content.decode()
    assert "%" not in re.sub(r"<style.*?</style>", "", page.content.decode().split("<main")[1])
    assert {api.status_code, answers.status_code} == {409}
    assert api.json()["code"] == "results_not_yet"


@pytest.mark.parametrize("name", ["csv", "latex", "markdown", "json"])
def test_results_of_a_closed_round_are_the_same_in_every_format(
    solving: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    name: str,
) -> None:
    round_ = solving(2)
    user = member(Role.REVIEWER)
    solve(round_, user, "C")
    solve(round_, user, "A")
    close_round(round_=round_, actor=None, now=timezone.now())
    client = browser_of(member(Role.VIEWER))

    page = client.get(_url(round_).replace("answer/", "results/")).content.decode()
    file = client.get(_url(round_).replace("answer/", f"results.{name}")).content.decode()

    assert "50.0" in page
    assert "0.5" in file or "50.0" in file


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_answers_file_has_every_answer(
    solving: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    name: str,
) -> None:
    round_ = solving(2)
    user = member(Role.REVIEWER)
    solve(round_, user, "C", comment="=1+1")
    solve(round_, user, "", comment="")
    close_round(round_=round_, actor=None, now=timezone.now())
    client = browser_of(member(Role.MANAGER))

    response: Any = client.get(_url(round_).replace("answer/", f"answers.{name}"))
    lines = b"".join(response.streaming_content).decode().splitlines()

    assert len(lines) == (3 if name == "csv" else 2)
    assert name != "csv" or "'=1+1" in lines[1]


def test_key_dispute_page_shows_answers_without_names_and_settles(
    solving: Callable[..., Round], member: Callable[..., User], browser_of: Callable[..., Client]
) -> None:
    round_ = solving(panel_size=1)
    expert = member(Role.REVIEWER)
    solve(round_, expert, "B", comment="clearly B")
    close_round(round_=round_, actor=None, now=timezone.now())
    panel = round_.panels.get()
    client = browser_of(member(Role.SENIOR))
    address = f"/projects/{round_.project.slug}/disputes/{panel.pk}/"

    page = client.get(address, follow=True)
    queue = client.get(f"/projects/{round_.project.slug}/disputes/")
    done = client.post(f"{address}key/", {"key": "B", "seen_key": "C", "reason": "it is B"})

    text = page.content.decode()
    assert "clearly B" in text
    assert expert.name not in text
    assert queue.status_code == 200
    assert done.status_code == 302
    assert Item.objects.get().key == "B"


def test_choosing_page_changes_the_texts_and_says_what_became_of_them(
    project: Project,
    items: Callable[[int], None],
    member: Callable[..., User],
    browser_of: Callable[..., Client],
) -> None:
    items(2)
    add_system(project)
    client = browser_of(member(Role.MANAGER))
    address = f"/projects/{project.slug}/translations/choose/"

    page = client.post(address, {"what": "system:other"}, follow=True)

    assert "Items with another text now: 2." in page.content.decode()
    assert set(project.items.values_list("working_translation__system", flat=True)) == {"other"}


def _url(round_: Round, rest: str = "") -> str:
    return f"/projects/{round_.project.slug}/rounds/{round_.number}/answer/{rest}"


def _comparison_form(page: str) -> dict[str, str]:
    """The form of a comparison as filled in: the first text is ranked first."""
    hidden: Iterator[tuple[str, str]] = (
        (name, value)
        for name, value in re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page)
    )
    form = {name: value for name, value in hidden if name != "csrfmiddlewaretoken"}
    for number in (1, 2):
        form |= {f"approve_{number}": "yes", f"rank_{number}": str(number)}
        form |= {f"{name}_{number}": "4" for name in DEFAULT_NAMES}
    return form


@pytest.mark.parametrize(
    "path", ["/", "/projects/ti/", "/projects/ti/rounds/", "/projects/ti/rounds/1/"]
)
def test_pages_call_a_round_by_what_it_asks(
    path: str,
    member: Callable[..., User],
    browser_of: Callable[..., Client],
    solving: Callable[..., Round],
) -> None:
    solving(2, panel_size=1)
    member()

    page = browser_of(member()).get(path).content.decode()

    assert "Solve items" in page
    assert path == "/" or "0 of 2 answers" in page
    assert not re.search(r"judgements|Judge items|Verdict rule|Being judged|You have judged", page)


def test_who_has_reached_the_limit_is_told_before_they_ask_for_an_item(
    solving: Callable[..., Round],
    browser_of: Callable[..., Client],
    member: Callable[..., User],
) -> None:
    round_, user = solving(2, panel_size=1, cap_per_person=1), member(Role.REVIEWER)
    solve(round_, user)

    page = browser_of(user).get("/projects/ti/rounds/1/answer/").content.decode()

    assert "That is the most that one person may judge in this round." in page
    assert "Take the next item" not in page


@pytest.mark.parametrize(("cap", "is_told"), [(1, True), (2, False)])
def test_manager_is_told_that_nobody_may_take_what_is_left(
    solving: Callable[..., Round],
    browser_of: Callable[..., Client],
    member: Callable[..., User],
    cap: int,
    is_told: bool,
) -> None:
    round_, user = solving(2, panel_size=1, cap_per_person=cap), member(Role.REVIEWER)
    solve(round_, user)

    manager = browser_of(member(Role.MANAGER)).get("/projects/ti/rounds/1/").content.decode()
    reviewer = browser_of(user).get("/projects/ti/rounds/1/").content.decode()

    words = "No member may take the items that are left"
    assert (words in manager) is is_told
    assert words not in reviewer


def test_manager_is_told_nothing_where_more_is_left_than_is_looked_at(
    solving: Callable[..., Round],
    browser_of: Callable[..., Client],
    member: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three panels of two people, one person has answered the first: a later one is theirs."""
    monkeypatch.setattr(waiting, "LEFT_LOOKED_AT", 1)
    round_, user = solving(3, panel_size=2), member(Role.REVIEWER)
    solve(round_, user)

    page = browser_of(member(Role.MANAGER)).get("/projects/ti/rounds/1/").content.decode()

    assert "No member may take the items that are left" not in page


def test_only_a_review_can_be_changed_to_blind_first_reading(
    solving: Callable[..., Round],
    browser_of: Callable[..., Client],
    member: Callable[..., User],
) -> None:
    round_, manager = solving(), browser_of(member(Role.MANAGER))
    address = "/projects/ti/rounds/1/change/"

    asked = manager.get(address).content.decode()
    Round.objects.filter(pk=round_.pk).update(kind=RoundKind.REVIEW)
    of_review = manager.get(address).content.decode()

    assert "has_blind_reading" not in asked
    assert "has_blind_reading" in of_review


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["results/", "results.csv"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_results_of_a_review_lead_to_its_report(
    opened: Callable[..., Round],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    name: str,
    is_closed: bool,
) -> None:
    round_ = opened(1)
    if is_closed:
        close_round(round_=round_, actor=None, now=timezone.now())
    page = browser_of(member(Role.MANAGER)).get(f"/projects/ti/rounds/1/{name}")
    assert page.status_code == 404
    text = page.content.decode()
    assert "Round 1 is a review. Its figures are in the report." in text
    assert 'href="/projects/ti/report/"' in text
    assert "Go back and try again" not in text


@pytest.mark.django_db
def test_items_that_cannot_be_solved_are_counted_before_and_after_a_round_is_opened(
    project: Project,
    items: Callable[[int], None],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    items(5)
    Item.objects.filter(project=project).update(key="C")
    first, second, *_others = Item.objects.filter(project=project).order_by("uid")
    Item.objects.filter(pk=first.pk).update(options=[], key="")
    Item.objects.filter(pk=second.pk).update(key="")
    manager = member(Role.MANAGER)
    typed = {"kind": "solving", "selection": "all", "is_unfinishable_allowed": True}
    words = "2 of the chosen items are left out: they have no options to choose from, or no key."
    api = api_of(manager)
    told = api.post("/api/v1/projects/ti/rounds/preview/", typed, format="json").json()
    assert (told["items"], told["left_out"]) == (3, 2)
    form = {
        **typed, "panel_size": 1, "preview": "1", "verdict_rule": "unanimous", "score_gap": 2,
        "reservation_minutes": 30,
    }  # fmt: skip
    page = browser_of(manager).post("/projects/ti/rounds/open/", form)
    assert words in page.content.decode()

    opened = api.post("/api/v1/projects/ti/rounds/", typed, format="json").json()
    assert opened["left_out_count"] == 2
    Item.objects.filter(pk=second.pk).update(key="C")
    page = browser_of(manager).get(f"/projects/ti/rounds/{opened['number']}/")
    assert words in page.content.decode()


@pytest.mark.django_db
def test_items_of_one_system_are_counted_where_systems_are_compared(
    project: Project, items: Callable[[int], None]
) -> None:
    items(3)
    add_text(Item.objects.filter(project=project).order_by("uid")[0], "other", "གཞན།")
    chosen = ItemChoice(selection=Selection.ALL, kind=RoundKind.COMPARISON)
    assert left_out_count(project, chosen) == 2
    assert "the text of one system only" in left_out_text(RoundKind.COMPARISON, 2)
    assert left_out_count(project, ItemChoice(selection=Selection.ALL)) == 0
    assert left_out_text(RoundKind.REVIEW, 0) == ""
