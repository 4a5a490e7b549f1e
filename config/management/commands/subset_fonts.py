"""`subset_fonts`: make web fonts for rarely installed scripts from fonts of this server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from common.commands import LotsawaCommand
from languages import LANGUAGES
from languages.web_fonts import SYSTEM_FOLDERS, find_file, make_font, wanted_fonts


class Command(LotsawaCommand):
    help = (
        "Make web fonts for Tibetan, Lao and other scripts from free fonts that are installed here. "
        "Where none is found, pages use the fonts of the reader's computer as before."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--fonts", metavar="FOLDER", help="look in this folder only; default: LOTSAWA_FONTS_DIR"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        named = options["fonts"] or settings.FONTS_DIR
        folders = [Path(named)] if named else SYSTEM_FOLDERS
        made: dict[str, Any] = {}
        for script, font in sorted(wanted_fonts(LANGUAGES.values()).items()):
            source = find_file(font, folders)
            if source is None:
                made[script] = None
                continue
            target = make_font(script, font, source, settings.FONT_FOLDER)
            made[script] = {"from": source.name, "bytes": target.stat().st_size}
        return made

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(
            f"{script}: {found['from']}, {found['bytes'] // 1000} kB"
            if found
            else f"{script}: none"
            for script, found in result.items()
        )
