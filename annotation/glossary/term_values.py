"""Cleans the values of a term and names their faults, in codes and in words."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from annotation.glossary.folding import fold_term
from annotation.glossary.matching import KINDS, needs_capitals
from annotation.importers.labels import gettext_noop

LONGEST_TERM: Final = 200
LONGEST_DOMAIN: Final = 100
LONGEST_NOTE: Final = 2000
MOST_RENDERINGS: Final = 20
PARTS_OF_SPEECH: Final = ("noun", "verb", "adjective", "adverb", "properNoun", "other")
BETWEEN: Final = "|"

PROBLEMS: Final[Mapping[str, str]] = {
    "source_missing": gettext_noop("Enter the term in the source language."),
    "too_long": gettext_noop("Use at most %(limit)s characters."),
    "too_many": gettext_noop("Give at most %(limit)s renderings of a kind."),
    "not_plain": gettext_noop("This contains a line break, a control character or “|”. Remove it."),
    "no_rendering": gettext_noop("Give at least one rendering: preferred, allowed or forbidden."),
    "repeated": gettext_noop("“%(text)s” is given twice."),
    "part_of_speech_unknown": gettext_noop("The part of speech must be one of: %(known)s."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TermValues:
    """Everything that a term says."""

    source: str
    preferred: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    part_of_speech: str = ""
    domain: str = ""
    note: str = ""

    @property
    def key(self) -> str:
        """The source text as it is looked for: two terms with one key are the same term."""
        if needs_capitals(self.source):
            return unicodedata.normalize("NFC", self.source)
        return fold_term(self.source)

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.key, self.part_of_speech, self.domain


@dataclass(frozen=True, slots=True)
class TermProblem:
    """One fault of a field of a term."""

    field: str
    code: str
    data: Mapping[str, str | int]


def cleaned(values: TermValues) -> TermValues:
    """Return the values without outer blanks, empty renderings and Windows' ends of lines."""
    renderings = {kind: _cleaned_texts(getattr(values, kind)) for kind in KINDS}
    return replace(
        values,
        source=values.source.strip(),
        domain=values.domain.strip(),
        part_of_speech=values.part_of_speech.strip(),
        note=values.note.replace("\r\n", "\n").replace("\r", "\n").strip(),
        **renderings,
    )


def problems(values: TermValues) -> list[TermProblem]:
    """Return everything that is wrong with cleaned values, none where they can be stored."""
    return [
        *_problems_of_source(values),
        *_problems_of_renderings(values),
        *_problems_of_rest(values),
    ]


def _cleaned_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, (text.strip() for text in texts)))


def _problems_of_source(values: TermValues) -> Iterator[TermProblem]:
    if not fold_term(values.source):
        yield TermProblem("source", "source_missing", {})
    yield from _problems_of_line("source", values.source, LONGEST_TERM)


def _problems_of_renderings(values: TermValues) -> Iterator[TermProblem]:
    if not (values.preferred or values.allowed or values.forbidden):
        yield TermProblem("preferred", "no_rendering", {})
    seen: set[str] = set()
    for kind in KINDS:
        texts: tuple[str, ...] = getattr(values, kind)
        if len(texts) > MOST_RENDERINGS:
            yield TermProblem(kind, "too_many", {"limit": MOST_RENDERINGS})
        for text in texts:
            yield from _problems_of_line(kind, text, LONGEST_TERM)
            if (key := TermValues(source=text).key) in seen:
                yield TermProblem(kind, "repeated", {"text": text[:LONGEST_TERM]})
            seen.add(key)


def _problems_of_rest(values: TermValues) -> Iterator[TermProblem]:
    yield from _problems_of_line("domain", values.domain, LONGEST_DOMAIN)
    if values.part_of_speech and values.part_of_speech not in PARTS_OF_SPEECH:
        known = ", ".join(PARTS_OF_SPEECH)
        yield TermProblem("part_of_speech", "part_of_speech_unknown", {"known": known})
    if len(values.note) > LONGEST_NOTE:
        yield TermProblem("note", "too_long", {"limit": LONGEST_NOTE})
    if any(_is_control(char) and char not in "\n\t" for char in values.note):
        yield TermProblem("note", "not_plain", {})


def _problems_of_line(field: str, text: str, longest: int) -> Iterator[TermProblem]:
    if len(text) > longest:
        yield TermProblem(field, "too_long", {"limit": longest})
    if BETWEEN in text or any(map(_is_control, text)):
        yield TermProblem(field, "not_plain", {})


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in "\ufffe\uffff"
