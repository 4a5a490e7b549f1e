"""Reads a translated item out of a model's answer, and says what is wrong with one that cannot be used.

An answer is read tolerantly (fences, quotes, commas, words around it) into one shape, and then held to the
source: nothing is stored that lacks an option, a number or a formula, or is in another script.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Final

import regex

from annotation.asking.answers import Unusable, read_object
from annotation.checks.catalogue import first_problem
from annotation.checks.catalogue.base import CheckInput
from annotation.text_fields import FURTHER_FIELDS, option_field
from languages import get_language
from languages.numerals import read_number
from languages.option_labels import in_order_of_labels, labels_before

REFUSED_CODES: Final = frozenset(
    {
        "empty_text",
        "formulas_differ",
        "label_in_text",
        "letters_spliced",
        "number_unreadable",
        "numbers_differ",
        "option_count",
        "options_shifted",
    }
)
"""The checks that a machine's text must pass. The others find what people should look at."""
LEAST_SHARE: Final = 0.5
LEAST_LETTERS: Final = 12
"""A question with so many letters is not the same in two languages; names and terms may be."""
_FORMULAS: Final = re.compile(r"\$[^$]*\$|\\\w+")
_NOT_STORABLE: Final = re.compile("[\0\ud800-\udfff]")
_EATEN: Final = re.compile(r"[\b\f]|[\t\r](?=[a-z]{2})")
_COMMANDS: Final = {"\b": "\\b", "\f": "\\f", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class ItemText:
    """The text of an item in one language; the last two are empty if it has none."""

    question: str
    options: tuple[str, ...] = ()
    answer: str = ""
    explanation: str = ""

    def as_json(self) -> str:
        """Return the object that a model reads and answers with, without the parts that the item lacks."""
        return json.dumps(self.parts(), ensure_ascii=False)

    def parts(self) -> dict[str, Any]:
        found: dict[str, Any] = {"question": self.question}
        if self.options:
            found["options"] = list(self.options)
        return found | {name: text for name in FURTHER_FIELDS if (text := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class Source:
    """An item to translate: its text, how it is answered, and the two languages."""

    text: ItemText
    kind: str
    key: str
    source_language: str
    target_language: str


def schema_of(text: ItemText) -> dict[str, Any]:
    """Return the JSON schema of a translation of this text."""
    plain = {"type": "string"}
    count = len(text.options)
    listed = {"type": "array", "items": plain, "minItems": count, "maxItems": count}
    parts = {name: listed if name == "options" else plain for name in text.parts()}
    return {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }


def read_translation(answer: str, source: Source) -> ItemText:
    """Return the translation in an answer, checked against its source. Raises Unusable."""
    text = unchecked_translation(answer, source)
    check_translation(text, source)
    return text


def unchecked_translation(answer: str, source: Source) -> ItemText:
    """Return the translation in an answer that was found usable before. Raises Unusable."""
    found = read_object(answer)
    wanted = source.text.parts()
    options = _options(found, source.text.options) if "options" in wanted else ()
    texts = {name: _text(found, name) for name in wanted if name != "options"}
    return ItemText(options=options, **texts)


def check_translation(text: ItemText, source: Source) -> None:
    """Raise Unusable with the first fault for which a text is not stored."""
    if problem := first_problem(_check_input(text, source), REFUSED_CODES):
        raise Unusable(problem.code, {**problem.data, "where": problem.field})
    labels = labels_before(text.options)
    if labels and not labels_before(source.text.options):
        raise Unusable("label_in_text", {"label": labels[0].strip(), "where": option_field(0)})
    if not _is_in_script(text, source):
        raise Unusable("script", {"language": source.target_language})
    if _repeats(text, source):
        raise Unusable("repeated")


def _text(found: Mapping[str, Any], name: str) -> str:
    if name not in found:
        raise Unusable("field_missing", {"field": name})
    value = found[name]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise Unusable("field_not_text", {"field": name})
    if not value.strip():
        raise Unusable("empty_text", {"where": name})
    return _with_commands(value.strip())


def _options(found: Mapping[str, Any], source: Sequence[str]) -> tuple[str, ...]:
    """Return the options of an answer; an object of them counts as a list in the order of its labels."""
    if "options" not in found:
        raise Unusable("field_missing", {"field": "options"})
    values = found["options"]
    if isinstance(values, dict):
        values = _listed(values)
    if not isinstance(values, list):
        raise Unusable("options_not_list")
    texts = [_option(value, source[n : n + 1]) for n, value in enumerate(values)]
    return tuple(_with_commands(text.strip()) for text in texts)


def _listed(options: Mapping[str, Any]) -> list[Any]:
    order = in_order_of_labels([*options])
    if order is None:
        raise Unusable("options_not_list")
    values = [*options.values()]
    return [values[place] for place in order]


def _option(value: object, source: Sequence[str]) -> str:
    """Return an option as text; a number keeps the notation of its source, as 0.50 or 1,000."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise Unusable("options_not_list")
    same = [text for text in source if read_number(text) == Fraction(str(value))]
    return same[0] if same else str(value)


def _with_commands(text: str) -> str:
    r"""Restore the LaTeX commands whose backslash JSON has read: a form feed was the \f of \frac."""
    restored = _EATEN.sub(lambda match: _COMMANDS[match[0]], text)
    return _NOT_STORABLE.sub("", restored)


def _check_input(text: ItemText, source: Source) -> CheckInput:
    return CheckInput(
        source_question=source.text.question,
        source_options=source.text.options,
        source_key=source.key,
        question=text.question,
        options=text.options,
        key=None,
        source_language=source.source_language,
        target_language=source.target_language,
        kind=source.kind,
        source_further=(source.text.answer, source.text.explanation),
        further=(text.answer, text.explanation),
    )


def _repeats(text: ItemText, source: Source) -> bool:
    """Return whether a text is its source word for word, which only two ways to write one language may share."""
    if _whole(text).split() != _whole(source.text).split():
        return False
    tags = source.source_language, source.target_language
    if len({tag.partition("-")[0] for tag in tags}) == 1:
        return first_problem(_check_input(text, source), {"simplified_characters"}) is not None
    return sum(map(str.isalpha, _FORMULAS.sub(" ", text.question))) >= LEAST_LETTERS


def _is_in_script(text: ItemText, source: Source) -> bool:
    """Return whether most letters are in the target's script, of those in either language's script."""
    ours = get_language(source.source_language).script
    theirs = get_language(source.target_language).script
    if ours == theirs or "Zyyy" in (ours, theirs):
        return True
    whole = _FORMULAS.sub(" ", _whole(text))
    target = len(regex.findall(rf"\p{{Script={theirs}}}", whole))
    left = len(regex.findall(rf"\p{{Script={ours}}}", whole))
    return target >= LEAST_SHARE * (target + left)


def _whole(text: ItemText) -> str:
    return " ".join((text.question, *text.options, text.answer, text.explanation))
