"""Describe a release to search engines for data sets: schema.org's Dataset as JSON-LD."""

import json
from collections.abc import Iterable
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from releases.details.values import Author
from releases.files.exporters.citation import authors_of, title_of
from releases.files.manifest import ReleaseFacts
from releases.models import Artifact, Release

_ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


def linked_data(
    release: Release, facts: ReleaseFacts, files: Iterable[Artifact], *, url: str, files_url: str
) -> SafeString:
    """Return the JSON for a script element; nothing in it ends that element."""
    body = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{title_of(facts)} {release.version}",
        "description": description(facts),
        "url": url,
        "version": release.version,
        "inLanguage": facts.target_language,
        "isAccessibleForFree": True,
        "creator": [_creator(author) for author in authors_of(facts)],
        **_known(
            license=facts.licence,
            identifier=f"https://doi.org/{facts.details.doi}" if facts.details.doi else "",
            datePublished=release.published_at.date().isoformat() if release.published_at else "",
        ),
        "distribution": [_file(file, files_url) for file in files],
    }
    text = json.dumps(body, ensure_ascii=False, indent=1).translate(_ESCAPES)
    html: SafeString = mark_safe(text)  # noqa: S308 - what could end the element is escaped
    return html


def description(facts: ReleaseFacts) -> str:
    """Return one sentence for search engines; schema.org wants at least fifty characters."""
    counts = facts.counts
    hidden = " Every test item is hidden." if counts.hides_every_test else ""
    if facts.has_withheld:
        hidden = f" The answers to {counts.black_box} test items are withheld."
    return (
        f"{title_of(facts)} {facts.version}: {counts.test} test and {counts.dev} dev items in "
        f"{len(counts.subjects)} subjects ({facts.target_language}), each {facts.reviewed}. "
        f"{'Multiple-choice questions' if facts.are_all_choices else 'Items'} for the evaluation of "
        f"language models.{hidden}"
    )


def _creator(author: Author) -> dict[str, str]:
    return {"@type": "Organization" if author.name else "Person", "name": author.whole}


def _file(file: Artifact, files_url: str) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": file.name,
        "encodingFormat": file.media_type,
        "contentUrl": f"{files_url}{file.name}",
        "sha256": file.sha256,
        "contentSize": f"{file.size} B",
    }


def _known(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
