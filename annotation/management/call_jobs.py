"""What the commands that have a model work on items share: which items, what it may cost, and waiting."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.asking.queries import Estimate, Selection, estimate_json
from annotation.items.queries import ItemFilter
from annotation.items.uid_lists import read_uids
from annotation.models.asking import AskingJob
from common.commands import amount, positive
from endpoints.specs.selectors import get_model
from jobs.management.here import work_here
from projects.models import Project

FILTERS: Final = tuple(each.name for each in fields(ItemFilter))
LIST: Final = "list"


def add_call_arguments(parser: ArgumentParser) -> None:
    """Add what names project and model, chooses items, bounds the price and says who does the work."""
    parser.add_argument("project", metavar="PROJECT")
    parser.add_argument("--model", required=True, metavar="M", help="name of the model spec")
    parser.add_argument(
        "--select",
        type=_filter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"which items: {', '.join(FILTERS)}, limit; or list:FILE, with one uid on each line",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what it would take")
    add_bounds(parser)


def add_hold(parser: ArgumentParser) -> None:
    """Add the option of kinds of job that take batch files."""
    parser.add_argument(
        "--hold", action="store_true", help="let it wait for batch files (batch_file)"
    )


def add_bounds(parser: ArgumentParser) -> None:
    """Add what bounds the price and the load of calls, and says who does the work."""
    parser.add_argument("--budget", type=amount, metavar="N", help="US dollars")
    parser.add_argument("--concurrency", type=positive, default=8, metavar="C")
    parser.add_argument("--wait", action="store_true", help="do the work in this process")


def shared_settings(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the options of all kinds of job name."""
    if options.get("hold") and options["wait"]:
        raise CommandError(_("Choose --hold or --wait: a held job waits for its file."))
    return {
        "model": get_model(project, options["model"]),
        "concurrency": options["concurrency"],
        "budget": options["budget"],
        "is_held": options.get("hold", False),
        "selection": _selection_of(options["select"]),
    }


def start_and_report(
    options: dict[str, Any],
    settings: dict[str, Any],
    *,
    name: str,
    start: Callable[..., AskingJob],
    estimate: Callable[..., Estimate],
    results: Callable[[Any], dict[str, Any]],
) -> dict[str, Any]:
    """Start a job and do it if that is asked for, or only count; return what to print, the job as `name`."""
    if options["dry_run"]:
        return estimate_json(estimate(**settings), settings["settings"].concurrency)
    started = start(**settings, actor=None, now=timezone.now())
    if options["wait"]:
        work_here(started.job)
        started.refresh_from_db()
    return {
        name: started.pk,
        "job": started.job_id,
        "state": started.job.state,
        **results(started),
    }


def _selection_of(pairs: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection that the `--select` options name."""
    chosen = dict(pairs)
    limit, path = int(chosen.pop("limit", 0)), chosen.pop(LIST, "")
    uids = read_uids(Path(path)) or [""] if path else ()  # an empty list is none of all items
    return Selection(items=ItemFilter(**chosen), limit=limit, uids=uids)


def _filter(text: str) -> tuple[str, str]:
    """Read `subject=law` or `limit=20` as argparse wants it."""
    if text.startswith(f"{LIST}:"):
        return LIST, text.removeprefix(f"{LIST}:")
    name, equals, value = text.partition("=")
    if not equals or name not in (*FILTERS, "limit"):
        words = _(
            "“%(text)s” is not a filter. Write one of %(names)s, “=” and a value, or list:FILE."
        )
        raise ArgumentTypeError(words % {"text": text, "names": ", ".join((*FILTERS, "limit"))})
    if name == "limit" and not (value.isdecimal() and len(value) < 10):
        raise ArgumentTypeError(_("The limit is not a whole number."))
    return name, value
