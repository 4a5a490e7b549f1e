"""Findings with one cause as one, and the places in the text that each is about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from annotation.checks.catalogue.numbers import places_of

_LEADS: Final[Mapping[str, frozenset[str]]] = {
    "letters_spliced": frozenset({"options_unreadable", "option_count", "label_in_text"}),
    "options_shifted": frozenset({"empty_text", "label_in_text"}),
    "options_unreadable": frozenset({"option_count", "label_in_text"}),
    "label_in_text": frozenset({"empty_text"}),
}
"""A finding of the first code explains open ones of the others, whatever field they are in."""
_JOINED: Final[Mapping[str, str]] = {"letters_spliced": "term", "label_in_text": "label"}
"""Of these every one in a text is the work of one rule; the values of their data are listed."""
_MOST_LISTED: Final = 6
_BETWEEN: Final = "”, “"
"""The sentences quote a value, so that each of several stands in quotes of its own."""


class Found(Protocol):
    """What a check has found, stored or just now."""

    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def data(self) -> Mapping[str, str | int]: ...


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a field, in code points."""

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong, with all the fields that show it, the first one first."""

    code: str
    severity: str
    data: Mapping[str, str | int]
    fields: tuple[str, ...]
    spans: tuple[Span, ...]


def causes_of(
    found: Iterable[Found],
    question: str,
    options: Sequence[str],
    further: Mapping[str, str] = MappingProxyType({}),
) -> list[Cause]:
    """Return what is wrong with a text, each cause once, in the order of the checks.

    `further` has the texts of other fields by name.
    """
    text_of = partial(_text, {"question": question, **further}, options)
    found = list(found)
    codes = {each.code for each in found}
    hidden = frozenset[str]().union(*(_LEADS.get(code, frozenset()) for code in codes))
    groups: dict[object, list[Found]] = {}
    for each in found:
        if each.code not in hidden:
            groups.setdefault(_kind(each), []).append(each)
    return [_cause(group, text_of) for group in groups.values()]


def _kind(each: Found) -> object:
    if each.code in _JOINED:
        return each.code, each.severity
    return each.code, each.severity, tuple(sorted(each.data.items()))


def _cause(group: Sequence[Found], text_of: Callable[[Found], str]) -> Cause:
    first = group[0]
    name = _JOINED.get(first.code)
    data = dict(first.data)
    if name:
        values = list(dict.fromkeys(str(each.data.get(name, "")) for each in group))
        data[name] = _BETWEEN.join(values[:_MOST_LISTED])
    return Cause(
        code=first.code,
        severity=first.severity,
        data=data,
        fields=tuple(dict.fromkeys(each.field for each in group)),
        spans=tuple(s for each in group for s in _spans(each, text_of(each))),
    )


def _text(named: Mapping[str, str], options: Sequence[str], each: Found) -> str:
    name, _dot, place = each.field.partition(".")
    if name in named:
        return named[name]
    return options[int(place)] if place and int(place) < len(options) else ""


def _spans(each: Found, text: str) -> list[Span]:
    """Return what is at fault in its field; nothing where that is the whole field."""
    if each.code == "numbers_differ":
        added = set(str(each.data.get("added", "")).split(", "))
        return [Span(each.field, *place) for place in places_of(text, added)]
    start, end = each.start, min(each.end, len(text))
    if start < end and end - start < len(text):
        return [Span(each.field, start, end)]
    return []
