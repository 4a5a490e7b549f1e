"""Checks whether a revision keeps the numbers, signs and negations of its source."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue import (
    commands,
    denials,
    measures,
    moments,
    quantities,
    ratios,
    tokens,
)
from annotation.checks.catalogue.base import Check, CheckInput, Problem, listed
from annotation.checks.catalogue.bounds import says_bounds
from annotation.checks.catalogue.numbers import has_digit, has_same_numbers, recounted, unmatched
from annotation.checks.catalogue.shift import has_label_brackets
from annotation.checks.catalogue.signs import says_minus
from annotation.importers.labels import gettext_noop as _
from languages import get_language
from languages.amounts import said_amounts, says_amounts, with_amounts_in_digits
from languages.base import Language

_MOST_LOOKED_AT: Final = 50
_SYLLABLE_START: Final = r"(?<![\u0f40-\u0fbc])"
_TAIL: Final = " \t\n\r\f\v\u00a0\u2002\u2003\u2009\u3000.。?？:：!！,，;；"
_LATIN: Final = re.compile(r"[A-Z]")


class Numbers(Check):
    """A number of the source is missing, or one has come in."""

    code = "numbers_differ"
    severity = "warning"
    family = "parity"
    title = _("Numbers differ")
    sentence = _("Missing numbers: %(missing)s. Numbers that are not in the source: %(added)s.")
    without = MappingProxyType(
        {
            "missing": _("Numbers that are not in the source: %(added)s."),
            "added": _("Missing numbers: %(missing)s."),
        }
    )
    compares_fields = True
    why = _(
        "A lost or changed number changes the item. Digits of every script count as equal, "
        "as do numbers with and without thousands separators (`200000`, `200,000`, `200 "
        "000`), numbers with a unit (20万), Roman numerals, numbers in words, and a value in "
        "another form (`1/2`, `0.5`, `50%`), times of twelve hours, names of months, years of "
        "other calendars, and ① for (1). A minus in words, units and currencies count too, as "
        "do ±, operators such as 2x+1, amounts in words (三成 is `30%`, 八折 is `80%`), and bounds "
        "in signs or words: “at least 5” is `≥5`, 不超过5 is `≤5`."
    )
    faulty = _("“1971年联合国恢复…” was rendered without the year.")
    sound = _("The rendering has 1971, or ༡༩༧༡.")
    fix = _("Add the number.")
    when_wrong = _(
        "Dismiss the finding with a reason where the number is there in words. Digits inside "
        "a term such as NH3 belong to the term and are not reported a second time."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare field by field; see `numbers.unmatched`."""
        languages = get_language(given.source_language), get_language(given.target_language)
        texts = given.source_text, given.target_text
        may_change = _may_change(*texts, *languages)
        if not may_change and has_same_numbers(*texts):
            return
        for field, source, target in given.pairs:
            if has_same_numbers(source, target) and not (
                may_change and _may_change(source, target, *languages)
            ):
                continue
            missing, added = _changes(source, target, *languages)
            if missing or added:
                data = {"missing": listed(missing), "added": listed(added)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


def _may_change(
    source: str, target: str, source_language: Language, target_language: Language
) -> bool:
    """Return whether two texts have words that change their numbers: quick to see."""
    sides = (source, source_language), (target, target_language)
    if any(says_amounts(*side) or says_minus(*side) for side in sides):
        return True
    if says_bounds(source, source_language):
        return True
    if any(quantities.has_scale(*side) for side in sides):
        return True
    return all(measures.names_units(*side) for side in reversed(sides))


def _changes(
    source: str, target: str, source_language: Language, target_language: Language
) -> tuple[list[str], list[str]]:
    """Return numbers that one side lacks, or else what differs beside them: signs, units, order."""
    languages = source_language, target_language
    source, target = map(quantities.with_dollars_marked, (source, target))
    source, target = (
        with_amounts_in_digits(source, source_language, target, target_language),
        with_amounts_in_digits(target, target_language, source, source_language),
    )
    missing, added = unmatched(source, target, *languages)
    if missing or added:
        for same in (ratios.same_values, moments.same_moments):
            rewritten, written = same(source, target, *languages)
            missing = [number for number in missing if number not in rewritten]
            added = [number for number in added if number not in written]
        said = said_amounts(source, source_language) if added else ()
        added = [number for number in added if number not in said]
    else:
        missing, added = recounted(source, target, *languages)
    lost, new = quantities.changed(source, target, *languages)
    return [*missing, *lost], [*added, *new]


class Formulas(Check):
    """A LaTeX formula of the source is missing or altered."""

    code = "formulas_differ"
    severity = "warning"
    family = "parity"
    title = _("Formulas differ")
    sentence = _("Missing or changed formulas: %(missing)s.")
    compares_fields = True
    why = _(
        "LaTeX between dollar signs must come through unchanged. Spaces, doubled "
        "backslashes, full-width signs and words inside subscripts do not count, and "
        r"`\frac{x}{x-1}` equals `x/(x-1)`. A command without its backslash is found anywhere."
    )
    faulty = _(r"`$f(x)=\frac{1}{e^{x}-1}$` became `$f(x)=\frac{1}{e^{x}}$`.")
    sound = _(r"`$f(x)=\frac{1}{e^{x}-1}$` stayed as it is.")
    fix = _("Copy the formula from the source.")
    when_wrong = _(
        "A formula in plain text is accepted. An option may leave out a symbol that the "
        "question defines, such as f(x)."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare formulas without spaces, in any order and in any spelling."""
        if "$" not in given.source_text and not commands.may_be_bare(
            given.source_text, given.target_text
        ):
            return
        for field, source, target in given.pairs:
            missing = _missing_formulas(source, target)
            if missing and field != "question":
                missing = [each for each in missing if not _is_context(each, given)]
            if target.count("$") % 2 and not source.count("$") % 2:
                missing.append("$")
            missing += commands.bare_commands(source, target)
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
    others = list(found)[:_MOST_LOOKED_AT]
    same = set(map(tokens.canonical_formula, others))
    return [
        formula
        for formula in lost
        if commands.without_backslashes(formula, others)
        or not (_holds_formula(plain, formula) or tokens.canonical_formula(formula) in same)
    ]


def _holds_formula(plain: str, formula: str) -> bool:
    """Return whether a text without LaTeX has a formula, a fraction perhaps as x/2."""
    spellings = (formula, tokens.canonical_formula(formula))
    return any(tokens.holds_whole(plain, tokens.plain_math(each)) for each in spellings)


def _is_context(formula: str, given: CheckInput) -> bool:
    """Return whether an option may leave out what the question defines, as f(x) where it says f(x)=…"""
    known = tokens.formulas(given.source_question)
    return any(each.startswith(f"{formula}=") for each in known) and (
        tokens.plain_math(formula) in tokens.plain_math(given.question)
    )


class LatinTerms(Check):
    """A Latin abbreviation of the source is missing."""

    code = "latin_terms_missing"
    severity = "warning"
    family = "parity"
    title = _("Latin terms missing")
    sentence = _("Missing terms of the source: %(missing)s.")
    compares_fields = True
    why = _(
        "Abbreviations with two or more capitals (NH, DNA, GINI) are usually kept in every "
        "language. If one is missing, part of the sentence is often missing too."
    )
    faulty = _("The source asks about NH3, the translation names no substance.")
    sound = _("The translation has NH3, in any case and at any place.")
    fix = _("Add the term.")
    when_wrong = _(
        "Dismiss the finding where the term was translated on purpose. Roman numerals are "
        "not terms."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for terms with two capitals; case and place don't matter.

        A language in Latin letters spells abbreviations out, but keeps formulas such as NH3.
        """
        if not _LATIN.search(given.source_text):
            return
        is_latin = get_language(given.target_language).script == "Latin"
        for field, source, target in given.pairs:
            terms = (
                _formulas_that_differ(source, target) if is_latin else tokens.latin_terms(source)
            )
            missing = _missing_terms(terms, target) if terms else []
            if missing:
                data = {"missing": listed(missing)}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


def _formulas_that_differ(source: str, target: str) -> list[str]:
    """Return the formulas of a source if the target has others: H2O beside H3O, not beside water."""
    own, other = (
        [term for term in tokens.latin_terms(text) if has_digit(term) and tokens.is_chemical(term)]
        for text in (source, target)
    )
    return own if set(other) - set(own) else []


def _missing_terms(terms: Sequence[str], target: str) -> list[str]:
    """Return the terms that a text holds neither as a word nor in one."""
    plain = tokens.plain_term(target)
    words = set(tokens.words(plain))
    absent = [term for term in dict.fromkeys(terms) if term.lower() not in words]
    return [term for term in absent[:_MOST_LOOKED_AT] if not _holds_term(plain, term)]


def _holds_term(text: str, term: str) -> bool:
    """Return whether a term is in a text of small letters; CO2 does not hold CO, but SO42- SO4."""
    if not tokens.is_chemical(term):
        return tokens.holds_whole(text, term.lower())
    return re.search(rf"{re.escape(term.lower())}(?![0-9](?![+-]))", text) is not None


class Brackets(Check):
    """A bracket lacks its partner although the source's brackets are in order."""

    code = "brackets_unbalanced"
    severity = "warning"
    family = "parity"
    title = _("Unmatched bracket")
    sentence = _("The bracket “%(bracket)s” has no counterpart.")
    needs_source = False
    compares_fields = True
    why = _("A bracket without its counterpart is often what remains of text that was cut.")
    faulty = _("`about 20% (of the total`")
    sound = _("`about 20% (of the total)`")
    fix = _("Close or remove the bracket.")
    when_wrong = _(
        "It is reported only if the brackets of the source match. Half-open intervals such "
        "as [0, 1) are fine."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Pair brackets field by field; those of labels are a matter of `options_shifted`."""
        if not tokens.has_bracket(given.target_text) or has_label_brackets(given):
            return
        for field, source, target in given.pairs:
            place = tokens.unbalanced_bracket(target)
            if place is not None and tokens.unbalanced_bracket(source) is None:
                data = {"bracket": target[place]}
                yield Problem(self.code, self.severity, field, place, place + 1, data)


class Blanks(Check):
    """The source has a blank to fill in within its sentence, the translation has none."""

    code = "blanks_missing"
    severity = "warning"
    family = "parity"
    title = _("Blank missing")
    sentence = _("Blanks to fill in: the source has %(expected)s, the translation has %(found)s.")
    why = _("Without the blank nobody sees what is to be filled in.")
    faulty = _("牛肾和猪肾（）含量最高 was rendered without the blank and without a question word.")
    sound = _("The rendering has `( )` where the answer belongs, or asks with a question word.")
    fix = _("Put a blank `( )` where the answer belongs.")
    when_wrong = _(
        "Dismiss the finding where the sentence became a question. A blank at the end of the "
        "source is not counted, since a question may replace it; nor is a single blank where "
        "the translation asks with a question word (གང་, which, 什么)."
    )

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


class Negation(Check):
    """The question denies something on one side only, or an option does."""

    code = "negation_missing"
    severity = "warning"
    family = "parity"
    title = _("Negation differs")
    sentence = _("The source has a negation (“%(word)s”), but none was found here.")
    without = MappingProxyType(
        {"word": _("The source has no negation, but there is one here (“%(added)s”).")}
    )
    why = _(
        "“Which is *not* …” turned into “Which is …” makes every right answer wrong. The "
        "check looks for the negations of both languages in the question, and in options that "
        "begin with one or speak of all options. A negation that came in counts at the end of a "
        "text whose source denies in no way."
    )
    faulty = _("…不包括 was rendered without any negation.")
    sound = _("…不包括 was rendered as “does not include”.")
    fix = _("Add the negation.")
    when_wrong = _(
        "Dismiss the finding where the sentence denies in other words; tell us the word, so "
        "that it gets into the list."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the question, and options that begin with a negation or say which are right."""
        if not given.is_readable:
            return
        languages = get_language(given.source_language), get_language(given.target_language)
        for field, source, target in given.pairs[: 1 + len(given.options)]:
            lost = denials.lost(source, target, *languages, is_option=field != "question")
            added = None if lost else denials.added(source, target, *languages)
            if lost or added:
                data = {"word": lost} if lost else {"word": "", "added": added or ""}
                yield Problem(self.code, self.severity, field, 0, len(target), data)


CHECKS: Final = (Numbers(), Formulas(), LatinTerms(), Brackets(), Blanks(), Negation())
