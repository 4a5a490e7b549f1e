"""Web fonts made from the font files of this computer, so that a text looks the same on every screen.

A made font is a file `<script>-<digest>.woff2`; the digest is of all that it was made from.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from languages.base import Language, WebFont

SYSTEM_FOLDERS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))

_MADE: Final = re.compile(r"\A(?P<script>[a-z]+)-[0-9a-f]{16}\.woff2")
# Changes with what is done to a font, so that fonts are made anew.
_RECIPE: Final = "1"


def wanted_fonts(languages: Iterable[Language]) -> dict[str, WebFont]:
    """Return the web font of each script, by its name in small letters."""
    return {
        language.script.lower(): language.typography.web_font
        for language in languages
        if language.typography.web_font
    }


def made_fonts(folder: Path) -> dict[str, str]:
    """Return the names of the fonts in a folder by script; none where there is no such folder."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return {}
    return {match["script"]: name for name in names if (match := _MADE.fullmatch(name))}


def find_file(font: WebFont, folders: Iterable[Path]) -> Path | None:
    """Return the best file of a font: any of its first name before any of its second."""
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.name in font.files:
                found.setdefault(path.name, path)
    return next((found[name] for name in font.files if name in found), None)


def make_font(script: str, font: WebFont, source: Path, folder: Path) -> Path:
    """Write the part of `source` that `font` names as woff2, unless it is there already.

    What the script had before is removed. Running it twice or in two processes is safe: a file is
    put in its place whole.
    """
    digest = sha256(source.read_bytes() + repr((_RECIPE, font.ranges)).encode()).hexdigest()
    target = folder / f"{script}-{digest[:16]}.woff2"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _subset(source, target, font)
    for other in _fonts_of(script, folder):
        if other != target:
            other.unlink(missing_ok=True)
    return target


def unicode_range(font: WebFont) -> str:
    """Return the characters of a font as CSS has them."""
    return ", ".join(
        f"U+{first:X}-{last:X}" if last > first else f"U+{first:X}" for first, last in font.ranges
    )


def _fonts_of(script: str, folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        match = _MADE.fullmatch(path.name)
        if match and match["script"] == script:
            yield path


def _subset(source: Path, target: Path, font: WebFont) -> None:
    from fontTools import subset

    logging.getLogger("fontTools").setLevel(logging.WARNING)
    options = subset.Options(layout_features=["*"], hinting=False, flavor="woff2")
    # The names of the makers and their licence stay in the file: the OFL asks for it.
    options.name_IDs = ["*"]
    options.notdef_outline = True
    loaded = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(
        unicodes=[code for first, last in font.ranges for code in range(first, last + 1)]
    )
    subsetter.subset(loaded)
    unfinished = target.with_suffix(".part")
    subset.save_font(loaded, str(unfinished), options)
    unfinished.replace(target)
