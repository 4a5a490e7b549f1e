"""English."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="en",
    script="Latin",
    negations=(
        "not",
        "no",
        "never",
        "none",
        "neither",
        "nor",
        "except",
        "without",
        "incorrect",
        "false",
        "wrong",
        "cannot",
        "n't",
        "least",
    ),
    negation_exceptions=(
        "not only",
        "not just",
        "not merely",
        "no matter",
        "no.",
        "at least",
        "least squares",
    ),
    question_words=("what", "which", "who", "whom", "whose", "when", "where", "why", "how"),
    number_words=(
        "zero",
        "one first single",
        "two second both double",
        "three third",
        "four fourth",
        "five fifth",
        "six sixth",
        "seven",
        "eight",
        "nine ninth",
        "ten",
    ),
    big_numbers=(
        "eleven",
        "twelve",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "hundred",
        "thousand",
        "million",
        "half",
    ),
    option_letters="ABCDEF",
    is_spaced=True,
)
