"""Show the card and the citation of a release on its page, from the files as they were built."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from common.markdown import to_html
from releases.files.downloads import read_text
from releases.files.exporters.card import CARD_NAME
from releases.files.exporters.citation import CITATION_NAME
from releases.models import Release

ELSEWHERE = frozenset({"Subjects", "Files", "Citation", "Canary"})
"""Sections that the page has in a form of its own."""

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_BIBTEX = re.compile(r"```bibtex\n(.*?)```", re.DOTALL)
_ALIGNED = re.compile(r' style="text-align:\w+"')
_AROUND = '<div class="table-wrap" tabindex="0" role="region" aria-label="{}"><table>'
_HEADING = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class Card:
    """`lead` stands before the first heading, `bibtex` and `citation` are texts to copy."""

    lead: SafeString
    sections: tuple[Section, ...]
    bibtex: str
    citation: str


def card_of(release: Release) -> Card:
    """Return the card as HTML; it is made once in a process for each build that is asked for."""
    return _card(release.project.slug, release.version, release.content_hash)


@lru_cache(maxsize=64)
def _card(slug: str, version: str, _content_hash: str) -> Card:
    text = _FRONT.sub("", read_text(slug, version, CARD_NAME)).lstrip()
    lead, *parts = _HEADING.split(text)
    bibtex = _BIBTEX.search(text)
    return Card(
        lead=to_html(lead.partition("\n")[2]),
        sections=tuple(_sections(parts)),
        bibtex=bibtex[1].strip() if bibtex else "",
        citation=read_text(slug, version, CITATION_NAME).strip(),
    )


def _sections(parts: list[str]) -> Iterator[Section]:
    for part in parts:
        title, _line, body = part.partition("\n")
        if title.strip() not in ELSEWHERE:
            yield Section(title.strip(), _scrolling_tables(title.strip(), to_html(body)))


def _scrolling_tables(title: str, html: str) -> SafeString:
    """Let wide tables scroll by themselves, with the keyboard too, without a style in the page."""
    first, *rest = _ALIGNED.sub(' class="n"', html).split("<table>")
    pieces = [first]
    for number, piece in enumerate(rest, 1):
        name = title if number == 1 else f"{title} {number}"
        pieces.append(format_html(_AROUND, name) + piece.replace("</table>", "</table></div>"))
    return mark_safe("".join(pieces))  # noqa: S308 - the parser escaped what it was given
