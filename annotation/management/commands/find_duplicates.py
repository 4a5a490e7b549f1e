"""`find_duplicates PROJECT`: search for items that say the same, in this process."""

import json
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from pathlib import Path
from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.duplicates.actions import METHODS, start_search
from annotation.duplicates.queries import pair_lines
from annotation.enums import ItemState
from annotation.models import DuplicatePair, DuplicateSearch
from common.commands import LotsawaCommand, refuse_unwritable
from common.errors import DomainError
from jobs.enums import JobState
from jobs.worker import run_now
from projects.selectors import get_project

ALL = ",".join(METHODS)


class SearchFailed(DomainError):
    code = "search_failed"
    detail = "%(reason)s"


class Command(LotsawaCommand):
    help = "Search the active items for duplicates, in source and translation."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--methods", type=_methods, default=ALL, metavar=ALL, help="what to search by"
        )
        parser.add_argument("--output", type=Path, metavar="FILE.jsonl")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        refuse_unwritable(options["output"])
        search = start_search(
            project=project, methods=options["methods"], actor=None, now=timezone.now()
        )
        self.say(f"search {search.pk}: {', '.join(search.methods)}; model {search.model}")
        result = self._finish(search)
        lines = list(pair_lines(_found(search)))
        if options["output"]:
            _write_lines(options["output"], lines)
        kinds = Counter(line["kind"] for line in lines)
        return {
            "search": search.pk,
            "items": result["items"],
            "found": len(lines),
            **{str(method): kinds[method] for method in METHODS},
            "different_key": sum(not line["same_key"] for line in lines),
            "pairs": [] if options["output"] else lines,
        }

    def text(self, result: dict[str, Any]) -> str:
        lines = [
            f"{p['a']}\t{p['b']}\t{p['side']}\t{p['kind']}\t{p['similarity']:.3f}"
            f"\t{'same key' if p['same_key'] else 'DIFFERENT KEY'}\t{p['state']}"
            for p in result["pairs"]
        ]
        totals = ", ".join(f"{name} {n}" for name, n in result.items() if name != "pairs")
        return "\n".join([*lines, totals])

    def _finish(self, search: DuplicateSearch) -> dict[str, Any]:
        """Work the job here; if a worker was quicker, wait for it, and take over if it dies."""
        job = run_now(search.job)
        while not job.has_ended:
            self.say(f"a worker has it: {job.done} of {job.total}")
            time.sleep(1)
            job = run_now(job)
        if job.state != JobState.DONE:
            raise SearchFailed(reason=job.error or str(job.get_state_display()))
        result: dict[str, Any] = job.result
        return result


def _methods(text: str) -> list[str]:
    methods = [method.strip() for method in text.split(",")]
    unknown = sorted(set(methods) - set(METHODS))
    if unknown:
        words = _("unknown: %(unknown)s; choose from %(known)s")
        raise ArgumentTypeError(words % {"unknown": ", ".join(unknown), "known": ALL})
    return methods


def _found(search: DuplicateSearch) -> Any:
    rows = DuplicatePair.objects.filter(
        project=search.project_id,
        kind__in=search.methods,
        a__state=ItemState.ACTIVE,
        b__state=ItemState.ACTIVE,
    )
    return rows.order_by(
        "has_same_key", "-crosses_splits", F("similarity").desc(), "a__uid", "b__uid", "side"
    )


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
