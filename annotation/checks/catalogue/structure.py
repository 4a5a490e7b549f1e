"""Checks whether a revision still has the shape of its item: options, labels, key and order."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final

from annotation.checks.catalogue.base import (
    CheckInput,
    Problem,
    Severity,
    option_field,
    shorten,
)
from annotation.checks.catalogue.shift import is_hollow, is_shifted
from annotation.checks.catalogue.tokens import kept
from languages import get_language
from languages.letters import COMMON_LETTERS, letter_of, position_of
from languages.numerals import read_number

_LABEL: Final = re.compile(r"(?m)^[ \t\u3000]*([A-F])[.．、](?!\d)")
_FURTHER_LABEL: Final = re.compile(r"(?m)^[ \t\u3000]*([A-J])[.．、](?!\d)")
_LABEL_MARKS: Final = ".．、"
_LABEL_SIGN: Final = re.compile(r"[A-J][.．、]")
_GLUE: Final = r"(?:[ \t]{0,3}\n?[ \t]{0,3})"
_INSERTED: Final = re.compile(r"[ \t]{0,3}\n[ \t]{0,3}([A-D])\.[ \t]?")
_MOST_TERMS: Final = 200
_LATIN_TERM: Final = re.compile(r"°C|[A-Za-z][A-Za-z0-9]{1,40}")
_LOST_GA: Final = re.compile(r"([\u0f40-\u0fbc]+)[ \t]{0,3}\n[ \t]{0,3}C\.")


class OptionsUnreadable:
    """The importer could not tell the options apart."""

    code: ClassVar[str] = "options_unreadable"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Repeat the importer's mark with its reason."""
        for mark in given.marks:
            if mark.code == self.code and given.question.strip():
                yield Problem(self.code, self.severity, mark.field, mark.start, mark.end, mark.data)


class OptionCount:
    """The revision has another number of options than the source."""

    code: ClassVar[str] = "option_count"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the counts; silent where the importer already gave the reason."""
        expected, found = len(given.source_options), len(given.options)
        if expected == found or any(mark.code == "options_unreadable" for mark in given.marks):
            return
        yield Problem(self.code, self.severity, "item", data={"expected": expected, "found": found})


class EmptyText:
    """The question, an option or the reference answer holds nothing."""

    code: ClassVar[str] = "empty_text"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for fields of white space, and for options of mere marks that the source fills."""
        if not given.question.strip():
            yield Problem(self.code, self.severity, "question", 0, len(given.question))
        for position, option in enumerate(given.options):
            if not option.strip() or (is_hollow(given, position) and not is_shifted(given)):
                yield Problem(self.code, self.severity, option_field(position), 0, len(option))
        (answer, _explanation), (wanted, _source) = given.further, given.source_further
        if not answer.strip() and (wanted.strip() or given.kind == "translation"):
            yield Problem(self.code, self.severity, "answer", 0, len(answer))


class NumberUnreadable:
    """The answer of an item that asks for a number is no number."""

    code: ClassVar[str] = "number_unreadable"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if given.kind == "number" and read_number(given.source_key) is None:
            data = {"key": shorten(given.source_key)}
            yield Problem(self.code, self.severity, "item", data=data)


class ExplanationMissing:
    """The source explains its answer, the translation doesn't."""

    code: ClassVar[str] = "explanation_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        (_answer, explanation), (_reference, source) = given.further, given.source_further
        if source.strip() and not explanation.strip():
            yield Problem(self.code, self.severity, "explanation", 0, len(explanation))


class EqualOptions:
    """Two options read the same although those of the source differ.

    An error where one of them is the key: nobody can choose the right one.
    """

    code: ClassVar[str] = "equal_options"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare options without outer white space and closing marks; a group is one problem."""
        ending = get_language(given.target_language).idle_ending
        alike: dict[str, list[int]] = {}
        for position, option in enumerate(given.options):
            alike.setdefault(option.strip().rstrip(ending), []).append(position)
        if len(alike) == len(given.options):
            return
        for plain, positions in alike.items():
            group = _differing_in_source(given, positions) if plain else []
            if len(group) > 1:
                yield self._problem(given, group)

    def _problem(self, given: CheckInput, positions: list[int]) -> Problem:
        letters = list(map(letter_of, positions))
        severity: Severity = "error" if given.source_key in letters else self.severity
        data = {"letter": letters[-1], "other": ", ".join(letters[:-1])}
        field = option_field(positions[1])
        return Problem(self.code, severity, field, 0, len(given.options[positions[1]]), data)


def _differing_in_source(given: CheckInput, positions: list[int]) -> list[int]:
    """Return the first position and those whose source is another text than the first one's."""
    first = positions[0]
    return [first, *(at for at in positions[1:] if not _source_repeats(given, first, at))]


def _source_repeats(given: CheckInput, one: int, other: int) -> bool:
    options = given.source_options
    if max(one, other) >= len(options):
        return False
    return options[one].strip() == options[other].strip()


class KeyOutOfRange:
    """The key names an option that is not there."""

    code: ClassVar[str] = "key_out_of_range"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for the key among the letters of the options."""
        key = given.source_key if given.key is None else given.key
        if given.options and position_of(key, len(given.options)) is None:
            data = {"key": shorten(key), "last": letter_of(len(given.options) - 1)}
            yield Problem(self.code, self.severity, "item", data=data)


class KeyChanged:
    """The key published beside the translation is not the source's."""

    code: ClassVar[str] = "key_changed"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the two letters."""
        if given.key is not None and given.key != given.source_key:
            data = {"key": shorten(given.key), "source": shorten(given.source_key)}
            yield Problem(self.code, self.severity, "item", data=data)


class OrderChanged:
    """The options stand in another order than in the source.

    Certain only where every option carries numbers, formulas or Latin terms of its own and all
    of them turn up again elsewhere; words of two languages can't be compared this way. Within an
    option their order says nothing, since a translation may have to turn it round.
    """

    code: ClassVar[str] = "order_changed"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the options by what no translation changes."""
        if not given.is_readable:
            return
        source: list[tuple[str, ...]] = []
        for option in given.source_options:
            signs = kept(option)
            if not signs or signs in source:
                return
            source.append(signs)
        target = [kept(option) for option in given.options]
        if source != target and sorted(source) == sorted(target):
            order = "".join(letter_of(source.index(found)) for found in target)
            yield Problem(self.code, self.severity, "item", data={"order": order})


class LabelInText:
    """An option label stands inside the question or an option."""

    code: ClassVar[str] = "label_in_text"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for labels at line starts that the source doesn't have there as well."""
        text = given.target_text
        if not any(mark in text for mark in _LABEL_MARKS) or not _LABEL_SIGN.search(text):
            return
        has_further = max(len(given.options), len(given.source_options)) > COMMON_LETTERS
        label = _FURTHER_LABEL if has_further else _LABEL
        for field, source, target in given.pairs:
            if field == "explanation":  # it may go through the options one by one
                continue
            matches = list(label.finditer(target))
            known = Counter(label.findall(source)) if matches else Counter[str]()
            for match in matches:
                known[match[1]] -= 1
                if known[match[1]] < 0:
                    severity = self._severity(field, match)
                    data = {"label": match[0].strip()}
                    yield Problem(self.code, severity, field, match.start(), match.end(), data)

    def _severity(self, field: str, match: re.Match[str]) -> Severity:
        """Doubt a label at the very start, which may be an initial, unless it is the option's."""
        if match.start() or field == option_field(position_of(match[1]) or 0):
            return self.severity
        return "warning"


class LettersSpliced:
    """A capital letter within a word was taken for an option label and cut out of it.

    `NADH` became `N⏎A. ⏎D. H`; a Tibetan word that ends in ག lost that letter to a `C.`.
    """

    code: ClassVar[str] = "letters_spliced"
    severity: ClassVar[Severity] = "error"
    family: ClassVar[str] = "structure"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for Latin terms of the source that return once the inserted labels are taken out."""
        if "\n" not in given.target_text:
            return
        fields = [("question", given.question)]
        fields += [(option_field(at), text) for at, text in enumerate(given.options)]
        fields = [(field, text) for field, text in fields if "\n" in text]
        terms = _cuttable_terms(given) if fields else []
        for field, text in fields:
            yield from self._spliced(field, text, terms)
            if get_language(given.target_language).segmentation == "tsheg" and not given.options:
                yield from self._lost_letters(field, text)

    def _spliced(self, field: str, text: str, terms: list[str]) -> Iterator[Problem]:
        rejoined = _INSERTED.sub(r"\1", text)
        if rejoined == text:
            return
        for term in terms:
            if rejoined.count(term) > text.count(term):
                start, end = _torn_span(term, text)
                yield Problem(self.code, self.severity, field, start, end, {"term": shorten(term)})

    def _lost_letters(self, field: str, text: str) -> Iterator[Problem]:
        """Report each `C.` after a bare Tibetan word where there are more C labels than one."""
        if len([1 for match in _LABEL.finditer(text) if match[1] == "C"]) > 1:
            for match in _LOST_GA.finditer(text):
                data = {"term": shorten(f"{match[1]}ག")}
                yield Problem(self.code, self.severity, field, match.start(), match.end(), data)


def _cuttable_terms(given: CheckInput) -> list[str]:
    """Return Latin terms of the source with a letter A to D, the longest first, at most 200."""
    source = "\n".join((given.source_question, *given.source_options))
    terms = {term for term in _LATIN_TERM.findall(source) if set(term) & set("ABCD")}
    return sorted(terms, key=lambda term: (-len(term), term))[:_MOST_TERMS]


def _torn_span(term: str, text: str) -> tuple[int, int]:
    torn = (match for match in re.finditer(_cut_pattern(term), text) if "\n" in match[0])
    match = next(torn, None)
    return match.span() if match else (0, len(text))


def _cut_pattern(term: str) -> str:
    parts = [
        rf"{_GLUE}{letter}(?:\.[ \t]?)?" if letter in "ABCD" else re.escape(letter)
        for letter in term
    ]
    return "".join(parts)


CHECKS: Final = (
    EmptyText(),
    OptionsUnreadable(),
    OptionCount(),
    LettersSpliced(),
    LabelInText(),
    EqualOptions(),
    KeyOutOfRange(),
    KeyChanged(),
    OrderChanged(),
    NumberUnreadable(),
    ExplanationMissing(),
)
