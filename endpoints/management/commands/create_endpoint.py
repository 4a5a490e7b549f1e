"""Define an endpoint from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, positive
from endpoints.actions import CALLED_PROVIDERS, EndpointValues, create_endpoint
from endpoints.enums import ProviderName
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Define an outside service for models, with the variable that holds its key."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--base-url", required=True, metavar="U", help="such as https://…/v1")
        parser.add_argument(
            "--provider",
            choices=[name for name, _title in CALLED_PROVIDERS],
            default=ProviderName.OPENAI_COMPATIBLE.value,
            help="kind of API: openai, or a translation engine (default: openai)",
        )
        parser.add_argument(
            "--api-key-env",
            default="",
            metavar="VAR",
            help="environment variable of the worker that holds the key",
        )
        parser.add_argument(
            "--requests-per-minute",
            type=positive,
            metavar="N",
            help="most calls to it by all runs together (default: no limit)",
        )
        parser.add_argument(
            "--concurrency",
            type=positive,
            metavar="N",
            help="most calls to it at the same time by all runs together (default: no limit)",
        )
        parser.add_argument(
            "--project",
            action="append",
            default=[],
            metavar="SLUG",
            help="a project that may use it; may be repeated",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        endpoint = create_endpoint(
            values=EndpointValues(
                name=options["name"],
                provider=options["provider"],
                base_url=options["base_url"],
                api_key_env=options["api_key_env"],
                requests_per_minute=options["requests_per_minute"],
                concurrency=options["concurrency"],
            ),
            project=None,
            allowed_projects=[get_project(slug) for slug in options["project"]],
            actor=None,
            now=timezone.now(),
        )
        return {
            "name": endpoint.name,
            "provider": endpoint.provider,
            "base_url": endpoint.base_url,
            "api_key_env": endpoint.api_key_env,
            "requests_per_minute": endpoint.requests_per_minute,
            "concurrency": endpoint.concurrency,
            "projects": sorted(options["project"]),
        }
