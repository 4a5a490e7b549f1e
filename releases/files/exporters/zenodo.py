""".zenodo.json: the metadata that Zenodo reads of a deposit (developers.zenodo.org)."""

from collections.abc import Iterator
from html import escape
from typing import Any

from common.web_addresses import web_address
from releases.details.licences import spdx_id
from releases.details.values import Author
from releases.files.exporters.citation import authors_of, title_of
from releases.files.manifest import ReleaseFacts, json_document

ZENODO_NAME = ".zenodo.json"
UNKNOWN_LICENCE = "other-closed"
"""Zenodo's "Other (Not Open)". Without a licence it would put the data under its default, CC0."""
_ISO_639_3 = {
    "ar": "ara", "bo": "bod", "dz": "dzo", "en": "eng", "ja": "jpn", "lo": "lao", "mn": "mon",
    "ug": "uig", "zh": "zho",
}  # fmt: skip
"""Zenodo's codes of the languages that Lotsawa knows, by the first part of their own."""


def zenodo_bytes(facts: ReleaseFacts) -> bytes:
    """Return the metadata of a deposit of the release; the same facts give the same bytes."""
    return json_document({name: value for name, value in _fields(facts) if value})


def _fields(facts: ReleaseFacts) -> Iterator[tuple[str, Any]]:
    yield "title", title_of(facts)
    yield "upload_type", "dataset"
    yield "access_right", "open"
    yield "version", facts.version
    yield "creators", [_creator(author) for author in authors_of(facts)]
    yield "description", "".join(_description(facts))
    kinds = ["multiple choice"] if facts.are_all_choices else []
    yield "keywords", ["benchmark", "evaluation", *kinds, facts.target_language]
    yield "language", _ISO_639_3.get(facts.target_language.partition("-")[0], "")
    yield "license", spdx_id(facts.licence) or UNKNOWN_LICENCE
    yield "related_identifiers", list(_related(facts))


def _creator(author: Author) -> dict[str, str]:
    return {"name": author.whole} | ({"orcid": author.orcid} if author.orcid else {})


def _description(facts: ReleaseFacts) -> Iterator[str]:
    counts = facts.counts
    yield (
        f"<p>{escape(facts.name)} {escape(facts.version)}: {counts.open} open items in "
        f"{escape(facts.target_language)}, {facts.reviewed} ({counts.test} test and "
        f"{counts.dev} dev items in all, {counts.black_box} of them hidden).</p>"
    )
    yield f"<p>{escape(facts.notes.strip())}</p>" if facts.notes.strip() else ""
    yield f"<p>Licence: {escape(facts.licence)}</p>" if facts.licence else ""
    if facts.sources:
        yield "<p>Sources:</p><ul>"
        for source in facts.sources:
            said = f"{source.name} {source.revision}".strip()
            licence = source.licence or "licence not stated"
            yield f"<li>{escape(said)} ({escape(licence)}). {escape(source.attribution.strip())}</li>"
        yield "</ul>"
    yield f"<p>{escape(facts.canary)}</p>"


def _related(facts: ReleaseFacts) -> Iterator[dict[str, str]]:
    if facts.details.doi:
        yield {"identifier": facts.details.doi, "relation": "isVersionOf"}
    if facts.details.url:
        yield {"identifier": facts.details.url, "relation": "isDescribedBy"}
    urls = (web_address(source.url) for source in facts.sources)
    for url in dict.fromkeys(filter(None, urls)):
        yield {"identifier": url, "relation": "isDerivedFrom", "resource_type": "dataset"}
