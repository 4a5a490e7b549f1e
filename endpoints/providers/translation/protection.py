r"""Marks the parts of a text that an engine must not translate, and puts them back.

Formulas ($…$, \(…\), \[…\], commands), placeholders ({name}, %s, ____), addresses, and Latin terms in a
text of another script. Each mark holds a number; what stands between a mark and its end is put back
from here, whatever the engine made of it.
"""

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from endpoints.providers.translation.base import HTML, PLAIN, XML

_ALWAYS: Final = (
    r"\$\$.+?\$\$",
    r"\$[^$\n]+\$",
    r"\\\((?:(?!\\\().)+?\\\)",
    r"\\\[(?:(?!\\\[).)+?\\\]",
    r"\\[A-Za-z]+(?:\{[^{}]*\})*",
    r"\[#\d+\]",
    r"<[^<>]+>",
    r"https?://[^\s，。、；）)]+",
    r"\{\{[^{}]*\}\}|\{[A-Za-z_]\w*\}",
    r"%\(\w+\)[sd]|%[sd]",
    r"_{2,}|﹍+|＿{2,}",
)
_LATIN: Final = r"[A-Za-z][A-Za-z0-9'’.+/-]*(?:[ ][A-Za-z][A-Za-z0-9'’.+/-]*)*(?<![.'’/-])"
_MARKS: Final = {
    HTML: ('<span translate="no" class="notranslate" id="p{n}">{text}</span>'),
    XML: '<x id="p{n}">{text}</x>',
    PLAIN: "[#{n}]",
}


def _tag(name: str) -> re.Pattern[str]:
    """Return a pattern of a mark from its start to its end, in which no other mark starts.

    What has matched is never tried again in another way, so that a reply full of marks without
    an end takes time in proportion to its length.
    """
    start = rf"<{name}\b(?>[^<>]*?\bid\s*=\s*[\"']?p(?P<number>[0-9]{{1,6}})(?![0-9]))[^<>]*+>"
    other = start.replace("?P<number>", "?:")
    return re.compile(rf"{start}(?:[^<]++|<(?!/{name}\s*>|{other[1:]}))*+</{name}\s*>")


_FOUND: Final = {
    HTML: _tag("span"),
    XML: _tag("x"),
    PLAIN: re.compile(r"[\[［]\s*[#＃]\s*(\d{1,6})\s*[\]］]"),
}
_FORMULA_OR: Final = re.compile("|".join(_ALWAYS), re.DOTALL)
_FORMULA_OR_LATIN: Final = re.compile("|".join((*_ALWAYS, _LATIN)), re.DOTALL)


class PartLost(ValueError):
    """A translation that lacks a protected part, or has one twice."""

    def __init__(self, part: str) -> None:
        """Keep the part."""
        super().__init__(part)
        self.part = part


@dataclass(frozen=True, slots=True)
class Protected:
    """A text with its marks, and the parts by number; `has_words` says if there are letters besides."""

    text: str
    parts: tuple[str, ...]
    has_words: bool


def protect(text: str, markup: str, *, keeps_latin: bool) -> Protected:
    """Return a text as an engine with this markup gets it; `keeps_latin` marks Latin terms too."""
    pattern = _FORMULA_OR_LATIN if keeps_latin else _FORMULA_OR
    pieces: list[str] = []
    between: list[str] = []
    parts: list[str] = []
    last = 0
    for match in pattern.finditer(text):
        between.append(text[last : match.start()])
        pieces.append(_escaped(between[-1], markup))
        pieces.append(_MARKS[markup].format(n=len(parts), text=_escaped(match[0], markup)))
        parts.append(match[0])
        last = match.end()
    between.append(text[last:])
    pieces.append(_escaped(between[-1], markup))
    has_words = any(char.isalpha() for piece in between for char in piece)
    return Protected("".join(pieces), tuple(parts), has_words)


def restore(translated: str, protected: Protected, markup: str) -> str:
    """Return a translation with its parts put back. Raises PartLost."""
    found = Counter(map(int, _FOUND[markup].findall(translated)))
    for number, part in enumerate(protected.parts):
        if found[number] != 1:
            raise PartLost(part)
    pieces = _FOUND[markup].split(translated)
    return "".join(
        _part(protected.parts, int(piece)) if place % 2 else _unescaped(piece, markup)
        for place, piece in enumerate(pieces)
    ).strip()


def _part(parts: Sequence[str], number: int) -> str:
    return parts[number] if number < len(parts) else ""


def _escaped(text: str, markup: str) -> str:
    return text if markup == PLAIN else html.escape(text, quote=False)


def _unescaped(text: str, markup: str) -> str:
    return text if markup == PLAIN else html.unescape(text)
