"""Remove a member from a project from the command line."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from accounts.selectors import get_user
from common.commands import LotsawaCommand
from projects.actions import remove_member
from projects.selectors import get_member, get_project


class Command(LotsawaCommand):
    """Their work stays; for who has not signed in yet this cancels the invitation."""

    help = "Remove a member from a project. Their work stays."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("email")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        membership = get_member(project, get_user(options["email"]))
        removed = remove_member(membership=membership, actor=None, now=timezone.now())
        return {"project": project.slug, "email": membership.user.email, **asdict(removed)}
