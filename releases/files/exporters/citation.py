"""CITATION.cff: how to cite the release, in Citation File Format 1.2.0."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from common.web_addresses import web_address
from releases.details.licences import each_once, spdx_id
from releases.details.values import CITATION_LICENCES, Author
from releases.files.exporters.base import ReleaseContent
from releases.files.exporters.output import OutputFolder
from releases.files.exporters.yaml_text import yaml_text
from releases.files.manifest import ReleaseFacts, SourceNote

CITATION_NAME = "CITATION.cff"
NOT_STATED = "not stated"
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    text = citation_text(content.facts)
    folder.add_bytes(CITATION_NAME, text.encode(), media_type="application/yaml")


def citation_text(facts: ReleaseFacts) -> str:
    return "".join(_pieces(facts))


def authors_of(facts: ReleaseFacts) -> tuple[Author, ...]:
    """Return the authors that managers named, else the contributors, else the project.

    A citation without an author is not valid.
    """
    contributors = tuple(Author(given=name) for name in facts.contributors)
    return facts.details.authors or contributors or (Author(f"Contributors to {facts.name}"),)


def title_of(facts: ReleaseFacts) -> str:
    return facts.details.title or facts.name


def licences_of(facts: ReleaseFacts) -> list[str]:
    """Return the chosen licence, or those of the sources, of which some may say nothing.

    A licence that sources spell in several ways is told once, by the first of its spellings.
    """
    if facts.details.licence:
        return [facts.details.licence]
    theirs = (source.licence.strip() or NOT_STATED for source in facts.sources)
    return each_once(theirs) or [NOT_STATED]


def address_of(facts: ReleaseFacts) -> str:
    """Return where readers find the data set: its own address, its DOI, or the page of this server.

    It is "" if only this machine reaches the page.
    """
    details = facts.details
    here = "" if urlsplit(facts.address).hostname in _THIS_MACHINE else facts.address
    return details.url or (f"https://doi.org/{details.doi}" if details.doi else here)


def citation_line(facts: ReleaseFacts) -> str:
    """Return the citation as one line: authors, year, title, version and address."""
    authors = "; ".join(author.whole for author in authors_of(facts))
    year = f" ({facts.day[:4]})" if facts.day else ""
    address = f" {address_of(facts)}" if address_of(facts) else ""
    return f"{authors}{year}. {title_of(facts)}, version {facts.version}.{address}"


def _pieces(facts: ReleaseFacts) -> Iterator[str]:
    details = facts.details
    yield "cff-version: 1.2.0\n"
    yield "message: If you use this data set, please cite it as below.\n"
    yield f"type: dataset\ntitle: {yaml_text(title_of(facts))}\nversion: {yaml_text(facts.version)}\n"
    yield f"date-released: {yaml_text(facts.day)}\n" if facts.day else ""
    yield "authors:\n"
    for author in authors_of(facts):
        yield from _author(author, indent="  ")
    yield f"doi: {yaml_text(details.doi)}\n" if details.doi else ""
    yield f"url: {yaml_text(address_of(facts))}\n" if address_of(facts) else ""
    licence = CITATION_LICENCES.get(spdx_id(details.licence))
    yield f"license: {licence}\n" if licence else ""
    if facts.sources:
        yield "references:\n"
    for source in facts.sources:
        yield from _reference(source)


def _author(author: Author, *, indent: str) -> Iterator[str]:
    fields = {
        "name": author.name,
        "family-names": author.family,
        "given-names": author.given,
        "orcid": f"https://orcid.org/{author.orcid}" if author.orcid else "",
    }
    lines = [f"{name}: {yaml_text(value)}\n" for name, value in fields.items() if value]
    yield f"{indent}- {f'{indent}  '.join(lines)}"


def _reference(source: SourceNote) -> Iterator[str]:
    yield f"  - type: data\n    title: {yaml_text(source.name)}\n    authors:\n"
    yield from _author(Author(f"Authors of {source.name}"), indent="      ")
    yield f"    version: {yaml_text(source.revision)}\n" if source.revision else ""
    address = web_address(source.url)
    yield f"    url: {yaml_text(address)}\n" if address else ""
    yield (
        f"    notes: {yaml_text(source.attribution.strip())}\n"
        if source.attribution.strip()
        else ""
    )
