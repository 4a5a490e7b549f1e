"""`backup FILE`: write the database and `var/` into one file while people work."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from config.backups.actions import create_backup


class Command(LotsawaCommand):
    help = (
        "Write the database and the files of var/ into one new file. The server can stay up. "
        "Keep the file safe: it holds every item, every account and the secret key."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="the new file, for example x.zip"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        file: Path = options["file"]
        manifest = create_backup(file=file, now=timezone.now())
        return {
            "file": str(file),
            "size": file.stat().st_size,
            "created_at": manifest.created_at,
            "version": manifest.version,
            "database": manifest.database,
            "files": len(manifest.members) - 1,
        }

    def text(self, result: dict[str, Any]) -> str:
        words = _("Wrote %(file)s (%(size)d bytes): the %(database)s database and %(files)d files.")
        return words % result
