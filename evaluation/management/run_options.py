"""The arguments of a run that `start_run` and `estimate_run` share."""

from argparse import ArgumentParser
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from endpoints.models import ModelSpec
from endpoints.specs.selectors import get_model
from evaluation.runs.actions import DEFAULT_METHODS, RunSettings
from projects.selectors import get_project
from prompts.actions import ensure_default_prompts
from prompts.models import PromptTemplate
from prompts.selectors import get_prompt
from releases.models import Release
from releases.selectors import get_release
from scoring.scorers import RUN_METHODS


@dataclass(frozen=True, slots=True)
class RunParts:
    """What a run is of."""

    release: Release
    model_spec: ModelSpec
    prompt: PromptTemplate
    settings: RunSettings


def add_run_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT")
    parser.add_argument("release_version", metavar="VERSION")
    parser.add_argument("model", metavar="MODEL", help="name of the model spec")
    parser.add_argument("--prompt", default="direct", metavar="P", help="default: direct")
    parser.add_argument("--shots", type=int, default=0, metavar="N")
    parser.add_argument("--epochs", type=int, default=1, metavar="K")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument(
        "--method",
        "--methods",
        action="append",
        default=[],
        metavar="M",
        help=f"one or more, comma-separated: {', '.join(RUN_METHODS)}",
    )
    asked.add_argument(
        "--open",
        action="store_true",
        dest="is_open",
        help="no method: ask the open-ended items, for an arena",
    )
    parser.add_argument(
        "--ask-again",
        action="store_true",
        help="also ask what an earlier run of the project has answered",
    )


def read_run_arguments(options: dict[str, Any]) -> RunParts:
    """Find the parts of the run. Raises their refusals."""
    project = get_project(options["project"])
    ensure_default_prompts(project=project, now=timezone.now())
    return RunParts(
        release=get_release(project, options["release_version"], must_stand=True),
        model_spec=get_model(project, options["model"]),
        prompt=get_prompt(project, options["prompt"]),
        settings=RunSettings(
            shots=options["shots"],
            epochs=options["epochs"],
            methods=_methods(options),
            concurrency=options.get("concurrency", 8),
            is_published=options.get("published", False),
            is_asked_again=options["ask_again"],
            is_held=options.get("hold", False),
            budget=options.get("budget"),
        ),
    )


def _methods(options: dict[str, Any]) -> tuple[str, ...]:
    if options["is_open"]:
        return ()
    names = [name.strip() for text in options["method"] for name in text.split(",")]
    return tuple(dict.fromkeys(name for name in names if name)) or DEFAULT_METHODS
