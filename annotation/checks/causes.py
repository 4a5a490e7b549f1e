"""Findings with one cause as one, and the places in the text that each is about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from annotation.checks.catalogue.labels import KINDS
from annotation.checks.catalogue.numbers import places_of
from annotation.checks.catalogue.parity import Numbers

_MOST_LISTED: Final = 6
_BETWEEN: Final = "”, “"
"""The sentences quote a value, so that each of several stands in quotes of its own."""


class Found(Protocol):
    """A finding of a check, stored or just now."""

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
    hidden = frozenset[str]().union(*(KINDS[code].explains for code in codes if code in KINDS))
    groups: dict[object, list[Found]] = {}
    for each in found:
        if each.code not in hidden:
            groups.setdefault(_kind(each), []).append(each)
    return [_cause(group, text_of) for group in groups.values()]


def _kind(each: Found) -> object:
    if _joined_value(each):
        return each.code, each.severity
    return each.code, each.severity, tuple(sorted(each.data.items()))


def _joined_value(each: Found) -> str:
    return KINDS[each.code].joined_value if each.code in KINDS else ""


def _cause(group: Sequence[Found], text_of: Callable[[Found], str]) -> Cause:
    first = group[0]
    name = _joined_value(first)
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
    if each.code == Numbers.code:
        added = set(str(each.data.get("added", "")).split(", "))
        return [Span(each.field, *place) for place in places_of(text, added)]
    start, end = each.start, min(each.end, len(text))
    if start < end and end - start < len(text):
        return [Span(each.field, start, end)]
    return []
