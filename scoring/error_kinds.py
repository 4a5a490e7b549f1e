"""Why a response gives a method no single answer: it is refused, cut, repeats, or says several."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import regex

from languages.letters import LETTERS
from scoring.metrics import Outcome

ErrorKind = Literal[
    "knowledge", "refusal", "truncated", "repeats_shots", "repeats_question", "several_answers",
    "other_language", "no_answer",
]  # fmt: skip
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)

CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
REFUSED = frozenset({"content_filter", "refusal", "SAFETY", "safety"})
"""Finish reasons, as endpoints call them."""

LEAST_SHOTS = 3
"""So many answers in the order of the shots are a repetition; two may come by chance."""
LEAST_QUESTION = 10
"""A shorter question of a shot may occur in any text."""
LEAST_LETTERS = 10
MOST_SHARE = 0.1
"""A text of ten letters or more with less than this share in the script of the language is in another."""

# As models say it in the languages that they are asked in, and in English and Chinese in any case.
_REFUSAL = regex.compile(
    r"\bi(?:’|')?m sorry\b|\bi apologi[sz]e\b|\bi(?: a|’|')m unable to\b"
    r"|\bi can(?:no|’|')?t (?:answer|assist|help|provide|choose|determine)\b"
    r"|抱歉|对不起|對不起|我?(?:无法|無法|不能)(?:回答|提供|确定|確定)"
    r"|དགོངས་དག|ຂໍອະໄພ|ຂໍໂທດ|уучлаарай|كەچۈرۈڭ|آسف",
    regex.IGNORECASE,
)

_CODE = regex.compile(r"(?<![\p{L}\p{N}])[A-J](?![\p{L}\p{N}])")
_LETTER = regex.compile(r"\p{L}")


class Shots(NamedTuple):
    """The examples of a prompt in their order: their questions and keys."""

    questions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Ending(NamedTuple):
    """How a response ended: why, as the endpoint says, and whether the model refused outright."""

    finish_reason: str = ""
    is_refused: bool = False


def error_kind(
    text: str,
    *,
    outcome: Outcome,
    ending: Ending = Ending(),  # noqa: B008 -- immutable
    question: str = "",
    shots: Shots = Shots(),  # noqa: B008 -- immutable
    script: str = "",
) -> ErrorKind | None:
    """Return the kind of error of a response that a method read with `outcome`; None if it is right.

    `text` is the response without reasoning, `script` the Unicode script of the language that it was
    asked in. The first of these that holds counts: a wrong answer is an error of knowledge; the
    endpoint or the model says that it refused; the text repeats the shots (TLUE), which often goes
    on until it is cut; the text was cut; it repeats the question; the method found several answers;
    it refuses in words; it is in another script than the language.
    """
    if outcome == "correct":
        return None
    if outcome == "knowledge_error":
        return "knowledge"
    checks: tuple[tuple[ErrorKind, Callable[[], bool]], ...] = (
        ("refusal", lambda: ending.is_refused or ending.finish_reason in REFUSED),
        ("repeats_shots", lambda: _repeats_shots(text, shots)),
        ("truncated", lambda: ending.finish_reason in CUT),
        ("repeats_question", lambda: bool(question) and question in text),
        ("several_answers", lambda: outcome in {"several_answers", "repeater"}),
        ("refusal", lambda: _REFUSAL.search(text) is not None),
        ("other_language", lambda: _is_in_other_script(text, script)),
    )
    return next((kind for kind, holds in checks if holds()), "no_answer")


def _repeats_shots(text: str, shots: Shots) -> bool:
    if any(len(each) >= LEAST_QUESTION and each in text for each in shots.questions):
        return True
    if len(shots.keys) < LEAST_SHOTS or "".join(shots.keys) in LETTERS:
        return False  # a list of the options looks like keys in the order of the alphabet
    said = _CODE.findall(text)
    return _has_in_order(said, shots.keys)


def _has_in_order(said: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether the keys stand one after another in what the text says."""
    return any(
        tuple(said[start : start + len(keys)]) == tuple(keys)
        for start in range(len(said) - len(keys) + 1)
    )


@lru_cache(maxsize=64)
def _letters_of(script: str) -> regex.Pattern[str]:
    return regex.compile(rf"[\p{{Script={script}}}&&\p{{L}}]", regex.VERSION1)


def _is_in_other_script(text: str, script: str) -> bool:
    if not script or script == "Zyyy":
        return False
    letters = len(_LETTER.findall(text))
    if letters < LEAST_LETTERS:
        return False
    return len(_letters_of(script).findall(text)) < MOST_SHARE * letters
