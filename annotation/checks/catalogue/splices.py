"""Words that a rule for option labels has split: `NADH` became `N⏎A. ⏎D. H`."""

import re
from collections.abc import Iterator
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem, shorten
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_field
from languages import get_language

_LABEL_C: Final = re.compile(r"(?m)^[ \t\u3000]*C[.．、](?!\d)")
_GLUE: Final = r"(?:[ \t]{0,3}\n?[ \t]{0,3})"
_INSERTED: Final = re.compile(r"[ \t]{0,3}\n[ \t]{0,3}([A-D])\.[ \t]?")
_MOST_TERMS: Final = 200
_LATIN_TERM: Final = re.compile(r"°C|[A-Za-z][A-Za-z0-9]{1,40}")
_LOST_GA: Final = re.compile(r"(?<![\u0f40-\u0fbc])([\u0f40-\u0fbc]+)[ \t]{0,3}\n[ \t]{0,3}C\.")


class LettersSpliced(Check):
    """A capital letter within a word was taken for an option label and cut out of it.

    `NADH` became `N⏎A. ⏎D. H`; a Tibetan word that ends in ག lost that letter to a `C.`.
    """

    code = "letters_spliced"
    severity = "error"
    family = "structure"
    title = _("Word split by option labels")
    sentence = _(
        "This word was split, because one of its letters was taken for an option label: “%(term)s”."
    )
    needs_source = False
    explains = frozenset({"options_unreadable", "option_count", "label_in_text"})
    joined_value = "term"
    why = _(
        "A rule that puts a line break and a label wherever a capital A–D stands splits "
        "terms. In Tibetan files it also took a closing ག for a C. The check reports terms "
        "of the source that reappear when the inserted labels are taken out."
    )
    faulty = _("`N⏎A. ⏎D. H` for NADH, `24~26°⏎C.` for 24~26°C, `ཆོ ⏎C.` for ཆོག.")
    sound = _("`NADH`, `24~26°C`, `ཆོག`.")
    fix = _("Put the named term back and remove the labels around it.")
    when_wrong = _(
        "Where the parts of a term of the source really are labels of their own options."
    )

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
        if len(_LABEL_C.findall(text)) > 1:
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
