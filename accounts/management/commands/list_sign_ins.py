"""Print who signed in or tried to, newest first."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from accounts.enums import SignInOutcome
from accounts.queries import SIGN_IN_COLUMNS, SignInFilter, sign_in_rows, sign_ins
from accounts.selectors import get_user
from common.commands import LotsawaCommand, moment
from common.downloads import csv_lines, json_lines


class Command(LotsawaCommand):
    """Streams, so that a long history needs no memory; `--format json` prints one object a line."""

    help = "Print who signed in or tried to, from where and how it ended, newest first."
    has_json = False

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--account", default="", metavar="EMAIL", help="one account")
        parser.add_argument("--address", default="", metavar="IP", help="one IP address")
        parser.add_argument("--outcome", choices=SignInOutcome.values, default="")
        parser.add_argument(
            "--since", type=moment, metavar="DATE", help="from this day or moment on"
        )
        parser.add_argument(
            "--until", type=moment, metavar="DATE", help="before this day or moment"
        )
        parser.add_argument("--format", choices=["csv", "json"], default="csv")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        wanted = SignInFilter(
            account=get_user(options["account"]).email if options["account"] else "",
            address=options["address"],
            outcome=options["outcome"],
            since=options["since"],
            until=options["until"],
        )
        rows = sign_in_rows(sign_ins(wanted, now=timezone.now()))
        is_json = options["format"] == "json"
        lines: Iterator[str] = json_lines(rows) if is_json else csv_lines(SIGN_IN_COLUMNS, rows)
        for line in lines:
            self.stdout.write(line, ending="")
        return {}
