"""Make an account, with roles in projects, from the command line."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.actions import create_token
from annotation.actions.projects import enrol_person
from annotation.lookups import get_project
from annotation.models import Project
from common.commands import LotsawaCommand


class Command(LotsawaCommand):
    """An account that is there already gets the new name, password and roles."""

    help = "Make an account or bring it into line; roles are manager, senior, reviewer, viewer."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", required=True)
        parser.add_argument(
            "--password-env", metavar="VAR", help="environment variable that holds the password"
        )
        parser.add_argument("--role", action="append", default=[], metavar="PROJECT:ROLE")
        parser.add_argument("--token", action="store_true", help="print a new API token")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        now = timezone.now()
        roles = [_role(text) for text in options["role"]]
        user = enrol_person(
            email=options["email"],
            name=options["name"],
            password=_password(options["password_env"]),
            roles=roles,
            actor=None,
            now=now,
        )
        places = user.memberships.select_related("project").order_by("pk")
        result = {
            "email": user.email,
            "id": user.pk,
            "roles": [f"{place.project.slug}:{place.role}" for place in places],
        }
        if options["token"]:
            issued = create_token(user=user, name="create_user", actor=None, now=now)
            result["token"] = issued.secret
        return result


def _role(text: str) -> tuple[Project, str]:
    slug, colon, role = text.rpartition(":")
    if not colon:
        raise CommandError(_("“%(text)s” is not PROJECT:ROLE.") % {"text": text}, returncode=2)
    return get_project(slug), role


def _password(variable: str | None) -> str | None:
    if variable is None:
        return None
    password = os.environ.get(variable)
    if not password:
        words = _("The environment variable %(name)s is not set.") % {"name": variable}
        raise CommandError(words, returncode=1)
    return password
