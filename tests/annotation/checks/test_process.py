"""Checking beside an import: the same problems as in its own process, whatever becomes of the child."""

import io
import pickle
from collections.abc import Iterator

import pytest

from annotation.checks import process
from annotation.checks.catalogue.base import CheckedText
from annotation.checks.process import CheckBeside, CheckHere, answer, check_beside

TEXTS: list[CheckedText] = [
    ("问题 5", ("甲", "乙"), "A", "དྲི་བ། 5", ("ཀ", "ཁ"), None, "zh", "bo", ()),
    ("问题 5", ("甲", "乙"), "A", "དྲི་བ།", ("ཀ", " "), "B", "zh", "bo", ()),
]
FOUND = [[], ["empty_text", "key_changed", "numbers_differ"]]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[CheckBeside]:
    """A checker whose child takes over from the second list on."""
    monkeypatch.setattr(process, "FULL_LIST", 1)
    monkeypatch.setattr(process, "CHILD_FROM", 1)
    checker = CheckBeside()
    assert codes(checker) == FOUND
    yield checker
    checker.close()


def codes(checker: process.Checker) -> list[list[str]]:
    checker.send(TEXTS)
    return [[problem.code for problem in problems] for problems in checker.receive()]


def test_child_finds_what_this_process_finds(beside: CheckBeside) -> None:
    assert beside._child is not None
    here = CheckHere()
    here.send(TEXTS)
    beside.send(TEXTS)
    assert beside.receive() == here.receive()
    assert codes(beside) == FOUND


@pytest.mark.parametrize("is_sent", [True, False])
def test_texts_are_checked_here_when_the_child_was_killed(
    beside: CheckBeside, *, is_sent: bool
) -> None:
    child = beside._child
    assert child is not None
    if is_sent:
        child.kill()
        child.wait()
    beside.send(TEXTS)
    if not is_sent:
        child.kill()
        child.wait()
    assert [len(problems) for problems in beside.receive()] == [0, 3]
    assert codes(beside) == FOUND


def test_short_import_starts_no_child_and_closing_one_ends_it(beside: CheckBeside) -> None:
    child = beside._child
    assert child is not None
    beside.close()
    assert child.returncode is not None
    assert codes(beside) == FOUND


def test_system_that_allows_no_process_checks_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise OSError

    monkeypatch.setattr(process, "FULL_LIST", 1)
    monkeypatch.setattr(process, "CHILD_FROM", 1)
    monkeypatch.setattr("subprocess.Popen", refuse)
    checker = CheckBeside()
    assert [codes(checker), codes(checker)] == [FOUND, FOUND]


def test_machine_with_one_processor_checks_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0})
    with check_beside() as checker:
        assert isinstance(checker, CheckHere)


def test_child_answers_until_nobody_asks() -> None:
    asked, answers = io.BytesIO(pickle.dumps(TEXTS) + pickle.dumps([])), io.BytesIO()
    answer(asked, answers)
    answers.seek(0)
    first, second = pickle.load(answers), pickle.load(answers)
    assert ([[p.code for p in problems] for problems in first], second) == (FOUND, [])
