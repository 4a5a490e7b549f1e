"""What every writer of files for other programs gets: the facts of a run, and its questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from endpoints.providers.base import Message


@dataclass(frozen=True, slots=True)
class GivenScore:
    """What a method read in an answer; `answer` is empty if it found none.

    `outcome` and `cause` say why an answer is not right; both are empty if it is.
    """

    version: int
    answer: str
    is_right: bool
    outcome: str
    cause: str


@dataclass(frozen=True, slots=True)
class GivenSentence:
    """The sentence-level scores of a translation from 0 to 100, and the version of the method."""

    version: int
    bleu: float
    chrf: float


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What came back for a question in one epoch.

    `is_failed`: the endpoint gave no answer, and `error` says why
    `scores`: by method, the headline method first, in the versions that the run's figures use
    `sentence`: None if it is no translation
    """

    epoch: int
    text: str
    reasoning: str
    error: str
    is_failed: bool
    model: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    scores: Mapping[str, GivenScore]
    sentence: GivenSentence | None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """An item as the model saw it, with its answers by epoch.

    `number` is its position in the release. `key` is the letter of the correct option as it was
    shown, the number, or the reference answer. Without `messages`, another program asked it.
    `rotation` is the place in the release of the option that was shown first.
    """

    number: int
    uid: str
    subject: str
    kind: str
    text: str
    choices: tuple[str, ...]
    key: str
    messages: tuple[Message, ...]
    rotation: int
    answers: tuple[GivenAnswer, ...]

    @property
    def given(self) -> tuple[GivenAnswer, ...]:
        """The answers without those that failed."""
        return tuple(answer for answer in self.answers if not answer.is_failed)


@dataclass(frozen=True, slots=True)
class MethodFigure:
    """The accuracy by a method: the mean over items of the mean over their answers, from 0 to 1.

    `error` is its standard error over `items`; None with fewer than two.
    """

    method: str
    version: int
    items: int
    accuracy: float
    error: float | None


@dataclass(frozen=True, slots=True)
class CorpusScore:
    """A score of a corpus from 0 to 100, and its standard error: the deviation of the bootstrap draws.

    `error` is None for one item, which has no draws.
    """

    name: str
    value: float
    error: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class CorpusFigure:
    """BLEU and chrF++ over the translations of `items` items, without BLEU if they were cut differently."""

    method: str
    version: int
    items: int
    scores: tuple[CorpusScore, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the files say about a run as a whole, counted over the items that are exported.

    `task` is the project's name as other programs accept it. `answered_items` have an answer in
    at least one epoch; `answers` counts them over all epochs. Tokens are None if no answer tells them.
    `corpus` is None if the run has no translations.
    """

    run: int
    task: str
    release: str
    model: str
    parameters: Mapping[str, Any]
    prompt: str
    shots: int
    epochs: int
    rotation: int
    has_hidden: bool
    state: str
    started_at: datetime
    ended_at: datetime
    items: int
    answered_items: int
    answers: int
    prompt_tokens: int | None
    completion_tokens: int | None
    figures: tuple[MethodFigure, ...]
    corpus: CorpusFigure | None

    @property
    def about(self) -> dict[str, Any]:
        """Return what other programs have no place of their own for."""
        return {
            "run": self.run,
            "release": self.release,
            "prompt": self.prompt,
            "rotation": self.rotation,
            "with_hidden_items": self.has_hidden,
        }
