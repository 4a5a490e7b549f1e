"""First option (TMLU): the first token, from left to right, that can be read as an option code."""

from functools import lru_cache

import regex

from evaluation.scorers.base import Extraction, Reading, Scorer
from evaluation.scorers.letters import FULL_WIDTH, LATIN, OptionLetters

_PART_OF_LATIN_WORD = r"[\p{Latin}\p{M}\p{N}_°]"
_PART_OF_WORD = r"[\p{L}\p{M}\p{N}_]"
_JOINED_ON = r"(?![-‐'’]\p{L})"
_JOINED_BEFORE = r"(?<!\p{L}[-‐'’])"


def extract(reading: Reading) -> Extraction:
    """The letter of the first option code; brackets and marks around the code don't matter.

    Source: TMLU, generation-based evaluation. See `option_code` for what a code is. The article in
    `A good answer` is a code by this rule; `anchored` is the method that knows better.
    """
    letters = reading.asked.letters
    found = option_code(letters).search(reading.text)
    if found is None:
        return Extraction(None, failure="no_answer")
    letter = letters.latin_of(found.group())
    return Extraction(letter, (letter,) if letter else ())


@lru_cache(maxsize=64)
def option_code(letters: OptionLetters) -> regex.Pattern[str]:
    """A pattern for one option code of an item: always exactly one character.

    A Latin or full-width capital that touches no other Latin letter, digit, degree sign, or word
    joined on by hyphen or apostrophe (a letter of another script may touch it: `答案是B`); or
    a script letter that is a whole word, which a tsheg before another syllable denies.
    """
    return regex.compile(code_pattern(letters))


def code_pattern(letters: OptionLetters) -> str:
    """The same as regular expression source, to be built into longer patterns."""
    latin = LATIN[: letters.count] + FULL_WIDTH[: letters.count]
    patterns = [
        rf"(?<!{_PART_OF_LATIN_WORD}){_JOINED_BEFORE}[{latin}](?!{_PART_OF_LATIN_WORD}){_JOINED_ON}"
    ]
    if letters.script:
        script = regex.escape(letters.valid_script)
        patterns.append(rf"(?<!{_PART_OF_WORD})[{script}](?!{_PART_OF_WORD})(?!་\p{{L}})")
    return f"(?:{'|'.join(patterns)})"


SCORER = Scorer("first_option", "1", extract, published_name="first_option")
