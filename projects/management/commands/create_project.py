"""Open a project from the command line."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from accounts.selectors import get_user
from common.commands import LotsawaCommand
from languages.tags import canonical_tag
from projects.actions import create_project, grant_role
from projects.criteria import Criteria, stored_criteria
from projects.criteria_files import criteria_in
from projects.enums import Role
from projects.models import Project


class Command(LotsawaCommand):
    """Running it again with the same words changes nothing; with other words it is refused."""

    help = "Open a project for translating a benchmark from one language to another."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slug", help="short name, which is part of every address of the project"
        )
        parser.add_argument("--name", required=True)
        parser.add_argument("--source-language", required=True, help="a code such as zh or en")
        parser.add_argument("--target-language", required=True, help="a code such as bo or lo")
        parser.add_argument("--description", default="")
        parser.add_argument(
            "--criteria",
            type=Path,
            metavar="FILE",
            help="JSON file with what reviewers rate texts by, as the API gives it at"
            " /api/v1/projects/SLUG/criteria/; domain and cultural alignment without it",
        )
        parser.add_argument(
            "--manager",
            help="e-mail address of a person who has an account already (see create_user)",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        manager = get_user(options["manager"]) if options["manager"] else None
        wanted = {
            "slug": options["slug"],
            "name": options["name"].strip(),
            "source_language": canonical_tag(options["source_language"]),
            "target_language": canonical_tag(options["target_language"]),
        }
        words = wanted | {"description": options["description"].strip()}
        criteria = criteria_in(options["criteria"]) if options["criteria"] else None
        now = timezone.now()
        project = _existing(words, criteria)
        is_new = project is None
        if project is None:
            rows = None if criteria is None else [each.as_json() for each in criteria]
            project = create_project(**words, criteria=rows, manager=manager, actor=None, now=now)
        elif manager is not None:
            grant_role(project=project, user=manager, role=Role.MANAGER, actor=None, now=now)
        return wanted | {"id": project.pk, "is_new": is_new, "manager": options["manager"]}


def _existing(words: dict[str, str], criteria: Criteria | None) -> Project | None:
    """The project with these words; criteria that are not given may be any."""
    rows = Project.objects.filter(**words)
    if criteria is not None:
        rows = rows.filter(criteria_text=stored_criteria(criteria))
    return rows.first()
