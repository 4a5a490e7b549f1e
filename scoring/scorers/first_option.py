"""First option: the first token that can be read as an option code."""

from functools import lru_cache

import regex

from languages.letters import FULL_WIDTH, LETTERS
from scoring.scorers.base import Extraction, Reading, Scorer
from scoring.scorers.letters import OptionLetters

_PART_OF_LATIN_WORD = r"[\p{Latin}\p{M}\p{N}_°]"
_PART_OF_WORD = r"[\p{L}\p{M}\p{N}_]"
_JOINED_ON = r"(?![-‐'’]\p{L})"
_JOINED_BEFORE = r"(?<!\p{L}[-‐'’])"


def extract(reading: Reading) -> Extraction:
    """Return the letter of the first option code, ignoring brackets and punctuation around it.

    The rule is ours: TMLU also takes the first option of a generated answer, but finds it by rules
    of its own, which differ. `option_code` says what a code is. By this rule the article in
    `A good answer` is a code, which `anchored` avoids.
    """
    letters = reading.asked.letters
    found = option_code(letters).search(reading.text)
    if found is None:
        return Extraction(None, failure="no_answer")
    letter = letters.latin_of(found.group())
    return Extraction(letter, (letter,) if letter else (), span=found.span())


@lru_cache(maxsize=64)
def option_code(letters: OptionLetters) -> regex.Pattern[str]:
    """Return a pattern for one option code, which is always exactly one character.

    A code is a Latin or full-width capital letter that does not touch another Latin letter, a
    digit, a degree sign, or a word joined by a hyphen or apostrophe. It may touch letters of
    another script, as in `答案是B`. A script letter is a code if it is a whole word. A letter
    followed by a tsheg and another syllable is not.
    """
    return regex.compile(code_pattern(letters))


def code_pattern(letters: OptionLetters) -> str:
    """Return the source of `option_code`, for use in longer patterns."""
    latin = LETTERS[: letters.count] + FULL_WIDTH[: letters.count]
    patterns = [
        rf"(?<!{_PART_OF_LATIN_WORD}){_JOINED_BEFORE}[{latin}](?!{_PART_OF_LATIN_WORD}){_JOINED_ON}"
    ]
    if letters.script:
        script = regex.escape(letters.valid_script)
        patterns.append(rf"(?<!{_PART_OF_WORD})[{script}](?!{_PART_OF_WORD})(?!་\p{{L}})")
    return f"(?:{'|'.join(patterns)})"


SCORER = Scorer("first_option", "1", extract, published_name="first_option")
