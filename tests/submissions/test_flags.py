"""Flags say in the reader's language what was found, and only those that were read are dismissed."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import StateApps
from django.test import Client
from django.urls import reverse
from django.utils.translation import get_language, override

from accounts.audit import audit_rows
from accounts.models import AuditEvent, User
from annotation.items.keys import correct_key
from jobs.progress import Progress
from jobs.worker import run_now
from projects.enums import Role
from releases.models import Release
from submissions.actions.audit import record
from submissions.actions.flagging import (
    FlagsChanged,
    NoteMissing,
    NotFlagged,
    dismiss_flags,
    flag_submission,
    store_flags,
)
from submissions.actions.rescoring import perform_rescoring, start_rescoring
from submissions.enums import FlagCode
from submissions.flags import Suspicion, flag_text
from submissions.models import Participant, Submission, SubmissionFlag
from tests.races import interleave
from tests.submissions.builders import (
    NOW,
    answers,
    ids_of,
    join,
    make_part,
    scored,
    take_submissions,
    texts_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Member = Callable[..., User]
Browser = Callable[[User], Client]
FALSE_KEYS = Suspicion(
    FlagCode.FALSE_KEYS,
    {
        "version": "1.0.0",
        "copy": 2,
        "recipient": "西藏大学",
        "followed": 8,
        "false_keys": 9,
        "chance": 1 / 123_456,
    },
)
FOUND = [
    FALSE_KEYS,
    Suspicion(FlagCode.SAME_ANSWERS, {"submission": 7}),
    Suspicion(FlagCode.WRONG_KEYS, {"keys": 5}),
]
ENGLISH = [
    (
        "Follows 8 of 9 false keys in copy 2 of the keys of 1.0.0 for 西藏大学. By chance, at most one "
        "honest submission in 120,000 follows as many."
    ),
    "Answers nearly equal to those of submission 7 of another team.",
    "Answers all 5 items whose keys were wrong by those keys.",
]
CHINESE = [
    (
        "跟随了 1.0.0 答案副本 2（接收方：西藏大学）的 9 个假答案中的 8 个。诚实的提交中，至多每 120,000 "
        "个才有一个会偶然跟随这么多。"
    ),
    "答案与另一团队的提交 7 几乎相同。",
    "在答案有误的全部 5 道题目上，都按这些错误答案作答。",
]


@pytest.fixture
def sent(release: Release, sender: Participant) -> Submission:
    return scored(release, sender, 12)


@pytest.fixture
def flagged(sent: Submission) -> Submission:
    """A submission of which three things were found."""
    store_flags(submission=sent, found=FOUND, actor=None, now=NOW)
    return sent


@pytest.fixture
def chinese(member: Member) -> User:
    return member(Role.MANAGER, language="zh-hans")


def dismiss(submission: Submission, seen: list[int], reason: str = "Our test.") -> None:
    told = {"actor": submission.sent_by, "now": NOW}
    dismiss_flags(submission=submission, seen=seen, reason=reason, **told)


@pytest.mark.parametrize(("language", "words"), [("en", ENGLISH), ("zh-hans", CHINESE)])
def test_flags_are_told_in_the_language_of_the_reader(
    flagged: Submission, language: str, words: list[str]
) -> None:
    with override(language):
        assert texts_of(flagged) == words


def test_odds_are_told_with_two_digits_and_never_longer_than_a_line() -> None:
    def odds(chance: float) -> str:
        return flag_text(FlagCode.FALSE_KEYS, {**FALSE_KEYS.params, "chance": chance})

    assert "in 1,000 follows" in odds(0.001)
    assert "in 2,100 follows" in odds(1 / 2_149)
    assert "in 1,000,000,000 follows" in odds(3.0**-100)


@pytest.mark.parametrize(
    ("code", "params"), [("of_tomorrow", {}), ("false_keys", {}), ("false_keys", {"chance": 0})]
)
def test_a_flag_of_another_version_is_told_by_its_code(code: str, params: dict[str, Any]) -> None:
    assert flag_text(code, params) == f"It was flagged with the code “{code}”."


def test_a_note_stands_beside_what_was_found(flagged: Submission) -> None:
    """A note took the place of what was found."""
    flag_submission(submission=flagged, note=" 100 % right? ", actor=flagged.sent_by, now=NOW)
    assert texts_of(flagged) == [*ENGLISH, "100 % right?"]
    with pytest.raises(NoteMissing):
        flag_submission(submission=flagged, note=" ", actor=flagged.sent_by, now=NOW)
    assert len(texts_of(flagged)) == 4


def test_nothing_found_is_no_flag_and_no_event(sent: Submission) -> None:
    store_flags(submission=sent, found=[], actor=None, now=NOW)
    assert not AuditEvent.objects.filter(verb="submissions.flagged").exists()


def test_all_that_was_read_is_dismissed_and_kept_in_the_log(flagged: Submission) -> None:
    seen = ids_of(flagged)
    with pytest.raises(NoteMissing):
        dismiss(flagged, seen, reason=" ")
    dismiss(flagged, seen)
    assert texts_of(flagged) == []
    event = AuditEvent.objects.get(verb="submissions.flag_dismissed")
    assert event.data == {
        "flags": [
            {"id": pk, "code": each.code, "params": each.params}
            for pk, each in zip(seen, FOUND, strict=True)
        ],
        "reason": "Our test.",
    }
    with pytest.raises(NotFlagged):
        dismiss(flagged, seen)


def test_a_dismissal_that_did_not_see_all_flags_is_refused_with_them(flagged: Submission) -> None:
    seen = ids_of(flagged)
    flag_submission(submission=flagged, note="New.", actor=flagged.sent_by, now=NOW)
    for read in (seen, [], seen[:1], [*ids_of(flagged), 10**12]):
        with pytest.raises(FlagsChanged) as refused:
            dismiss(flagged, read)
        assert refused.value.fields == {"dismissed_flags": [*ENGLISH, "New."]}
    assert len(texts_of(flagged)) == 4
    assert not AuditEvent.objects.filter(verb="submissions.flag_dismissed").exists()


def test_a_flag_after_a_dismissal_is_not_taken_for_the_one_that_was_read(
    flagged: Submission,
) -> None:
    seen = ids_of(flagged)
    dismiss(flagged, seen)
    store_flags(submission=flagged, found=FOUND, actor=None, now=NOW)
    with pytest.raises(FlagsChanged):
        dismiss(flagged, seen)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_flag_that_comes_while_others_are_dismissed_stays(flagged: Submission) -> None:
    seen, actor = ids_of(flagged), flagged.sent_by
    interleave(
        lambda: dismiss(flagged, seen),
        lambda: flag_submission(submission=flagged, note="New.", actor=actor, now=NOW),
        behind='SELECT "submissions_submissionflag"',
    )
    assert texts_of(flagged) == ["New."]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_who_dismiss_at_once_the_second_is_told(flagged: Submission) -> None:
    seen = ids_of(flagged)
    first, second = interleave(
        lambda: dismiss(flagged, seen, "Mine."),
        lambda: dismiss(flagged, seen, "Mine too."),
        behind='SELECT "submissions_submissionflag"',
    )
    assert {type(first), type(second)} == {type(None), NotFlagged}
    assert AuditEvent.objects.filter(verb="submissions.flag_dismissed").count() == 1


def test_the_page_tells_all_flags_and_refuses_with_those_that_came_since(
    flagged: Submission, chinese: User, browser_of: Browser
) -> None:
    page = browser_of(chinese)
    address = reverse("submissions:manage", args=["ti"])
    shown = page.get(address).content.decode()
    assert all(words in shown for words in CHINESE)
    seen = ids_of(flagged)
    assert all(f'name="seen_flag" value="{pk}"' in shown for pk in seen)
    flag_submission(submission=flagged, note="看一下。", actor=chinese, now=NOW)

    form = {"do": "dismiss", "reason": "我们的测试。", "seen_flag": seen}
    row = reverse("submissions:moderate", args=["ti", flagged.pk])
    refused = page.post(row, form, headers={"referer": f"http://testserver{address}"})
    assert refused.status_code == 409
    told = refused.content.decode()
    assert "此提交的标记已有变化" in told
    assert "看一下。" in told
    assert f'href="http://testserver{address}"' in told
    for wrong in ("", "x", "9" * 5000, "²"):
        assert page.post(row, {**form, "seen_flag": [wrong]}).status_code == 409

    assert page.post(row, {**form, "seen_flag": ids_of(flagged)}).status_code == 302
    assert ids_of(flagged) == []
    assert page.post(row, {**form, "seen_flag": seen}).status_code == 409


def test_the_api_tells_codes_and_words_and_asks_for_what_was_read(
    flagged: Submission, member: Member, browser_of: Browser
) -> None:
    call = browser_of(member(Role.MANAGER))
    listed = reverse("api:project-submissions", args=["ti"])
    row = call.get(listed, headers={"accept-language": "zh-hans"}).json()["results"][0]
    assert row["flag"] == " ".join(CHINESE)
    assert row["flags"] == [
        {"id": pk, "code": each.code, "params": each.params, "text": words}
        for pk, each, words in zip(ids_of(flagged), FOUND, CHINESE, strict=True)
    ]
    flag_submission(submission=flagged, note="New.", actor=flagged.sent_by, now=NOW)

    address = reverse("api:submission-moderation", args=[flagged.pk])
    seen = [flag["id"] for flag in row["flags"]]
    body = {"is_hidden": True, "dismissed_flags": seen, "reason": "Our test."}
    refused = call.post(address, body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "flags_changed")
    now = refused.json()["current"]["flags"]
    assert [flag["text"] for flag in now] == [*ENGLISH, "New."]
    flagged.refresh_from_db()
    assert flagged.visibility == "shown"

    body["dismissed_flags"] = [flag["id"] for flag in now]
    done = call.post(address, body, content_type="application/json")
    assert (done.status_code, done.json()["flags"], done.json()["visibility"]) == (
        200, [], "hidden",
    )  # fmt: skip
    for wrong in ([], [0], [2**63], ["x"], True):
        body["dismissed_flags"] = wrong
        assert call.post(address, body, content_type="application/json").status_code == 400
    added = call.post(address, {"flag": "Look."}, content_type="application/json").json()
    assert [(flag["code"], flag["text"]) for flag in added["flags"]] == [("note", "Look.")]


def test_the_audit_log_and_its_files_tell_flags_in_the_language_of_the_reader(
    flagged: Submission, chinese: User, browser_of: Browser
) -> None:
    dismiss(flagged, ids_of(flagged))
    reader = browser_of(chinese)
    page = reader.get("/projects/ti/audit/?verb=submissions.flag_dismissed")
    ((_event, _words, details),) = page.context["rows"]
    assert details == [*(("flags", words) for words in CHINESE), ("reason", "Our test.")]

    file = reader.get("/projects/ti/audit.csv?verb=submissions.flagged")
    lines = io.StringIO(b"".join(file.streaming_content).decode().removeprefix("\ufeff"))
    (row,) = csv.DictReader(lines)
    assert CHINESE[1] in row["data"]
    found = reader.get("/api/v1/projects/ti/audit-events/?verb=submissions.flagged").json()[
        "results"
    ]
    assert [flag["text"] for flag in found[0]["data"]["flags"]] == CHINESE
    assert [flag["code"] for flag in found[0]["data"]["flags"]] == [each.code for each in FOUND]


def test_a_stream_of_events_keeps_the_language_in_which_it_was_asked_for(
    flagged: Submission,
) -> None:
    with override("zh-hans"):
        rows = audit_rows(AuditEvent.objects.filter(verb="submissions.flagged"))
    ((row,), language) = list(rows), get_language()
    assert [flag["text"] for flag in row["data"]["flags"]] == CHINESE
    assert language == "en"


def test_an_event_of_an_earlier_version_keeps_its_text(
    sent: Submission, chinese: User, browser_of: Browser
) -> None:
    record(
        "submissions.flagged", "submission:1", sent.release.project, {"flag": "Look."}, None, NOW
    )
    page = browser_of(chinese).get("/projects/ti/audit/?verb=submissions.flagged")
    ((_event, _words, details),) = page.context["rows"]
    assert details == [("flag", "Look.")]


def correct_keys(release: Release, count: int, actor: User) -> None:
    """Say that the keys of the first items were wrong, and score all again."""
    wanted = dict(answers(release, 0))
    rows = release.items.select_related("item__project").order_by("position")
    for placed in rows[:count]:
        if placed.item.key == placed.key:
            correct_key(
                item=placed.item,
                key=wanted[placed.public_id],
                reason="Wrong.",
                actor=actor,
                now=NOW,
            )


def test_what_scoring_again_finds_stands_beside_earlier_flags_and_once(project: Any) -> None:
    """A submission that had a flag got no further one."""
    take_submissions(project, per_day=100, per_month=1000)
    release = make_part(project, n=60)
    scored(release, join(project), 45)
    found = scored(release, join(project, team="Shigatse"), 45)
    actor = found.sent_by
    flag_submission(submission=found, note="Look.", actor=actor, now=NOW)
    correct_keys(release, 5, actor)
    rescoring = start_rescoring(release=release, actor=actor, now=NOW)
    assert rescoring.job is not None
    run_now(rescoring.job)
    expected = ["same_answers", "note", "wrong_keys"]
    assert [flag.code for flag in found.flags.order_by("pk")] == expected
    perform_rescoring(rescoring.job, Progress(rescoring.job.pk))
    assert [flag.code for flag in found.flags.order_by("pk")] == expected


@pytest.mark.django_db(transaction=True)
def test_texts_of_earlier_databases_become_flags_and_go_back(project: Any) -> None:
    take_submissions(project)
    release, sender = make_part(project), join(project)
    nodes = [name for app, name in MigrationLoader(connection).graph.nodes if app == "submissions"]
    (first,) = [name for name in nodes if name.endswith("_findings")]
    ((_app, before),) = [
        each
        for each in MigrationLoader(connection).get_migration("submissions", first).dependencies
        if each[0] == "submissions"
    ]
    flagged, plain = [scored(release, sender, right).pk for right in (12, 24)]
    try:
        earlier = migrate_to(before).get_model("submissions", "Submission").objects
        earlier.filter(pk=flagged).update(flag="看 look.")
    finally:
        migrate_to(max(nodes))
    kept = SubmissionFlag.objects.get()
    assert (kept.submission_id, kept.code, kept.text) == (flagged, "other", "看 look.")
    SubmissionFlag.objects.create(submission_id=plain, code="wrong_keys", flagged_at=NOW)
    try:
        earlier = migrate_to(before).get_model("submissions", "Submission").objects
        texts = list(earlier.order_by("pk").values_list("flag", flat=True))
    finally:
        migrate_to(max(nodes))
    assert texts == ["看 look.", "wrong_keys"]


def migrate_to(name: str) -> StateApps:
    """Migrate the tables of submissions; return the models of then."""
    MigrationExecutor(connection).migrate([("submissions", name)])
    return MigrationExecutor(connection).loader.project_state([("submissions", name)]).apps
