"""Open a project from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from accounts.selectors import get_user
from common.commands import LotsawaCommand
from languages.tags import canonical_tag
from projects.actions import create_project, grant_role
from projects.enums import Role
from projects.models import Project


class Command(LotsawaCommand):
    """Running it again with the same words changes nothing; with other words it is refused."""

    help = "Open a project for translating a benchmark from one language to another."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name; stands in every address of the project")
        parser.add_argument("--name", required=True)
        parser.add_argument("--source-language", required=True, help="a code such as zh or en")
        parser.add_argument("--target-language", required=True, help="a code such as bo or lo")
        parser.add_argument("--description", default="")
        parser.add_argument("--manager", help="e-mail of somebody who has an account")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        manager = get_user(options["manager"]) if options["manager"] else None
        wanted = {
            "slug": options["slug"],
            "name": options["name"].strip(),
            "source_language": canonical_tag(options["source_language"]),
            "target_language": canonical_tag(options["target_language"]),
        }
        words = wanted | {"description": options["description"].strip()}
        now = timezone.now()
        project = Project.objects.filter(**words).first()
        is_new = project is None
        if project is None:
            project = create_project(**words, manager=manager, actor=None, now=now)
        elif manager is not None:
            grant_role(project=project, user=manager, role=Role.MANAGER, actor=None, now=now)
        return wanted | {"id": project.pk, "is_new": is_new, "manager": options["manager"]}
