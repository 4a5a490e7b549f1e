"""Judgements as a stream: every row that the caller may see, and no other."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from projects.enums import Role
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.workbench import judgement_rows
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
LIST = "/api/v1/projects/ti/judgements/"
EXPORT = f"{LIST}export/"
Dispute = Callable[..., Panel]
Member = Callable[..., User]


def streamed(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def test_jsonl_holds_the_rows_of_the_list(
    disputed: Dispute, member: Member, api_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgement_rows, "LINES_A_PIECE", 3)
    monkeypatch.setattr(judgement_rows, "READ_AT_ONCE", 5)
    disputed(4)
    api = api_of(member(Role.MANAGER))

    answer = api.get(f"{EXPORT}?format=jsonl")

    rows = [json.loads(line) for line in streamed(answer).splitlines()]
    assert rows == api.get(LIST).json()["results"]
    assert len(rows) == 8
    assert answer["Content-Type"] == "application/jsonl; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="ti-judgements.jsonl"'


def test_csv_has_a_column_for_each_criterion_and_defuses_formulas(
    disputed: Dispute, member: Member, api_of: Any
) -> None:
    disputed()
    Judgement.objects.filter(verdict="revise").update(comment="=1+1", tags=["grammar"])

    text = streamed(api_of(member(Role.MANAGER)).get(f"{EXPORT}?format=csv"))

    first, second = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    assert (first["domain"], first["cultural"], first["comment"]) == ("4", "4", "'=1+1")
    assert json.loads(first["tags"]) == ["grammar"]
    assert json.loads(first["correction"]) == {"question": "འདྲི་བ་གསར་པ།", "options": list(OPTIONS)}
    assert second["correction"] == ""


def test_export_is_as_blind_as_the_list(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
    member: Member,
    api_of: Any,
) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    judge(round_, first, correction=Correction("གསར།", OPTIONS))
    judge(round_, second)
    mine = judge(round_, first)

    def seen(user: User) -> list[int]:
        text = streamed(api_of(user).get(EXPORT))
        return [json.loads(line)["id"] for line in text.splitlines()]

    assert len(seen(first)) == 2
    assert mine.pk in seen(first)
    assert len(seen(second)) == 1
    assert len(seen(member(Role.MANAGER))) == 2
    assert seen(member(Role.SENIOR)) == []
    assert seen(member(Role.VIEWER)) == []


@pytest.mark.parametrize("query", ["format=xlsx", "round=x"])
def test_export_with_an_odd_filter_is_400(
    disputed: Dispute, member: Member, api_of: Any, query: str
) -> None:
    assert api_of(member(Role.MANAGER)).get(f"{EXPORT}?{query}").status_code == 400


def test_export_asks_no_query_for_each_row(
    disputed: Dispute, member: Member, api_of: Any, django_assert_num_queries: Any
) -> None:
    disputed(5)
    api = api_of(member(Role.MANAGER))
    streamed(api.get(EXPORT))

    with django_assert_num_queries(6):  # one more for every 2,000 rows
        streamed(api.get(EXPORT))


def test_command_writes_one_round_without_what_is_being_judged(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
    tmp_path: Path,
    capsys: Any,
) -> None:
    first, second = reviewers(2)
    round_ = opened(1)
    judge(round_, first)
    judge(round_, second)
    close_round(round_=round_, actor=None, now=timezone.now())
    judge(opened(0), *reviewers(1))
    path = tmp_path / "judgements.jsonl"

    call_command("export_judgements", "ti", "--format", "jsonl", "--output", str(path))
    call_command("export_judgements", "ti", "--round", "2", "--format", "jsonl")

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(row["round"], row["reviewer"]) for row in rows] == [
        (1, first.email),
        (1, second.email),
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == ["judgements.jsonl"]
    assert capsys.readouterr().out == f"file: {path}\n"


@pytest.mark.parametrize(
    "words", [("ti", "--round", "7"), ("nowhere",), ("ti", "--output", "/nowhere/x.csv")]
)
def test_command_refuses_in_words(project: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("export_judgements", *words, "--format", "csv")
    assert refused.value.returncode == 1
