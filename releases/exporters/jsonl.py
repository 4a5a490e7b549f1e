"""JSONL: exact text, one file for each split and subject."""

from collections.abc import Iterator

from releases.exporters.base import ExportFile, ReleaseContent, Row, file_stem, rows_by_file
from releases.manifest import json_line

MEDIA_TYPE = "application/jsonl"


def export(content: ReleaseContent) -> Iterator[ExportFile]:
    """Write {id, subject, question, choices, answer, explanation, canary} a row."""
    for split, subject, rows in rows_by_file(content.rows):
        yield ExportFile(
            name=f"jsonl/{split}/{file_stem(subject)}.jsonl",
            media_type=MEDIA_TYPE,
            pieces=(_line(row, content.facts.canary) for row in rows),
            row_count=len(rows),
        )


def _line(row: Row, canary: str) -> str:
    return json_line(
        {
            "id": row.id,
            "subject": row.subject,
            "question": row.question,
            "choices": list(row.choices),
            "answer": row.answer,
            "explanation": row.explanation,
            "canary": canary,
        }
    )
