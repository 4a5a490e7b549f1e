"""`test_model PROJECT NAME`: ask a model one short question, and say what came of it."""

from argparse import ArgumentParser
from typing import Any

from common.commands import LotsawaCommand
from endpoints.connections import check_usable
from endpoints.specs.selectors import get_model
from endpoints.specs.testing import ask_once, texts_of_test
from projects.selectors import get_project


class Command(LotsawaCommand):
    """Asks from this process, which needs the key; exits with 1 where the model cannot be used."""

    help = "Ask a model one short question, and say in words what came of it."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("name", metavar="MODEL", help="name of the model spec")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        spec = get_model(project, options["name"])
        check_usable(spec.endpoint, project)
        result = ask_once(spec, project)
        self.exit_code = 1 if result["error"] else 0
        return {**result, "texts": texts_of_test(result)}

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(result["texts"])
