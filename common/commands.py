"""The base of our commands: one JSON object or plain lines out, refusals in words, exit codes."""

import json
import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.errors import DomainError
from common.private_files import ordinary_files

LONGEST_NUMBER = 18
READER_GONE = 128 + signal.SIGPIPE
"""The exit code that a shell gives for a program whose reader went away."""


class FileFailed(DomainError):
    code = "file_failed"
    detail = gettext_lazy("%(file)s: %(problem)s.")


class LotsawaCommand(BaseCommand):
    """Subclasses give `arguments` and `run`; `run` returns the object that `--json` prints.

    Exit codes: 0 done, 1 refused or failed in words (`exit_code` set by `run` when the result
    is to be printed all the same), 2 bad usage, 141 where the program that read the output ended
    before it had all, as `head` does. Standard output holds the result alone, with
    `--json` that of a refusal as {code, detail, fields?}; progress goes to standard error
    through `say`.
    """

    has_json: ClassVar[bool] = True
    requires_system_checks = ()
    exit_code = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.arguments(parser)
        if self.has_json:
            parser.add_argument("--json", action="store_true", help="print one JSON object")

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the command's own arguments."""

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def text(self, result: dict[str, Any]) -> str:
        """Lines for people; by default one `name: value` a line."""
        return "\n".join(f"{name}: {value}" for name, value in result.items())

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._answer(options)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python writes what it still holds at its end, and would complain again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(READER_GONE)

    def _answer(self, options: dict[str, Any]) -> None:
        result = self._result(options)
        if options.get("json"):
            self._print(json.dumps(result, ensure_ascii=False))
        elif text := self.text(result):
            self._print(text)
        if self.exit_code:
            sys.exit(self.exit_code)

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def _result(self, options: dict[str, Any]) -> dict[str, Any]:
        _refuse_broken_text(options)
        try:
            with ordinary_files():
                return self.run(options)
        except DomainError as error:
            self._refuse(options, error)
        except BrokenPipeError:
            raise
        except OSError as error:
            place = error.filename or type(error).__name__
            problem = error.strerror or str(error)
            self._refuse(options, FileFailed(file=place, problem=problem))
        except CommandError as error:
            if options.get("json") and error.returncode == 1:
                said = {"code": "refused", "detail": str(error)}
                self._print(json.dumps(said, ensure_ascii=False))
            raise

    def _refuse(self, options: dict[str, Any], error: DomainError) -> NoReturn:
        if options.get("json"):
            self._print(json.dumps(error.as_json(), ensure_ascii=False, default=str))
        fields = "".join(f"\n  {k}: {' '.join(v)}" for k, v in error.fields.items())
        raise CommandError(f"{error}{fields}", returncode=1) from error

    def _print(self, text: str) -> None:
        """Write to standard output; bytes of a file's name that are no text are escaped."""
        self.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def refuse_unwritable(path: Path | None) -> None:
    """Raise FileFailed if a file can't be written to `path`; ask before the work, not after it."""
    if path is None:
        return
    if path.is_dir():
        raise FileFailed(file=path, problem=_("this is a folder"))
    if not path.parent.is_dir():
        raise FileFailed(file=path.parent, problem=_("there is no such folder"))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FileFailed(file=path, problem=_("it cannot be written"))


def positive(text: str) -> int:
    """Read a whole number above 0 as argparse wants it."""
    return _whole(text, 1, _("%(text)r is not a whole number above 0"))


def natural(text: str) -> int:
    """Read a whole number from 0 on as argparse wants it."""
    return _whole(text, 0, _("%(text)r is not a whole number of at least 0"))


def amount(text: str) -> Decimal:
    """Read a number, such as of dollars, as argparse wants it."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise ArgumentTypeError(_("%(text)r is not a number") % {"text": text[:40]})
    return found


def moment(text: str) -> datetime:
    """A day (its first moment, UTC) or a moment with its zone, as ISO 8601."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        words = _("“%(text)s” is not a date. Write one like 2026-11-22 or 2026-11-22T09:30+08:00.")
        raise ArgumentTypeError(words % {"text": text[:40]}) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _whole(text: str, low: int, words: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER or int(text) < low:
        raise ArgumentTypeError(words % {"text": text[:40]})
    return int(text)


def _refuse_broken_text(options: dict[str, Any]) -> None:
    for name, value in options.items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not _is_text(text):
                words = _("The argument %(name)s is not UTF-8 text.") % {"name": name}
                raise CommandError(words, returncode=2)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
