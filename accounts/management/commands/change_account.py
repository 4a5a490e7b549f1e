"""Deactivate or reactivate an account, or change who is an administrator."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from accounts import actions
from accounts.selectors import get_user
from common.commands import LotsawaCommand

CHANGES = {
    "deactivate": actions.deactivate_account,
    "reactivate": actions.reactivate_account,
    "make-administrator": actions.make_administrator,
    "remove-administrator": actions.remove_administrator,
}


class Command(LotsawaCommand):
    """Doing it again changes nothing."""

    help = "Deactivate or reactivate an account, or make or unmake an administrator."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("change", choices=list(CHANGES))

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        user = get_user(options["email"])
        change: Any = CHANGES[options["change"]]
        ended = change(user=user, actor=None, now=timezone.now())
        result = {
            "email": user.email,
            "state": str(user.state),
            "is_administrator": user.is_superuser,
        }
        return result | (asdict(ended) if ended else {})
