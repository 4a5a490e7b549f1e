"""A set of sound texts in made-up languages of 40 words, each of which is in many of them."""

import random
from collections.abc import Sequence
from dataclasses import replace

from annotation.checks.catalogue.base import CheckInput

WORDS = dict(
    zip(
        (f"{one}{two}v" for one in "bdgklprt" for two in "aeiou"),
        (f"{one}{two}в" for one in "бдгклпрт" for two in "аэиоу"),
        strict=True,
    )
)
"""Without digits, by which other checks would know the options again."""
Named = tuple[int, CheckInput]


def rendered(text: str) -> str:
    """Translate word by word, with the word for “is it” at the end of a question."""
    words = [WORDS.get(word, word) for word in text.removesuffix("?").split()]
    return " ".join([*words, "юу?"] if text.endswith("?") else words)


def text(question: str, options: Sequence[str]) -> CheckInput:
    translated = tuple(map(rendered, options))
    return CheckInput(question, options, "A", rendered(question), translated, None, "en", "mn")


def sound_texts(count: int = 100) -> list[Named]:
    """Return sound texts of words that each stand in many of them."""
    draw = random.Random(1)
    found = []
    for number in range(count):
        words = draw.sample(sorted(WORDS), 22)
        options = [" ".join(words[at : at + 3]) for at in range(10, 22, 3)]
        found.append((number, text(" ".join(words[:10]) + "?", options)))
    return found


def swapped(given: CheckInput) -> CheckInput:
    first, second, *rest = given.options
    return replace(given, options=(second, first, *rest))
