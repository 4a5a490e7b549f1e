"""The style sheet of the pages: our own sheets and that of the languages as one file.

A slow line pays for every file apart, and sheets that are packed together are a third smaller.
"""

import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import brotli
from django.conf import settings

from languages import LANGUAGES
from languages.base import Language
from languages.styles import stylesheet
from languages.web_fonts import made_fonts

FIRST = ("tokens",)
"""Before the sheet of the languages."""
SHEETS = (
    *("base", "layout", "forms", "components", "data", "report", "text", "items", "rounds"),
    *("rendered", "text-tools", "workbench", "workbench-sheet", "people", "checks", "comments"),
    *("notifications", "words", "public"),
)
"""After it, in the order in which they are read: a later sheet wins over an earlier one."""

_COMMENT = re.compile(r"(?<![ \t])[ \t]*/\*.*?\*/\n?", re.DOTALL)

Stamps = tuple[tuple[Path, int], ...]


def page_styles() -> str:
    """The whole sheet; fonts stand in the folder `fonts/` beside it."""
    return _whole_sheet(_stamps(), *_language_inputs())


def packed_styles() -> bytes:
    """The whole sheet in Brotli, as small as it gets: packed once, sent to everybody."""
    return _packed(page_styles())


def without_comments(sheet: str) -> str:
    """What browsers read of a sheet: comments are for us, and a tenth of what a slow line pays."""
    return _COMMENT.sub("", sheet)


def styles_digest() -> str:
    """Twelve hex digits that change whenever the sheet does."""
    return _digest(_stamps(), *_language_inputs())


def _stamps() -> Stamps:
    """Every sheet with the time of its last change: whoever edits one sees it at once."""
    folder = Path(settings.ROOT, "static", "css")
    paths = [folder / f"{name}.css" for name in (*FIRST, *SHEETS)]
    return tuple((path, path.stat().st_mtime_ns) for path in paths)


def _language_inputs() -> tuple[tuple[Language, ...], tuple[tuple[str, str], ...]]:
    return tuple(LANGUAGES.values()), tuple(made_fonts(settings.FONT_FOLDER).items())


@lru_cache(maxsize=2)
def _whole_sheet(
    stamps: Stamps, languages: tuple[Language, ...], fonts: tuple[tuple[str, str], ...]
) -> str:
    sheets = [without_comments(path.read_text(encoding="utf-8")) for path, _changed in stamps]
    sheets.insert(len(FIRST), stylesheet(languages, dict(fonts)))
    return "".join(sheets)


@lru_cache(maxsize=2)
def _packed(sheet: str) -> bytes:
    packed: bytes = brotli.compress(sheet.encode(), mode=brotli.MODE_TEXT)
    return packed


@lru_cache(maxsize=2)
def _digest(
    stamps: Stamps, languages: tuple[Language, ...], fonts: tuple[tuple[str, str], ...]
) -> str:
    return sha256(_whole_sheet(stamps, languages, fonts).encode()).hexdigest()[:12]
