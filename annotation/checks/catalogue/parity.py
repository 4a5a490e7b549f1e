"""Checks whether a revision keeps the numbers, signs and negations of its source."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, Final

from annotation.checks.catalogue import tokens
from annotation.checks.catalogue.base import CheckInput, Problem, Severity, listed
from annotation.checks.catalogue.numbers import has_same_numbers, unmatched
from annotation.checks.catalogue.shift import has_label_brackets
from languages import Language, get_language

_MOST_LOOKED_AT: Final = 50
_SYLLABLE_START: Final = r"(?<![\u0f40-\u0fbc])"
_TAIL: Final = " \t\n\r\f\v\u00a0\u2002\u2003\u2009\u3000.。?？:：!！,，;；"
_LATIN: Final = re.compile(r"[A-Z]")


class Numbers:
    """A number of the source is missing, or one has come in."""

    code: ClassVar[str] = "numbers_differ"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare field by field; see `numbers.unmatched`."""
        if has_same_numbers(given.source_text, given.target_text):
            return
        languages = get_language(given.source_language), get_language(given.target_language)
        for field, source, target in given.pairs:
            missing, added = unmatched(source, target, *languages)
            if missing or added:
                data = {"missing": listed(missing), "added": listed(added)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


class Formulas:
    """A LaTeX formula of the source is missing or altered."""

    code: ClassVar[str] = "formulas_differ"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare formulas without spaces, in any order and in any spelling."""
        if "$" not in given.source_text and "$" not in given.target_text:
            return
        for field, source, target in given.pairs:
            missing = _missing_formulas(source, target)
            if missing and field != "question":
                missing = [each for each in missing if not _is_context(each, given)]
            if target.count("$") % 2 and not source.count("$") % 2:
                missing.append("$")
            if missing:
                data = {"missing": listed(list(dict.fromkeys(missing)))}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


def _missing_formulas(source: str, target: str) -> list[str]:
    """Return the formulas of a source that its translation holds neither in LaTeX nor plain."""
    found = Counter(tokens.formulas(target))
    lost = list((Counter(tokens.formulas(source)) - found).elements())[:_MOST_LOOKED_AT]
    if not lost:
        return []
    plain = tokens.plain_math(target)
    same = set(map(tokens.canonical_formula, list(found)[:_MOST_LOOKED_AT]))
    return [
        formula
        for formula in lost
        if tokens.plain_math(formula) not in plain and tokens.canonical_formula(formula) not in same
    ]


def _is_context(formula: str, given: CheckInput) -> bool:
    """Whether an option may leave out what the question is about, as f(x) where it says f(x)=…"""
    known = tokens.formulas(given.source_question)
    return any(each.startswith(f"{formula}=") for each in known) and (
        tokens.plain_math(formula) in tokens.plain_math(given.question)
    )


class LatinTerms:
    """A Latin abbreviation of the source is missing."""

    code: ClassVar[str] = "latin_terms_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "parity"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for terms with two capitals; case and place don't matter."""
        if not _LATIN.search(given.source_text):
            return
        if get_language(given.target_language).script == "Latin":
            return
        for field, source, target in given.pairs:
            terms = dict.fromkeys(tokens.latin_terms(source))
            if not terms:
                continue
            if all(term in target for term in terms):
                continue
            plain = tokens.plain_term(target)
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
        """Pair brackets field by field; those of labels are a matter of `options_shifted`."""
        if not tokens.has_bracket(given.target_text) or has_label_brackets(given):
            return
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
        wanted = tokens.blanks(given.source_question)
        if wanted and wanted[-1][1] >= len(given.source_question.rstrip(_TAIL)):
            wanted = wanted[:-1]
        if not wanted:
            return
        found = len(tokens.blanks(given.question))
        if len(wanted) <= found:
            return
        is_asked = len(wanted) == 1 and _asks(given.question, get_language(given.target_language))
        if not is_asked:
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
    if language.segmentation == "tsheg":
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
    if not any(word in text for word in language.negations) and not language.is_spaced:
        return None
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
    if language.segmentation == "tsheg":
        # At the start of a syllable: the མ་ that ends གཤམ་ denies nothing.
        bounded = rf"{_SYLLABLE_START}(?:{words})"
    prefix = rf"(?:{exceptions})|" if exceptions else ""
    if not language.is_spaced:  # one look at a character instead of one for each word
        firsts = {word[0] for word in (*language.negations, *language.negation_exceptions)}
        return re.compile(
            rf"(?=[{re.escape(''.join(sorted(firsts)))}])(?:{prefix}(?P<negation>{bounded}))"
        )
    return re.compile(rf"{prefix}(?P<negation>{bounded})", re.IGNORECASE)


CHECKS: Final = (Numbers(), Formulas(), LatinTerms(), Brackets(), Blanks(), Negation())
COMPARED: Final = frozenset({Numbers.code, Formulas.code, LatinTerms.code, Brackets.code})
