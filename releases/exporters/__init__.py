"""The formats that a release is written in, one module each."""

from collections.abc import Callable, Iterator

from releases.exporters import card, csv_tables, jsonl, listings
from releases.exporters.base import ExportFile, ReleaseContent

Exporter = Callable[[ReleaseContent], Iterator[ExportFile]]

FORMATS: dict[str, Exporter] = {"jsonl": jsonl.export, "csv": csv_tables.export}
"""Formats that can be chosen."""

ALWAYS: tuple[Exporter, ...] = (listings.export, card.export)
"""What every release holds besides."""

__all__ = ["ALWAYS", "FORMATS", "ExportFile", "Exporter", "ReleaseContent"]


def export_all(content: ReleaseContent) -> Iterator[ExportFile]:
    """Every file of the release but the manifest, which is made of what was written."""
    for name in sorted(content.facts.formats):
        yield from FORMATS[name](content)
    for exporter in ALWAYS:
        yield from exporter(content)
