"""`export_prompt PROJECT NAME`: print a prompt as YAML, for `import_prompt`."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from projects.selectors import get_project
from prompts.queries import known_prompts, template_of
from prompts.selectors import find_prompt
from prompts.yaml_files import write_prompt


class Command(LotsawaCommand):
    help = "Print the latest revision of a prompt as YAML, or with --json all its fields."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("name", metavar="NAME")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        known = known_prompts(get_project(options["project"]), now=timezone.now())
        prompt = find_prompt(known, options["name"])
        template = template_of(prompt)
        self._yaml = write_prompt(prompt.name, template)
        return {"name": prompt.name, "revision": prompt.revision, **asdict(template)}

    def text(self, result: dict[str, Any]) -> str:
        return self._yaml.rstrip("\n")
