"""What people key in as the answer of a response, and when two readings are the same."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from languages.letters import plain_letter
from languages.numerals import read_number
from scoring.scorers.letters import OptionLetters

ENOUGH = 2
"""So many people read each response; when they differ, one more does."""
RIGHT, WRONG = "right", "wrong"
"""What people say of a response to an open-ended item, whose reference they see."""


def letter_read(text: str, letters: OptionLetters) -> str | None:
    """Return the option letter that a person keyed in, of either case or script; None for others."""
    typed = plain_letter(text)
    return letters.latin_of(typed) if len(typed) == 1 else None


def value_of(text: str) -> Fraction | None:
    """Return the value of a number as a person keyed it in, or as a scorer stored it (`1E-7`)."""
    found = read_number(text)
    if found is not None:
        return found
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def same_text(answer: str, *, is_number: bool) -> str:
    """Return the text that equal answers share: of numbers the value, so that 0.75 is 3/4."""
    value = value_of(answer) if is_number and answer else None
    return answer if value is None else str(value)


def settled(answers: Sequence[str]) -> str | None:
    """Return what most readers and at least two of them read; None if there is no such answer."""
    ranked = Counter(answers).most_common(2)
    if not ranked or ranked[0][1] < ENOUGH:
        return None
    if len(ranked) > 1 and ranked[1][1] == ranked[0][1]:
        return None
    return ranked[0][0]
