"""What the commands that have a model work on items share: which items, what it may cost, and waiting."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.asking.queries import Estimate, Selection, estimate_json
from annotation.items.queries import ItemFilter
from annotation.models.asking import AskingJob
from common.commands import positive
from common.errors import DomainError
from endpoints.specs.selectors import get_model
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project

POLL_SECONDS: Final = 0.2
FILTERS: Final = tuple(each.name for each in fields(ItemFilter))


class CallsStopped(DomainError):
    code = "calls_stopped"
    detail = "%(reason)s"


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
        help=f"which items: {', '.join(FILTERS)}, limit",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what it would take")
    add_bounds(parser)


def add_bounds(parser: ArgumentParser) -> None:
    """Add what bounds the price and the load of calls, and says who does the work."""
    parser.add_argument("--budget", type=amount, metavar="N", help="US dollars")
    parser.add_argument("--concurrency", type=positive, default=8, metavar="C")
    parser.add_argument("--wait", action="store_true", help="do the work in this process")


def shared_settings(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the options of all kinds of job name."""
    return {
        "model": get_model(project, options["model"]),
        "concurrency": options["concurrency"],
        "budget": options["budget"],
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
        return estimate_json(estimate(**settings))
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
    limit = int(chosen.pop("limit", 0))
    return Selection(items=ItemFilter(**chosen), limit=limit)


def work_here(job: Job) -> None:
    """Do the job in this process, or wait for the worker that has it. Raises CallsStopped."""
    job = run_now(job)
    while job.state == JobState.RUNNING:
        time.sleep(POLL_SECONDS)
        job = run_now(job)
    if job.state != JobState.DONE:
        raise CallsStopped(reason=job.error or job.get_state_display())


def _filter(text: str) -> tuple[str, str]:
    """Read `subject=law` or `limit=20` as argparse wants it."""
    name, equals, value = text.partition("=")
    if not equals or name not in (*FILTERS, "limit"):
        words = _("“%(text)s” is not a filter. Write one of %(names)s, “=” and a value.")
        raise ArgumentTypeError(words % {"text": text, "names": ", ".join((*FILTERS, "limit"))})
    if name == "limit" and not (value.isdecimal() and len(value) < 10):
        raise ArgumentTypeError(_("The limit is not a whole number."))
    return name, value


def amount(text: str) -> Decimal:
    """Read a number of dollars as argparse wants it."""
    try:
        amount = Decimal(text)
    except InvalidOperation as error:
        raise ArgumentTypeError(_("The budget is not a number.")) from error
    if not amount.is_finite():
        raise ArgumentTypeError(_("The budget is not a number."))
    return amount
