"""The base of our commands: one JSON object or plain lines out, refusals in words, exit codes."""

import json
import sys
from argparse import ArgumentParser
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from common.errors import DomainError


class LotsawaCommand(BaseCommand):
    """Subclasses give `arguments` and `run`; `run` returns the object that `--json` prints.

    Exit codes: 0 done, 1 refused or failed in words (`exit_code` set by `run` when the result
    is to be printed all the same), 2 bad usage. Standard output holds the
    result alone; progress goes to standard error through `say`.
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
            result = self.run(options)
        except DomainError as error:
            fields = "".join(f"\n  {k}: {' '.join(v)}" for k, v in error.fields.items())
            raise CommandError(f"{error}{fields}", returncode=1) from error
        if options.get("json"):
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        elif text := self.text(result):
            self.stdout.write(text)
        if self.exit_code:
            sys.exit(self.exit_code)

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
