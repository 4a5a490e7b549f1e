"""The questions that a model is asked about an item, one a screen, and how its opinion is read.

No question shows the key. “Unique” lets the model name every option that can be defended, and compares
that with the key afterwards.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from annotation.asking.answers import Unusable, read_object
from annotation.enums import Screen
from annotation.translating.texts import ItemText
from endpoints.providers.base import Message
from languages.letters import letters_of

LONGEST_REASON: Final = 2000
KINDS: Final = ("culture", "region", "dialect")
VERDICTS: Final[Mapping[str, bool]] = MappingProxyType({"problem": True, "fine": False})

QUESTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        Screen.UNIQUE: "Name every option that an expert could defend as an answer to this item.\n\n{item}",
        Screen.CONTEXT: (
            "Does this item need a passage, a figure, a date or a place that it does not give? "
            "It is a problem if nobody can answer it without that.\n\n{item}"
        ),
        Screen.SENSITIVE: (
            "Is this item a problem to publish, because it insults people, shows private data, "
            "or takes a side in a political or religious dispute?\n\n{item}"
        ),
        Screen.CULTURAL: (
            "Does a person need knowledge of one culture, of one region or of one dialect to "
            "answer this item? Call it a problem if so, and name the kinds.\n\n{item}"
        ),
        Screen.FAITHFUL: (
            "Compare the translation with its source, option by option. It is a problem if the "
            "meaning differs, or something is missing or added.\n\n{item}"
        ),
        Screen.GRAMMAR: (
            "Do the form of the question and of the options give the answer away to somebody who "
            "does not know the subject, such as by number, gender, case, length or a repeated "
            "word? It is a problem if so.\n\n{item}"
        ),
    }
)  # fmt: skip
"""The built-in words of each screen's prompt."""


@dataclass(frozen=True, slots=True)
class Read:
    """An opinion as it was read."""

    is_doubt: bool
    confidence: float
    reason: str
    data: Mapping[str, Any] = field(default_factory=dict)


def ask(
    screen: str, question: str, *, text: ItemText, source: ItemText | None
) -> tuple[Message, ...]:
    """Return the messages of a screen; `source` is shown only beside a translation to compare."""
    shown = f"The item: {_shown(text)}"
    if screen == Screen.FAITHFUL and source:
        shown = f"The source: {_shown(source)}\n\nThe translation: {_shown(text)}"
    task = question.format(item=shown)
    example = json.dumps(_shape(screen), ensure_ascii=False)
    order = f"Reply with one JSON object of this shape only: {example}"
    return (Message("user", f"{task}\n\n{order}"),)


def read_opinion(screen: str, answer: str, *, key: str, option_count: int) -> Read:
    """Return the opinion in an answer. Raises Unusable."""
    found = read_object(answer)
    confidence, reason = _confidence(found.get("confidence")), _reason(found.get("reason"))
    if screen == Screen.UNIQUE:
        letters = _letters(found.get("options"), option_count)
        return Read(letters != [key], confidence, reason, {"options": letters})
    verdict = found.get("verdict")
    if not isinstance(verdict, str) or verdict.strip().lower() not in VERDICTS:
        raise Unusable("verdict")
    is_doubt = VERDICTS[verdict.strip().lower()]
    data = {"kinds": _kinds(found.get("kinds", []))} if screen == Screen.CULTURAL else {}
    return Read(is_doubt, confidence, reason, data)


def _shown(text: ItemText) -> str:
    """Return a text without what gives its answer away: the reference answer and the explanation."""
    parts: dict[str, Any] = {"question": text.question}
    if text.options:
        parts["options"] = dict(zip(letters_of(len(text.options)), text.options, strict=True))
    return json.dumps(parts, ensure_ascii=False)


def _shape(screen: str) -> dict[str, Any]:
    rest = {"confidence": 0.8, "reason": "…"}
    if screen == Screen.UNIQUE:
        return {"options": ["A", "C"], **rest}
    kinds = {"kinds": list(KINDS)} if screen == Screen.CULTURAL else {}
    return {"verdict": "problem or fine", **kinds, **rest}


def _confidence(value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise Unusable("confidence")
    return number


def _reason(value: object) -> str:
    if not isinstance(value, str) or not value.replace("\0", "").strip():
        raise Unusable("reason")
    text = value.encode("utf-8", "ignore").decode().replace("\0", "")
    return text.strip()[:LONGEST_REASON]


def _letters(value: object, count: int) -> list[str]:
    values: Sequence[object] = value if isinstance(value, list) else [None]
    found = {str(each).strip().upper() for each in values}
    if not found <= {*letters_of(count)}:
        raise Unusable("letters")
    return sorted(found)


def _kinds(value: object) -> list[str]:
    values: Sequence[object] = value if isinstance(value, list) else [None]
    found = {str(each).strip().lower() for each in values}
    if not found <= {*KINDS}:
        raise Unusable("kinds")
    return sorted(found)
