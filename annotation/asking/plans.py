"""Plans of calls: what is asked of one item, and again with the reason if an answer cannot be used.

A plan is a generator: it yields the calls that can be made at once, takes their raw answers, and
returns what was read. It keeps no other state, so a job that was stopped continues by giving a new plan
the stored answers again.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.asking.answers import Unusable
from endpoints.providers.base import Message

TRIES: Final = 3

CallKey = tuple[str, int]
"""The name of a step, and how many times it has been asked, from 1."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages of a step, and the JSON schema of its answer if there is one."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a plan. `number` tells candidates apart, so that their seeds differ.

    `temperature` replaces that of the model, if there is one. `is_judge` calls go to the judge.
    """

    step: str
    attempt: int
    prompt: Prompt
    number: int = 1
    temperature: float | None = None
    is_judge: bool = False

    @property
    def key(self) -> CallKey:
        return self.step, self.attempt


Answer = str | Unusable
"""The text of an answer, or why the model gives none, however often it is asked."""
Answers = Mapping[CallKey, Answer]


@dataclass(frozen=True, slots=True)
class Question:
    """A step with the function that reads its answer, which raises Unusable."""

    step: str
    prompt: Prompt
    read: Callable[[str], Any]
    number: int = 1
    temperature: float | None = None
    is_judge: bool = False

    def call(self, attempt: int, prompt: Prompt) -> Call:
        return Call(self.step, attempt, prompt, self.number, self.temperature, self.is_judge)


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of some questions by step, and the last fault of the others."""

    values: Mapping[str, Any]
    faults: Mapping[str, Unusable]

    def first_fault(self) -> Unusable:
        return next(iter(self.faults.values()))


def ask_all(questions: Sequence[Question]) -> Generator[Sequence[Call], Answers, Read]:
    """Ask questions at once, and those whose answer cannot be used again with the reason.

    A question that the model will not answer is not asked again.
    """
    values: dict[str, Any] = {}
    faults: dict[str, Unusable] = {}
    waiting = [(question, question.prompt) for question in questions]
    for attempt in range(1, TRIES + 1):
        answers = yield [question.call(attempt, prompt) for question, prompt in waiting]
        refused = []
        for question, _prompt in waiting:
            answer = answers[question.step, attempt]
            if isinstance(answer, Unusable):
                faults[question.step] = answer
                continue
            try:
                values[question.step] = question.read(answer)
                faults.pop(question.step, None)
            except Unusable as fault:
                faults[question.step] = fault
                refused.append((question, ask_again(question.prompt, answer, str(fault))))
        waiting = refused
        if not waiting:
            break
    return Read(values, faults)


def ask_one(question: Question) -> Generator[Sequence[Call], Answers, Any]:
    """Ask one question and return what was read. Raises Unusable."""
    read = yield from ask_all([question])
    if read.faults:
        raise read.first_fault()
    return read.values[question.step]


def ask_again(prompt: Prompt, answer: str, reason: str) -> Prompt:
    """Return the prompt that follows an answer which cannot be used, with the reason."""
    words = (
        f"This answer cannot be used: {reason}\n"
        f"Answer again. {prompt.messages[-1].content.splitlines()[-1]}"
    )
    turns = (Message("assistant", answer), Message("user", words))
    return Prompt((*prompt.messages, *turns), prompt.schema)
