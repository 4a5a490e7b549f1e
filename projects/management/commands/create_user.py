"""Make an account, with roles in projects, from the command line."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.actions import create_token, make_administrator
from common.commands import LotsawaCommand
from projects.actions import enrol_person
from projects.models import Project
from projects.selectors import get_project


class Command(LotsawaCommand):
    """An account that is there already keeps its name, and gets the password and roles.

    `--rename` gives it the name as well.
    """

    help = "Create an account, or give an existing one roles; roles are manager, senior, reviewer, viewer."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument(
            "--name", default="", help="for a new account; default: the address before the @"
        )
        parser.add_argument(
            "--rename", action="store_true", help="give an existing account this name as well"
        )
        parser.add_argument(
            "--password-env",
            metavar="VAR",
            help="environment variable that holds the password; without one the person cannot "
            "sign in until somebody invites them",
        )
        parser.add_argument(
            "--role", action="append", default=[], metavar="PROJECT:ROLE", help="may be repeated"
        )
        parser.add_argument(
            "--administrator", action="store_true", help="let them do everything on this server"
        )
        parser.add_argument("--token", action="store_true", help="print a new API token")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        now = timezone.now()
        roles = [_role(text) for text in options["role"]]
        if options["rename"] and not options["name"]:
            raise CommandError(_("--rename needs --name."), returncode=2)
        user = enrol_person(
            email=options["email"],
            name=options["name"],
            renames=options["rename"],
            password=_password(options["password_env"]),
            roles=roles,
            actor=None,
            now=now,
        )
        if options["administrator"]:
            make_administrator(user=user, actor=None, now=now)
        if options["name"] and user.name != options["name"].strip():
            words = _("%(email)s keeps the name “%(name)s”; --rename changes it.")
            self.say(words % {"email": user.email, "name": user.name})
        if not user.has_usable_password():
            words = _(
                "%(email)s has no password yet and cannot sign in. Repeat the command with "
                "--password-env VAR, or invite them to a project."
            )
            self.say(words % {"email": user.email})
        places = user.memberships.select_related("project").order_by("pk")
        result = {
            "email": user.email,
            "id": user.pk,
            "name": user.name,
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
