"""`import_prompt PROJECT FILE`: add a prompt, or a revision of one, from a YAML file."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.commands import LotsawaCommand
from common.errors import DomainError
from projects.models import Project
from projects.selectors import get_project
from prompts.actions import create_prompt, revise_prompt
from prompts.models import PromptTemplate
from prompts.queries import known_prompts
from prompts.rendering import Template
from prompts.selectors import find_prompt
from prompts.yaml_files import PromptFileError, read_prompt


class PromptFileInvalid(DomainError):
    code = "prompt_file_invalid"
    detail = gettext_lazy("%(file)s: %(fault)s")
    status = 400


class Command(LotsawaCommand):
    """Reads files of `export_prompt`, and the `config.yaml` of TLUE."""

    help = "Add a prompt, or with --revise a revision of one, from a YAML file."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("path", metavar="FILE", type=Path)
        parser.add_argument("--name", default="", help="default: as the file says, or its own name")
        parser.add_argument("--language", default="", help="default: as the file or project says")
        parser.add_argument("--revise", action="store_true", help="the prompt exists: revise it")
        parser.add_argument(
            "--slot",
            action="append",
            default=[],
            type=_slot,
            metavar="NAME=TEXT",
            help=r"what {NAME} in the file is here, such as 'content={question}\n{options}'",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project, path = get_project(options["project"]), options["path"]
        language = options["language"] or project.target_language
        try:
            text = path.read_text(encoding="utf-8")
            found = read_prompt(text, language=language, slots=dict(options["slot"]))
        except UnicodeDecodeError as error:
            raise PromptFileInvalid(file=path, fault=_("The file is not UTF-8 text.")) from error
        except PromptFileError as error:
            raise PromptFileInvalid(file=path, fault=str(error)) from error
        name = options["name"] or found.name or path.stem
        store = _revised if options["revise"] else _created
        prompt = store(project, name, found.template)
        return {"name": prompt.name, "revision": prompt.revision, "shots": found.shots}

    def text(self, result: dict[str, Any]) -> str:
        lines = [_("prompt %(name)s, revision %(revision)d") % result]
        if result["shots"] is not None:
            lines.append(
                _("The file asks for %(shots)d examples: start runs with --shots.") % result
            )
        return "\n".join(lines)


def _created(project: Project, name: str, template: Template) -> PromptTemplate:
    return create_prompt(
        project=project, name=name, template=template, actor=None, now=timezone.now()
    )


def _revised(project: Project, name: str, template: Template) -> PromptTemplate:
    now = timezone.now()
    prompt = find_prompt(known_prompts(project, now=now), name)
    return revise_prompt(
        prompt=prompt, revision=prompt.revision, template=template, actor=None, now=now
    )


def _slot(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise ArgumentTypeError(_("Write NAME=TEXT."))
    return name, value.replace(r"\n", "\n")
