"""A held job asks by batch file: only what is missing goes out, and nothing is stored twice."""

import json
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent
from annotation.asking.actions import resume_asking
from annotation.models import TranslationCall, TranslationJob
from annotation.translating.actions import (
    TRANSLATION,
    TranslationSettings,
    TranslationUnderway,
    estimate_translation,
    start_translation,
)
from annotation.translating.execution import held_translation
from annotation.translating.queries import totals_of
from endpoints.batch_files import BatchFileInvalid, read_answers
from endpoints.budgets import BudgetUnmeasured
from endpoints.held.actions import (
    AnswersUnderway,
    JobAskedDirectly,
    JobNotHeld,
    NoBatchFile,
    NoBudgetLeft,
    ask_directly,
    check_takes_files,
    give_answers,
    hold_calls,
    missing_lines,
)
from endpoints.held.kinds import FileStep
from endpoints.held.taking import BatchAnswersUnknown, Taken, take_answers
from endpoints.providers.base import ChatRequest, Message
from jobs.actions import JobWaitsForFile, cancel_job, resume_job
from jobs.enums import JobState
from jobs.worker import run_now
from projects.models import Project
from releases.enums import Subset
from tests.annotation.translating.builders import (
    NOW,
    good,
    make_items,
    make_job,
    outcomes,
    work_off,
)
from tests.factories import (
    EndpointFactory,
    ModelSpecFactory,
    ReleaseFactory,
    make_release_item,
    store_translated_item,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def held(project: Project, strategy: str = "single", **options: Any) -> TranslationJob:
    model = ModelSpecFactory(
        project=project, prompt_price=Decimal(1000), completion_price=Decimal(4000)
    )
    settings = TranslationSettings(
        model=model, system="m1", strategy=strategy, is_held=True, **options
    )
    return start_translation(project=project, settings=settings, actor=None, now=NOW)


def requests(started: TranslationJob) -> list[dict[str, Any]]:
    return [json.loads(line) for line in missing_lines(held_translation(started.job))]


def answer(asked: dict[str, Any]) -> bytes:
    turns = tuple(Message(**turn) for turn in asked["body"]["messages"])
    text = good(ChatRequest(asked["body"]["model"], turns, {}))
    body = {
        "model": "m", "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }  # fmt: skip
    return line(asked["custom_id"], {"status_code": 200, "body": body})


def line(custom_id: str, response: Any = None, error: Any = None) -> bytes:
    return json.dumps({"custom_id": custom_id, "response": response, "error": error}).encode()


def take(started: TranslationJob, lines: list[bytes]) -> Taken:
    return take_answers(held_translation(started.job), read_answers(lines), NOW)


def test_half_of_the_answers_leave_the_rest_for_the_next_file(project: Project) -> None:
    make_items(project, 4)
    started = held(project)
    asked = requests(started)
    failed = line(asked[2]["custom_id"], {"status_code": 500, "body": {}})

    taken = take(started, [*map(answer, asked[:2]), failed])

    started.job.refresh_from_db()
    assert (started.job.state, started.job.done, started.job.total) == (JobState.HELD, 2, 4)
    assert {(each["method"], each["url"]) for each in asked} == {("POST", "/v1/chat/completions")}
    last = asked[3]["custom_id"]
    assert taken == Taken(stored=2, known=0, failed=1, missing=1, missing_ids=(last,))
    assert [state for state, _reason in outcomes(started)] == ["translated"] * 2 + ["open"] * 2
    assert [each["custom_id"] for each in requests(started)] == [
        each["custom_id"] for each in asked[2:]
    ]


@pytest.mark.parametrize("response", [
    {"status_code": 400, "body": {"error": {"code": "context_length_exceeded", "message": ""}}},
    {"status_code": 200, "body": {"error": {"code": "content_filter", "message": ""}}},
])  # fmt: skip
def test_question_that_the_model_will_not_answer_is_in_no_further_file(
    project: Project, response: dict[str, Any]
) -> None:
    make_items(project, 2)
    started = held(project)
    asked = requests(started)

    taken = take(started, [answer(asked[0]), line(asked[1]["custom_id"], response)])

    started.job.refresh_from_db()
    assert (taken.stored, taken.failed, started.job.state) == (2, 0, JobState.DONE)
    assert outcomes(started) == [("translated", ""), ("failed", "no_answer")]
    assert totals_of(started).price == Decimal("0.015")


@pytest.mark.parametrize("response", [
    {"status_code": 429, "body": {}}, {"status_code": "x"}, {"status_code": 200, "body": "<html>"}, {}, 7,
])  # fmt: skip
def test_request_that_failed_otherwise_is_in_the_next_file(project: Project, response: Any) -> None:
    make_items(project, 1)
    started = held(project)
    asked = requests(started)
    assert take(started, [line(asked[0]["custom_id"], response)]).failed == 1
    assert requests(started) == asked


def test_same_file_twice_changes_nothing(project: Project) -> None:
    make_items(project)
    started = held(project, "self_check")
    lines = [answer(asked) for asked in requests(started)]
    take(started, lines)
    stored = list(TranslationCall.objects.order_by("pk").values())

    assert take(started, lines) == Taken(
        stored=0, known=3, failed=0, missing=3, missing_ids=tuple(_checks(started))
    )
    assert list(TranslationCall.objects.order_by("pk").values()) == stored


def _checks(started: TranslationJob) -> list[str]:
    return [f"translation-{started.pk}-{row.pk}-check-1" for row in started.items.order_by("pk")]


@pytest.mark.parametrize(
    ("strategy", "files"), [("single", 1), ("self_check", 2), ("best_of_n", 2), ("rank", 3)]
)
def test_steps_follow_in_one_file_each_until_the_job_is_done(
    project: Project, strategy: str, files: int
) -> None:
    make_items(project)
    started = held(project, strategy)
    steps = []
    while started.job.state == JobState.HELD:
        steps.append(held_translation(started.job).step())
        take(started, [answer(each) for each in requests(started)])
        started.refresh_from_db()

    assert steps == [FileStep(step=number, steps=files) for number in range(1, files + 1)]
    assert outcomes(started) == [("translated", "")] * 3
    job = started.job
    assert (job.state, job.done, job.result["translated"]) == (JobState.DONE, job.total, 3)


def test_a_file_ends_at_the_most_requests_and_the_most_bytes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_items(project)
    started = held(project)
    lines = list(missing_lines(held_translation(started.job)))
    monkeypatch.setattr("endpoints.batch_files.MOST_REQUESTS", 2)
    assert list(missing_lines(held_translation(started.job))) == lines[:2]
    monkeypatch.setattr("endpoints.batch_files.MOST_BYTES", len(lines[0]) + len(lines[1]) - 1)
    assert list(missing_lines(held_translation(started.job))) == lines[:1]


def test_a_held_job_is_asked_directly_only_when_a_person_says_so(project: Project) -> None:
    make_items(project)
    started = held(project)
    asked = requests(started)
    with pytest.raises(JobWaitsForFile, match="paid twice"):
        resume_asking(TRANSLATION, started, actor=None, now=NOW)
    with pytest.raises(JobWaitsForFile):
        resume_job(job=started.job, actor=None, now=NOW)
    with pytest.raises(TranslationUnderway):
        held(project)

    ask_directly(started.job, actor=None, now=NOW)

    assert started.job.state == JobState.QUEUED
    with pytest.raises(JobNotHeld):
        requests(started)
    with pytest.raises(JobNotHeld):
        ask_directly(started.job, actor=None, now=NOW)
    with pytest.raises(JobAskedDirectly):
        take(started, [answer(asked[0])])
    work_off(started)
    assert take(started, [answer(each) for each in asked]).known == 3
    assert TranslationCall.objects.count() == 3


def test_a_job_that_was_cancelled_goes_on_by_file(project: Project) -> None:
    make_items(project)
    started = make_job(project)
    cancel_job(job=started.job, actor=None, now=NOW)

    hold_calls(held_translation(started.job), actor=None, now=NOW)
    started.job.refresh_from_db()

    assert len(requests(started)) == 3
    assert AuditEvent.objects.latest("pk").verb == "translation.held"
    cancel_job(job=started.job, actor=None, now=NOW)
    started.refresh_from_db()
    assert started.job.state == JobState.CANCELLED


def test_a_file_costs_the_batch_factor_and_direct_calls_the_full_price(project: Project) -> None:
    make_items(project, 2)
    started = held(project)
    take(started, [answer(requests(started)[0])])
    each = Decimal("0.03")
    assert totals_of(started).price == each / 2  # (10 · 1,000 + 5 · 4,000) / 1,000,000 / 2

    TranslationCall.objects.update(is_from_file=False)
    assert totals_of(started).price == each


def test_the_estimate_of_a_held_job_is_that_of_files(project: Project) -> None:
    make_items(project, 2)
    started = held(project)
    take(started, [answer(requests(started)[0])])
    settings = {"model": started.model_spec, "system": "m2", "strategy": "single"}
    direct, by_file = (
        estimate_translation(
            project=project, settings=TranslationSettings(**settings, is_held=is_held)
        )
        for is_held in (False, True)
    )
    assert direct.price
    assert by_file.price == direct.price / 2


def test_a_file_asks_no_more_than_the_budget_affords(project: Project) -> None:
    make_items(project, 6)
    started = held(project, budget=Decimal("0.1"), concurrency=2)
    asked = requests(started)
    assert len(asked) == 2  # nothing is measured yet
    take(started, [answer(each) for each in asked])
    assert len(requests(started)) == 4  # of 10 cents, 3 are spent, and a call costs 1.5

    hold_calls(held_translation(started.job), actor=None, now=NOW, budget=Decimal("0.05"))
    assert len(requests(started)) == 1
    hold_calls(held_translation(started.job), actor=None, now=NOW, budget=Decimal("0.03"))
    with pytest.raises(NoBudgetLeft):
        requests(started)


def test_a_budget_without_tokens_refuses_the_next_file(project: Project) -> None:
    make_items(project, 2)
    started = held(project, budget=Decimal(1), concurrency=1)
    asked = requests(started)
    take(started, [answer(asked[0]).replace(b'"usage"', b'"unused"')])
    with pytest.raises(BudgetUnmeasured):
        requests(started)


def test_plain_engines_are_not_held(project: Project) -> None:
    make_items(project)
    endpoint = EndpointFactory(project=project, provider="deepl")
    model = ModelSpecFactory(project=project, endpoint=endpoint)
    settings = TranslationSettings(model=model, system="m1", strategy="engine", is_held=True)
    with pytest.raises(NoBatchFile):
        check_takes_files(settings.specs)


def test_answers_of_another_job_are_refused_whole(project: Project) -> None:
    make_items(project)
    started = held(project)
    own = answer(requests(started)[0])

    with pytest.raises(BatchAnswersUnknown, match="translation-0-1--1"):
        take(started, [own, line("translation-0-1--1")])
    assert not TranslationCall.objects.exists()


@pytest.mark.parametrize("lines", [[b'{"custom'], [b"{}"], [line("a"), line("a")]])
def test_garbled_and_doubled_lines_are_named(lines: list[bytes]) -> None:
    with pytest.raises(BatchFileInvalid, match=f"Line {len(lines)}"):
        read_answers(lines)


def test_job_that_is_not_held_has_no_file(project: Project) -> None:
    make_items(project)
    with pytest.raises(JobNotHeld):
        requests(make_job(project))


def test_item_hidden_after_the_start_is_in_no_file(project: Project) -> None:
    item = store_translated_item(project=project, system="other")
    started = held(project)
    make_release_item(ReleaseFactory(project=project), item, subset=Subset.BLACK_BOX)

    assert requests(started) == []
    assert outcomes(started) == [("open", "")]  # a file is only read
    take(started, [])
    assert outcomes(started) == [("failed", "hidden")]


def test_excluded_item_is_not_in_the_file(project: Project) -> None:
    items = make_items(project)
    started = held(project)
    items[0].state = "excluded"
    items[0].save()

    assert len(requests(started)) == 2


def test_command_writes_and_takes_files(project: Project, tmp_path: Path) -> None:
    make_items(project)
    started = held(project)
    out, answers = tmp_path / "out.jsonl", tmp_path / "answers.jsonl"
    call_command("batch_file", str(started.job.pk), "--out", str(out))
    asked = [json.loads(each) for each in out.read_bytes().splitlines()]
    answers.write_bytes(b"\n".join(map(answer, asked)))
    call_command("batch_file", str(started.job.pk), "--answers", str(answers))

    assert outcomes(started) == [("translated", "")] * 3
    with pytest.raises(CommandError, match="no job 0"):
        call_command("batch_file", "0", "--out", str(out))


def test_writing_a_file_changes_no_row(project: Project) -> None:
    items = make_items(project)
    started = held(project)
    take(started, [line(requests(started)[0]["custom_id"])])
    items[1].state = "excluded"
    items[1].save()
    with CaptureQueriesContext(connection) as queries:
        assert len(requests(started)) == 2
    said = [each["sql"].lstrip("(") for each in queries]
    assert [sql for sql in said if not sql.startswith("SELECT")] == []


def test_command_ends_a_job_that_lacks_nothing(project: Project, tmp_path: Path) -> None:
    item = make_items(project, 1)[0]
    started = held(project)
    item.state = "excluded"
    item.save()
    out = tmp_path / "out.jsonl"
    call_command("batch_file", str(started.job.pk), "--out", str(out))

    started.job.refresh_from_db()
    assert (started.job.state, out.read_bytes()) == (JobState.DONE, b"")
    assert outcomes(started) == [("failed", "excluded")]


def test_answers_with_a_garbled_line_fail_their_job_and_store_nothing(project: Project) -> None:
    make_items(project)
    started = held(project)
    file = BytesIO(answer(requests(started)[0]) + b"\n{")
    storing = run_now(give_answers(started.job, [("a.jsonl", file)], actor=None, now=NOW))

    assert (storing.state, storing.error_code) == (JobState.FAILED, "batch_file_invalid")
    assert "Line 2" in storing.error
    assert not TranslationCall.objects.exists()


def test_answers_are_stored_one_job_at_a_time(project: Project) -> None:
    make_items(project)
    started = held(project)
    lines = b"\n".join(answer(each) for each in requests(started))
    storing = give_answers(started.job, [("a.jsonl", BytesIO(lines))], actor=None, now=NOW)
    with pytest.raises(AnswersUnderway):
        give_answers(started.job, [("a.jsonl", BytesIO(lines))], actor=None, now=NOW)
    with pytest.raises(AnswersUnderway):
        ask_directly(started.job, actor=None, now=NOW)

    assert run_now(storing).result["stored"] == 3
    again = give_answers(started.job, [("a.jsonl", BytesIO(lines))], actor=None, now=NOW)
    assert run_now(again).result == {
        "stored": 0, "known": 3, "failed": 0, "missing": 0, "missing_ids": [], "step": 1, "steps": 1,
        "state": "done",
    }  # fmt: skip
    assert TranslationCall.objects.count() == 3
