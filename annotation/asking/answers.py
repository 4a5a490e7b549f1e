"""Reads the JSON object out of a model's answer, and says why an answer cannot be used."""

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import json_repair

from annotation.checks.catalogue.labels import KINDS, describe, place_of
from annotation.importers.labels import gettext_noop as _

MOST_OPENED: Final = 1_000
"""Brackets opened in an answer that is read tolerantly; an item has a few dozen."""
_THOUGHTS: Final = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)

FAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not_json": _("The answer is not a JSON object."),
        "cut_off": _("The answer ends in the middle of a text or a number."),
        "field_missing": _("The answer has no “%(field)s”."),
        "field_not_text": _("“%(field)s” is not a text."),
        "options_not_list": _("“options” is not a list of texts."),
        "script": _("Most letters are not in the script of %(language)s."),
        "repeated": _("The answer repeats the source. Translate it."),
        "scores": _("The answer does not give each of the %(count)s candidates a score from 1 to 10."),
        "ranking": _("The answer does not rank each of the %(count)s candidates once."),
        "too_many_characters": _("The item has more than the %(count)s characters of one call."),
        "too_many_segments": _("The item has more than the %(count)s texts of one call."),
        "segments": _("The answer does not have %(count)s texts."),
        "part_lost": _("The translation lost “%(part)s”, or has it twice."),
        "endpoint": _("The endpoint did not answer (%(fault)s)."),
        "no_answer": _("The model gave no answer: %(fault)s."),
        "hidden": _(
            "The item is in the hidden part of a release, and the project does not allow its text at "
            "this endpoint."
        ),
        "text_exists": _("The item has a text of this system by now."),
        "excluded": _("The item is excluded by now."),
        "verdict": _("“verdict” is neither “problem” nor “fine”."),
        "confidence": _("“confidence” is not a number from 0 to 1."),
        "reason": _("“reason” is not a text."),
        "letters": _("“options” is not a list of letters of the options."),
        "distractors": _("“distractors” is not a list of texts."),
        "too_few_wrong": _(
            "Only %(count)s of the wrong answers so far can be used; %(needed)s are needed. They must differ "
            "from the right answer, also in its other notations, and from each other. The longer of a wrong "
            "answer and the right one may have at most twice the characters of the other."
        ),
        "answer_letter": _("“answer” is not the letter of one option."),
        "explanation": _("“explanation” is not a text, or has more than %(most)s characters."),
        "other_answer": _("The answer of the model is not the key, so its explanation is not kept."),
        "text_changed": _("The text changed, has an explanation, or was decided meanwhile."),
        "text_judged": _("The text is in an open round. Explain it before or after the round."),
        "prompt_score": _("“%(field)s” is not a whole number from %(low)s to %(high)s."),
        "drawn_without": _("The endpoint did not answer, and the sample was drawn without this prompt."),
        "kinds": _("“kinds” is not a list of culture, region and dialect."),
    }
)  # fmt: skip


class Unusable(Exception):
    """An answer that cannot be used; `code` and `data` are stored, and the words are made from them."""

    def __init__(self, code: str, data: Mapping[str, str | int] | None = None) -> None:
        self.code = code
        self.data = dict(data or {})
        super().__init__(fault_text(code, self.data))


def fault_text(
    code: str, data: Mapping[str, str | int], translate: Any = lambda message: message
) -> str:
    """Return a fault in words: one of FAULTS, or the finding of a check. `translate` is gettext."""
    if code in FAULTS:
        return str(translate(FAULTS[code])) % data
    if code not in KINDS:
        return code
    rest = {name: value for name, value in data.items() if name != "where"}
    words = describe(code, rest, translate)
    return f"{place_of(str(data['where']), translate)}: {words}" if "where" in data else words


def read_object(answer: str) -> dict[str, Any]:
    """Return the JSON object in an answer, with its names in small letters. Raises Unusable.

    An object whose last value is cut off cannot be used: nobody knows how it would go on.
    """
    body = _THOUGHTS.sub("", answer).strip()
    found = _object_in(_loaded(body))
    if not found:
        raise Unusable("not_json")
    if _is_cut(body, found):
        raise Unusable("cut_off")
    return {name.strip().casefold(): value for name, value in found.items()}


def _loaded(body: str) -> Any:
    """Return what stands in a body, also where it is JSON that was written as a text."""
    try:
        found = _reader_of(body)(body)
        return _reader_of(found)(found) if isinstance(found, str) and found != body else found
    except (ValueError, RecursionError) as error:
        raise Unusable("not_json") from error


def _reader_of(body: str) -> Callable[[str], Any]:
    """Return the tolerant reader, or the strict one: brackets that a model repeats cost the other their square."""
    return json.loads if sum(map(body.count, "{(")) > MOST_OPENED else json_repair.loads


def _object_in(found: Any) -> dict[str, Any]:
    if isinstance(found, list):  # words before or after it made a list of it
        found = next((each for each in reversed(found) if isinstance(each, dict)), None)
    return found if isinstance(found, dict) else {}


def _is_cut(body: str, found: Any) -> bool:
    """Return whether a body ends with the last text or number of its object, before the sign that ends it."""
    while isinstance(found, dict | list) and found:
        found = found[-1] if isinstance(found, list) else [*found.values()][-1]
    if isinstance(found, str) and found.strip():
        endings = [
            json.dumps(found.strip(), ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)
        ]
        bare = body.replace("\\", "")
        is_ended = body.endswith(("}", "]")) and len(found) == 1  # a bracket may be an option
        return not is_ended and bare.endswith(tuple(e.replace("\\", "") for e in endings))
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return is_number and body.rstrip(".").endswith(f"{found:g}")
