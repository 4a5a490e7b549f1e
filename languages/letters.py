"""The letters that name an item's options: A to J, in the order of the options.

An item's key is such a letter. The letters that a language uses in its own lists are
`Language.option_letters`; the n-th of them means the n-th Latin letter.
"""

from typing import Final

LETTERS: Final = "ABCDEFGHIJ"
FULL_WIDTH: Final = "ＡＢＣＤＥＦＧＨＩＪ"
DIGITS: Final = "123456789"
"""What a prompt can name up to nine options by instead of letters."""
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = len(LETTERS)

COMMON_LETTERS: Final = 6
"""The number of letters that texts and tables are read and written with as long as no item has more options."""

BEYOND_LETTERS: Final = "K"
"""The name of the option after the last letter: such a column holds an option too many."""

_PLAIN: Final = str.maketrans(FULL_WIDTH, LETTERS)


def letter_of(position: int) -> str:
    """Return the letter of an option counted from 0; past J a number, so that it has a name."""
    return LETTERS[position] if position < MAX_OPTIONS else str(position + 1)


def position_of(letter: str, count: int = MAX_OPTIONS) -> int | None:
    """Return the position of the option that `letter` names, None if it names none of `count`."""
    position = LETTERS.find(letter) if len(letter) == 1 else -1
    return position if 0 <= position < count else None


def letters_of(count: int) -> str:
    """Return the letters of an item with `count` options, at most A to J."""
    return LETTERS[: max(count, 0)]


def plain_letter(text: str) -> str:
    """Return a typed letter as it is kept: a full-width or small letter becomes a plain capital."""
    return text.strip().translate(_PLAIN).upper()
