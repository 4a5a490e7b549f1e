"""Times, months and years that two texts say in different numbers: 15:30 and 下午3点半, 2023 and ພ.ສ. 2566."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from annotation.checks.catalogue.quantities import whole
from languages.base import Calendar, Language
from languages.spoken_numbers import with_numbers_in_digits

_GAP: Final = " \u00a0་"
_GAP_BEHIND: Final = f"{_GAP}-"
_NUMBER: Final = re.compile(r"\d(?<![\d.,/]\d)\d{0,3}(?!\d)")
_MINUTES: Final = re.compile(r" ?[:.] ?([0-5]\d)(?![\d.])")
_DAY_FIRST_YEAR: Final = re.compile(r"\d(?<!\d\d)\d{3}([-/.])(\d{1,2})\1\d{1,2}(?!\d)")
_DECADE: Final = re.compile(r"\D{1,20}(\d0)(?!\d)")
_BEFORE: Final = 24
_AFTER: Final = 40
_HALF_DAY: Final = 12
_DAY: Final = 24
_HALF_HOUR: Final = 30
_QUARTER: Final = 15
_MOST: Final = 50
# A lunar year has about 354.37 days and begins in one of two years of the common era.
_LUNAR_YEAR: Final = 0.970224
_FIRST_LUNAR_YEAR: Final = 621.5774
_NO_CALENDAR: Final = Calendar()


class _Moment(NamedTuple):
    """What can be meant, as "year 2023" or "time 930", and the numbers with which it is written."""

    values: frozenset[str]
    numbers: frozenset[str]


class _Text(NamedTuple):
    """A text as it is, with digits for its words, and its numbers with what stands beside them."""

    text: str
    plain: str
    places: list["_Place"]
    calendar: Calendar


class _Place(NamedTuple):
    """A number with what stands before and behind it, and both from the first word on."""

    number: int
    before: str
    after: str
    word_before: str
    word_after: str


def same_moments(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[set[str], set[str]]:
    """Return the numbers of each side that say a time, month or year which the other says too.

    What both say with the same numbers is a pair, and stands for nothing else.
    """
    there, back = _read_in(source, source_language), _read_in(target, target_language)
    if not (_is_told(there) or _is_told(back)):
        return set(), set()
    own, other = Counter(_moments(there)), Counter(_moments(back))
    return _found_in(own - other, other - own), _found_in(other - own, own - other)


def _found_in(own: Iterable[_Moment], others: Iterable[_Moment]) -> set[str]:
    known = {value for each in others for value in each.values}
    return {number for each in own if each.values & known for number in each.numbers}


def _read_in(text: str, language: Language) -> _Text:
    plain = whole(with_numbers_in_digits(text, language))
    return _Text(text, plain, list(_places(plain)), language.calendar or _NO_CALENDAR)


def _is_told(text: _Text) -> bool:
    """Return whether a moment may be there that is more than a number for a year: quick to see."""
    words = _words_beside(text.calendar)
    return (
        any(_is_beside(place, words) or _MINUTES.match(place.after) for place in text.places)
        or _DAY_FIRST_YEAR.search(text.plain) is not None
        or any(_named_months(text.text, text.calendar))
    )


@lru_cache(maxsize=64)
def _words_beside(calendar: Calendar) -> tuple[str, ...]:
    """Return all words that make more of the number beside them."""
    words = (*calendar.month_words, *calendar.century_words, *calendar.lunar_eras)
    return (*words, *_hour_words(calendar), *_era_words(calendar))


def _moments(text: _Text) -> Iterator[_Moment]:
    calendar = text.calendar
    yield from _named_months(text.text, calendar)
    for _mark, month in _DAY_FIRST_YEAR.findall(text.plain):
        yield _month(int(month))
    for place in text.places:
        yield from _years(place, calendar)
        if place.number <= _DAY:
            yield from _time(place, calendar)
            if _is_beside(place, calendar.month_words):
                yield _month(place.number)


def _places(text: str) -> Iterator[_Place]:
    for _n, match in zip(range(_MOST), _NUMBER.finditer(text), strict=False):
        start, end = match.span()
        before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
        words = before.rstrip(_GAP), after.lstrip(_GAP_BEHIND)
        yield _Place(int(match[0]), before, after, *words)


def _is_beside(place: _Place, words: tuple[str, ...]) -> bool:
    return place.word_after.startswith(words) or place.word_before.endswith(words)


def _month(number: int) -> _Moment:
    return _Moment(frozenset({f"month {number}"}), frozenset({str(number)}))


def _named_months(text: str, calendar: Calendar) -> Iterator[_Moment]:
    pattern = _month_pattern(calendar)
    for name in pattern.findall(text) if pattern else ():
        number = next(n for n, names in enumerate(calendar.months, 1) if name in names.split("|"))
        yield _Moment(frozenset({f"month {number}"}), frozenset())


@lru_cache(maxsize=64)
def _month_pattern(calendar: Calendar) -> re.Pattern[str] | None:
    names = sorted("|".join(calendar.months).split("|"), key=len, reverse=True)
    return (
        re.compile(rf"(?<![A-Za-z])({'|'.join(map(re.escape, names))})(?![a-z])")
        if any(names)
        else None
    )


def _years(place: _Place, calendar: Calendar) -> Iterator[_Moment]:
    numbers = frozenset({str(place.number)})
    years = {place.number} if place.number > 99 else set()
    if _is_beside(place, _era_words(calendar)):
        eras = (added for word, added in calendar.eras if _is_beside(place, (word,)))
        years |= {place.number + added for added in eras}
    if _is_beside(place, calendar.lunar_eras):
        first = int(place.number * _LUNAR_YEAR + _FIRST_LUNAR_YEAR)
        years |= {first, first + 1}
    decade = _DECADE.match(place.after)
    if decade and _is_beside(place, calendar.century_words):
        years.add(100 * (place.number - 1) + int(decade[1]))
        numbers |= {decade[1]}
    if years:
        yield _Moment(frozenset(f"year {year}" for year in years), numbers)


@lru_cache(maxsize=64)
def _era_words(calendar: Calendar) -> tuple[str, ...]:
    return tuple(word for word, _added in calendar.eras)


def _time(place: _Place, calendar: Calendar) -> Iterator[_Moment]:
    """Read a number as an hour if minutes, a word for hours or a part of the day are beside it."""
    digits = _MINUTES.match(place.after)
    if not digits and not _is_beside(place, _hour_words(calendar)):
        return
    minute, written = (int(digits[1]), True) if digits else _minute(place, calendar)
    hours = list(_hours(place, calendar)) or [place.number]
    numbers = {str(place.number), *([str(minute)] if written else [])}
    yield _Moment(frozenset(f"time {hour % _DAY}:{minute}" for hour in hours), frozenset(numbers))


@lru_cache(maxsize=64)
def _hour_words(calendar: Calendar) -> tuple[str, ...]:
    """Return the words for hours and parts of the day."""
    return (*calendar.hour_words, *(word for word, _first, _last in calendar.day_parts))


def _hours(place: _Place, calendar: Calendar) -> Iterator[int]:
    """Yield the hours that the parts of the day beside a number make of it: 3 in the afternoon is 15."""
    around = f"{place.before}\x00{place.after[:32]}".lower()
    for word, first, last in calendar.day_parts:
        if word in around:
            for hour in range(place.number % _HALF_DAY, last + 1, _HALF_DAY):
                if first <= hour <= last:
                    yield hour


def _minute(place: _Place, calendar: Calendar) -> tuple[int, bool]:
    """Return the minutes of an hour, and whether they are written with a number."""
    pattern = _minute_pattern(calendar)
    match = pattern.match(place.after) if pattern else None
    if match:
        return int(next(filter(None, match.groups()))), True
    near = place.after.split("，")[0][:16]
    if any(word in near or word in place.before[-10:] for word in calendar.half_words):
        return _HALF_HOUR, False
    if any(word in near or word in place.before[-14:] for word in calendar.quarter_words):
        return _QUARTER, False
    return 0, False


@lru_cache(maxsize=64)
def _minute_pattern(calendar: Calendar) -> re.Pattern[str] | None:
    if not calendar.minute_words:
        return None
    words = "|".join(map(re.escape, calendar.minute_words))
    return re.compile(
        rf"\D{{1,16}}(?:(?:{words})[{_GAP}]?(\d{{1,2}})|(\d{{1,2}})[{_GAP}-]?(?:{words}))"
    )
