"""Checks whether a revision keeps the numbers, signs and negations of its source."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, Final

from annotation.checks import tokens
from annotation.checks.base import CheckInput, Problem, Severity, listed
from annotation.languages import Language, get_language

_LAST_WORD: Final = 10
_MOST_LOOKED_AT: Final = 50
_SYLLABLE_START: Final = r"(?<![\u0f40-\u0fbc])"
_TAIL: Final = re.compile(r"[\s.。?？:：!！,，;；]*$")


class Numbers:
    """A number of the source is missing, or one has come in."""

    code: ClassVar[str] = "numbers_differ"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare field by field; a number may be written in words of the language."""
        source_language = get_language(given.source_language)
        target_language = get_language(given.target_language)
        for field, source, target in given.pairs:
            wanted, found = set(tokens.numbers(source)), set(tokens.numbers(target))
            if wanted == found:
                continue
            missing = _unexplained(wanted - found, target, target_language)
            added = _unexplained(found - wanted, source, source_language)
            if missing or added:
                data = {"missing": listed(missing), "added": listed(added)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


def _unexplained(lost: set[str], text: str, language: Language) -> list[str]:
    """Return the numbers that a text holds neither in a formula nor in words, at most a few."""
    if not lost:
        return []
    rest = sorted(lost - set(tokens.numbers(text.replace("$", " "))))[:_MOST_LOOKED_AT]
    return [number for number in rest if not _in_words(number, text, language)]


def _in_words(number: str, text: str, language: Language) -> bool:
    """Return whether a text may hold a number in words (of big ones only the words are known)."""
    words = language.number_words
    if number.isdecimal() and len(number) < len("100") and int(number) <= _LAST_WORD:
        return bool(words) and any(word in text for word in words[int(number)].split())
    return any(word in text for word in language.big_numbers) or (
        language.script == "Han" and any(character in text for character in "一二三四五六七八九十")
    )


class Formulas:
    """A LaTeX formula of the source is missing or altered."""

    code: ClassVar[str] = "formulas_differ"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare formulas without spaces, in any order."""
        for field, source, target in given.pairs:
            if "$" not in source and "$" not in target:
                continue
            wanted, found = Counter(tokens.formulas(source)), Counter(tokens.formulas(target))
            lost = list((wanted - found).elements())[:_MOST_LOOKED_AT]
            plain = tokens.plain_math(target) if lost else ""
            missing = [formula for formula in lost if tokens.plain_math(formula) not in plain]
            if target.count("$") % 2 and not source.count("$") % 2:
                missing.append("$")
            if missing:
                data = {"missing": listed(missing)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


class LatinTerms:
    """A Latin abbreviation of the source is missing."""

    code: ClassVar[str] = "latin_terms_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for terms with two capitals; case and place don't matter."""
        if get_language(given.target_language).script == "Latin":
            return
        for field, source, target in given.pairs:
            terms = dict.fromkeys(tokens.latin_terms(source))
            if not terms:
                continue
            plain = target.lower()
            words = set(tokens.words(plain))
            absent = [term for term in terms if term.lower() not in words][:_MOST_LOOKED_AT]
            missing = [term for term in absent if term.lower() not in plain]
            if missing:
                data = {"missing": listed(missing)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


class Brackets:
    """A bracket lacks its partner although the source's brackets are in order."""

    code: ClassVar[str] = "brackets_unbalanced"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Pair brackets field by field."""
        for field, source, target in given.pairs:
            place = tokens.unbalanced_bracket(target)
            if place is not None and tokens.unbalanced_bracket(source) is None:
                data = {"bracket": target[place]}
                yield Problem(self.code, self.severity, field, place, place + 1, data)


class Blanks:
    """The source has a blank to fill in within its sentence, the translation has none."""

    code: ClassVar[str] = "blanks_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Count blanks in the question, but for one that a question replaces.

        That is one at the end of the source, or a single one where the translation asks in words.
        """
        if not given.is_readable:
            return
        source = _TAIL.sub("", given.source_question[-200:])
        wanted = tokens.blanks(given.source_question)
        offset = max(0, len(given.source_question) - 200)
        if wanted and wanted[-1][1] >= offset + len(source):
            wanted = wanted[:-1]
        found = len(tokens.blanks(given.question))
        is_asked = len(wanted) == 1 and _asks(given.question, get_language(given.target_language))
        if len(wanted) > found and not is_asked:
            data = {"expected": len(wanted), "found": found}
            yield Problem(self.code, self.severity, "question", 0, len(given.question), data)


def _asks(text: str, language: Language) -> bool:
    """Return whether a text asks with a word of its own for what is to be found."""
    pattern = _question_pattern(language)
    return bool(pattern and pattern.search(text))


@lru_cache(maxsize=64)
def _question_pattern(language: Language) -> re.Pattern[str] | None:
    if not language.question_words:
        return None
    words = "|".join(map(re.escape, language.question_words))
    if language.script == "Tibetan":
        return re.compile(rf"{_SYLLABLE_START}(?:{words})(?![\u0f40-\u0fbc])")
    return re.compile(rf"\b(?:{words})\b" if language.is_spaced else words, re.IGNORECASE)


class Negation:
    """The question of the source denies something, the translation doesn't."""

    code: ClassVar[str] = "negation_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for the negations of both languages; only a source without any is let pass."""
        if not given.is_readable:
            return
        source, target = get_language(given.source_language), get_language(given.target_language)
        denied = find_negation(given.source_question, source)
        if denied is None or not target.negations:
            return
        if find_negation(given.question, target) is None:
            data = {"word": denied}
            yield Problem(self.code, self.severity, "question", 0, len(given.question), data)


def find_negation(text: str, language: Language) -> str | None:
    """Return the first negation of a text that is not part of another word, or None."""
    if not language.negations:
        return None
    for match in _negation_pattern(language).finditer(text):
        if match["negation"]:
            return match["negation"]
    return None


@lru_cache(maxsize=64)
def _negation_pattern(language: Language) -> re.Pattern[str]:
    exceptions = "|".join(map(re.escape, sorted(language.negation_exceptions, key=len)[::-1]))
    words = "|".join(map(re.escape, sorted(language.negations, key=len)[::-1]))
    bounded = rf"\b(?:{words})\b|n't\b" if language.is_spaced else words
    if language.script == "Tibetan":
        # At the start of a syllable: the མ་ that ends གཤམ་ denies nothing.
        bounded = rf"{_SYLLABLE_START}(?:{words})"
    prefix = rf"(?:{exceptions})|" if exceptions else ""
    return re.compile(rf"{prefix}(?P<negation>{bounded})", re.IGNORECASE)


CHECKS: Final = (Numbers(), Formulas(), LatinTerms(), Brackets(), Blanks(), Negation())
