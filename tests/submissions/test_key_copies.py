"""Copies of hidden keys: false keys in them are followed by leaks alone and change no score."""

import json
from collections.abc import Callable
from random import Random
from threading import Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.items.keys import correct_key
from jobs.worker import run_now
from projects.enums import Role
from releases.enums import Subset
from releases.models import Release
from submissions.actions.flagging import dismiss_flags
from submissions.actions.key_copies import HiddenItemsTooFew, KeyCopyInvalid, create_key_copy
from submissions.actions.rescoring import start_rescoring
from submissions.models import FollowedKeys, KeyCopy, Participant, Submission
from submissions.presenters import as_json, key_copy_file
from tests.factories import UserFactory
from tests.submissions.builders import (
    NOW,
    answers,
    ids_of,
    join,
    make_part,
    score,
    scored,
    send,
    take_submissions,
    texts_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Browser = Callable[[User], Client]
MANAGE, COPIES = "submissions:manage", "submissions:key-copies"
TOO_FEW = HiddenItemsTooFew.code


@pytest.fixture
def release(project: Any) -> Release:
    take_submissions(project, per_day=100, per_month=1000)
    return make_part(project, n=60)


def copy_of(release: Release, actor: User | None = None, **changes: Any) -> KeyCopy:
    values = {"recipient": "Lhasa University", "false_count": 20, "random": Random(1)} | changes
    return create_key_copy(release=release, actor=actor or UserFactory(), now=NOW, **values)


def keys_in(copy: KeyCopy) -> dict[str, str]:
    found: dict[str, str] = json.loads(key_copy_file(copy))["keys"]
    return found


def by_copy(release: Release, sender: Participant, copy: KeyCopy, **declared: Any) -> Submission:
    return score(send(release, sender, list(keys_in(copy).items()), **declared))


def test_a_copy_has_as_many_false_keys_as_it_says_and_all_others_are_true(
    release: Release,
) -> None:
    copy = copy_of(release)
    file, true = json.loads(key_copy_file(copy)), dict(answers(release, 60))
    false = {uid for uid, key in file["keys"].items() if key != true[uid]}
    assert false == copy.false_keys.keys()
    assert (len(false), list(file["keys"])) == (20, list(true))
    assert (file["project"], file["version"], file["copy"], file["recipient"]) == (
        "ti", "1.0.0", 1, "Lhasa University",
    )  # fmt: skip
    assert "20 of these 60 keys are false" in file["note"]
    assert "0.3333 at most" in file["note"]
    event = AuditEvent.objects.get(verb="submissions.keys_copied")
    assert event.data == {
        "version": "1.0.0", "copy": 1, "recipient": "Lhasa University", "false_keys": 20,
    }  # fmt: skip


def test_a_copy_leaves_the_release_as_it_is(release: Release) -> None:
    before = [list(release.items.order_by("pk").values()), Release.objects.values().get()]
    copy_of(release)
    after = [list(release.items.order_by("pk").values()), Release.objects.values().get()]
    assert after == before


def test_each_copy_has_a_number_and_false_keys_of_its_own(release: Release) -> None:
    one, two = copy_of(release), copy_of(release, random=Random(2))
    assert (one.number, two.number) == (1, 2)
    assert one.false_keys != two.false_keys
    assert key_copy_file(one) == key_copy_file(KeyCopy.objects.get(pk=one.pk))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"recipient": "  "}, "recipient"),
        ({"recipient": "x" * 101}, "recipient"),
        ({"false_count": 6}, "false_count"),
        ({"false_count": 61}, "false_count"),
    ],
)
def test_copies_for_nobody_or_with_few_or_many_false_keys_are_refused(
    release: Release, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(KeyCopyInvalid) as refused:
        copy_of(release, **changes)
    assert refused.value.fields.keys() == {field}
    assert not KeyCopy.objects.exists()


def test_open_items_and_numbers_have_no_false_keys(release: Release) -> None:
    places = release.items.order_by("position").values_list("pk", flat=True)
    release.items.filter(pk__in=places[:20]).update(subset=Subset.OPEN)
    release.items.filter(pk__in=places[20:40]).update(kind="number", key="5")
    copy = copy_of(release)
    assert copy.false_keys.keys() == {f"hidden-{number}" for number in range(40, 60)}
    assert list(keys_in(copy).items())[:20] == [(f"hidden-{n}", "5") for n in range(20, 40)]
    release.items.filter(pk__in=places[40:54]).update(kind="number", key="5")
    with pytest.raises(HiddenItemsTooFew):
        copy_of(release)


def test_who_answers_by_a_copy_is_flagged_with_its_name(
    release: Release, sender: Participant
) -> None:
    copy = copy_of(release)
    copy_of(release, recipient="Another", random=Random(2))
    found = by_copy(release, sender, copy)
    (words,) = texts_of(found)
    assert words == (
        "Follows 20 of 20 false keys in copy 1 of the keys of 1.0.0 for Lhasa University. By chance, at "
        "most one honest submission in 1,000,000,000 follows as many."
    )
    strong = found.followed_keys.get(key_copy=copy)
    assert (strong.followed, strong.wrong, strong.count) == (20, 20, 20)
    assert strong.chance == pytest.approx(2 * 3.0**-20)
    other = found.followed_keys.exclude(key_copy=copy).get()
    assert not other.is_strong
    event = AuditEvent.objects.get(verb="submissions.flagged")
    assert (event.target, event.actor) == (f"submission:{found.pk}", None)
    (flag,) = event.data["flags"]
    assert (flag["code"], flag["params"]["copy"], flag["params"]["followed"]) == (
        "false_keys", 1, 20,
    )  # fmt: skip


def test_honest_answers_are_weighed_and_not_flagged(release: Release, sender: Participant) -> None:
    copy_of(release)
    good, bad = scored(release, sender, 60), scored(release, sender, 5)
    assert texts_of(good) == texts_of(bad) == []
    assert [each.followed for each in FollowedKeys.objects.filter(submission=good)] == [0]
    assert FollowedKeys.objects.filter(submission=bad).get().wrong > 10
    assert not AuditEvent.objects.filter(verb="submissions.flagged").exists()


def test_one_epoch_by_the_copy_is_enough(release: Release, sender: Participant) -> None:
    leaked, own = keys_in(copy_of(release)), dict(answers(release, 30))
    found = score(send(release, sender, [(uid, [own[uid], leaked[uid]]) for uid in own]))
    assert texts_of(found)[0].startswith("Follows 20 of 20 false keys")
    assert found.followed_keys.get().chance == pytest.approx(2 * 3.0**-20)


def test_scores_are_those_without_any_copy(release: Release, sender: Participant) -> None:
    before = scored(release, sender, 31)
    told = as_json(before)["score"]
    copy_of(release)
    other = join(release.project, team="Shigatse")
    after = score(send(release, other, answers(release, 31)))
    assert after.scores.get().correct == before.scores.get().correct == 31
    assert as_json(after)["score"] == told
    leaked = by_copy(release, join(release.project, team="Gyantse"), KeyCopy.objects.get())
    assert leaked.scores.get().correct == 40


def test_a_team_is_told_nothing_of_copies(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    found = by_copy(release, sender, copy_of(release))
    page = browser_of(sender.user).get(reverse("submissions:submission", args=[found.pk]))
    call = browser_of(sender.user).get(reverse("api:submission", args=[found.pk]))
    for told in (page.content.decode(), call.content.decode(), json.dumps(as_json(found))):
        assert "Lhasa University" not in told
        assert "alse key" not in told


def test_a_copy_of_an_earlier_version_is_found_in_the_next(
    release: Release, sender: Participant
) -> None:
    copy = copy_of(release)
    later = make_part(release.project, n=60, version="2.0.0")
    found = by_copy(later, sender, copy)
    assert "in copy 1 of the keys of 1.0.0" in texts_of(found)[0]


def test_a_copy_of_other_items_says_nothing(release: Release, sender: Participant) -> None:
    copy_of(release)
    later = make_part(release.project, n=60, version="2.0.0")
    for each in later.items.all():
        later.items.filter(pk=each.pk).update(public_id=f"other-{each.position}")
    assert not scored(later, sender, 30).followed_keys.exists()


def test_a_corrected_key_leaves_copy_and_evidence_as_they_are(
    release: Release, sender: Participant
) -> None:
    """Not even if the false key was right after all: the draw knew nothing of that."""
    copy = copy_of(release)
    file, uid = key_copy_file(copy), next(iter(copy.false_keys))
    placed = release.items.select_related("item__project").get(public_id=uid)
    scored(release, sender, 30)
    correct_key(
        item=placed.item, key=copy.false_keys[uid][1], reason="Wrong.", actor=sender.user, now=NOW
    )
    rescoring = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert rescoring.job is not None
    run_now(rescoring.job)
    assert key_copy_file(KeyCopy.objects.get()) == file
    found = by_copy(release, join(release.project, team="Shigatse"), copy)
    assert [row.correct for row in found.scores.order_by("pk")] == [40, 41]
    assert found.followed_keys.get().followed == 20


def test_the_evidence_stays_when_the_flag_is_dismissed(
    release: Release, sender: Participant
) -> None:
    found = by_copy(release, sender, copy_of(release))
    dismiss_flags(
        submission=found, seen=ids_of(found), reason="Our test.", actor=sender.user, now=NOW
    )
    assert texts_of(found) == []
    assert found.followed_keys.get().is_strong


@pytest.mark.django_db(transaction=True)
def test_copies_that_are_made_at_once_have_numbers_and_false_keys_of_their_own(
    project: Any,
) -> None:
    take_submissions(project)
    release, actor = make_part(project, n=60), UserFactory()

    def act(seed: int) -> None:
        try:
            copy_of(release, actor, random=Random(seed))
        finally:
            connections.close_all()

    threads = [Thread(target=act, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    copies = KeyCopy.objects.order_by("number")
    assert [copy.number for copy in copies] == [1, 2, 3, 4, 5, 6]
    assert len({json.dumps(copy.false_keys, sort_keys=True) for copy in copies}) == 6


def test_a_manager_makes_a_copy_reads_who_follows_it_and_dismisses(
    release: Release, member: Callable[..., User], browser_of: Browser
) -> None:
    page = browser_of(member(Role.MANAGER))
    address = reverse("submissions:key-copies", args=["ti", "1.0.0"])
    assert address in page.get(reverse(MANAGE, args=["ti"])).content.decode()
    assert page.post(address, {"recipient": "", "false_count": 20}).status_code == 400
    made = page.post(address, {"recipient": "Codabench", "false_count": 20})
    assert (made.status_code, made["Location"]) == (302, address)
    file = page.get(reverse("submissions:key-copy-file", args=["ti", "1.0.0", 1]))
    assert file["Content-Disposition"] == 'attachment; filename="ti-1.0.0-keys-copy-1.json"'
    keys = json.loads(b"".join(file.streaming_content))["keys"]
    found = score(send(release, join(release.project), list(keys.items())))

    assert "Codabench" in page.get(address).content.decode()
    shown = page.get(reverse(MANAGE, args=["ti"])).content.decode()
    words = "Copy 1 of 1.0.0: follows 20 of 20 false keys, with 20 wrong answers there. Probability"
    assert words in " ".join(shown.split())
    row = reverse("submissions:moderate", args=["ti", found.pk])
    (seen,) = ids_of(found)
    assert f'name="seen_flag" value="{seen}"' in shown
    sent = {"do": "dismiss", "reason": "Our test.", "seen_flag": seen}
    assert page.post(row, sent).status_code == 302
    assert ids_of(found) == []
    later = page.get(reverse("submissions:key-copy-file", args=["ti", "1.0.0", 2]))
    assert later.status_code == 404


@pytest.mark.parametrize(("items", "count"), [(7, 7), (12, 7), (45, 15), (60, 20)])
def test_the_number_that_the_page_proposes_is_taken(
    release: Release, member: Callable[..., User], browser_of: Browser, items: int, count: int
) -> None:
    release.items.filter(position__gte=items).delete()
    browser, address = browser_of(member(Role.MANAGER)), reverse(COPIES, args=["ti", "1.0.0"])
    proposed = browser.get(address).context["form"]["false_count"].value()
    assert proposed == count
    sent = {"recipient": "Codabench", "false_count": proposed}
    assert browser.post(address, sent).status_code == 302


def test_the_api_makes_as_many_keys_false_as_the_page_proposes(
    release: Release, member: Callable[..., User], browser_of: Browser
) -> None:
    browser, names = browser_of(member(Role.MANAGER)), ["ti", "1.0.0"]
    for items, status, told in ((12, 201, ("false_keys", 7)), (6, 409, ("code", TOO_FEW))):
        release.items.filter(position__gte=items).delete()
        answer = browser.post(
            reverse("api:key-copies", args=names), {"recipient": "Codabench"}, "application/json"
        )
        assert (answer.status_code, answer.json()[told[0]]) == (status, told[1])
    page = browser.get(reverse(COPIES, args=names))
    assert page.context["form"]["false_count"].value() is None


def test_the_api_does_the_same(
    release: Release, member: Callable[..., User], browser_of: Browser
) -> None:
    call = browser_of(member(Role.MANAGER))
    address = reverse("api:key-copies", args=["ti", "1.0.0"])
    made = call.post(address, {"recipient": "Codabench"}, content_type="application/json")
    assert made.status_code == 201
    listed = call.get(address).json()["results"]
    assert listed == [made.json()]
    assert {name: listed[0][name] for name in ("copy", "recipient", "false_keys")} == {
        "copy": 1, "recipient": "Codabench", "false_keys": 20,
    }  # fmt: skip
    file = call.get(reverse("api:key-copy-file", args=["ti", "1.0.0", 1]))
    keys = json.loads(b"".join(file.streaming_content))["keys"]
    found = score(send(release, join(release.project), list(keys.items())))
    row = call.get(reverse("api:project-submissions", args=["ti"])).json()["results"][0]
    assert row["followed_keys"] == [
        {
            "version": "1.0.0", "copy": 1, "recipient": "Codabench", "followed": 20, "wrong": 20,
            "false_keys": 20, "chance": pytest.approx(3.0**-20), "is_strong": True,
        }
    ]  # fmt: skip
    done = call.post(
        reverse("api:submission-moderation", args=[found.pk]),
        {"dismissed_flags": [flag["id"] for flag in row["flags"]], "reason": "Our test."},
        content_type="application/json",
    )
    assert (done.status_code, done.json()["flag"], done.json()["flags"]) == (200, "", [])
    refused = call.post(address, {"recipient": "x", "false_count": 3}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (400, "key_copy_invalid")


@pytest.mark.parametrize("role", [Role.SENIOR, Role.REVIEWER, Role.VIEWER, Role.EVALUATOR])
def test_others_get_no_copy(
    release: Release, member: Callable[..., User], browser_of: Browser, role: Role
) -> None:
    copy_of(release)
    page = browser_of(member(role))
    for name, more in (
        ("submissions:key-copies", []),
        ("submissions:key-copy-file", [1]),
        ("api:key-copies", []),
        ("api:key-copy-file", [1]),
    ):
        assert page.get(reverse(name, args=["ti", "1.0.0", *more])).status_code == 403
    refused = page.post(reverse("api:key-copies", args=["ti", "1.0.0"]), {"recipient": "Me"})
    assert (refused.status_code, KeyCopy.objects.count()) == (403, 1)


def test_participants_and_strangers_do_not_find_copies(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    copy_of(release)
    for user in (sender.user, UserFactory()):
        for name in ("submissions:key-copy-file", "api:key-copy-file"):
            address = reverse(name, args=["ti", "1.0.0", 1])
            assert browser_of(user).get(address).status_code == 404


@pytest.mark.parametrize("name", ["submissions:key-copies", "api:key-copies"])
def test_list_of_copies_takes_as_many_queries_for_many(
    release: Release, member: Callable[..., User], browser_of: Browser, name: str
) -> None:
    page, address = browser_of(member(Role.MANAGER)), reverse(name, args=["ti", "1.0.0"])
    copy_of(release)
    page.get(address)
    with CaptureQueriesContext(connection) as of_one:
        page.get(address)
    for number in (2, 3):
        copy_of(release, random=Random(number))
    with CaptureQueriesContext(connection) as of_three:
        page.get(address)
    assert len(of_three) == len(of_one)


def test_list_of_submissions_takes_as_many_queries_for_many_that_follow_copies(
    release: Release, sender: Participant, member: Callable[..., User], browser_of: Browser
) -> None:
    page, address = browser_of(member(Role.MANAGER)), reverse(MANAGE, args=["ti"])
    copies = [copy_of(release, random=Random(number)) for number in range(3)]
    by_copy(release, sender, copies[0])
    page.get(address)
    with CaptureQueriesContext(connection) as of_one:
        page.get(address)
    for copy in copies[1:]:
        by_copy(release, sender, copy)
    with CaptureQueriesContext(connection) as of_three:
        page.get(address)
    assert len(of_three) == len(of_one)
