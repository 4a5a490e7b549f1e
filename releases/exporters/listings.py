"""What a release says about its items: the black box's public list, the ledger, the figures."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice

from releases.exporters.base import ReleaseContent
from releases.exporters.output import OutputFolder
from releases.ledger_figures import LedgerFigures
from releases.manifest import json_document, json_line

LINES = "application/jsonl"
LINES_AT_ONCE = 1_000


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    """Write `black_box.jsonl`, `ledger.jsonl` and `quality.json`."""
    _write_lines(folder, "black_box.jsonl", (json_line(asdict(item)) for item in content.hidden()))
    figures = LedgerFigures()
    _write_lines(folder, "ledger.jsonl", _counted(content.ledger(), figures))
    data = json_document({**content.quality, "release": figures.as_json()})
    folder.add_bytes("quality.json", data, media_type="application/json")


def _counted(lines: Iterator[str], figures: LedgerFigures) -> Iterator[str]:
    for line in lines:
        figures.add(line)
        yield line


def _write_lines(folder: OutputFolder, name: str, lines: Iterator[str]) -> None:
    with folder.create(name, media_type=LINES) as file:
        file.row_count = 0
        while part := list(islice(lines, LINES_AT_ONCE)):
            file.write("".join(part).encode())
            file.row_count += len(part)
