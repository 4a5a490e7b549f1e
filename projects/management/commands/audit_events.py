"""Print audit events, newest first."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from accounts.audit import AUDIT_COLUMNS, AuditFilter, audit_events, audit_rows
from common.commands import LotsawaCommand, moment
from common.downloads import csv_lines
from projects.selectors import get_project


class Command(LotsawaCommand):
    """Streams, so that a long history needs no memory; `--format json` prints one object a line."""

    help = "Print who did what and when, newest first."
    has_json = False

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", metavar="SLUG", help="one project; default: all")
        parser.add_argument("--actor", default="", metavar="EMAIL", help="one person")
        parser.add_argument(
            "--verb", default="", help="round.opened, or round for every verb of rounds"
        )
        parser.add_argument(
            "--since", type=moment, metavar="DATE", help="from this day or moment on"
        )
        parser.add_argument(
            "--until", type=moment, metavar="DATE", help="before this day or moment"
        )
        parser.add_argument("--format", choices=["csv", "json"], default="csv")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        wanted = AuditFilter(
            project=get_project(options["project"]).slug if options["project"] else "",
            actor=options["actor"],
            verb=options["verb"],
            since=options["since"],
            until=options["until"],
        )
        write = self._write_json if options["format"] == "json" else self._write_csv
        write(audit_rows(audit_events(wanted)))
        return {}

    def _write_json(self, rows: Iterator[dict[str, Any]]) -> None:
        for row in rows:
            self.stdout.write(json.dumps(row, ensure_ascii=False))

    def _write_csv(self, rows: Iterator[dict[str, Any]]) -> None:
        for line in csv_lines(AUDIT_COLUMNS, rows):
            self.stdout.write(line, ending="")
