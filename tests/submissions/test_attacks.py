"""What outsiders try, through the API and the pages: they learn aggregates and nothing else."""

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.models import Item
from releases.building.pseudonyms import hidden_id
from releases.models import Release
from submissions.checking import MOST_BYTES
from submissions.models import Participant, Submission, Team
from tests.factories import UserFactory
from tests.releases.markers import found_in
from tests.submissions.builders import NOW, answers, join, make_part, score, take_submissions
from webhooks.enums import CHOSEN
from webhooks.models import Webhook
from webhooks.sending import Outcome, Outgoing
from webhooks.worker import send_webhooks

pytestmark = pytest.mark.django_db

SENDING = "/api/v1/releases/ti/1.0.0/submissions/"
BODY_BYTES = 1_000_000
SECRETS = {f"ཀླུ་{where}«&»" for where in ("source", "option", "explanation", "metadata", "uid")}
QUESTION = "ཀླུ་question«&»"


def body(release: Release, right: int, **more: Any) -> dict[str, Any]:
    return {"model": "stand-in", "answers": dict(answers(release, right)), **more}


@pytest.fixture
def stranger(sender: Participant, api_of: Callable[[User], APIClient]) -> APIClient:
    return api_of(sender.user)


def plant(release: Release) -> None:
    """Give a hidden item texts of its own wherever somebody could tell them."""
    placed = release.items.select_related("item", "revision").get(position=3)
    Item.objects.filter(pk=placed.item_id).update(
        question="ཀླུ་source«&»",
        options=["ཀླུ་option«&»", "2", "3", "4"],
        explanation="ཀླུ་explanation«&»",
        metadata={"note": "ཀླུ་metadata«&»"},
    )
    type(placed.revision).objects.filter(pk=placed.revision_id).update(question=QUESTION)
    release.items.filter(pk=placed.pk).update(
        uid="ཀླུ་uid«&»", source_question="ཀླུ་source«&»", explanation="ཀླུ་explanation«&»"
    )


def test_a_whole_day_of_a_stranger_tells_no_secret(
    release: Release,
    sender: Participant,
    stranger: APIClient,
    browser_of: Callable[[User], Client],
    deliver: Callable[[], list[Any]],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    plant(release)
    take_submissions(release.project, is_board_public=True)
    Webhook.objects.create(
        project=release.project, url="https://hooks.example.org/", nonce="n",
        events=dict.fromkeys(CHOSEN, 0), created_at=NOW,
    )  # fmt: skip
    seen: list[bytes] = []
    page = browser_of(sender.user)
    wrong = {**dict(answers(release, 3)), "hidden-0": "Z", "other": "A"}
    seen.append(stranger.post(SENDING, {"model": "m", "answers": wrong}, format="json").content)
    for right in (3, 12, 20):
        sent = stranger.post(SENDING, body(release, right), format="json")
        assert sent.status_code == 202
        seen.append(sent.content)
        pk = sent.json()["submission"]
        seen.append(stranger.get(f"/api/v1/submissions/{pk}/").content)
        score(Submission.objects.get(pk=pk))
        addresses = (f"/api/v1/submissions/{pk}/", SENDING)
        seen += [stranger.get(address).content for address in addresses]
        seen.append(page.get(reverse("submissions:submission", args=[pk])).content)
    seen.append(stranger.post(SENDING, body(release, 8), format="json").content)
    for name in ("submissions:part", "leaderboards:board", "leaderboards:file"):
        seen.append(page.get(reverse(name, args=["ti", "1.0.0"])).content)
        seen.append(Client().get(reverse(name, args=["ti", "1.0.0"])).content)
    seen.append(Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").content)
    seen += [str(mail.message()).encode() + mail.body.encode() for mail in deliver()]
    posted: list[Outgoing] = []

    def post(outgoing: Sequence[Outgoing], **_options: Any) -> list[Outcome]:
        posted.extend(outgoing)
        return [Outcome(500, "status")] * len(outgoing)

    send_webhooks(send=post)
    assert {json.loads(each.body)["data"]["kind"] for each in posted} == {"submission"}
    seen += [each.body for each in posted]
    seen += [repr(row).encode() for row in AuditEvent.objects.values_list("verb", "target", "data")]
    printed = capsys.readouterr()
    seen += [caplog.text.encode(), printed.out.encode(), printed.err.encode()]
    everything = b"\n".join(seen)
    assert found_in(everything, SECRETS | {QUESTION}) == set()
    assert b"stand-in" in everything
    assert b'"answers"' not in everything


def test_a_participant_sees_nothing_of_the_project(
    release: Release, sender: Participant, stranger: APIClient, browser_of: Callable[[User], Client]
) -> None:
    page = browser_of(sender.user)
    pages = (
        *("overview", "annotation:items", "review:rounds", "releases:list", "evaluation:runs"),
        *("projects:members", "projects:settings", "submissions:manage"),
    )
    assert {
        name: page.get(reverse(name, args=["ti"])).status_code for name in pages
    } == dict.fromkeys(pages, 404)
    calls = ("items/", "releases/", "members/", "submissions/", "submission-teams/", "overview/")
    found = {call: stranger.get(f"/api/v1/projects/ti/{call}").status_code for call in calls}
    assert found == dict.fromkeys(calls, 404)
    assert stranger.get("/api/v1/projects/").json()["results"] == []
    home = page.get("/").content.decode()
    assert "Your projects" not in home
    assert "/projects/ti/" not in home
    part = page.get(reverse("submissions:part", args=["ti", "1.0.0"])).content.decode()
    assert "/projects/ti/" not in part


def test_others_do_not_find_a_submission(
    release: Release, sender: Participant, stranger: APIClient, api_of: Callable[[User], APIClient]
) -> None:
    pk = stranger.post(SENDING, body(release, 8), format="json").json()["submission"]
    other = api_of(join(release.project, team="Shigatse").user)
    assert other.get(f"/api/v1/submissions/{pk}/").status_code == 404
    for verb in ("cancel", "withdraw", "moderation"):
        assert other.post(f"/api/v1/submissions/{pk}/{verb}/", {}, format="json").status_code == 404
    assert other.get(SENDING).json()["results"] == []
    assert APIClient().get(f"/api/v1/submissions/{pk}/").status_code == 401


@pytest.mark.parametrize("change", ["is_open", "hidden_part", "state"])
def test_what_takes_no_submissions_is_not_there(
    release: Release, stranger: APIClient, change: str
) -> None:
    if change == "is_open":
        take_submissions(release.project, is_open=False)
    else:
        value = {"hidden_part": "closed", "state": "yanked"}[change]
        Release.objects.filter(pk=release.pk).update(**{change: value}, yank_reason="x")
    assert stranger.post(SENDING, body(release, 8), format="json").status_code == 404
    assert stranger.get("/api/v1/releases/ti/1.0.0/participation/").status_code == 404


def test_an_earlier_version_takes_no_more_submissions(
    release: Release, stranger: APIClient
) -> None:
    make_part(release.project, n=8, version="1.1.0")
    refused = stranger.post(SENDING, body(release, 8), format="json")
    assert (refused.status_code, refused.json()["code"]) == (404, "version_passed")
    assert "/submit/ti/1.1.0/" in refused.json()["detail"]
    unknown = stranger.post(SENDING.replace("1.0.0", "0.9.0"), body(release, 8), format="json")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    answer = stranger.get("/api/v1/releases/ti/1.1.0/submissions/")
    assert (answer.status_code, answer.json()["results"]) == (200, [])


def test_wrong_answers_are_listed_with_422(release: Release, stranger: APIClient) -> None:
    text = json.dumps(body(release, 8)).replace('"hidden-1": ', '"hidden-0": ')
    answer = stranger.post(SENDING, data=text, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["code"] == "answers_invalid"
    assert answer.json()["current"] == {
        "unknown": [], "missing": ["hidden-1"], "doubled": ["hidden-0"], "no_option": [],
            "uneven": [],
    }  # fmt: skip
    assert not Submission.objects.exists()


def test_a_used_quota_is_429_with_the_time_of_the_next_try(
    release: Release, stranger: APIClient
) -> None:
    for right in (3, 9, 15):
        stranger.post(SENDING, body(release, right), format="json")
    answer = stranger.post(SENDING, body(release, 20), format="json")
    assert (answer.status_code, answer.json()["code"]) == (429, "quota_used")
    assert 0 < int(answer.headers["Retry-After"]) <= 86_400


def test_a_replay_is_told_the_first_submission(release: Release, stranger: APIClient) -> None:
    first = stranger.post(SENDING, body(release, 8), format="json").json()["submission"]
    again = stranger.post(SENDING, body(release, 8), format="json")
    assert (again.status_code, again.json()["current"]) == (409, {"submission": first})


def test_a_million_keys_are_refused_before_they_are_read(
    release: Release, stranger: APIClient, django_assert_max_num_queries: Any
) -> None:
    pairs = ",".join(f'"{number}":"A"' for number in range(1_000_000))
    with django_assert_max_num_queries(0):
        answer = stranger.post(
            SENDING, data=f'{{"model":"m","answers":{{{pairs}}}}}', content_type="application/json"
        )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_twenty_answers_to_each_of_ten_thousand_items_fit(
    release: Release, stranger: APIClient
) -> None:
    """As `json.dumps` writes them, with ids as hidden items have them; of 21 it is said how many are taken."""
    ids = [hidden_id(str(number), secret="s") for number in range(10_000)]
    whole = {"model": "m" * 200, "prompt": "p" * 10_000, "answers": dict.fromkeys(ids, ["A"] * 20)}
    size = len(json.dumps(whole))
    assert BODY_BYTES < size <= MOST_BYTES
    epochs = {uid: [answer] * 20 for uid, answer in answers(release, 8)}
    data = json.dumps({"model": "m", "answers": epochs}).ljust(size)
    sent = stranger.post(SENDING, data=data, content_type="application/json")
    assert sent.status_code == 202, sent.content
    assert Submission.objects.get().epochs == 20
    larger = data.ljust(MOST_BYTES + 1)
    refused = stranger.post(SENDING, data=larger, content_type="application/json")
    assert (refused.status_code, "3 MB at most" in refused.json()["detail"]) == (413, True)
    epochs = {uid: [answer] * 21 for uid, answer in answers(release, 8)}
    refused = stranger.post(SENDING, {"model": "m", "answers": epochs}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, "epochs_not_taken")
    assert "at most 20 are taken" in refused.json()["detail"]


def test_only_who_is_signed_in_sends_more_than_others(release: Release) -> None:
    data = json.dumps({"model": "m"}).ljust(BODY_BYTES + 1)
    answer = APIClient().post(SENDING, data=data, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_as_many_keys_as_fit_are_refused_without_lists(
    release: Release, stranger: APIClient
) -> None:
    many = {str(number): "A" for number in range(60_000)}
    answer = stranger.post(SENDING, {"model": "m", "answers": many}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_answers")
    assert len(answer.content) < 500


@pytest.mark.parametrize(
    "sent",
    [
        {"model": "m"},
        {"model": "m", "answers": ["A"]},
        {"model": "m", "answers": {}, "csv": "id,answer"},
        {"model": "m", "csv": "a,b,c"},
        {"model": "m", "answers": {}, "endpoint": "http://127.0.0.1/"},
    ],
)
def test_malformed_requests_are_refused(
    release: Release, stranger: APIClient, sent: dict[str, Any]
) -> None:
    assert stranger.post(SENDING, sent, format="json").status_code == 400


def test_answers_may_be_csv(release: Release, stranger: APIClient) -> None:
    lines = "".join(f"{uid},{answer}\n" for uid, answer in answers(release, 8))
    sent = stranger.post(SENDING, {"model": "m", "csv": f"id,answer\n{lines}"}, format="json")
    assert sent.status_code == 202


def test_asking_for_an_account_tells_nobody_who_has_one(
    release: Release, deliver: Callable[[], list[Any]]
) -> None:
    known = UserFactory(email="known@example.org")
    known.set_password("long enough for anybody")
    known.save()
    address = reverse("submissions:ask-account", args=["ti", "1.0.0"])
    pages = {
        email: Client().post(address, {"name": "N", "email": email})
        for email in ("known@example.org", "new@example.org")
    }
    assert {each.status_code for each in pages.values()} == {200}
    contents = {
        each.content.partition(b"<main")[2].partition(b"</main>")[0] for each in pages.values()
    }
    assert len(contents) == 1
    assert b"we sent a link" in contents.pop()
    assert [mail.to for mail in deliver()] == [["new@example.org"]]


def test_the_texts_are_for_those_who_accepted_the_terms(
    release: Release, sender: Participant, stranger: APIClient, api_of: Callable[[User], APIClient]
) -> None:
    address = "/api/v1/releases/ti/1.0.0/withheld/"
    other = api_of(UserFactory()).get(address)
    assert (other.status_code, other.json()["code"]) == (403, "terms_not_accepted")
    assert stranger.get(address).json()["code"] == "artifact_unknown"


def test_a_participant_joins_through_the_api(
    release: Release, api_of: Callable[[User], APIClient]
) -> None:
    client = api_of(UserFactory())
    address = "/api/v1/releases/ti/1.0.0/participation/"
    terms = client.get(address).json()
    assert terms["terms"] == "Do not train on these items."
    joined = client.post(
        address,
        {"team": "New", "affiliation": "U", "terms_version": terms["terms_version"]},
        format="json",
    ).json()
    assert (joined["team"], joined["left_today"]) == ("New", 3)
    assert Team.objects.get(name="New").code == joined["code"]
