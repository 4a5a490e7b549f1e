"""List the accounts of this server."""

from argparse import ArgumentParser
from typing import Any

from accounts.enums import AccountState
from accounts.queries import AccountFilter, accounts
from common.commands import LotsawaCommand


class Command(LotsawaCommand):
    help = "List accounts by e-mail address: state, name and last sign-in."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--search", default="", help="part of a name or an e-mail address")
        parser.add_argument("--state", choices=AccountState.values, default="")
        parser.add_argument("--administrators", action="store_true", help="only administrators")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        wanted = AccountFilter(
            query=options["search"],
            state=options["state"],
            is_administrator=options["administrators"],
        )
        return {
            "accounts": [
                {
                    "id": user.pk,
                    "email": user.email,
                    "name": user.name,
                    "state": str(user.state),
                    "is_administrator": user.is_superuser,
                    "last_sign_in_at": user.last_login.isoformat() if user.last_login else None,
                }
                for user in accounts(wanted).order_by("email").iterator()
            ]
        }

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(
            f"{row['email']:40} {row['state']:12} {row['last_sign_in_at'] or '-':34} {row['name']}"
            for row in result["accounts"]
        )
