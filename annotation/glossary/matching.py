"""Finds the terms of a glossary in an item, and what became of them in its translation.

`Glossary` is made once for each version of a project's terms. It looks up the first two characters at
each place of a text and then whole terms, the longest first, so its cost hardly grows with the number
of terms.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from annotation.glossary.boundaries import begins, ends
from annotation.glossary.folding import Folded, fold, fold_term
from languages import get_language

Kind = Literal["preferred", "allowed", "forbidden"]
KINDS: Final[tuple[Kind, ...]] = ("preferred", "allowed", "forbidden")
_HEAD: Final = 2


@dataclass(frozen=True, slots=True)
class TermText:
    """A term as it is looked for; `pk` leads to its page."""

    source: str
    preferred: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    note: str = ""
    pk: int = 0


class Span(NamedTuple):
    """A part of one field, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Use:
    """A rendering of a term that stands in the translation."""

    span: Span
    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term in one field of the source, with its renderings in the same field of the translation.

    It is missing where there is a preferred rendering and neither that nor an allowed one is used.
    """

    field: str
    term: TermText
    spans: tuple[Span, ...]
    uses: tuple[Use, ...] = ()

    @property
    def is_missing(self) -> bool:
        return bool(self.term.preferred) and all(use.kind == "forbidden" for use in self.uses)

    @property
    def is_forbidden(self) -> bool:
        return any(use.kind == "forbidden" for use in self.uses)


Field = tuple[str, str, str]
"""Name of a field, its source text and its text in the translation."""


class Phrases:
    """Strings to look for in texts of one language, each with a value."""

    def __init__(self, phrases: Iterable[tuple[str, Any]], language: str) -> None:
        self._endings = get_language(language).word_endings
        self._found: defaultdict[str, list[tuple[str, Any]]] = defaultdict(list)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for phrase, value in phrases:
            if folded := fold_term(phrase):
                self._found[folded].append((phrase if needs_capitals(phrase) else "", value))
                lengths[folded[:_HEAD]].add(len(folded))
        self._lengths = {head: sorted(found, reverse=True) for head, found in lengths.items()}

    def find(self, text: str) -> Iterator[tuple[Span, Any]]:
        """Return every phrase in `text` from its beginning on, the longest at each place, none in another."""
        folded = fold(text)
        chars, at, heads = folded.text, 0, self._lengths
        while at < len(chars):
            length = 1
            if chars[at : at + _HEAD] in heads or chars[at] in heads:
                length, values = self._longest_at(folded, at, text)
                if values:
                    span = Span(*folded.place(at, at + length))
                    yield from ((span, value) for value in values)
            at += length

    def _longest_at(self, folded: Folded, at: int, text: str) -> tuple[int, list[Any]]:
        """Return length and values of the longest phrase at this place; (1, []) if there is none."""
        chars = folded.text
        for length in self._lengths_at(chars, at):
            found = self._found.get(chars[at : at + length])
            if found and begins(chars, at) and ends(chars, at + length, self._endings):
                start, end = folded.place(at, at + length)
                if values := _as_written(found, text[start:end]):
                    return length, values
        return 1, []

    def _lengths_at(self, chars: str, at: int) -> list[int]:
        """Return the lengths of the phrases that may stand at this place, the longest first."""
        long = self._lengths.get(chars[at : at + _HEAD], ())
        single = self._lengths.get(chars[at], ())
        return [length for length in (*long, *single) if at + length <= len(chars)]


def _as_written(found: list[tuple[str, Any]], written: str) -> list[Any]:
    """Return the values of those that ask for these very capitals, else of those that ask for none."""
    exact = [value for wanted, value in found if wanted == written]
    return exact or [value for wanted, value in found if not wanted]


class Glossary:
    """The terms of a project, ready to be looked for."""

    def __init__(self, terms: Iterable[TermText], source: str, target: str) -> None:
        self.target_language = target
        self._phrases = Phrases(((term.source, term) for term in terms), source)

    def terms_in(self, fields: Iterable[tuple[str, str]]) -> list[TermHit]:
        """Return the terms in the source texts, each once a field, in the order of the text."""
        return [
            TermHit(field=name, term=term, spans=tuple(spans))
            for name, text in fields
            for term, spans in self._by_term(text).items()
        ]

    def hits(self, fields: Sequence[Field]) -> list[TermHit]:
        """Return the terms in the source with what became of them in the translation."""
        found = self.terms_in((name, source) for name, source, _target in fields)
        targets = {name: target for name, _source, target in fields}
        return list(with_uses(found, targets, self.target_language))

    def _by_term(self, text: str) -> dict[TermText, list[Span]]:
        """Return the places of each term; terms of one source text count as one, with all renderings."""
        at: defaultdict[Span, list[TermText]] = defaultdict(list)
        for span, term in self._phrases.find(text):
            at[span].append(term)
        found: defaultdict[TermText, list[Span]] = defaultdict(list)
        for span, terms in at.items():
            found[merged(terms)].append(span)
        return found


def with_uses(hits: Sequence[TermHit], targets: dict[str, str], language: str) -> Iterator[TermHit]:
    """Yield the hits with the renderings that stand in the same field of the translation.

    The renderings of all terms of a field are looked for together, so that a forbidden one that is
    part of another term's preferred one does not count.
    """
    for name, text in targets.items():
        here = [hit for hit in hits if hit.field == name]
        uses: defaultdict[int, list[Use]] = defaultdict(list)
        if text and here:
            for span, (number, kind) in Phrases(_renderings(here), language).find(text):
                uses[number].append(Use(span, text[span.start : span.end], kind))
        for number, hit in enumerate(here):
            yield replace(hit, uses=tuple(uses[number]))


def _renderings(hits: Sequence[TermHit]) -> Iterator[tuple[str, tuple[int, Kind]]]:
    for number, hit in enumerate(hits):
        for kind in KINDS:
            yield from ((text, (number, kind)) for text in getattr(hit.term, kind))


def merged(terms: Sequence[TermText]) -> TermText:
    """Return one term of several with the same source text; what one of them allows none forbids."""
    if len(terms) == 1:
        return terms[0]
    texts = {kind: _all(terms, kind) for kind in KINDS}
    fine = {fold_term(text) for text in (*texts["preferred"], *texts["allowed"])}
    texts["forbidden"] = tuple(t for t in texts["forbidden"] if fold_term(t) not in fine)
    notes = "\n".join(filter(None, (term.note for term in terms)))
    return TermText(terms[0].source, **texts, note=notes, pk=terms[0].pk)


def _all(terms: Sequence[TermText], kind: Kind) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for term in terms for text in getattr(term, kind)))


def needs_capitals(phrase: str) -> bool:
    """Return whether its capital letters tell it from a common word: DNA, pH, US; not Cell."""
    return any(map(str.isupper, phrase[1:])) or (len(phrase) == 1 and phrase.isupper())
