"""An audit in words: the object that `--json` prints, and one HTML file that needs no server."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.translation import gettext, gettext_lazy

from annotation.auditing.audit import AuditedText, AuditFinding, AuditPair, AuditReport
from annotation.checks.catalogue.base import Problem
from annotation.checks.catalogue.labels import describe, place_of, title
from annotation.importers.base import RowError
from annotation.importers.labels import describe as describe_refusal
from annotation.text_fields import option_position
from common.intervals import wilson_interval
from languages import LANGUAGES
from languages.letters import letter_of
from languages.styles import stylesheet

SEVERITIES: Final = ("error", "warning", "info")
SEVERITY_WORDS: Final = {
    "error": gettext_lazy("error"),
    "warning": gettext_lazy("warning"),
    "info": gettext_lazy("note"),
}
STYLES: Final = ("base", "layout", "components", "data", "text")
SHOWN: Final = 200
TEXT_CLIP: Final = 300
OPTION_CLIP: Final = 120


class Excerpt(NamedTuple):
    """A clipped text and within it what a finding points at ('' where that is all of it)."""

    before: str
    marked: str
    after: str


class Option(NamedTuple):
    letter: str
    text: str
    is_key: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One wording as the page shows it."""

    text: Excerpt
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class FindingRow:
    uid: str
    system: str
    severity: str
    severity_word: str
    place: str
    message: str
    target: Shown
    source: Shown | None


@dataclass(frozen=True, slots=True)
class CodeSection:
    """All findings of one code; `rows` holds the first `SHOWN`."""

    code: str
    title: str
    severity: str
    severity_word: str
    count: int
    texts: int
    share: str
    interval: str
    rows: tuple[FindingRow, ...]


class PairSide(NamedTuple):
    uid: str
    split: str
    key: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class PairCard:
    """`percent` is whole and rounded down, so that 100 is said of equal texts only."""

    pair: AuditPair
    percent: int
    language: str
    sides: tuple[PairSide, PairSide]


@dataclass(frozen=True, slots=True)
class AuditedFiles:
    """The files and time of an audit, for the head of the page; '' for a file that was not given."""

    benchmark: str
    format: str
    source: str
    now: datetime


def as_json(report: AuditReport) -> dict[str, Any]:
    """Return the report as one JSON object; see docs/auditing.md for its fields."""
    return {
        "read": report.read,
        "joined": report.joined,
        "unjoined": len(report.unjoined),
        "unjoined_uids": _uids(report.unjoined),
        "refused": len(report.refused),
        "errors": _errors(report.refused),
        "source_read": report.source_read,
        "source_refused": len(report.source_refused),
        "source_errors": _errors(report.source_refused),
        "source_language": report.source_language,
        "target_language": report.target_language,
        "items": report.items,
        "texts": len(report.texts),
        "left_out": len(report.left_out),
        "broken_options": len(report.broken_options),
        "broken_option_uids": _uids(report.broken_options),
        "empty": len(report.empty),
        "empty_uids": _uids(report.empty),
        "findings": dict(report.by_code.most_common()),
        "by_severity": {severity: report.by_severity[severity] for severity in SEVERITIES},
        "by_subject": {counts.subject: _without_name(asdict(counts)) for counts in report.subjects},
        "finding_list": [_finding_line(finding) for finding in report.findings],
        "duplicates": [_pair_line(pair) for pair in report.duplicates],
        "whole_set": report.whole_set.as_json(),
        "compared_keys": report.compared_keys,
        "different_keys": list(_key_lines(report)),
    }


def as_html(report: AuditReport, files: AuditedFiles) -> str:
    """Return the page: every text escaped, styles within, no script, nothing loaded."""
    return render_to_string(
        "annotation/audit_report.html",
        {
            "report": report,
            "files": files,
            "styles": _styles(),
            "sections": sections_of(report),
            "keys": list(_key_lines(report))[:SHOWN],
            "pairs": [_card(pair, report) for pair in report.duplicates[:SHOWN]],
            "refused": [*_errors(report.refused), *_errors(report.source_refused)][:SHOWN],
            "refused_count": len(report.refused) + len(report.source_refused),
            "unjoined": report.unjoined[:SHOWN],
            "broken_share": _share(len(report.broken_options), len(report.texts)),
            "whole_set": report.whole_set.as_json(),
            "shown": SHOWN,
        },
    )


def _styles() -> str:
    own = map(_style_sheet, STYLES)
    return "\n".join([_style_sheet("tokens"), stylesheet(LANGUAGES.values()), *own])


def _style_sheet(name: str) -> str:
    path = finders.find(f"css/{name}.css")
    if not isinstance(path, str):
        raise FileNotFoundError(f"css/{name}.css")
    return Path(path).read_text(encoding="utf-8")


def _errors(refused: Iterable[RowError]) -> list[dict[str, Any]]:
    return [
        {
            "file": row.ref.file,
            "row": row.ref.row,
            "code": row.code,
            "reason": describe_refusal(row.code, row.data, gettext),
        }
        for row in refused
    ]


def _uids(texts: Iterable[AuditedText]) -> list[str]:
    return list(dict.fromkeys(text.uid for text in texts))


def _without_name(counts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in counts.items() if name != "subject"}


def _finding_line(finding: AuditFinding) -> dict[str, str]:
    problem = finding.problem
    return {
        "uid": finding.text.uid,
        "system": finding.text.system,
        "code": problem.code,
        "severity": problem.severity,
        "field": problem.field,
        "message": describe(problem.code, problem.data, gettext),
    }


def _pair_line(pair: AuditPair) -> dict[str, Any]:
    return {
        "a": pair.a.uid,
        "b": pair.b.uid,
        "kind": pair.kind,
        "similarity": pair.similarity,
        "same_key": pair.has_same_key,
        "side": pair.side,
        "crosses_splits": pair.crosses_splits,
        "system": pair.a.system,
    }


def _key_lines(report: AuditReport) -> Iterator[dict[str, str]]:
    for text in report.different_keys:
        if text.source and text.key:
            yield {
                "uid": text.uid,
                "system": text.system,
                "key": text.key,
                "source_key": text.source.key,
            }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else ""


def sections_of(report: AuditReport) -> list[CodeSection]:
    """Return findings by code, errors first, then the most frequent."""
    by_code = groupby(sorted(report.findings, key=_code), key=_code)
    sections = [_section(code, list(group), len(report.texts)) for code, group in by_code]
    return sorted(sections, key=lambda s: (SEVERITIES.index(s.severity), -s.count, s.code))


def _code(finding: AuditFinding) -> str:
    return finding.problem.code


def _section(code: str, findings: Sequence[AuditFinding], all_texts: int) -> CodeSection:
    worst = min((f.problem.severity for f in findings), key=SEVERITIES.index)
    texts = len({id(finding.text) for finding in findings})
    interval = wilson_interval(texts, all_texts)
    return CodeSection(
        code=code,
        title=title(code, gettext),
        severity=worst,
        severity_word=str(SEVERITY_WORDS[worst]),
        count=len(findings),
        texts=texts,
        share=_share(texts, all_texts),
        interval=f"{100 * interval.low:.1f}–{100 * interval.high:.1f}",
        rows=tuple(_row(finding.text, finding.problem) for finding in findings[:SHOWN]),
    )


def _row(text: AuditedText, problem: Problem) -> FindingRow:
    return FindingRow(
        uid=text.uid,
        system=text.system,
        severity=problem.severity,
        severity_word=str(SEVERITY_WORDS[problem.severity]),
        place=place_of(problem.field, gettext),
        message=describe(problem.code, problem.data, gettext),
        target=_shown_target(text, problem),
        source=_shown_source(text, problem.field),
    )


def _shown_target(text: AuditedText, problem: Problem) -> Shown:
    """Show the field a finding names with its span, or the whole item."""
    position = option_position(problem.field)
    if position is not None and position < len(text.options):
        return Shown(excerpt(text.options[position], problem.start, problem.end), ())
    if problem.field == "question":
        return Shown(excerpt(text.question, problem.start, problem.end), ())
    return Shown(excerpt(text.question), _options(text.options, text.held_key))


def _shown_source(text: AuditedText, field: str) -> Shown | None:
    source = text.source
    if source is None:
        return None
    position = option_position(field)
    if position is not None and position < len(source.options):
        return Shown(excerpt(source.options[position]), ())
    if field == "question" and text.options:
        return Shown(excerpt(source.question), ())
    return Shown(excerpt(source.question), _options(source.options, source.key))


def _options(options: Sequence[str], key: str) -> tuple[Option, ...]:
    return tuple(
        Option(letter_of(at), _clip(option, OPTION_CLIP), letter_of(at) == key)
        for at, option in enumerate(options)
    )


def excerpt(text: str, start: int = 0, end: int = 0) -> Excerpt:
    """Clip a text to about TEXT_CLIP code points around `start` to `end`, between letters.

    A span of nothing or of the whole text is not marked.
    """
    if not 0 <= start < end <= len(text) or end - start == len(text):
        return Excerpt(_clip(text, TEXT_CLIP), "", "")
    marked = _clip(text[start:end], TEXT_CLIP)
    room = max(0, TEXT_CLIP - len(marked)) // 2
    first, last = _boundary(text, max(0, start - room)), _boundary(text, end + room)
    before = ("…" if first else "") + text[first:start]
    return Excerpt(before, marked, text[end:last] + ("…" if last < len(text) else ""))


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: _boundary(text, limit)]}…"


def _boundary(text: str, at: int) -> int:
    at = min(at, len(text))
    while 0 < at < len(text) and unicodedata.category(text[at]).startswith("M"):
        at -= 1
    return at


def _card(pair: AuditPair, report: AuditReport) -> PairCard:
    language = report.source_language if pair.side == "source" else report.target_language
    return PairCard(pair, int(pair.similarity * 100), language, (_side(pair.a), _side(pair.b)))


def _side(text: AuditedText) -> PairSide:
    shown = Shown(excerpt(text.question), _options(text.options, text.held_key))
    return PairSide(text.uid, text.split, text.held_key, shown)
