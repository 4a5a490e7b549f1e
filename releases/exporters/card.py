"""README.md: what the release is, for people."""

from collections.abc import Iterable, Iterator

from releases.exporters.base import ExportFile, ReleaseContent
from releases.manifest import ReleaseFacts, SourceNote, SubjectCount


def export(content: ReleaseContent) -> Iterator[ExportFile]:
    yield ExportFile(
        name="README.md", media_type="text/markdown", pieces=_pieces(content.facts), row_count=None
    )


def _pieces(facts: ReleaseFacts) -> Iterator[str]:
    counts = facts.counts
    yield f"# {_cell(facts.name)} {facts.version}\n\n"
    yield (
        f"{counts.items} items, translated from `{facts.source_language}` to "
        f"`{facts.target_language}` and approved by reviewers: {counts.test} test, "
        f"{counts.dev} dev. {counts.black_box} of the test items are in the black box: only "
        "their ids, subjects and numbers of options are published (`black_box.jsonl`).\n\n"
    )
    if facts.notes:
        yield f"{facts.notes.strip()}\n\n"
    yield from _subjects(counts.subjects)
    yield from _files(facts.formats)
    yield from _sources(facts.sources)
    yield f"## Canary\n\nEvery row carries this string:\n\n    {facts.canary}\n"


def _subjects(subjects: Iterable[SubjectCount]) -> Iterator[str]:
    yield "## Subjects\n\n| subject | category | test | of these hidden | dev |\n"
    yield "|---|---|---:|---:|---:|\n"
    for subject in subjects:
        yield (
            f"| {_cell(subject.name)} | {_cell(subject.category)} | {subject.test} "
            f"| {subject.black_box} | {subject.dev} |\n"
        )
    yield "\n"


def _files(formats: Iterable[str]) -> Iterator[str]:
    yield "## Files\n\n"
    if "jsonl" in formats:
        yield (
            "- `jsonl/<split>/<subject>.jsonl`: id, subject, question, choices, answer "
            "(0 is the first choice), explanation, canary. The exact text.\n"
        )
    if "csv" in formats:
        yield (
            "- `csv/<split>/<subject>.csv`: the same with columns A to F and the key as a "
            "letter. A cell that begins like a formula has an apostrophe before it.\n"
        )
    yield "- `ledger.jsonl`: where each text comes from and what review said of it.\n"
    yield "- `quality.json`: the figures of review. `manifest.json`: every file's SHA-256.\n\n"


def _sources(sources: Iterable[SourceNote]) -> Iterator[str]:
    yield "## Sources\n\n"
    for source in sources:
        title = f"{source.name} {source.revision}".strip()
        yield f"- {title}. Licence: {source.licence or 'not stated'}."
        yield f" {source.attribution.strip()}" if source.attribution.strip() else ""
        yield f" <{source.url}>\n" if source.url else "\n"
    yield "\n"


def _cell(text: str) -> str:
    """Text that stays in its table cell."""
    return " ".join(text.split()).replace("|", "\\|")
