"""Checks of the glossary: its terms in the source beside their renderings in the translation."""

from collections.abc import Iterator
from typing import ClassVar, Final

from annotation.checks.catalogue.base import (
    Check,
    CheckInput,
    Problem,
    Severity,
    option_field,
    shorten,
)
from annotation.glossary.matching import TermHit, with_uses

_QUESTION: Final = "question"
_MOST_LISTED: Final = 8


class ForbiddenRendering:
    """A rendering that the glossary forbids for a term that stands in the source."""

    code: ClassVar[str] = "term_forbidden"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "terms"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for hit in _hits(given):
            for use in hit.uses:
                if use.kind == "forbidden":
                    data = {
                        "term": shorten(hit.term.source),
                        "found": shorten(use.text),
                        "preferred": _preferred(hit),
                    }
                    yield Problem(self.code, self.severity, hit.field, *use.span, data)


class MissingRendering:
    """A term in the source without any rendering that the glossary prefers or allows.

    One problem a field, since a missing text has no place of its own.
    """

    code: ClassVar[str] = "term_missing"
    severity: ClassVar[Severity] = "warning"
    family: ClassVar[str] = "terms"

    def run(self, given: CheckInput) -> Iterator[Problem]:
        by_field: dict[str, list[str]] = {}
        for hit in _missing(given):
            words = f"{hit.term.source} → {_preferred(hit)}"
            by_field.setdefault(hit.field, []).append(words)
        for field, terms in by_field.items():
            data = {"terms": shorten("; ".join(terms[:_MOST_LISTED]))}
            yield Problem(self.code, self.severity, field, data=data)


def _missing(given: CheckInput) -> Iterator[TermHit]:
    """Terms without a rendering; where the options can't be paired, anywhere in the translation."""
    hits = _hits(given)
    if given.is_readable:
        yield from (hit for hit in hits if hit.is_missing and _text_of(given, hit.field).strip())
        return
    terms = {hit.term.source: [h for h in hits if h.term == hit.term] for hit in hits}
    if given.target_text.strip():
        yield from (found[0] for found in terms.values() if all(hit.is_missing for hit in found))


def _hits(given: CheckInput) -> list[TermHit]:
    """The terms of each field with their uses there, or of the whole source in each field."""
    if not given.terms:
        return []
    targets = {name: text for name, text in _targets(given) if text}
    if given.is_readable:
        return list(with_uses(given.terms, targets, given.target_language))
    terms = {hit.term: hit for hit in given.terms}
    everywhere = [TermHit(name, term, hit.spans) for name in targets for term, hit in terms.items()]
    return list(with_uses(everywhere, targets, given.target_language))


def _targets(given: CheckInput) -> Iterator[tuple[str, str]]:
    yield _QUESTION, given.question
    yield from ((option_field(n), text) for n, text in enumerate(given.options))


def _text_of(given: CheckInput, field: str) -> str:
    return dict(_targets(given)).get(field, "")


def _preferred(hit: TermHit) -> str:
    return shorten(" / ".join(hit.term.preferred)) or "–"


CHECKS: Final[tuple[Check, ...]] = (ForbiddenRendering(), MissingRendering())
