"""`check_items PROJECT`: run every check again on the current texts."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db.models import F
from django.utils import timezone

from annotation.checks.actions import check_again
from annotation.checks.catalogue.labels import describe
from annotation.models import Finding, Revision
from annotation.querysets import is_shown
from common.commands import LotsawaCommand, refuse_unwritable
from projects.models import Project
from projects.selectors import get_project

BATCH = 500


class Command(LotsawaCommand):
    help = "Run every check on the current texts; print or write the open findings."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--output", type=Path, metavar="FILE.jsonl")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        refuse_unwritable(options["output"])
        checked = added = 0
        for batch in _batches(project):
            added += check_again(revisions=batch, project=project, now=timezone.now())
            checked += len(batch)
            self.say(f"{checked} texts checked")
        findings = list(_open_findings(project))
        if options["output"]:
            _write_lines(options["output"], findings)
        severities = [finding["severity"] for finding in findings]
        return {
            "checked": checked,
            "new": added,
            "errors": severities.count("error"),
            "warnings": severities.count("warning"),
            "findings": [] if options["output"] else findings,
        }

    def text(self, result: dict[str, Any]) -> str:
        lines = [
            f"{f['uid']}\t{f['severity']}\t{f['code']}\t{f['field']}\t{f['message']}"
            for f in result["findings"]
        ]
        totals = (
            f"{result['checked']} checked, {result['errors']} errors, {result['warnings']} warnings"
        )
        return "\n".join([*lines, totals])


def _batches(project: Project) -> Iterator[list[Revision]]:
    last = 0
    while True:
        rows = (
            Revision.objects.filter(
                is_shown("translation__"),
                translation__item__project=project,
                translation__current_revision=F("pk"),
                pk__gt=last,
            )
            .select_related("translation__item")
            .prefetch_related("findings", "translation__item__key_changes")
            .order_by("pk")
        )
        batch = list(rows[:BATCH])
        if not batch:
            return
        last = batch[-1].pk
        yield batch


def _open_findings(project: Project) -> Iterator[dict[str, Any]]:
    rows = (
        Finding.objects.open()
        .current()
        .filter(revision__translation__item__project=project)
        .select_related("revision__translation__item")
        .order_by("revision__translation__item__uid_order", "pk")
    )
    for finding in rows:
        yield {
            "uid": finding.revision.translation.item.uid,
            "system": finding.revision.translation.system,
            "code": finding.code,
            "severity": finding.severity,
            "field": finding.field,
            "message": describe(finding.code, finding.data),
        }


def _write_lines(path: Path, findings: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for finding in findings:
            file.write(json.dumps(finding, ensure_ascii=False) + "\n")
