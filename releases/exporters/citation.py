"""CITATION.cff: how to cite the release, in Citation File Format 1.2.0."""

from collections.abc import Iterator

from releases.details import CITATION_LICENCES, Author
from releases.exporters.base import ReleaseContent
from releases.exporters.output import OutputFolder
from releases.exporters.yaml_text import yaml_text
from releases.licences import spdx_id
from releases.manifest import ReleaseFacts, SourceNote

CITATION_NAME = "CITATION.cff"


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    text = citation_text(content.facts)
    folder.add_bytes(CITATION_NAME, text.encode(), media_type="application/yaml")


def citation_text(facts: ReleaseFacts) -> str:
    return "".join(_pieces(facts))


def authors_of(facts: ReleaseFacts) -> tuple[Author, ...]:
    """Those that managers named, else the contributors, else the project.

    A citation without an author is not valid.
    """
    contributors = tuple(Author(given=name) for name in facts.contributors)
    return facts.details.authors or contributors or (Author(f"Contributors to {facts.name}"),)


def title_of(facts: ReleaseFacts) -> str:
    return facts.details.title or facts.name


def _pieces(facts: ReleaseFacts) -> Iterator[str]:
    details = facts.details
    yield "cff-version: 1.2.0\n"
    yield "message: If you use this data set, please cite it as below.\n"
    yield f"type: dataset\ntitle: {yaml_text(title_of(facts))}\nversion: {yaml_text(facts.version)}\n"
    yield "authors:\n"
    for author in authors_of(facts):
        yield from _author(author, indent="  ")
    yield f"doi: {yaml_text(details.doi)}\n" if details.doi else ""
    yield f"url: {yaml_text(details.url)}\n" if details.url else ""
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
    yield f"    url: {yaml_text(source.url)}\n" if source.url else ""
    yield (
        f"    notes: {yaml_text(source.attribution.strip())}\n"
        if source.attribution.strip()
        else ""
    )
