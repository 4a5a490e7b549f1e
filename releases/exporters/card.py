"""README.md: what the release is, for people, headed by the YAML that dataset loaders read."""

import json
import re
from collections.abc import Iterable, Iterator

from releases.exporters.base import ExportFile, ReleaseContent, Row, file_stem, rows_by_file
from releases.manifest import SourceNote, SubjectCount

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*", re.ASCII)


def export(content: ReleaseContent) -> Iterator[ExportFile]:
    yield ExportFile(
        name="README.md", media_type="text/markdown", pieces=_pieces(content), row_count=None
    )


def _pieces(content: ReleaseContent) -> Iterator[str]:
    facts, counts = content.facts, content.facts.counts
    yield from _front_matter(content)
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


def _front_matter(content: ReleaseContent) -> Iterator[str]:
    """The metadata of a dataset card: language, licence, and one configuration a subject beside all.

    Strings are written as JSON, which YAML takes as it is.
    """
    facts = content.facts
    yield f"---\npretty_name: {_quoted(facts.name)}\nlanguage: [{_quoted(facts.target_language)}]\n"
    yield from _licence({source.licence.strip() for source in facts.sources})
    yield "task_categories: [question-answering]\ntask_ids: [multiple-choice-qa]\n"
    yield f"size_categories: [{_size(facts.counts.items)}]\n"
    if "jsonl" in facts.formats and content.rows:
        yield from _configurations(content.rows)
    yield "---\n\n"


def _licence(names: set[str]) -> Iterator[str]:
    """Only what holds for every source; a name that is no plain identifier is told in words."""
    if len(names) != 1 or not (name := names.pop()):
        return
    if _IDENTIFIER.fullmatch(name):
        yield f"license: {_quoted(name.lower())}\n"
    else:
        yield f"license: other\nlicense_name: {_quoted(name)}\n"


def _size(items: int) -> str:
    for bound, word in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if items < bound:
            return word
    return "n>100K"


def _configurations(rows: tuple[Row, ...]) -> Iterator[str]:
    splits: dict[str, list[str]] = {}
    for split, subject, _rows in rows_by_file(rows):
        splits.setdefault(file_stem(subject), []).append(split)
    yield "configs:\n"
    yield from _configuration("default", sorted({row.split for row in rows}), "*", is_default=True)
    for stem, names in splits.items():
        name = f"{stem}-subject" if stem == "default" else stem
        yield from _configuration(name, names, stem)


def _configuration(
    name: str, splits: Iterable[str], stem: str, *, is_default: bool = False
) -> Iterator[str]:
    yield f"- config_name: {_quoted(name)}\n"
    yield "  default: true\n" if is_default else ""
    yield "  data_files:\n"
    for split in splits:
        path = f"jsonl/{split}/{stem}.jsonl"
        yield f"  - split: {split}\n    path: {_quoted(path)}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


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
