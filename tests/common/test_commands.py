"""Commands print one result, say the rest on standard error, and exit with 0, 1 or 2."""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line

from common.commands import (
    READER_GONE,
    FileFailed,
    LotsawaCommand,
    natural,
    positive,
    refuse_unwritable,
)
from common.errors import DomainError

ROOT = Path(__file__).resolve().parents[2]


class NoSuchRoom(DomainError):
    code = "no_such_room"
    detail = "There is no room %(name)s."


class Greet(LotsawaCommand):
    """Greets a room."""

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("room")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        if options["room"] == "locked":
            Path("/nonexistent/room").read_text()
        if options["room"] == "full":
            raise CommandError("The room is full: ཁང་པ།")
        if options["room"] == "none":
            raise NoSuchRoom(name="none", fields={"room": ["Unknown."]})
        self.say("greeting")
        self.exit_code = 1 if options["room"] == "broken" else 0
        return {"greeting": f"བཀྲ་ཤིས་ {options['room']}"}


class Quiet(LotsawaCommand):
    has_json = False

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        return {}

    def text(self, result: dict[str, Any]) -> str:
        return ""


def printed(*arguments: str) -> str:
    output = StringIO()
    call_command(Greet(), *arguments, stdout=output)
    return output.getvalue()


def test_json_is_one_object_in_real_letters() -> None:
    text = printed("hall", "--json")
    assert json.loads(text) == {"greeting": "བཀྲ་ཤིས་ hall"}
    assert "བཀྲ་ཤིས་" in text


def test_text_is_one_line_a_value() -> None:
    assert printed("hall") == "greeting: བཀྲ་ཤིས་ hall\n"


def test_say_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    text = printed("hall", "--json")
    assert "greeting\n" not in text
    assert capfd.readouterr().err == "greeting\n"


def test_refusal_is_an_error_with_its_words_and_fields_and_code_1() -> None:
    with pytest.raises(CommandError) as refusal:
        printed("none")
    assert str(refusal.value) == "There is no room none.\n  room: Unknown."
    assert refusal.value.returncode == 1


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (
            "none",
            {
                "code": "no_such_room",
                "detail": "There is no room none.",
                "fields": {"room": ["Unknown."]},
            },
        ),
        ("full", {"code": "refused", "detail": "The room is full: ཁང་པ།"}),
        (
            "locked",
            {"code": "file_failed", "detail": "/nonexistent/room: No such file or directory."},
        ),
    ],
)
def test_refusal_with_json_is_one_object_too(room: str, said: dict[str, Any]) -> None:
    output = StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command(Greet(), room, "--json", stdout=output)
    assert json.loads(output.getvalue()) == said
    assert "\\u" not in output.getvalue()
    assert refusal.value.returncode == 1


def test_argument_that_is_no_text_is_bad_usage() -> None:
    with pytest.raises(CommandError) as refusal:
        printed("ha\udcffll", "--json")
    assert refusal.value.returncode == 2


def test_name_of_a_file_that_is_no_text_is_escaped_in_the_output() -> None:
    class Names(LotsawaCommand):
        def run(self, options: dict[str, Any]) -> dict[str, Any]:
            return {"file": "x\udcff.csv"}

    for arguments in ([], ["--json"]):
        output = StringIO()
        call_command(Names(), *arguments, stdout=output)
        assert "x\\udcff.csv" in output.getvalue()
    assert json.loads(output.getvalue()) == {"file": "x\udcff.csv"}


def test_place_for_a_file_is_refused_before_the_work(tmp_path: Path) -> None:
    refuse_unwritable(None)
    refuse_unwritable(tmp_path / "new.jsonl")
    for place in (tmp_path, tmp_path / "nowhere" / "new.jsonl"):
        with pytest.raises(FileFailed):
            refuse_unwritable(place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("read", "low"), [(natural, 0), (positive, 1)])
def test_whole_numbers_have_a_least(read: Callable[[str], int], low: int) -> None:
    assert (read(str(low)), read("12")) == (low, 12)
    for text in (str(low - 1), "", "x", "1.5", "1" * 5000):
        with pytest.raises(ArgumentTypeError):
            read(text)


def test_result_that_failed_is_printed_before_code_1() -> None:
    output = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(Greet(), "broken", "--json", stdout=output)
    assert ended.value.code == 1
    assert json.loads(output.getvalue()) == {"greeting": "བཀྲ་ཤིས་ broken"}


def test_command_without_a_result_prints_nothing() -> None:
    output = StringIO()
    call_command(Quiet(), stdout=output)
    assert output.getvalue() == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["agreement"], 2), (["agreement", "nowhere.csv", "--jsn"], 2), (["agreement", "no.csv"], 1)],
)
def test_process_exits_with_2_on_bad_usage_and_1_on_a_refusal(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        execute_from_command_line(["manage.py", *arguments])
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (code, "")
    assert said.err.strip()


TALKATIVE = """
import django
django.setup()
from django.core.management import call_command, execute_from_command_line
from common.commands import LotsawaCommand

class Talk(LotsawaCommand):
    def run(self, options):
        for number in range(200_000):
            self.stdout.write(str(number))
        return {}

call_command(Talk())
"""


def test_command_ends_without_a_complaint_when_its_reader_has_read_enough(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-c", TALKATIVE],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdout and command.stderr
        assert command.stdout.readline() == b"0\n"
        command.stdout.close()
        assert (command.stderr.read(), command.wait(60)) == (b"", READER_GONE)
