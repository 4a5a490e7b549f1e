"""`create_model PROJECT NAME`: describe a model at an endpoint, or revise one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.lookups import get_project
from common.commands import LotsawaCommand
from evaluation.actions import SpecValues, create_model, revise_model
from evaluation.lookups import get_model
from evaluation.models import ModelSpec
from evaluation.parameters import read_assignments


class Command(LotsawaCommand):
    help = "Describe a model at an OpenAI-compatible endpoint; --revise makes the next revision."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--base-url", required=True, metavar="U", help="such as https://…/v1")
        parser.add_argument("--model", required=True, metavar="M", help="the endpoint's name of it")
        parser.add_argument(
            "--api-key-env",
            default="",
            metavar="VAR",
            help="environment variable of the worker that holds the key",
        )
        parser.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="K=V",
            help="decoding parameter, such as temperature=0; may be repeated",
        )
        parser.add_argument(
            "--requests-per-minute",
            type=int,
            metavar="N",
            help="most calls to the endpoint by all runs together (default: no limit)",
        )
        parser.add_argument("--revise", action="store_true", help="the model is there already")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        values, now = _values(options), timezone.now()
        if options["revise"]:
            spec = get_model(project, options["name"])
            return _result(revise_model(spec=spec, values=values, actor=None, now=now))
        name = options["name"]
        return _result(create_model(project=project, name=name, values=values, actor=None, now=now))


def _values(options: dict[str, Any]) -> SpecValues:
    try:
        parameters = read_assignments(options["param"])
    except ValueError as error:
        raise CommandError(f"“{error}” is not NAME=VALUE.", returncode=2) from error
    return SpecValues(
        options["base_url"],
        options["model"],
        options["api_key_env"],
        parameters,
        options["requests_per_minute"],
    )


def _result(spec: ModelSpec) -> dict[str, Any]:
    return {
        "project": spec.project.slug,
        "name": spec.name,
        "revision": spec.revision,
        "base_url": spec.base_url,
        "model": spec.model,
        "api_key_env": spec.api_key_env,
        "parameters": spec.parameters,
        "requests_per_minute": spec.requests_per_minute,
    }
