"""English."""

from typing import Final

from languages.base import DuplicateLimits, Language, PromptFrames, Statement

LANGUAGE: Final = Language(
    code="en",
    script="Latin",
    name="English",
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
    number_units=(("thousand", 1000), ("million", 1_000_000), ("billion", 1_000_000_000)),
    duplicate_limits=DuplicateLimits(candidate=0.72, semantic=0.87, run=14),
    statement=Statement(
        nouns=("answer", "answer option", "answer choice", "correct option", "correct choice"),
        links=("is", "is option", "would be", "should be", "must be"),
    ),
    frames=PromptFrames(
        system="You answer multiple-choice questions. Exactly one option of each is right.",
        direct="{question}\n\n{options}\n\nReply with the letter of the right option only: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nThink step by step first. "
            "Then end with a line “The answer is X”, where X is one of {letters}."
        ),
        answer="The answer is {letter}",
    ),
    number_frames=PromptFrames(
        system="You answer questions. The answer to each is a number.",
        direct="{question}\n\nReply with the number only.",
        reasoned=(
            "{question}\n\nThink step by step first. Then end with a line “The answer is X”, where X is the number."
        ),
        answer="The answer is {letter}",
    ),
    word_endings=("s", "es", "'s", "’s"),
)
