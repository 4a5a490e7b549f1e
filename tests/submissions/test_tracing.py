"""Leaked questions name the team whose endpoint was asked them, and marks change no score."""

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from io import BytesIO
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.enums import ItemKind
from endpoints.providers.base import ChatRequest
from endpoints.providers.personas import read_prompt, squeeze
from endpoints.providers.recorded import NullProvider
from projects.enums import Role
from projects.models import Project
from releases.models import Release
from submissions import marks, migrations
from submissions.actions import tracing
from submissions.actions.tracing import LeakTooLarge, LeakTrace, LeakUnreadable, NobodyAsked
from submissions.asked_orders import AskedOrders
from submissions.models import Participant, Submission, SubmissionResponse, SubmittedEndpoint, Team
from tests.evaluation.builders import serving
from tests.factories import UserFactory
from tests.submissions.builders import NOW, join, make_part, take_submissions
from tests.submissions.test_endpoints import ask, send_one

pytestmark = pytest.mark.django_db

ITEMS = 40
CLOSED = {"hidden_part": "closed"}


def options_of(number: int) -> list[str]:
    return [f"ལན་ {number} {word}" for word in ("དཀར་པོ།", "དམར་པོ།", "ལྗང་ཁུ།", "སེར་པོ།")]


@pytest.fixture
def release(project: Project) -> Release:
    """A part whose items have options of their own."""
    take_submissions(project, accepts_endpoints=True)
    return make_part(project, n=ITEMS, options_of=options_of)


@pytest.fixture
def all_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every item that can be marked is marked for every team."""
    monkeypatch.setattr(marks, "ONE_IN", 1)


def known_to(release: Release) -> dict[str, list[str]]:
    """The text of the correct option of each question, as the stand-in is told it."""
    rows = release.items.select_related("revision")
    return {
        squeeze(row.revision.question): [squeeze(row.options["ABCD".index(row.key)])]
        for row in rows
    }


class Reader:
    """A model that reads contents and finds the correct option wherever it stands; keeps the prompts."""

    def __init__(self, release: Release, form: str = "{letter}") -> None:
        self.known, self.form, self.prompts = known_to(release), form, list[str]()

    def __call__(self, request: ChatRequest) -> str:
        self.prompts.append(request.messages[-1].content)
        asked = read_prompt(self.prompts[-1])
        question = squeeze(self.prompts[-1].partition("\n")[0])
        (text,) = self.known[question]
        (letter,) = [name for name, option in asked.options.items() if option == text]
        return self.form.format(letter=letter, text=text)

    @property
    def seen(self) -> dict[str, list[str]]:
        """The options of each question as they were asked."""
        prompts = {squeeze(each.partition("\n")[0]): each for each in self.prompts}
        return {name: [*read_prompt(each).options.values()] for name, each in prompts.items()}


def asked(release: Release, sender: Participant, **more: Any) -> Reader:
    """Have an endpoint of a team asked; what it saw."""
    reader = Reader(release)
    assert ask(send_one(release, sender, **more), NullProvider(reader)).state == "scored"
    return reader


def leaked(seen: dict[str, list[str]]) -> bytes:
    rows = ({"question": question, "choices": options} for question, options in seen.items())
    return "\n".join(map(json.dumps, rows)).encode()


def trace(release: Release, content: bytes) -> LeakTrace:
    return tracing.trace_leak(release=release, content=content, actor=UserFactory(), now=NOW)


def named(found: LeakTrace) -> list[str]:
    return [each.team.name for each in found.named]


def unlike(team: Team, other: Team, release: Release) -> None:
    """Give a team a secret by which at most one item has the order of the other team."""
    items = list(release.items.values_list("item", flat=True))

    def orders(secret: str) -> list[str]:
        return [marks.marked_order(secret, item, 4) for item in items]

    theirs = orders(other.mark_secret)
    for number in count():
        pairs = zip(orders(f"{number}"), theirs, strict=True)
        if sum(own == order != "" for own, order in pairs) <= 1:
            Team.objects.filter(pk=team.pk).update(mark_secret=f"{number}")
            return


@pytest.fixture
def teams(release: Release, sender: Participant, all_marked: None) -> list[Participant]:
    other = join(release.project, team="Shigatse")
    unlike(other.team, sender.team, release)
    other.team.refresh_from_db()
    return [sender, other]


@pytest.mark.both_databases
def test_a_leak_names_the_team_that_was_asked_and_no_other(
    release: Release, teams: Sequence[Participant]
) -> None:
    first, second = (asked(release, team) for team in teams)
    for reader, name in ((first, "Lhasa"), (second, "Shigatse")):
        found = trace(release, leaked(reader.seen))
        assert named(found) == [name]
        assert (found.found, found.items) == (ITEMS, ITEMS)
        best, other = (each.evidence for each in found.teams)
        assert (best.found, best.matched) == (ITEMS, ITEMS)
        assert best.chance == pytest.approx(2 * 23.0**-ITEMS)
        assert (other.found, other.matched <= 1) == (ITEMS, True)


def test_a_few_prompts_among_other_text_are_enough(
    release: Release, teams: Sequence[Participant]
) -> None:
    asked(release, teams[1])
    prompts = asked(release, teams[0]).prompts[:5]
    found = trace(release, "\n\nor something else\n\n".join(prompts).encode())
    assert named(found) == ["Lhasa"]
    assert (found.found, found.teams[0].evidence.matched) == (5, 5)


def test_both_teams_are_named_where_both_leaked(
    release: Release, teams: Sequence[Participant]
) -> None:
    both = b"\n".join(leaked(asked(release, team).seen) for team in teams)
    assert named(trace(release, both)) == ["Lhasa", "Shigatse"]


def test_the_released_order_names_nobody(release: Release, teams: Sequence[Participant]) -> None:
    for team in teams:
        asked(release, team)
    text = leaked({f"འདྲི་བ་ {number}": options_of(number) for number in range(ITEMS)})
    found = trace(release, text)
    assert (found.found, named(found)) == (ITEMS, [])
    assert [(each.evidence.matched, each.evidence.chance) for each in found.teams] == [(0, 1.0)] * 2


def test_shuffled_options_name_nobody(release: Release, teams: Sequence[Participant]) -> None:
    """Of twenty such texts, hardly one in a thousand may name a team by luck."""
    for team in teams:
        asked(release, team)
    rng = Random(1)
    texts = [
        {f"འདྲི་བ་ {number}": rng.sample(options_of(number), 4) for number in range(ITEMS)}
        for _text in range(20)
    ]
    assert sum(bool(named(trace(release, leaked(text)))) for text in texts) <= 1


def test_another_text_has_no_questions(release: Release, teams: Sequence[Participant]) -> None:
    asked(release, teams[0])
    found = trace(release, b"Nothing of it.")
    assert (found.found, named(found)) == (0, [])
    assert [each.team.name for each in found.teams] == ["Lhasa"]


@pytest.mark.both_databases
def test_questions_of_an_earlier_version_name_the_team_too(
    release: Release, teams: Sequence[Participant]
) -> None:
    seen = asked(release, teams[0]).seen
    later = Release.objects.get(pk=release.pk)
    later.pk, later.version = None, "2.0.0"
    later.save()
    copies = list(release.items.order_by("pk"))
    for each in copies:
        each.pk, each.release = None, later
    release.items.model.objects.bulk_create(copies)
    asked(later, teams[1])
    found = trace(later, leaked(seen))
    assert (named(found), found.found) == (["Lhasa"], ITEMS)
    assert found.teams[0].evidence.chance == pytest.approx(2 * 23.0**-ITEMS)
    before = trace(release, leaked(seen))
    assert [each.team.name for each in before.teams] == ["Lhasa"]


def test_items_that_a_team_was_not_asked_say_nothing_of_it(
    release: Release, teams: Sequence[Participant]
) -> None:
    seen = asked(release, teams[0]).seen
    for row in release.items.filter(position__gte=10):
        SubmissionResponse.objects.filter(release_item=row).delete()
    assert trace(release, leaked(seen)).teams[0].evidence.found == 10


def test_an_item_is_asked_in_the_same_order_each_time(
    release: Release, teams: Sequence[Participant]
) -> None:
    first, again = (asked(release, teams[0], seed=seed) for seed in (1, 2))
    assert first.seen == again.seen
    assert first.prompts != again.prompts
    assert first.seen != asked(release, teams[1]).seen
    for number in range(ITEMS):
        options = first.seen[f"འདྲི་བ་ {number}"]
        assert sorted(options) == sorted(options_of(number))
        assert options != options_of(number)


@pytest.mark.both_databases
@pytest.mark.parametrize("form", ["{letter}", "{letter}. {text}", "ལན་ནི་ {letter} རེད།", "{text}"])
def test_answers_are_read_by_the_order_that_was_asked(
    release: Release, teams: Sequence[Participant], form: str
) -> None:
    reader = Reader(release, form)
    found = ask(send_one(release, teams[0]), NullProvider(reader))
    assert found.answers == ["ABCD"[number % 4] for number in range(ITEMS)]


def test_the_stand_in_scores_as_without_marks(
    release: Release, teams: Sequence[Participant], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = []
    with serving(known=known_to(release)) as server:
        for share in (1, 20, 10**12):
            monkeypatch.setattr(marks, "ONE_IN", share)
            found = ask(send_one(release, teams[0], server.base_url))
            keys = enumerate(found.answers)
            right.append([answer == "ABCD"[number % 4] for number, answer in keys])
    assert right[0] == right[1] == right[2]
    assert ITEMS / 2 < sum(right[0]) < ITEMS


def test_the_first_contact_is_marked_and_judged_by_the_released_keys(
    release: Release, teams: Sequence[Participant]
) -> None:
    take_submissions(release.project, accepts_endpoints=True, first_contact=10)
    Release.objects.filter(pk=release.pk).update(**CLOSED)
    release.refresh_from_db()
    reader = asked(release, teams[0])
    assert Submission.objects.get().endpoint.first_contact == 10
    found = trace(release, "\n".join(reader.prompts[:10]).encode())
    assert (named(found), found.teams[0].evidence.matched) == (["Lhasa"], 10)


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_successor_asks_and_reads_as_the_worker_that_was_killed(
    release: Release, teams: Sequence[Participant], *, is_marked: bool
) -> None:
    """One that began before there were marks goes on without them."""
    sent, reader = send_one(release, teams[0]), Reader(release)
    SubmittedEndpoint.objects.filter(submission=sent).update(
        started_at=timezone.now(), is_marked=is_marked
    )
    orders = AskedOrders(release.project, release.items.all()).of(teams[0].team)
    for row in release.items.order_by("position")[:15]:
        order = orders[row.pk] if is_marked else "ABCD"
        SubmissionResponse.objects.create(
            submission=sent, release_item=row, state="answered", text="ABCD"[order.index(row.key)],
            request_hash="0" * 64, created_at=NOW,
        )  # fmt: skip
    found = ask(sent, NullProvider(reader))
    assert len(reader.prompts) == ITEMS - 15
    assert found.answers == ["ABCD"[number % 4] for number in range(ITEMS)]
    moved = {
        options != options_of(int(question.split()[-1]))
        for question, options in reader.seen.items()
    }
    assert moved == {is_marked}


def test_numbers_and_options_that_name_others_are_never_marked(
    release: Release, teams: Sequence[Participant]
) -> None:
    rows = {row.position: row for row in release.items.select_related("revision")}
    texts = type(rows[0].revision).objects
    texts.filter(pk=rows[1].revision_id).update(options=["1", "2", "All of the above", "4"])
    texts.filter(pk=rows[2].revision_id).update(options=["one", "two"])
    texts.filter(pk=rows[3].revision_id).update(options=["one", "two", "two"])
    release.items.filter(pk=rows[4].pk).update(source_options=["a", "b", "c", "Both A and B"])
    release.items.filter(pk=rows[5].pk).update(kind=ItemKind.NUMBER, key="5")
    orders = AskedOrders(release.project, release.items.all()).of(teams[0].team)
    assert {rows[place].pk for place in range(1, 6)} & orders.keys() == set()
    assert len(orders) == ITEMS - 5


def test_about_one_item_in_twenty_is_marked(project: Project) -> None:
    take_submissions(project, accepts_endpoints=True)
    release = make_part(project, n=400, options_of=options_of)
    orders = AskedOrders(project, release.items.all())
    every = [len(orders.of(Team(mark_secret=f"{number}"))) for number in range(50)]
    assert sum(every) / len(every) == pytest.approx(20, rel=0.2)


def test_files_that_cannot_be_read_are_refused(
    release: Release, teams: Sequence[Participant], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NobodyAsked) as refused:
        trace(release, b"text")
    assert "version 1.0.0" in str(refused.value)
    asked(release, teams[0])
    with pytest.raises(LeakUnreadable):
        trace(release, "text".encode("utf-16"))
    monkeypatch.setattr(tracing, "MOST_LEAKED", 3)
    with pytest.raises(LeakTooLarge):
        trace(release, b"text")
    assert not AuditEvent.objects.filter(verb="submissions.leak_traced").exists()


def test_who_was_asked_before_there_were_marks_is_not_weighed(
    release: Release, teams: Sequence[Participant]
) -> None:
    asked(release, teams[0])
    SubmittedEndpoint.objects.update(is_marked=False)
    with pytest.raises(NobodyAsked):
        trace(release, b"text")


def file_of(content: bytes) -> BytesIO:
    file = BytesIO(content)
    file.name = "found.jsonl"
    return file


def test_a_manager_traces_on_the_page_and_nothing_is_stored(
    release: Release,
    teams: Sequence[Participant],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    page, manage = browser_of(member(Role.MANAGER)), reverse("submissions:manage", args=["ti"])
    address = reverse("submissions:leaks", args=["ti", "1.0.0"])
    assert address not in page.get(manage).content.decode()
    seen = asked(release, teams[0]).seen
    assert address in page.get(manage).content.decode()
    assert page.get(address).status_code == 200
    answer = page.post(address, {"file": file_of(leaked(seen))})
    shown = " ".join(answer.content.decode().split())
    assert "seems to come from the endpoint of Lhasa" in shown
    assert "40 of 40 items with options stand in the text" in shown
    assert "from elsewhere: &lt; 1e-12." in shown
    assert "འདྲི་བ་" not in shown
    event = AuditEvent.objects.get(verb="submissions.leak_traced")
    assert event.target == f"release:{release.pk}"
    assert event.data == {"version": "1.0.0", "found": ITEMS, "teams": [teams[0].team_id]}
    nobody = page.post(address, {"file": file_of(b"else")})
    assert "No question was found" in nobody.content.decode()
    for content, status in ((b"\xff\xfe", 400), (b"", 400)):
        assert page.post(address, {"file": file_of(content)}).status_code == status
    assert page.post(address).status_code == 400


def test_the_api_does_the_same(
    release: Release,
    teams: Sequence[Participant],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call, address = browser_of(member(Role.MANAGER)), reverse("api:leaks", args=["ti"])

    def post(content: bytes, version: str = "1.0.0") -> Any:
        return call.post(address, {"release": version, "file": file_of(content)})

    refused = post(b"text")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_endpoint_asked")
    seen = asked(release, teams[0]).seen
    assert post(leaked(seen)).json() == {
        "version": "1.0.0",
        "found": ITEMS,
        "items": ITEMS,
        "teams": [
            {
                "team": "Lhasa",
                "found": ITEMS,
                "matched": ITEMS,
                "chance": pytest.approx(23.0**-ITEMS),
                "is_named": True,
            }
        ],
    }
    assert post(b"text", "9.9.9").status_code == 404
    assert post(b"\xff").json()["code"] == "leak_unreadable"
    monkeypatch.setattr(tracing, "MOST_LEAKED", 3)
    assert (post(b"text").status_code, post(b"text").json()["code"]) == (413, "leak_too_large")


@pytest.mark.parametrize("role", [Role.SENIOR, Role.REVIEWER, Role.VIEWER, Role.EVALUATOR, None])
def test_others_trace_nothing(
    release: Release,
    teams: Sequence[Participant],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    role: Role | None,
) -> None:
    seen = asked(release, teams[0]).seen
    browser = browser_of(member(role) if role else teams[0].user)
    page, call = (
        reverse("submissions:leaks", args=["ti", "1.0.0"]),
        reverse("api:leaks", args=["ti"]),
    )
    answers = (
        browser.get(page),
        browser.post(page, {"file": file_of(leaked(seen))}),
        browser.post(call, {"release": "1.0.0", "file": file_of(leaked(seen))}),
    )
    assert {each.status_code for each in answers} == {403 if role else 404}
    assert not AuditEvent.objects.filter(verb="submissions.leak_traced").exists()


@pytest.mark.both_databases
def test_each_team_has_a_secret_of_its_own(release: Release, sender: Participant) -> None:
    other = join(release.project, team="Shigatse").team
    assert len({sender.team.mark_secret, other.mark_secret}) == 2
    Team.objects.update(mark_secret="the same")
    (name,) = [each.stem for each in Path(migrations.__path__[0]).glob("*_team_secrets.py")]
    import_module(f"submissions.migrations.{name}").draw_secrets(apps, None)
    secrets = set(Team.objects.values_list("mark_secret", flat=True))
    assert {len(each) for each in secrets} == {64}
    assert len(secrets) == 2
    with pytest.raises(IntegrityError), transaction.atomic():
        Team.objects.update(mark_secret="")
