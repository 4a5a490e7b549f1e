"""Terms as TBX-Basic, in style DCA or DCT; what is written is read back as it was."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from annotation.glossary.formats.tbx_names import (
    BASIC,
    DOMAIN,
    MIN,
    NAMESPACE,
    PART_OF_SPEECH,
    STATUS,
    STATUS_OF_KIND,
)
from annotation.glossary.matching import KINDS
from annotation.glossary.term_values import TermValues

_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="{style}" xml:lang={source} xmlns="{namespace}"{more}>
<tbxHeader><fileDesc><titleStmt><title>{title}</title></titleStmt>\
<sourceDesc><p>Exported from Lotsawa</p></sourceDesc></fileDesc></tbxHeader>
<text><body>
"""
_FOOT: Final = "</body></text>\n</tbx>\n"


class Style(NamedTuple):
    """The tags of one dialect for a domain and the two kinds of notes on a term."""

    name: str
    more: str
    domain: str
    part_of_speech: str
    status: str


_DCA: Final = Style(
    "dca",
    "",
    f'<descrip type="{DOMAIN}">%s</descrip>',
    f'<termNote type="{PART_OF_SPEECH}">%s</termNote>',
    f'<termNote type="{STATUS}">%s</termNote>',
)
_DCT: Final = Style(
    "dct",
    f' xmlns:min="{MIN}" xmlns:basic="{BASIC}"',
    f"<min:{DOMAIN}>%s</min:{DOMAIN}>",
    f"<min:{PART_OF_SPEECH}>%s</min:{PART_OF_SPEECH}>",
    f"<min:{STATUS}>%s</min:{STATUS}>",
)


def write_dca(
    terms: Iterable[TermValues], *, title: str, source: str, target: str
) -> Iterator[str]:
    """Yield TBX with data categories as attributes, which most programs read."""
    return _write(terms, _DCA, title, source, target)


def write_dct(
    terms: Iterable[TermValues], *, title: str, source: str, target: str
) -> Iterator[str]:
    """Yield TBX with data categories as tags."""
    return _write(terms, _DCT, title, source, target)


def _write(
    terms: Iterable[TermValues], style: Style, title: str, source: str, target: str
) -> Iterator[str]:
    yield _HEAD.format(
        style=style.name,
        source=quoteattr(source),
        namespace=NAMESPACE,
        more=style.more,
        title=escape(title),
    )
    for number, term in enumerate(terms, 1):
        yield "".join(_entry(term, number, style, source, target))
    yield _FOOT


def _entry(term: TermValues, number: int, style: Style, source: str, target: str) -> Iterator[str]:
    yield f'<conceptEntry id="t{number}">'
    if term.domain:
        yield style.domain % escape(term.domain)
    if term.note:
        yield f"<note>{escape(term.note)}</note>"
    yield f"\n<langSec xml:lang={quoteattr(source)}>{_term(term, style)}</langSec>"
    if term.preferred or term.allowed or term.forbidden:
        yield f"\n<langSec xml:lang={quoteattr(target)}>"
        for kind in KINDS:
            for text in getattr(term, kind):
                status = style.status % STATUS_OF_KIND[kind]
                yield f"<termSec><term>{escape(text)}</term>{status}</termSec>"
        yield "</langSec>"
    yield "\n</conceptEntry>\n"


def _term(term: TermValues, style: Style) -> str:
    part = style.part_of_speech % escape(term.part_of_speech) if term.part_of_speech else ""
    return f"<termSec><term>{escape(term.source)}</term>{part}</termSec>"
