"""A stopped job asks by batch file: only what is missing goes out, and nothing is stored twice."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.asking.batch_files import (
    BatchAnswersUnknown,
    Taken,
    missing_lines,
    take_answers,
)
from annotation.models import TranslationCall, TranslationJob
from annotation.translating.actions import TranslationSettings, start_held
from annotation.translating.execution import translation_work
from endpoints.batch_files import BatchFileInvalid, read_answers
from endpoints.providers.base import ChatRequest, Message
from jobs.actions import JobNotRunnable
from jobs.enums import JobState
from projects.models import Project
from releases.enums import Subset
from tests.annotation.translating.builders import NOW, good, make_items, make_job, outcomes
from tests.factories import (
    ModelSpecFactory,
    ReleaseFactory,
    make_release_item,
    store_translated_item,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def held(project: Project, strategy: str = "single", **spec: Any) -> TranslationJob:
    settings = TranslationSettings(
        model=ModelSpecFactory(project=project, **spec), system="m1", strategy=strategy
    )
    return start_held(project=project, settings=settings, actor=None, now=NOW)


def requests(started: TranslationJob) -> list[dict[str, Any]]:
    return [json.loads(line) for line in missing_lines(translation_work(started))]


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
    return take_answers(translation_work(started), read_answers(lines), NOW)


def test_half_of_the_answers_leave_the_rest_for_the_next_file(project: Project) -> None:
    make_items(project, 4)
    started = held(project)
    asked = requests(started)
    failed = line(asked[2]["custom_id"], {"status_code": 500, "body": {}})

    taken = take(started, [*map(answer, asked[:2]), failed])

    assert started.job.state == JobState.CANCELLED
    assert {(each["method"], each["url"]) for each in asked} == {("POST", "/v1/chat/completions")}
    assert taken == Taken(stored=2, known=0, failed=1)
    assert [state for state, _reason in outcomes(started)] == ["translated"] * 2 + ["open"] * 2
    assert [each["custom_id"] for each in requests(started)] == [
        each["custom_id"] for each in asked[2:]
    ]


def test_same_file_twice_changes_nothing(project: Project) -> None:
    make_items(project)
    started = held(project, "self_check")
    lines = [answer(asked) for asked in requests(started)]
    take(started, lines)
    stored = list(TranslationCall.objects.order_by("pk").values())

    assert take(started, lines) == Taken(stored=0, known=3, failed=0)
    assert list(TranslationCall.objects.order_by("pk").values()) == stored


def test_steps_follow_in_one_file_each(project: Project) -> None:
    make_items(project)
    started = held(project, "self_check")
    files = 0
    while asked := requests(started):
        take(started, [answer(each) for each in asked])
        files += 1

    assert (files, outcomes(started)) == (2, [("translated", "")] * 3)


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


def test_queued_job_is_refused(project: Project) -> None:
    make_items(project)
    with pytest.raises(JobNotRunnable):
        missing_lines(translation_work(make_job(project)))


def test_item_hidden_after_the_start_is_in_no_file(project: Project) -> None:
    item = store_translated_item(project=project, system="other")
    started = held(project)
    make_release_item(ReleaseFactory(project=project), item, subset=Subset.BLACK_BOX)

    assert requests(started) == []
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
    call_command("translation_batch", project.slug, str(started.pk), "--out", str(out))
    asked = [json.loads(each) for each in out.read_bytes().splitlines()]
    answers.write_bytes(b"\n".join(map(answer, asked)))
    call_command("translation_batch", project.slug, str(started.pk), "--answers", str(answers))

    assert outcomes(started) == [("translated", "")] * 3
    with pytest.raises(CommandError, match="no translation job 0"):
        call_command("translation_batch", project.slug, "0", "--out", str(out))
