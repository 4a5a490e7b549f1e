"""`verify_release DIR`: check a release's folder by itself, to the byte."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.commands import LotsawaCommand
from common.errors import DomainError
from releases.verification.checking import verify
from releases.verification.files import SUMS


class NoRelease(DomainError):
    code = "no_release"
    detail = _("%(folder)s is not the folder of a release: it has no file SHA256SUMS.")
    status = 400


class Command(LotsawaCommand):
    help = (
        "Check checksums, ledger, rows, card, archive and every figure that the ledger gives. "
        "Needs no database. Exits with 1 if one byte is not as it was."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument(
            "--content-hash", default="", metavar="SHA256", help="as the release's page gives it"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        folder: Path = options["folder"]
        if not (folder / SUMS).is_file():
            raise NoRelease(folder=str(folder))
        found = verify(folder, content_hash=options["content_hash"], version=settings.VERSION)
        self.exit_code = 1 if found.problems else 0
        return {"is_intact": not found.problems, **asdict(found)}

    def text(self, result: dict[str, Any]) -> str:
        lines = [f"{each['code']}: {each['file']}: {each['detail']}" for each in result["problems"]]
        words = (
            gettext("The release is unchanged: %(files)s files, %(items)s items.")
            if result["is_intact"]
            else gettext(
                "This is not the release that was built: %(files)s files, %(items)s items."
            )
        )
        return "\n".join([*lines, *result["notes"], words % result])
