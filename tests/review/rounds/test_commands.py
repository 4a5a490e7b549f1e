"""The commands open_round and close_round: one JSON object, refusals in words, exit codes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from review.enums import RoundKind, Selection
from review.management.commands.open_round import Select, select
from review.models import Round
from tests.review.kinds import add_system

pytestmark = pytest.mark.django_db


def run(capsys: Any, *arguments: str) -> Any:
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_round_is_opened_and_closed(
    project: Project, items: Callable[[int], None], capsys: Any
) -> None:
    items(3)

    made = run(
        capsys,
        "open_round",
        "ti",
        "--panel-size",
        "1",
        "--select",
        "sample:2",
        "--seed",
        "5",
        "--force",
    )
    closed = run(capsys, "close_round", "ti", "1")

    round_ = Round.objects.get()
    assert made == {
        "project": "ti",
        "round": 1,
        "id": round_.pk,
        "panels": 2,
        "seats": 2,
        "panel_size": 1,
        "warnings": [
            (
                "Judgements per item: 1. People who may judge: 0. "
                "Choose fewer judgements per item, or invite reviewers."
            ),
            (
                "This project has no active senior, so nobody can settle the disputes of this "
                "round. Invite a senior, or name a substitute for this round."
            ),
        ],
    }
    assert closed.pop("figures")["items_judged"] == 0
    assert closed == {
        "project": "ti", "round": 1, "state": "closed", "panels": 2, "settled": 0, "disputed": 0, "unfinished": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ("open_round", "nowhere"),
        ("open_round", "ti"),
        ("open_round", "ti", "--panel-size", "0"),
        ("close_round", "ti", "1"),
        ("close_round", "ti", "-1"),
    ],
)
def test_refusal_is_exit_1_in_words(project: Project, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments)
    assert refused.value.returncode == 1
    assert str(refused.value)


@pytest.mark.parametrize("asked", [(), ("--exclude", "EMAIL"), ("--language", "ja")])
def test_round_for_nobody_is_opened_only_by_force(
    project: Project,
    items: Callable[[int], None],
    member: Callable[..., User],
    capsys: Any,
    asked: tuple[str, ...],
) -> None:
    items(1)
    if asked:
        person = member(Role.REVIEWER)
        person.memberships.update(languages=["bo"])
        asked = tuple(person.email if word == "EMAIL" else word for word in asked)
    with pytest.raises(CommandError) as refused:
        call_command("open_round", "ti", *asked)
    assert (refused.value.returncode, "--force" in str(refused.value)) == (1, True)
    assert not Round.objects.exists()
    assert run(capsys, "open_round", "ti", "--force", *asked)["round"] == 1


@pytest.mark.parametrize(
    "text",
    ["some", "sample", "sample:0", "sample:x", "all:3", "", "list", "list:", "changed:0", "filter"],
)
def test_odd_choice_is_bad_usage(text: str) -> None:
    from argparse import ArgumentTypeError

    with pytest.raises(ArgumentTypeError):
        select(text)


def test_choices_are_read() -> None:
    assert select("sample:7") == Select(Selection.SAMPLE, "7")
    assert select("not-approved") == Select(Selection.NOT_APPROVED)
    assert select("changed") == Select(Selection.CHANGED)
    assert select("changed:2") == Select(Selection.CHANGED, "2")
    assert select("list:a:b.txt") == Select(Selection.LIST, "a:b.txt")
    assert select("filter:") == Select(Selection.FILTER)


@pytest.mark.parametrize(
    ("words", "allowed"), [(["--same-panel"], True), (["--no-same-panel"], False)]
)
def test_open_round_is_told_whether_last_rounds_judges_may_judge_again(
    project: Project,
    items: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    allowed: bool,
) -> None:
    items(1)
    run(capsys, "open_round", "ti", "--panel-size", "1", "--force", *words)
    assert Round.objects.get().is_same_panel_allowed is allowed


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((), RoundKind.REVIEW),
        (("--kind", "solve"), RoundKind.SOLVING),
        (("--kind", "solving"), RoundKind.SOLVING),
        (("--kind", "comparison"), RoundKind.COMPARISON),
        (("--systems", "other, mt"), RoundKind.COMPARISON),
    ],
)
def test_kind_of_round_is_named_by_its_word_or_by_the_systems_to_compare(
    project: Project,
    items: Callable[[int], None],
    capsys: Any,
    arguments: tuple[str, ...],
    kind: RoundKind,
) -> None:
    items(1)
    add_system(project)
    run(capsys, "open_round", "ti", "--select", "all", "--force", *arguments)
    assert Round.objects.get().kind == kind


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--systems", "mt"), 1, "all systems of this project: mt, other"),
        (("--systems", "mt,third"), 1, "all systems of this project: mt, other"),
        (("--systems", "mt,other", "--kind", "solve"), 2, "for comparisons only"),
    ],
)
def test_comparison_of_some_of_the_systems_is_refused(
    project: Project,
    items: Callable[[int], None],
    arguments: tuple[str, ...],
    code: int,
    words: str,
) -> None:
    items(1)
    add_system(project)
    with pytest.raises(CommandError, match=words) as refusal:
        call_command("open_round", "ti", "--select", "all", *arguments)
    assert (refusal.value.returncode, Round.objects.count()) == (code, 0)
