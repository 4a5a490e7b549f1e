"""Checks of the glossary: its terms in the source beside their renderings in the translation."""

from collections.abc import Iterator
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem, shorten
from annotation.glossary.matching import TermHit, with_uses
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_field

_QUESTION: Final = "question"
_MOST_LISTED: Final = 8


class ForbiddenRendering(Check):
    """A rendering that the glossary forbids for a term that stands in the source."""

    code = "term_forbidden"
    severity = "warning"
    family = "terms"
    title = _("Forbidden rendering")
    sentence = _(
        "“%(found)s” is a rendering of “%(term)s” that the glossary forbids. It prefers: "
        "%(preferred)s."
    )
    why = _("The glossary of the project says how its terms are not to be rendered.")
    faulty = _("With 民族 → preferred མི་རིགས, forbidden རིགས་རྒྱུད, 哪个民族 was rendered རིགས་རྒྱུད་གང་ཡིན།")
    sound = _("With the same term, 哪个民族 was rendered མི་རིགས་གང་ཡིན།")
    fix = _("Use a preferred rendering.")
    when_wrong = _(
        "Dismiss the finding where this place is an exception, or propose to change the "
        "term. A forbidden rendering counts only where its term stands in the same field of "
        "the source, and not where it is part of another term’s preferred rendering."
    )

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


class MissingRendering(Check):
    """A term in the source without any rendering that the glossary prefers or allows.

    One problem a field, since a missing text has no place of its own.
    """

    code = "term_missing"
    severity = "warning"
    family = "terms"
    title = _("Preferred rendering missing")
    sentence = _("The glossary prefers other renderings: %(terms)s.")
    why = _(
        "Readers of a benchmark should meet one word for one thing. A term of the project’s "
        "glossary stands in the source, and the same field of the translation has neither a "
        "preferred nor an allowed rendering of it. Where the options cannot be told apart, a "
        "rendering anywhere in the translation is enough."
    )
    faulty = _("With 光合作用 → preferred འོད་སྦྱོར, a translation paraphrases photosynthesis.")
    sound = _("The translation says འོད་སྦྱོར.")
    fix = _("Use the preferred rendering.")
    when_wrong = _(
        "Dismiss the finding where another word is right here, or propose to allow that "
        "word. Words that are inflected in ways that the language’s list of endings does not "
        "know are found wrongly."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        by_field: dict[str, list[str]] = {}
        for hit in _missing(given):
            words = f"{hit.term.source} → {_preferred(hit)}"
            by_field.setdefault(hit.field, []).append(words)
        for field, terms in by_field.items():
            data = {"terms": shorten("; ".join(terms[:_MOST_LISTED]))}
            yield Problem(self.code, self.severity, field, data=data)


def _missing(given: CheckInput) -> Iterator[TermHit]:
    """Yield terms without a rendering; where the options can't be paired, anywhere in the translation."""
    hits = _hits(given)
    if given.is_readable:
        yield from (hit for hit in hits if hit.is_missing and _text_of(given, hit.field).strip())
        return
    terms = {hit.term.source: [h for h in hits if h.term == hit.term] for hit in hits}
    if given.target_text.strip():
        yield from (found[0] for found in terms.values() if all(hit.is_missing for hit in found))


def _hits(given: CheckInput) -> list[TermHit]:
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
