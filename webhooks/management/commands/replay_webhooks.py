"""`replay_webhooks PROJECT --since MOMENT`: send what happened since then again."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from common.commands import LotsawaCommand, moment
from projects.selectors import get_project
from webhooks.actions.queueing import replay
from webhooks.queries import webhooks_of


class Command(LotsawaCommand):
    help = "Send everything that happened since a moment to the webhooks of a project again."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--since",
            type=moment,
            required=True,
            metavar="MOMENT",
            help="a day or a moment, such as 2026-11-20 or 2026-11-20T09:30+08:00",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        since, now = options["since"], timezone.now()
        found = [
            {
                "id": webhook.pk,
                "url": webhook.url,
                "deliveries": replay(webhook=webhook, since=since, actor=None, now=now),
            }
            for webhook in webhooks_of(project).select_related("project")
        ]
        return {"project": project.slug, "since": since.isoformat(), "webhooks": found}

    def text(self, result: dict[str, Any]) -> str:
        words = gettext("%(url)s: %(deliveries)s deliveries are sent by the next worker.")
        return "\n".join(words % each for each in result["webhooks"])
