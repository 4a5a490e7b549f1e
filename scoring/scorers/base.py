"""What all scorers share: the item, the reading of a response, and the extraction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from scoring.scorers.letters import OptionLetters
from scoring.scorers.reasoning import answer_text

Failure = Literal["no_answer", "several_answers", "repeater"]
KeyKind = Literal["option", "number", "text", "translation"]
Material = Literal["text", "likelihoods", "verdicts"]


@dataclass(frozen=True, slots=True)
class AskedItem:
    """What a scorer may know about an item: its letters and perhaps its texts, but never its key."""

    letters: OptionLetters
    options: tuple[str, ...] = ()
    question: str = ""


class Reading(NamedTuple):
    """A response prepared once for all scorers.

    text: the response without reasoning and excluded strings
    latin, script: its valid letters, see `LettersSeen`
    """

    asked: AskedItem
    text: str
    latin: str
    script: str


class Extraction(NamedTuple):
    """What one scorer found in a response: a letter, a number or a text, or why there is none.

    `letter` also holds a text, of methods that read one.

    letters_seen: the distinct letters that the method chose between, in option order
    span: where the answer stands in the text of the reading, if the method found it in one place
    failure: None if there is an answer, else one of
        no_answer: the method found nothing that it reads as an answer
        several_answers: more than one answer is left
        repeater: the response repeats the question, or all options are left or were dropped as
            complete sets
    """

    letter: str | None
    letters_seen: tuple[str, ...] = ()
    failure: Failure | None = None
    number: Decimal | Fraction | None = None
    span: tuple[int, int] | None = None

    @property
    def is_valid(self) -> bool:
        return self.failure is None

    @property
    def answer(self) -> str | None:
        """The letter or the number as text; None if there is no answer."""
        return str(self.number) if self.number is not None else self.letter


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """A named extraction method.

    version: goes up whenever the method may extract a different answer
    published_name: the method's name in the published result files
    key_kind: whether keys are option letters, numbers, texts or translations
    reads_letters: whether the result depends only on the letters of a reading and the number of
        options, so that it can be cached by them
    reads: what it reads: a text of the model, the likelihoods of the options, or the verdicts of a
        judge on the text
    is_graded: whether an answer is right or wrong; a translation is neither
    """

    name: str
    version: str
    method: Callable[[Reading], Extraction]
    published_name: str
    key_kind: KeyKind = "option"
    reads_letters: bool = False
    reads: Material = "text"
    is_graded: bool = True

    def extract(self, reading: Reading) -> Extraction:
        """Apply the method. A response without an answer that has the question is a repeater."""
        extraction = self.method(reading)
        question = reading.asked.question
        if extraction.failure and question and question in reading.text:
            return extraction._replace(failure="repeater")
        return extraction


def read_response(
    response: str,
    asked: AskedItem,
    excluded: Sequence[str] = (),
    *,
    is_published: bool = False,
) -> Reading:
    """Strip the response and find its letters, once for all scorers; see `answer_text`."""
    return read_text(answer_text(response, excluded, is_published=is_published), asked)


def read_text(text: str, asked: AskedItem) -> Reading:
    """Do the same for a text that has been stripped already."""
    return Reading(asked, text, *asked.letters.seen_in(text))


def settle(letters: Sequence[str], option_count: int) -> Extraction:
    """Return the answer if there is one distinct letter; no, several or all letters are failures."""
    seen = tuple(sorted(set(letters)))
    if len(seen) == 1:
        return Extraction(seen[0], seen)
    if not seen:
        return Extraction(None, failure="no_answer")
    return Extraction(
        None, seen, failure="repeater" if len(seen) == option_count else "several_answers"
    )
