"""What every scorer shares: the item that was asked, the reading of a response, the extraction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, NamedTuple

from evaluation.scorers.letters import OptionLetters
from evaluation.scorers.reasoning import answer_text

Failure = Literal["no_answer", "several_answers", "repeater"]
KeyKind = Literal["option", "number"]


@dataclass(frozen=True, slots=True)
class AskedItem:
    """What a scorer may know of an item: its letters and, where given, its texts; never its key."""

    letters: OptionLetters
    options: tuple[str, ...] = ()
    question: str = ""


class Reading(NamedTuple):
    """A response made ready once for all scorers.

    text: the response without reasoning and excluded strings
    latin: every valid Latin letter of the text, in order
    script: the valid script letters as Latin letters, as far as a method looks at them: none where
        `latin` holds exactly one distinct letter; each once where it holds several; where `latin`
        is empty, in order with repeats (a single distinct letter only once)
    """

    asked: AskedItem
    text: str
    latin: str
    script: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one scorer took from one response: one letter (or number), or why there is none.

    letters_seen: the distinct letters the method decided between, in option order
    failure: None exactly when there is an answer
        no_answer: nothing that the method reads as an answer
        several_answers: more than one answer is left
        repeater: every option is left or was dropped as a complete set, or the question is repeated
    """

    letter: str | None
    letters_seen: tuple[str, ...] = ()
    failure: Failure | None = None
    number: Decimal | None = None

    @property
    def is_valid(self) -> bool:
        return self.failure is None

    @property
    def answer(self) -> str | None:
        """The letter or the number as text, None when there is no answer."""
        return str(self.number) if self.number is not None else self.letter


@dataclass(frozen=True, slots=True)
class Scorer:
    """One extraction method under its name; `version` rises whenever an answer could change.

    published_name: how the published result files call the method
    key_kind: whether keys are option letters or numbers
    """

    name: str
    version: str
    method: Callable[[Reading], Extraction]
    published_name: str
    key_kind: KeyKind = "option"

    def extract(self, reading: Reading) -> Extraction:
        """The method's extraction; without an answer, repeating the question makes a repeater."""
        extraction = self.method(reading)
        question = reading.asked.question
        if extraction.failure and question and question in reading.text:
            return replace(extraction, failure="repeater")
        return extraction


def read_response(response: str, asked: AskedItem, excluded: Sequence[str] = ()) -> Reading:
    """Strip the response and scan its letters, so that several scorers share the work."""
    text = answer_text(response, excluded)
    latin = asked.letters.latin_in(text)
    return Reading(asked, text, latin, _script_beside(latin, text, asked.letters))


def _script_beside(latin: str, text: str, letters: OptionLetters) -> str:
    if latin and latin.count(latin[0]) == len(latin):
        return ""
    distinct = letters.distinct_script_in(text)
    return letters.script_in(text) if not latin and len(distinct) > 1 else distinct


def settle(letters: Sequence[str], option_count: int) -> Extraction:
    """One distinct letter is the answer; none, several and all options are failures."""
    seen = tuple(sorted(set(letters)))
    if len(seen) == 1:
        return Extraction(seen[0], seen)
    if not seen:
        return Extraction(None, failure="no_answer")
    return Extraction(
        None, seen, failure="repeater" if len(seen) == option_count else "several_answers"
    )
