"""One quick look at a text for characters that only damaged or foreign text has."""

import re
from functools import lru_cache
from typing import Final

import regex

from languages.base import Language
from languages.folding import LATIN_IN_CYRILLIC

UNKNOWN: Final = "Zyyy"
_PLAIN_SCRIPTS: Final = ("Common", "Inherited", "Latin", "Greek")
_RELATED: Final = {"Han": ("Hiragana", "Katakana", "Bopomofo")}
_BMP: Final = 0x10000
_SIGNS: Final = (
    r"\x01-\x09\x0b-\x1f\x7f-\x9f\u00c2-\u00f4\u0402-\u040f\u0452-\u045f\ufffd-\uffff\ue000-\uf8ff"
    r"\u180b-\u180e\ufe0e\ufe0f\u034f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff&<>\\`*#|\u2e80-\u2fd5\uf900-\ufaff"
    r"\ufb50-\ufd3d\ufd50-\ufdfb\ufe80-\ufefc"
)
_IDLE_END: Final = re.compile("[\xad\u200b](?![^\x00])")
_LAO_ORDER: Final = re.compile(
    "[\u0eb3\u0ec0\u0ec8-\u0ecb\u0ecd](?:(?<=[\u0ec8-\u0ecb])[\u0eb1\u0eb4-\u0ebb]|(?<=\u0ec0)\u0ec0"
    "|(?<=\u0eb3)[\u0ec8-\u0ecb]|(?<=\u0ecd)[\u0ec8-\u0ecb]?\u0eb2)"
)
_LINES: Final = re.compile(
    r"\n(?:u|eq|abla|otin|e|i)(?![a-z])|\[(?:/?INST|UNK|PAD|MASK|CLS|SEP|TRANSL)|\n> |\n---|【(?:译|譯|翻)"
)
_ENGLISH: Final = re.compile("[a-z] [a-z]{2}")
NOT_MONGOLIAN: Final = re.compile(
    "[\u0400\u0402-\u040f\u0450\u0452-\u04ad\u04b0-\u04e7\u04ea-\u052f]"
)
"""Cyrillic letters of other languages."""


def has_oddity(text: str, language: Language) -> bool:
    """Return whether a check with `has_odd_sign` can find anything in a text of a language."""
    if _odd_signs(language.script).search(text):
        return True
    if _IDLE_END.search(text) or (language.script in ("Lao", UNKNOWN) and _LAO_ORDER.search(text)):
        return True
    if language.script == "Cyrillic" and (
        LATIN_IN_CYRILLIC.search(text) or NOT_MONGOLIAN.search(text)
    ):
        return True
    if language.script != "Latin" and _ENGLISH.search(text):
        return True
    return ("\n" in text or "[" in text or "【" in text) and _LINES.search(text) is not None


@lru_cache(maxsize=64)
def _odd_signs(script: str) -> re.Pattern[str]:
    return re.compile(f"[{_SIGNS}{_foreign((script,))}]")


@lru_cache(maxsize=64)
def foreign_letters(*scripts: str) -> re.Pattern[str] | None:
    """Return a pattern of letters of none of these scripts; None where one of them is not known."""
    ranges = _foreign(scripts)
    return re.compile(f"[{ranges}]+") if ranges else None


@lru_cache(maxsize=64)
def letters_of(script: str) -> re.Pattern[str]:
    """Return a pattern of letters of a script."""
    ranges = _ranges(rf"\p{{{script}}}+")
    return re.compile(f"[{ranges}]+")


def _foreign(scripts: tuple[str, ...]) -> str:
    if UNKNOWN in scripts:
        return ""
    related = (name for script in scripts for name in _RELATED.get(script, ()))
    names = (*_PLAIN_SCRIPTS, *scripts, *related)
    return _ranges("[^" + "".join(rf"\p{{{name}}}" for name in names) + "]+")


def _ranges(runs: str) -> str:
    """Return the letters that a pattern of runs finds as the inside of a class."""
    found = regex.finditer(runs, _all_letters())
    return "".join(f"\\u{run.start():04x}-\\u{run.end() - 1:04x}" for run in found)


@lru_cache(maxsize=1)
def _all_letters() -> str:
    """Return each letter of the first plane at the place of its code, and NUL, a sign of all scripts, elsewhere."""
    return "".join(sign if sign.isalpha() else "\0" for sign in map(chr, range(_BMP)))
