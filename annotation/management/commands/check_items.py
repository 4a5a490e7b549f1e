"""`check_items PROJECT`: run every check again on the current texts."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.checks.actions import check_again
from annotation.checks.catalogue.labels import describe
from annotation.checks.recheck import texts_in_batches
from annotation.checks.recheck_work import siblings_of, whole_set_of
from annotation.models import Finding
from common.commands import LotsawaCommand, refuse_unwritable
from projects.models import Project
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Run every check on the current texts; print or write the open findings."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--output", type=Path, metavar="FILE.jsonl")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        refuse_unwritable(options["output"])
        checked = added = 0
        beside = siblings_of(project).problems
        for batch in texts_in_batches(project):
            now = timezone.now()
            added += check_again(revisions=batch, project=project, now=now, beside=beside)
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
            "whole_set": whole_set_of(project).as_json(),
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
        return "\n".join([*lines, *_whole_set_lines(result["whole_set"]), totals])


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


def _whole_set_lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each table that chance does not explain, and for texts with several wordings."""
    for table in found["keys"]:
        if table["is_uneven"]:
            counts = ", ".join(f"{letter} {n}" for letter, n in table["counts"].items())
            yield f"keys of items with {table['option_count']} options are uneven: {counts}"
    longest = found["longest"]
    if longest["is_uneven"]:
        yield (
            f"the longest option is right in {longest['right']} of {longest['n']} items,"
            f" {longest['expected']:.0f} by chance"
        )
    if found["several_ways_count"]:
        yield f"{found['several_ways_count']} source texts are translated in several ways"
