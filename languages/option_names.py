"""Finds where an option speaks of other options by letter or place: “A and B”, 以上都对, གོང་གི་ཚང་མ།.

The phrases of each language are in its file. `#` in them stands for the letter of an option, `@` for
a number from one to the number of options. Options are compared as they look (`folding`), without
the vowel signs of Arabic and with ASCII digits.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from languages import get_language
from languages.base import Language
from languages.folding import fold_signs
from languages.letters import COMMON_LETTERS, FULL_WIDTH, LETTERS, letter_of, plain_letter
from languages.spoken_numbers import spoken_numbers

_WORDS: Final = (
    r"and|or|und|et|和|与|與|及|或|跟|至|到|དང་?|ཡང་ན་?|ແລະ|ຫລື|ກັບ|ба|болон|эсвэл|мөн|ۋە|ياكى"
    r"|بىلەن|أو|و"
)
_LINKS: Final = rf"(?:,|、|،|/|&|\+|;|؛|·|་|།|~|\s|[)]|[(]|{_WORDS})+"
_TWO_NUMBERS: Final = regex.compile(
    rf"\A\W*+\d(?:\W*+(?:{_WORDS})\W*+\d)+\W*+(?:\p{{L}}.{{0,12}})?"
)
# A vowel sign makes a letter a part of a word, as in གི.
_IN_WORD: Final = r"[\w\p{M}]"
_BESIDE_LATIN: Final = r"A-Za-z0-9Ａ-Ｚａ-ｚ°'’_"
_MATHS: Final = r"()（）$\\^{}*×+=/<>-"
_SIGN: Final = r"[\u064b-\u065f\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0fbc]"
_ARABIC_SIGN: Final = re.compile("[\u064b-\u0652\u0670]")
_OTHER_DIGIT: Final = re.compile(r"(?![0-9])\d")
_LATIN_WORD: Final = re.compile(r"[A-Za-z]{2}")
_OF_LIST: Final = r"[\u2460-\u2473\u2474-\u2487\u2776-\u277f]"
_LISTED: Final = regex.compile(
    rf"{_OF_LIST}(?:[,、，/&+;；·་།\s和与與及或]|དང|and|ແລະ|ба)*{_OF_LIST}"
)
_LISTED_SIGN: Final = regex.compile(_OF_LIST)
_BETWEEN: Final = "\0"
"""Parts texts that are searched together: it is not a letter or a blank and links nothing."""
_ENGLISH: Final = "en"
_ENDS: Final = ("first", "last")
_NOT_LETTER: Final = re.compile(r"[\W_]+")
_SHORT_NUMBER: Final = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_MOSTLY: Final = 0.55
"""An option speaks of nothing but others if their names make up so much of its letters."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What an option says of the place of others: at which `end`, "first", "last" or "", and numbers."""

    end: str
    numbers: frozenset[int]


def names_options(question: str, options: Sequence[str], language: str) -> bool:
    """Return whether an item speaks of its options by letter or place, so that none may be moved.

    When in doubt, yes: to keep an order harms nothing.
    """
    count = len(options)
    question, options = _plain(question), [*map(_plain, options)]
    patterns = _patterns(language, max(count, COMMON_LETTERS))
    return (
        patterns.lettered.search(f"{question}{_BETWEEN}{_BETWEEN.join(options)}") is not None
        or patterns.speak(options)
        or _names_listed(question, options)
        or (patterns.is_foreign and _are_some(map(patterns.lone.search, options)))
        or _are_some(map(_TWO_NUMBERS.fullmatch, options))
    )


def speak_of_options(options: Sequence[str], language: str, count: int) -> bool:
    """Return whether some of `count` options certainly speak of others."""
    return _patterns(language, max(count, COMMON_LETTERS)).speak([*map(_plain, options)])


def reference_of(option: str, language: str, count: int) -> Reference | None:
    """Return how an option speaks of others by place if it says hardly anything else, else None."""
    patterns = _patterns(language, max(count, COMMON_LETTERS))
    plain = _plain(option)
    if patterns.letter.search(plain):
        return None
    covered = sum(end - start for start, end in patterns.places(plain))
    if not covered or covered < _MOSTLY * len(_NOT_LETTER.sub("", plain)):
        return None
    return place_of(option, language)


def place_of(option: str, language: str) -> Reference:
    """Return the numbers in the words of an option, and whether it speaks of the first or the last."""
    own, plain = get_language(language), _plain(option).lower()
    ends = [any(fold_signs(word) in plain for word in words) for words in own.option_ends]
    end = _ENDS[ends.index(True)] if sum(ends) == 1 else ""
    in_digits = map(int, _SHORT_NUMBER.findall(plain))
    return Reference(end, frozenset(in_digits) | spoken_numbers(option, own))


def named_letters(option: str, language: str, count: int) -> frozenset[str]:
    """Return the letters A to J of the options that an option names, whatever letters it uses."""
    patterns = _patterns(language, max(count, COMMON_LETTERS))
    own = patterns.own_letters
    found = (match[0].strip("()（）") for match in patterns.letter.finditer(_plain(option)))
    return frozenset(
        letter_of(own.index(sign)) if sign in own else plain_letter(sign) for sign in found
    )


def _names_listed(question: str, options: Sequence[str]) -> bool:
    """Return whether an option says ①③ although the question lists no statements ① and ③."""
    return not _LISTED_SIGN.search(question) and any(map(_LISTED.search, options))


def _are_some(found: Iterable[object]) -> bool:
    """Return whether some options have a letter on its own, but not all, as vitamins A to D have."""
    return len({each is None for each in found}) > 1


def _plain(text: str) -> str:
    """Return a text as it is compared: folded, without Arabic vowel signs, with ASCII digits."""
    if text.isascii():
        return text
    text = _ARABIC_SIGN.sub("", fold_signs(text))
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


class _Patterns:
    """The compiled phrases of one language, and English ones, which stay in many translations."""

    def __init__(self, language: Language, count: int) -> None:
        latin = LETTERS[:count] + FULL_WIDTH[:count]
        self.own_letters = language.option_letters[:count]
        self.is_foreign = language.script != "Latin"
        in_list = f"[{re.escape(latin + self.own_letters + self.own_letters.lower())}]"
        bounded = rf"(?<![{_BESIDE_LATIN}])[(（]?[{latin}][)）]?(?![{_BESIDE_LATIN}])"
        if self.own_letters:
            bounded = f"(?:{bounded}|{_bounded(self.own_letters, language)})"
        self._own = _Phrases(language, bounded, count)
        self._english = _Phrases(get_language(_ENGLISH), bounded, count)
        self._list = regex.compile(rf"(?<!{_IN_WORD}){in_list}{_LINKS}{in_list}(?!{_IN_WORD})")
        # Joined letters of a cursive script are a word, as أب is.
        alone = latin if language.script == "Arabic" else latin + self.own_letters
        self._only_letters = regex.compile(rf"^\W*+[{re.escape(alone)}]{{2,10}}(?!{_IN_WORD})\W*$")
        self.letter = re.compile(bounded)
        self.lone = re.compile(
            rf"(?<![{_BESIDE_LATIN}{_MATHS}])[{latin}](?![{_BESIDE_LATIN}{_MATHS}])"
        )
        self.lettered = re.compile(
            rf"\b(?:options?|answers?|choices?)\s?\(?[{latin}]\b|[选選][項项]\s?[{latin}]"
            rf"|[{latin}]\s?[项項]",
            re.IGNORECASE,
        )

    def places(self, option: str) -> Iterator[tuple[int, int]]:
        """Yield where an option speaks of others."""
        yield from self._own.places(option)
        if _LATIN_WORD.search(option):
            yield from self._english.places(option)

    def speak(self, options: Sequence[str]) -> bool:
        """Return whether one of the options speaks of others."""
        text = _BETWEEN.join(options)
        return (
            self._own.are_in(text, options)
            or (_LATIN_WORD.search(text) is not None and self._english.are_in(text, options))
            or self._list.search(text) is not None
            or any(map(self._only_letters.search, options))
        )


def _bounded(letters: str, language: Language) -> str:
    """Return a pattern of one letter that is not part of a word; Chinese has nothing around words."""
    letter = f"[{re.escape(letters)}]"
    return letter if language.script == "Han" else rf"(?<!\w|{_SIGN}){letter}(?!\w|{_SIGN})"


class _Phrases:
    """The phrases of one language, with a letter or number wherever they leave a place for one."""

    def __init__(self, language: Language, letter: str, count: int) -> None:
        words = [word for words in language.number_words[1 : count + 1] for word in words.split()]
        numbers = "|".join(
            [*map(re.escape, map(fold_signs, words)), *map(str, range(1, count + 1))]
        )
        flags = re.IGNORECASE if language.is_spaced else re.NOFLAG

        def filled(phrases: Sequence[str]) -> str:
            joined = (
                "|".join(map(fold_signs, phrases))
                .replace("#", letter)
                .replace("@", f"(?:{numbers})")
            )
            return f"(?:{joined})" if joined else "(?!)"

        self._within = re.compile(filled(language.option_names), flags)
        self._whole = re.compile(rf"\A\W*+{filled(language.whole_option_names)}\W*", flags)

    def are_in(self, text: str, options: Sequence[str]) -> bool:
        return self._within.search(text) is not None or any(map(self._whole.fullmatch, options))

    def places(self, option: str) -> Iterator[tuple[int, int]]:
        if self._whole.fullmatch(option):
            yield 0, len(option)
        else:
            yield from (match.span() for match in self._within.finditer(option))


@cache
def _patterns(language: str, count: int) -> _Patterns:
    return _Patterns(get_language(language), count)
