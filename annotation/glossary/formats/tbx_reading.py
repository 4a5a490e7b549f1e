"""Reads TBX-Basic in both styles, and the TBX of 2008, without following anything outside the file."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from annotation.glossary.formats.base import ReadTerms, RowProblem, TermRow, checked, refused
from annotation.glossary.formats.tbx_names import (
    DOMAIN,
    ENTRIES,
    KIND_OF_STATUS,
    LANG,
    LANGUAGES,
    NOTE,
    PART_OF_SPEECH,
    STATUS,
    TERMS,
)
from annotation.glossary.matching import KINDS
from annotation.glossary.term_values import TermValues

_ROOTS = ("tbx", "martif")


def read_tbx(content: bytes, *, source_language: str, target_language: str) -> ReadTerms:
    """Read the entries that have a term in the source language; other languages are left out."""
    try:
        root = fromstring(content)
    except DefusedXmlException:
        return refused("xml_entities")
    except (ParseError, ValueError, LookupError) as error:
        return refused("not_xml", why=str(error)[:200] or type(error).__name__)
    if _name(root) not in _ROOTS:
        return refused("not_tbx")
    found: list[TermRow] = []
    wrong: list[RowProblem] = []
    entries = (element for element in root.iter() if _name(element) in ENTRIES)
    for number, entry in enumerate(entries, 1):
        sources = _terms_of(entry, source_language)
        if len(sources) == 1:
            found.append(TermRow(number, _values(entry, sources[0], target_language)))
        else:
            code = "several_terms" if sources else "no_term"
            wrong.append(RowProblem(number, "source", code, {"language": source_language}))
    return checked(found, wrong)


def _values(entry: Element, source: Element, target_language: str) -> TermValues:
    renderings: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for term in _terms_of(entry, target_language):
        renderings[_kind(term)].append(_text(term, "term"))
    return TermValues(
        source=_text(source, "term"),
        part_of_speech=_category(source, PART_OF_SPEECH),
        domain=_category(entry, DOMAIN),
        note="\n".join(_notes(entry)),
        **{kind: tuple(texts) for kind, texts in renderings.items()},
    )


def _terms_of(entry: Element, language: str) -> list[Element]:
    """Return the terms of an entry in a language; `zh-CN` in a file is `zh`, and the other way round."""
    sections = [child for child in entry if _name(child) in LANGUAGES]
    wanted = [s for s in sections if _tag(s) == language.casefold()]
    if not wanted:
        wanted = [
            s
            for s in sections
            if _tag(s).partition("-")[0] == language.casefold().partition("-")[0]
        ]
    return [term for section in wanted for term in section if _name(term) in TERMS]


def _tag(section: Element) -> str:
    return section.get(LANG, "").casefold().replace("_", "-")


def _kind(term: Element) -> str:
    """Return the status of a term; one without a status is preferred."""
    status = _category(term, STATUS).partition("-")[0]
    return KIND_OF_STATUS.get(status, "preferred")


def _category(element: Element, name: str) -> str:
    """Return a data category of this level, written as a type or as an element of its own."""
    for child in _inside(element):
        if _name(child) == name or child.get("type") == name:
            return _whole_text(child)
    return ""


def _notes(entry: Element) -> Iterator[str]:
    yield from (_whole_text(child) for child in _inside(entry) if _name(child) == NOTE)


def _text(element: Element, name: str) -> str:
    return next((_whole_text(c) for c in _inside(element) if _name(c) == name), "")


def _inside(element: Element) -> Iterator[Element]:
    """Yield children, and those of the groups that gather what belongs to one of them."""
    for child in element:
        yield child
        if _name(child).endswith("Grp"):
            yield from _inside(child)


def _whole_text(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
