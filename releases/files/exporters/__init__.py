"""The formats of a release, one module each; register a new one here."""

from releases.files.exporters import (
    card,
    checksums,
    citation,
    cmmlu,
    croissant,
    csv_tables,
    data_files,
    harnesses,
    jsonl,
    listings,
    manifest_file,
    parquet,
    ti_mmlu,
)
from releases.files.exporters.base import DataFormat, Exporter, ReleaseContent
from releases.files.exporters.output import OutputFolder

FORMATS: dict[str, DataFormat] = {
    data_format.name: data_format
    for data_format in (
        jsonl.FORMAT,
        csv_tables.FORMAT,
        parquet.FORMAT,
        cmmlu.FORMAT,
        ti_mmlu.FORMAT,
    )
}
"""Formats of the rows, from which a build chooses."""

DESCRIPTIONS: tuple[Exporter, ...] = (
    harnesses.export,
    croissant.export,
    citation.export,
    card.export,
    manifest_file.export,
    checksums.export,
)
"""What every release holds besides, in this order: each sees the files of those before it."""

MEDIA_TYPES = (
    *(each.media_type for each in FORMATS.values()),
    *("application/json", "application/ld+json", "application/yaml", "application/zip"),
    *("text/markdown", "text/plain", "text/x-python"),
)
"""What the files of a release can be."""

__all__ = [
    "DESCRIPTIONS",
    "FORMATS",
    "MEDIA_TYPES",
    "Exporter",
    "OutputFolder",
    "ReleaseContent",
    "export_all",
]


def export_all(content: ReleaseContent, folder: OutputFolder) -> None:
    """Write every file of the release: data and listings first, then what describes them."""
    with listings.listing(content, folder) as rows:
        data_files.export(rows, content, folder)
    for describe in DESCRIPTIONS:
        describe(content, folder)
