"""What every reader of other programs' answers yields."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

LONGEST_TEXT: Final = 1_000_000
"""Of one answer; the rest is cut off."""
LAST_EPOCH: Final = 999
LAST_ROTATION: Final = 9
LARGEST_MEASURE: Final = 1e9


class AnswersUnreadable(ValueError):
    """A file is not what its format says. `reason` is in plain English."""

    def __init__(self, file: str, reason: str, row: int = 0) -> None:
        super().__init__(f"{file}, row {row}: {reason}" if row else f"{file}: {reason}")
        self.file, self.row, self.reason = file, row, reason


@dataclass(frozen=True, slots=True)
class OutsideAnswer:
    """One answer of a model, as another program stored it.

    `uid` and `question` say which item it answers, so far as the file tells. Epochs count from 1.
    `is_right` is the verdict of the other program, by its measure `measure`; None if there is none.
    `rotation` is the place in the release of the option that was shown first, as our own files say;
    None if the file does not. `options` and `prompt` are what the model was shown, and `prompt` is
    its last turn.
    """

    file: str
    row: int
    uid: str
    text: str
    question: str = ""
    epoch: int = 1
    model: str = ""
    is_right: float | None = None
    measure: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    rotation: int | None = None
    options: tuple[str, ...] = ()
    prompt: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text[:LONGEST_TEXT])


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank. Raises AnswersUnreadable."""
    with path.open("rb") as lines:
        for row, line in enumerate(lines, start=1):
            if line.strip():
                yield row, json_object(path, line.removeprefix(b"\xef\xbb\xbf"), row)


def json_object(path: Path, content: bytes, row: int = 0) -> dict[str, Any]:
    """Return the JSON object that bytes hold. Raises AnswersUnreadable."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise AnswersUnreadable(path.name, f"not JSON ({error})", row) from error
    if not isinstance(value, dict):
        raise AnswersUnreadable(path.name, "not a JSON object", row)
    return value


def text_of(content: object) -> str:
    """Return the text of a message, which may be a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def number(value: object) -> float | None:
    """Return a measure as a number: 0 or 1 for false and true, and for Inspect's I and C.

    None for anything else, also for numbers that no measure has, such as NaN.
    """
    if isinstance(value, str):
        return {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}.get(value)
    if not isinstance(value, int | float) or not -LARGEST_MEASURE <= value <= LARGEST_MEASURE:
        return None
    return float(value)


def epoch_of(value: object, file: str, row: int = 0) -> int:
    """Return an epoch, which is 1 where the file says none. Raises AnswersUnreadable."""
    if value is None:
        return 1
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LAST_EPOCH:
        reason = f"the epoch is not a whole number from 1 to {LAST_EPOCH}"
        raise AnswersUnreadable(file, reason, row)
    return value


def last_turn(messages: object) -> str:
    """Return what the model was asked last in a text or a list of messages."""
    if not isinstance(messages, list):
        return text_of(messages)
    turns = map(mapping, reversed(messages))
    return next((text_of(turn.get("content")) for turn in turns if turn.get("role") == "user"), "")


def texts_in(value: object) -> tuple[str, ...]:
    """Return a list of texts; empty for anything else."""
    is_list = isinstance(value, list) and all(isinstance(text, str) for text in value)
    return tuple(value) if is_list else ()  # type: ignore[arg-type]


def rotation_of(value: object, file: str, row: int = 0) -> int | None:
    """Return a rotation, None where the file says none. Raises AnswersUnreadable."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST_ROTATION:
        reason = f"option_rotation is not a whole number from 0 to {LAST_ROTATION}"
        raise AnswersUnreadable(file, reason, row)
    return value


def count(value: object) -> int | None:
    """Return a count of tokens, None for anything else."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if is_count else None  # type: ignore[return-value]
