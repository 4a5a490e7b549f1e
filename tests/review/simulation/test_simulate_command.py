"""The command simulate_reviewers: what it refuses, in words and before anything is judged."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from review.models import Assignment, Judgement, Round
from tests.processes import free_port

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def round_(opened: Callable[..., Round]) -> Round:
    return opened()


def refused(*arguments: str) -> CommandError:
    people = User.objects.count()
    with pytest.raises(CommandError) as refusal:
        call_command("simulate_reviewers", "ti", "--reviewers", "1", *arguments)
    assert Judgement.objects.count() == 0
    assert Assignment.objects.exclude(state="open").count() == 0
    if "--url" not in arguments:
        assert User.objects.count() == people
    return refusal.value


@pytest.mark.parametrize("arguments", [("--reviewers", "0"), ("--limit", "-1"), ("--limit", "x")])
def test_simulate_with_odd_numbers_is_bad_usage(arguments: tuple[str, ...]) -> None:
    assert refused(*arguments).returncode != 0


@pytest.mark.parametrize(
    "text",
    ["nonsense", "[1]", '{"uid": "a"}', '{"kind": "accuracy"}', "[" * 100_000, "\xff\xfe"],
    ids=["words", "list", "no kind", "no uid", "nested", "bytes"],
)
@pytest.mark.parametrize("option", ["--truth", "--corrections"])
def test_simulate_with_a_broken_file_names_file_and_row(
    tmp_path: Path, option: str, text: str
) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_bytes(b"\n" + text.encode("latin-1"))

    refusal = refused(option, str(path))

    assert f"{path}, row 2" in str(refusal)
    assert refusal.returncode == 1


def test_simulate_without_its_file_says_so(tmp_path: Path) -> None:
    refusal = refused("--truth", str(tmp_path / "none.jsonl"))
    assert str(refusal) == f"{tmp_path / 'none.jsonl'}: No such file or directory."


@pytest.mark.parametrize("url", ["nowhere", "ftp://127.0.0.1", "http://[::1]x", "closed port"])
def test_simulate_with_a_server_that_cannot_be_asked_says_so(url: str) -> None:
    address = f"http://127.0.0.1:{free_port()}" if url == "closed port" else url

    refusal = refused("--url", address)

    assert str(refusal).startswith(f"No answer from {address}/api/v1/: ")
