"""What a release says about its items: the black box's public list, the ledger, the figures."""

from collections.abc import Iterator
from dataclasses import asdict

from releases.exporters.base import ExportFile, LedgerEntry, ReleaseContent
from releases.manifest import json_document, json_line

LINES = "application/jsonl"


def export(content: ReleaseContent) -> Iterator[ExportFile]:
    """Write `black_box.jsonl`, `ledger.jsonl` and `quality.json`."""
    yield ExportFile(
        name="black_box.jsonl",
        media_type=LINES,
        pieces=(json_line(asdict(item)) for item in content.hidden),
        row_count=len(content.hidden),
    )
    yield ExportFile(
        name="ledger.jsonl",
        media_type=LINES,
        pieces=(_ledger_line(entry) for entry in content.ledger),
        row_count=len(content.ledger),
    )
    yield ExportFile(
        name="quality.json",
        media_type="application/json",
        pieces=[json_document(content.quality).decode()],
        row_count=None,
    )


def _ledger_line(entry: LedgerEntry) -> str:
    """The entry with what its rounds amount to: the last outcome, anybody who judged."""
    body = asdict(entry)
    outcomes = [note.outcome for note in entry.rounds if note.outcome]
    reviewers = {name: None for note in entry.rounds for name in note.reviewers}
    body["outcome"] = outcomes[-1] if outcomes else None
    body["is_adjudicated"] = any(note.is_adjudicated for note in entry.rounds)
    body["reviewers"] = list(reviewers)
    return json_line(body)
