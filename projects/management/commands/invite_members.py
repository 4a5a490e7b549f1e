"""Invite many people to a project from the command line."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from accounts.mail import invitation_url
from common.commands import LotsawaCommand
from projects.actions import InvitedLine, invite_members
from projects.enums import Role
from projects.selectors import get_project, get_subjects


class Command(LotsawaCommand):
    """Running it again refuses those who are members by now and invites the rest."""

    help = (
        "Invite everybody in a list with one role. Each line is an address or `Name <address>`. Prints "
        "the links, and the worker sends them by e-mail."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", help="the list; - reads standard input")
        parser.add_argument("--role", choices=Role.values, default=Role.REVIEWER)
        parser.add_argument("--language", action="append", default=[], metavar="CODE")
        parser.add_argument("--subject", action="append", default=[], metavar="SLUG")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        results = invite_members(
            project=project,
            lines=_lines(options["file"]),
            role=options["role"],
            languages=options["language"],
            subjects=get_subjects(project, options["subject"]),
            actor=None,
            now=timezone.now(),
        )
        self.exit_code = int(any(line.refusal for line in results))
        return {"project": project.slug, "results": [_row(line) for line in results]}

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(
            f"{row['line']:4} {row['result']:8} {row['person']} {row['reason'] or row['link']}".strip()
            for row in result["results"]
        )


def _lines(file: str) -> list[str]:
    """The lines of the list; bytes that are no text make an address that is refused."""
    text = (
        sys.stdin.read()
        if file == "-"
        else Path(file).read_text(encoding="utf-8", errors="replace")
    )
    return text.splitlines()


def _row(line: InvitedLine) -> dict[str, Any]:
    issued = line.added.issued if line.added else None
    return {
        "line": line.number,
        "person": line.text,
        "result": line.result,
        "code": line.refusal.code if line.refusal else None,
        "reason": line.reason,
        "link": invitation_url(issued.secret) if issued else "",
    }
