"""`create_model [PROJECT] NAME`: add a model at an endpoint, or revise one; without a project for all."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from common.commands import LotsawaCommand, amount
from endpoints.actions import ensure_own_endpoint
from endpoints.models import BATCH_FACTOR, ModelSpec
from endpoints.parameters import read_assignments
from endpoints.specs.actions import SpecValues, create_model, revise_model
from endpoints.specs.selectors import get_own_model
from projects.models import Project
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Add a model at an OpenAI-compatible endpoint, or revise one with --revise."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "project",
            nargs="?",
            metavar="PROJECT",
            help="without it: a model of the server, for all projects that may use its endpoint",
        )
        parser.add_argument("name", metavar="NAME")
        _add_place(parser)
        _add_facts(parser)
        _add_prices(parser)
        parser.add_argument(
            "--revise", action="store_true", help="add a revision of an existing model"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        now = timezone.now()
        project = get_project(options["project"]) if options["project"] else None
        values = _values(options, _endpoint_name(project, options))
        if options["revise"]:
            spec = get_own_model(project, options["name"])
            return _result(revise_model(spec=spec, values=values, actor=None, now=now))
        name = options["name"]
        return _result(create_model(project=project, name=name, values=values, actor=None, now=now))


def _add_place(parser: ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--endpoint", metavar="E", help="name of an endpoint of the project")
    place.add_argument(
        "--base-url", metavar="U", help="an address without a key, such as http://…/v1"
    )
    parser.add_argument(
        "--requests-per-minute",
        type=int,
        metavar="N",
        help="with --base-url: limit for all runs together (default: no limit)",
    )


def _add_facts(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, metavar="M", help="the model's name at the endpoint"
    )
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="K=V",
        help="decoding parameter, such as temperature=0; may be repeated",
    )
    parser.add_argument(
        "--size", type=amount, metavar="N", help="billions of parameters, such as 7 or 0.5"
    )
    parser.add_argument(
        "--cutoff", default="", metavar="YYYY-MM", help="end of the model's training data"
    )
    parser.add_argument(
        "--tuned-from", default="", metavar="NAME", help="the model that it was tuned from"
    )


def _add_prices(parser: ArgumentParser) -> None:
    for name, what in (("prompt", "prompts"), ("completion", "answers")):
        parser.add_argument(
            f"--{name}-price",
            type=amount,
            metavar="N",
            help=f"price of {what} in US dollars for a million tokens",
        )
    parser.add_argument(
        "--batch-factor",
        type=amount,
        default=BATCH_FACTOR,
        metavar="N",
        help="price of batch files as a share of the prices (default: 0.5)",
    )


def _endpoint_name(project: Project | None, options: dict[str, Any]) -> str:
    """Return the named endpoint, or the project's own endpoint with the given address."""
    if options["endpoint"]:
        return str(options["endpoint"])
    if project is None:
        raise CommandError("A model of the server needs --endpoint.", returncode=2)
    return ensure_own_endpoint(
        project=project,
        base_url=options["base_url"],
        requests_per_minute=options["requests_per_minute"],
        actor=None,
        now=timezone.now(),
    ).name


def _values(options: dict[str, Any], endpoint: str) -> SpecValues:
    try:
        parameters = read_assignments(options["param"])
    except ValueError as error:
        raise CommandError(f"“{error}” does not have the form NAME=VALUE.", returncode=2) from error
    return SpecValues(
        endpoint,
        options["model"],
        parameters,
        options["prompt_price"],
        options["completion_price"],
        options["size"],
        options["batch_factor"],
        options["cutoff"],
        options["tuned_from"],
    )


def _result(spec: ModelSpec) -> dict[str, Any]:
    return {
        "project": spec.project.slug if spec.project else None,
        "name": spec.name,
        "revision": spec.revision,
        "endpoint": spec.endpoint.name,
        "base_url": spec.endpoint.base_url,
        "model": spec.model,
        "parameters": spec.parameters,
        "prompt_price": None if spec.prompt_price is None else str(spec.prompt_price),
        "completion_price": None if spec.completion_price is None else str(spec.completion_price),
        "batch_factor": f"{spec.batch_factor.normalize():f}",
        "size": spec.size_text or None,
        "cutoff": spec.cutoff,
        "tuned_from": spec.tuned_from,
        "requests_per_minute": spec.endpoint.requests_per_minute,
    }
