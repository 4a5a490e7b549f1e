"""What the checks know about a language, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    `script` is a Unicode script name; `option_letters` the letters of its own lists. `negations`
    and `negation_exceptions` are literal strings; an exception is a longer string that holds a
    negation without denying anything. `question_words` ask for what a blank would hold.
    `number_words` are the words for 0 to 10, alternatives parted by a space; `big_numbers` the
    words that make larger numbers.
    """

    code: str
    script: str
    negations: tuple[str, ...] = ()
    negation_exceptions: tuple[str, ...] = ()
    question_words: tuple[str, ...] = ()
    option_letters: str = ""
    number_words: tuple[str, ...] = ()
    big_numbers: tuple[str, ...] = ()
    is_spaced: bool = False
