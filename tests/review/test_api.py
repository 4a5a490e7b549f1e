"""The review API: shapes of the contract, refusals in words, who sees what, fixed query counts."""

import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Finding, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.enums import SeatState
from review.models import Assignment, Judgement, Panel, Round, Skip
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
HUGE = 10**30
TYPED = {"question": "མཐའ།", "options": list(OPTIONS)}
CLAIM_QUERIES = 9
SUBMIT_QUERIES = 9


def said(current: int, **changed: Any) -> dict[str, Any]:
    body = {"verdict": "approve", "ratings": {"domain": 4, "cultural": 5}, "revision": current}
    return {**body, **changed}


def claim(api: APIClient, round_: Round) -> Any:
    return api.post(f"/api/v1/rounds/{round_.pk}/claim/")


def send(api: APIClient, seat: Any, body: Any, key: str = "k") -> Any:
    return api.post(
        f"/api/v1/assignments/{seat}/judgement/", body, format="json", HTTP_IDEMPOTENCY_KEY=key
    )


def test_claim_names_its_item_by_what_other_calls_take(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    round_ = opened(1)
    (user,) = reviewers(1)
    api = api_of(user)
    home = api.get("/api/v1/me/home/").json()["projects"][0]

    item = api.post(f"/api/v1/rounds/{home['round_id']}/claim/").json()["item"]

    assert home["round_id"] == round_.pk
    for place in ("", "comments/", "terms/", "history/"):
        answer = api.get(f"/api/v1/projects/ti/items/{item['id']}/{place}")
        assert answer.status_code == 200
    assert api.get(f"/api/v1/projects/ti/items/{item['id']}/").json()["uid"] == item["uid"]


def test_reserve_lists_what_is_held_and_fills_it_up(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    round_ = opened(9)
    (user,) = reviewers(1)
    first = claim(api_of(user), round_).json()

    answer = api_of(user).post(f"/api/v1/rounds/{round_.pk}/reserve/")

    held = answer.json()["held"]
    assert (answer.status_code, len(held)) == (200, 6)
    assert held[0]["assignment"] == first["assignment"]
    assert [each["item"]["uid"] for each in held] == [f"s/{n:05d}" for n in range(6)]
    assert set(held[5]) == set(first)


def test_claim_has_the_shape_of_the_contract(opened: Open, reviewers: People, api_of: Api) -> None:
    round_ = opened(1)
    revision = Revision.objects.get()
    Finding.objects.create(
        revision=revision, code="equal_options", severity="error", field="options.0", created_at=timezone.now(),
        data={"other": "A", "letter": "B"},
    )  # fmt: skip

    answer = claim(api_of(reviewers(1)[0]), round_)

    body = json.loads(answer.content)
    seat = Assignment.objects.get(state=SeatState.CLAIMED)
    assert answer.status_code == 200
    assert set(body) >= {
        "assignment",
        "expires_at",
        "item",
        "source",
        "revision",
        "findings",
        "glossary",
    }
    assert body["assignment"] == seat.pk
    assert body["source"]["options"] == ["one", "two", "three", "four"]
    assert body["revision"] == {
        "id": revision.pk, "number": 1, "language": "bo", "question": "འདྲི་བ།", "options": list(OPTIONS),
        "answer_language": "bo", "answer": "", "explanation": "",
    }  # fmt: skip
    assert [finding["code"] for finding in body["findings"]] == ["equal_options"]


def test_claim_with_nothing_left_is_204(
    opened: Open, reviewers: People, judge: Judge, api_of: Api
) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    judge(round_, user)

    answer = claim(api_of(user), round_)
    assert (answer.status_code, answer.content) == (204, b"")


def test_judgement_sent_twice_gets_the_same_answer(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()
    body = said(taken["revision"]["id"], tags=["grammar"], comment="ལེགས།", active_seconds=9)

    first, again = (send(api, taken["assignment"], body) for _time in range(2))

    stored = Judgement.objects.get()
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert first.json() == {"judgement": stored.pk, "receipt": str(stored.receipt)}


def test_revise_with_correction_is_stored(opened: Open, reviewers: People, api_of: Api) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()
    correction = {"question": "གསར།", "options": list(OPTIONS)}

    answer = send(
        api,
        taken["assignment"],
        said(taken["revision"]["id"], verdict="revise", correction=correction),
    )

    assert answer.status_code == 201
    assert Judgement.objects.get().correction == correction


def test_conflicts_are_409_with_code_and_current_text(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    user, other = reviewers(2)
    api = api_of(user)
    taken = claim(api, opened(2)).json()
    revision = taken["revision"]
    current = {
        "revision": revision["id"],
        "question": revision["question"],
        "options": revision["options"],
    }

    stale = send(api, taken["assignment"], said(revision["id"] + 1))
    seat = Assignment.objects.filter(pk=taken["assignment"])
    seat.update(reviewer=other)
    lost = send(api, taken["assignment"], said(revision["id"]))
    seat.update(reviewer=user)
    stored = send(api, taken["assignment"], said(revision["id"]))
    judged = send(api, taken["assignment"], said(revision["id"]), key="other")

    assert stored.status_code == 201
    for answer, code in (
        (stale, "revision_stale"),
        (lost, "seat_taken"),
        (judged, "already_judged"),
    ):
        assert (answer.status_code, answer.json()["code"], answer.json()["current"]) == (
            409,
            code,
            current,
        )
        assert answer.json()["detail"]


FAULTY_JUDGEMENTS: list[tuple[dict[str, Any], str]] = [
    ({"verdict": "perhaps"}, "verdict"),
    ({"verdict": None}, "verdict"),
    ({"ratings": {"domain": 6, "cultural": 0}}, "ratings.domain"),
    ({"ratings": {"domain": HUGE, "cultural": 0}}, "ratings.domain"),
    ({"ratings": {"domain": 1}}, "ratings.cultural"),
    ({"ratings": [1, 2]}, "ratings"),
    ({"ratings": {"domain": 1, "cultural": 1, "beauty": 1}}, "ratings.beauty"),
    ({"tags": ["grammar", "nice"]}, "tags.1"),
    ({"tags": ["grammar"] * 21}, "tags"),
    ({"comment": "a\x00b"}, "comment"),
    ({"comment": "x" * 20_001}, "comment"),
    ({"active_seconds": -1}, "active_seconds"),
    ({"active_seconds": HUGE}, "active_seconds"),
    ({"revision": HUGE}, "revision"),
    ({"revision": -1}, "revision"),
    ({"revision": "x"}, "revision"),
    ({"surprise": 1}, "surprise"),
    ({"verdict": "revise"}, "correction"),
    (
        {"verdict": "revise", "correction": {"question": "ཀ", "options": ["a"] * 7}},
        "correction.options",
    ),
    (
        {"verdict": "revise", "correction": {"question": "ཀ", "options": ["a"] * 3}},
        "correction.options",
    ),
    (
        {"verdict": "revise", "correction": {"question": "ཀ\x00", "options": ["a"] * 4}},
        "correction.question",
    ),
]


def test_faulty_judgement_is_400_by_field(opened: Open, reviewers: People, api_of: Api) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()
    wrong = []
    for change, field in FAULTY_JUDGEMENTS:
        answer = send(api, taken["assignment"], said(taken["revision"]["id"], **change))
        body = answer.json()
        is_refused = answer.status_code == 400 and body["detail"]
        is_known = body.get("code") in ("invalid", "judgement_invalid")
        names = (f"{name}." for name in body.get("fields", ()))
        if not (is_refused and is_known and any(name.startswith(f"{field}.") for name in names)):
            wrong.append((change, answer.status_code, body))
    assert wrong == []
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("key", ["", " ", "x" * 101])
def test_judgement_without_a_usable_key_is_400(
    opened: Open, reviewers: People, api_of: Api, key: str
) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()

    answer = send(api, taken["assignment"], said(taken["revision"]["id"]), key=key)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["Idempotency-Key"])


@pytest.mark.parametrize("body", [[], "text", 7, None, [said(1)]])
def test_judgement_that_is_no_object_is_400(
    opened: Open, reviewers: People, api_of: Api, body: Any
) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()

    assert send(api, taken["assignment"], body).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        f"rounds/{HUGE}/claim/",
        f"rounds/{HUGE}/close/",
        f"assignments/{HUGE}/judgement/",
        f"assignments/{HUGE}/skip/",
        f"assignments/{HUGE}/renew/",
        f"disputes/{HUGE}/adjudication/",
        "rounds/0/claim/",
        "rounds/-1/claim/",
    ],
)
def test_unknown_id_is_404(reviewers: People, api_of: Api, path: str) -> None:
    assert api_of(reviewers(1)[0]).post(f"/api/v1/{path}").status_code == 404


def test_who_may_not_judge_is_refused(
    opened: Open, member: Callable[..., User], api_of: Api
) -> None:
    round_ = opened(1)
    elsewhere = UserFactory()
    MembershipFactory(project=ProjectFactory(), user=elsewhere, role=Role.REVIEWER)

    assert claim(APIClient(), round_).status_code == 401
    assert claim(api_of(UserFactory()), round_).status_code == 404
    assert claim(api_of(elsewhere), round_).status_code == 404
    assert claim(api_of(member(Role.VIEWER)), round_).status_code == 403
    assert claim(api_of(member(Role.MANAGER)), round_).status_code == 403
    paused = claim(api_of(_paused(member)), round_)
    assert (paused.status_code, paused.json()["code"]) == (403, "reviewer_paused")


def test_paused_reviewer_gets_the_held_item_again_with_a_notice_and_may_judge_it(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    (user,) = reviewers(1)
    api, round_ = api_of(user), opened(2)
    first = claim(api, round_).json()
    user.memberships.update(is_paused=True)

    again = claim(api, round_).json()

    notice = again.pop("notice")
    assert again == first
    assert "You can still finish the item you have taken" in notice
    sent = send(api, first["assignment"], said(first["revision"]["id"]), key=uuid.uuid4().hex)
    assert sent.status_code == 201
    assert claim(api, round_).json()["code"] == "reviewer_paused"


def _paused(member: Callable[..., User]) -> User:
    user = member(Role.REVIEWER)
    user.memberships.update(is_paused=True)
    return user


def test_late_judgement_is_stored_while_its_seat_is_free(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()
    Assignment.objects.update(expires_at=timezone.now() - timedelta(1))

    assert send(api, taken["assignment"], said(taken["revision"]["id"])).status_code == 201


def test_renew_of_a_seat_that_one_never_held_is_409(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    opened(2)
    chosen = Assignment.objects.latest("position", "seat")

    answer = api_of(reviewers(1)[0]).post(f"/api/v1/assignments/{chosen.pk}/renew/")

    assert (answer.status_code, answer.json()["code"]) == (409, "seat_taken")


def test_anothers_seat_can_be_neither_judged_nor_skipped_nor_renewed(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    owner, other = reviewers(2)
    taken = claim(api_of(owner), opened(1)).json()
    path = f"/api/v1/assignments/{taken['assignment']}"
    api, stranger = api_of(other), api_of(UserFactory())

    assert send(api, taken["assignment"], said(taken["revision"]["id"])).status_code == 409
    assert api.post(f"{path}/skip/", {"reason": "other"}).status_code == 409
    assert api.post(f"{path}/renew/").json()["code"] == "seat_taken"
    assert send(stranger, taken["assignment"], said(taken["revision"]["id"])).status_code == 404
    assert stranger.post(f"{path}/skip/", {"reason": "other"}).status_code == 404
    assert Assignment.objects.get(pk=taken["assignment"]).reviewer == owner


def test_skip_gives_the_seat_back(opened: Open, reviewers: People, api_of: Api) -> None:
    api = api_of(reviewers(1)[0])
    taken = claim(api, opened(1)).json()
    path = f"/api/v1/assignments/{taken['assignment']}/skip/"

    assert api.post(path, {"reason": "bored"}).status_code == 400
    assert api.post(path, {"reason": "other", "note": "x" * 2001}).status_code == 400
    assert api.post(path, {"reason": "not_my_field", "note": "ཁྲིམས།"}).status_code == 204
    assert Skip.objects.get().note == "ཁྲིམས།"


def test_undone_skip_gives_the_item_back_to_whoever_skipped_it(
    opened: Open, reviewers: People, api_of: Api
) -> None:
    owner, other = map(api_of, reviewers(2))
    taken = claim(owner, opened(1)).json()
    path = f"/api/v1/assignments/{taken['assignment']}/skip"
    owner.post(f"{path}/", {"reason": "other"})

    assert other.post(f"{path}/undo/").json()["code"] == "skip_not_found"
    for _time in range(2):
        answer = owner.post(f"{path}/undo/")
        assert (answer.status_code, answer.json()["assignment"]) == (200, taken["assignment"])
        assert set(answer.json()) == set(taken)

    assert not Skip.objects.exists()
    assert api_of(UserFactory()).post(f"{path}/undo/").status_code == 404


def test_judgements_are_blind_until_the_panel_is_complete(
    opened: Open, reviewers: People, judge: Judge, member: Callable[..., User], api_of: Api
) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    judge(round_, first)
    judge(round_, second)
    judge(round_, first)

    def seen(user: User) -> int:
        return len(api_of(user).get("/api/v1/projects/ti/judgements/").json()["results"])

    manager, senior, viewer = (member(role) for role in (Role.MANAGER, Role.SENIOR, Role.VIEWER))
    assert (seen(first), seen(second)) == (2, 1)
    assert (seen(manager), seen(senior), seen(viewer)) == (2, 2, 0)


def test_seniors_do_not_see_who_judged_what_is_in_dispute(
    disputed: Callable[..., Panel], member: Callable[..., User], api_of: Api
) -> None:
    disputed()
    api = api_of(member(Role.SENIOR))

    assert api.get("/api/v1/projects/ti/judgements/").json()["results"] == []
    text = api.get("/api/v1/projects/ti/disputes/").content.decode()
    for user in User.objects.filter(judgements__isnull=False):
        assert user.email not in text
        assert user.name not in text


def test_judgements_come_in_keyset_pages(
    opened: Open, reviewers: People, judge: Judge, api_of: Api
) -> None:
    (user,) = reviewers(1)
    round_ = opened(3)
    made = [judge(round_, user).pk for _number in range(3)]
    api = api_of(user)

    first = api.get("/api/v1/projects/ti/judgements/?page_size=2&round=1").json()
    second = api.get(first["next"]).json()

    assert [row["id"] for row in first["results"] + second["results"]] == made
    assert second["next"] is None
    assert first["results"][0]["ratings"] == {"domain": 4, "cultural": 4}
    assert api.get("/api/v1/projects/ti/judgements/?round=2").json()["results"] == []


@pytest.mark.parametrize(
    "query", ["round=x", "round=-1", f"round={HUGE}", "round=%00", "cursor=%00x"]
)
def test_odd_filters_of_judgements_are_4xx(reviewers: People, api_of: Api, query: str) -> None:
    answer = api_of(reviewers(1)[0]).get(f"/api/v1/projects/ti/judgements/?{query}")
    assert 400 <= answer.status_code < 500


def test_adjudication_settles_and_answers_with_the_new_revision(
    disputed: Callable[..., Panel], member: Callable[..., User], api_of: Api
) -> None:
    panel = disputed()
    api = api_of(member(Role.SENIOR))
    path = f"/api/v1/disputes/{panel.pk}/adjudication/"
    correction = {"question": "མཐའ།", "options": list(OPTIONS)}

    needs_reason = api.post(path, {"decision": "approve"})
    made = api.post(path, {"decision": "merge", "correction": correction, "reason": ""})
    again = api.post(path, {"decision": "reject"})

    assert (needs_reason.status_code, needs_reason.json()["code"]) == (400, "reason_needed")
    assert (made.status_code, set(made.json())) == (201, {"adjudication", "decision", "revision"})
    assert made.json()["revision"] == Translation.objects.get().current_revision_id
    assert (again.status_code, again.json()["code"]) == (409, "dispute_settled")


def test_faulty_adjudication_is_400(
    disputed: Callable[..., Panel], member: Callable[..., User], api_of: Api
) -> None:
    path = f"/api/v1/disputes/{disputed().pk}/adjudication/"
    api = api_of(member(Role.SENIOR))
    answers = []
    for body in (
        {},
        {"decision": "guess"},
        {"decision": "adopt", "judgement": HUGE},
        {"decision": "adopt", "judgement": -1},
        {"decision": "adopt", "judgement": 999_999},
        {"decision": "merge"},
        {"decision": "merge", "correction": {"question": "ཀ", "options": ["a"]}},
        {"decision": "reject", "reason": "a\x00"},
        {"decision": "reject", "surprise": 1},
    ):
        answer = api.post(path, body)
        answers.append((body, answer.status_code, bool(answer.json().get("detail"))))
    assert [each for each in answers if each[1:] != (400, True)] == []


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"decision": "approve", "correction": TYPED}, "correction"),
        ({"decision": "reject", "correction": TYPED}, "correction"),
        ({"decision": "approve", "judgement": 1}, "judgement"),
        (
            {"decision": "merge", "correction": TYPED, "fields_adopted": ["question"]},
            "fields_adopted",
        ),
    ],
)
def test_adjudication_with_what_its_decision_would_leave_aside_is_refused(
    disputed: Callable[..., Panel],
    member: Callable[..., User],
    api_of: Api,
    said: dict[str, Any],
    field: str,
) -> None:
    panel = disputed()
    path = f"/api/v1/disputes/{panel.pk}/adjudication/"

    answer = api_of(member(Role.SENIOR)).post(path, {**said, "reason": "r"}, format="json")

    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert Panel.objects.get(pk=panel.pk).adjudication is None


def test_who_may_not_adjudicate_is_refused(
    disputed: Callable[..., Panel], member: Callable[..., User], api_of: Api
) -> None:
    panel = disputed()
    path = f"/api/v1/disputes/{panel.pk}/adjudication/"
    own = panel.judgements.get(verdict="reject").reviewer
    own.memberships.update(role=Role.SENIOR)

    for user, status in (
        (member(Role.REVIEWER), 403),
        (member(Role.MANAGER), 403),
        (own, 403),
        (UserFactory(), 404),
    ):
        assert api_of(user).post(path, {"decision": "reject"}).status_code == status


def test_rounds_are_opened_and_closed(
    project: Project, items: Callable[[int], None], member: Callable[..., User], api_of: Api
) -> None:
    items(2)
    member(Role.REVIEWER)
    api = api_of(member(Role.MANAGER))

    made = api.post("/api/v1/projects/ti/rounds/", {"panel_size": 1, "selection": "all"})
    twice = api.post("/api/v1/projects/ti/rounds/", {})
    closed = api.post(f"/api/v1/rounds/{made.json()['id']}/close/")

    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert (twice.status_code, twice.json()["code"]) == (409, "round_already_open")
    assert (closed.status_code, closed.json()["state"]) == (200, "closed")
    assert [
        each["number"] for each in api.get("/api/v1/projects/ti/rounds/").json()["results"]
    ] == [1]
    assert api.post("/api/v1/projects/ti/rounds/", {"panel_size": HUGE}).status_code == 400


def test_report_has_stages_systems_and_subjects(
    disputed: Callable[..., Panel], member: Callable[..., User], api_of: Api
) -> None:
    disputed()

    body = api_of(member(Role.VIEWER)).get("/api/v1/projects/ti/report/").json()
    names = {
        "project",
        "as_of",
        "stages",
        "systems",
        "candidates",
        "subjects",
        "categories",
        "criteria",
    }
    assert set(body) == names
    assert [row["system"] for row in body["systems"]] == ["mt"]
    assert [(row["round"], row["items_judged"]) for row in body["subjects"]] == [(1, 1)]


@pytest.mark.parametrize("count", [1, 3])
def test_claim_and_submit_ask_a_fixed_number_of_queries(
    opened: Open, reviewers: People, api_of: Api, django_assert_num_queries: Any, count: int
) -> None:
    api = api_of(reviewers(1)[0])
    round_ = opened(count)
    api.get("/api/v1/projects/ti/rounds/")

    with django_assert_num_queries(CLAIM_QUERIES):
        taken = claim(api, round_).json()
    with django_assert_num_queries(SUBMIT_QUERIES):
        send(api, taken["assignment"], said(taken["revision"]["id"]), key=uuid.uuid4().hex)


@pytest.mark.parametrize("count", [1, 3])
def test_lists_ask_a_fixed_number_of_queries(
    disputed: Callable[..., Panel],
    member: Callable[..., User],
    api_of: Api,
    django_assert_num_queries: Any,
    count: int,
) -> None:
    disputed(count)
    api = api_of(member(Role.SENIOR))
    api.get("/api/v1/projects/ti/rounds/")

    with django_assert_num_queries(5):
        assert len(api.get("/api/v1/projects/ti/disputes/").json()["results"]) == count
    Panel.objects.update(state="settled", outcome="approved")
    with django_assert_num_queries(5):
        assert len(api.get("/api/v1/projects/ti/judgements/").json()["results"]) == 2 * count
