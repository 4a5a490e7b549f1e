"""`restore FILE`: put the database and the files of a backup in place."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from config.backups.actions import is_behind, restore_backup


class Command(LotsawaCommand):
    help = (
        "Put the database and the files of a backup in place. Stop the web server and the workers "
        "first, and start them again afterwards."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="what “backup” has written")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="delete what is in the database and in var/ now",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        """Restore, then bring the tables of an older version's backup up to this version."""
        manifest = restore_backup(file=options["file"], is_replacing=options["replace"])
        was_behind = is_behind(manifest)
        if was_behind:
            call_command("migrate", verbosity=0)
        return {
            "file": str(options["file"]),
            "created_at": manifest.created_at,
            "version": manifest.version,
            "database": manifest.database,
            "files": len(manifest.members) - 1,
            "is_migrated": was_behind,
        }

    def text(self, result: dict[str, Any]) -> str:
        words = _(
            "Restored the backup of %(created_at)s: the %(database)s database and %(files)d files."
        )
        lines = [words % result]
        if result["is_migrated"]:
            lines.append(_("The backup came from an older version, so its tables were migrated."))
        return "\n".join([*lines, _("Start the web server and the workers again.")])
