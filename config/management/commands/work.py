"""work: does the jobs of an installation without Redis, until it is told to end."""

import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.private_files import keep_private
from config import worker_threads
from jobs import stopping
from jobs.enums import Queue
from jobs.polling import work_until_stopped


class Command(BaseCommand):
    help = (
        "Does waiting jobs, one at a time, and sends e-mails, notifications and webhooks, until "
        "SIGTERM or Ctrl-C. For installations without Redis. Start one for --queues "
        "default,embed,submissions and one for --queues calls,submission-calls, so that no "
        "import waits for a model run."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queues",
            default=",".join(Queue),
            help="the queues to take jobs from, separated by commas (default: all of %(default)s)",
        )

    def handle(self, *_args: Any, queues: str, **_options: Any) -> None:
        """Work; a running job goes back to its queue when the process is told to end."""
        if settings.REDIS_URL:
            raise CommandError(
                "LOTSAWA_REDIS_URL is set, so Celery does the jobs: celery -A config worker."
            )
        wanted = _queues_of(queues)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_args: stopping.request_stop())
        keep_private()
        worker_threads.start_threads(wanted)
        try:
            work_until_stopped(wanted)
        finally:
            worker_threads.stop_threads()


def _queues_of(text: str) -> list[Queue]:
    try:
        return [Queue(name) for name in text.split(",")]
    except ValueError as error:
        raise CommandError(f"{error}. The queues are: {', '.join(Queue)}.") from error
