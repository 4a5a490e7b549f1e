"""Anchored answers (ours): an explicit statement, a bare option code, or one option's text."""

import unicodedata
from functools import lru_cache

import regex

from evaluation.scorers.base import Extraction, Reading, Scorer, settle
from evaluation.scorers.first_option import code_pattern, option_code
from evaluation.scorers.letters import OptionLetters
from languages import Statement, all_statements

_DECORATION = r"[\s*_`\"'“”‘’(（\[【「《<]*"
_GAP = r"[\s*_]*"
_SPACED_SCRIPT = r"[\p{Latin}\p{Cyrillic}\p{N}]"
_NOT_CODE = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


def extract(reading: Reading) -> Extraction:
    r"""Return the letter that the response states. Each step applies if those before found none.

    1. Explicit statements ("answer is B", "答案：B", "ལན་ནི་B", `\boxed{B}`), in the words of all
       languages (`Language.statement`). If they name different letters, there are several answers.
    2. A response that is only an option code, with brackets or punctuation.
    3. A response that contains the text of exactly one option.
    """
    letters = reading.asked.letters
    if stated := _stated(reading.text, letters):
        return settle(stated, letters.count)
    if bare := _bare_code(reading.text, letters):
        return Extraction(bare, (bare,))
    return settle(_repeated_options(reading), letters.count)


def _stated(text: str, letters: OptionLetters) -> list[str]:
    codes = (match.group("code") for match in _statement(letters, all_statements()).finditer(text))
    return [letter for code in codes if (letter := letters.latin_of(code))]


@lru_cache(maxsize=64)
def _statement(letters: OptionLetters, statements: tuple[Statement, ...]) -> regex.Pattern[str]:
    phrases = "|".join(
        rf"(?:{_any_of(statement.nouns)}){_GAP}(?:{_any_of(statement.links)}|[:：=])"
        for statement in statements
    )
    code = code_pattern(letters)
    boxed = r"\\boxed\s*\{\s*(?:\\text\s*\{\s*)?"
    lead_in = rf"{_DECORATION}[:：]?{_DECORATION}"
    return regex.compile(
        rf"(?:(?<!{_SPACED_SCRIPT})(?i:{phrases}){lead_in}|{boxed})(?P<code>{code})"
    )


def _any_of(phrases: tuple[str, ...]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    return "|".join(regex.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first)


def _bare_code(text: str, letters: OptionLetters) -> str | None:
    bare = _NOT_CODE.sub("", text) if len(text) < 64 else ""
    if len(bare) != 1 or not option_code(letters).search(text):
        return None
    return letters.latin_of(bare)


def _repeated_options(reading: Reading) -> str:
    """Return the letters of the options whose text the response contains, longest texts first.

    A text that has been found is removed, so that a shorter option inside it does not count too.
    """
    options = reading.asked.options[: reading.asked.letters.count]
    if not options:
        return ""
    rest = _plain(reading.text)
    repeated = set()
    wanted = [(_plain(option), index) for index, option in enumerate(options)]
    for option, index in sorted(wanted, reverse=True, key=lambda pair: (len(pair[0]), pair[1])):
        if option and (pattern := _whole(option)).search(rest):
            repeated.add(reading.asked.letters.latin[index])
            rest = pattern.sub("\n", rest)
    return "".join(sorted(repeated))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _whole(option: str) -> regex.Pattern[str]:
    """Match the option's text, but not inside a longer word in scripts that put spaces between words."""
    before = rf"(?<!{_SPACED_SCRIPT})" if regex.match(_SPACED_SCRIPT, option[0]) else ""
    after = rf"(?!{_SPACED_SCRIPT})" if regex.match(_SPACED_SCRIPT, option[-1]) else ""
    return regex.compile(before + regex.escape(option) + after)


SCORER = Scorer("anchored", "1", extract, published_name="anchored")
