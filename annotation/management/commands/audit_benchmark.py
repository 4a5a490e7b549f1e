"""`audit_benchmark PATH`: read a published benchmark, check it, report, and keep nothing."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.auditing.audit import AuditReport, audit
from annotation.auditing.report import AuditedFiles, as_html, as_json
from annotation.auditing.tables import audit_tables
from annotation.importers.base import Row, SourceRow
from annotation.importers.formats import FORMATS
from annotation.imports.opening import ImportOptions, open_file
from common.commands import LotsawaCommand, refuse_unwritable
from common.errors import DomainError
from common.figure_tables import FORMATS as TABLE_WRITERS
from common.figure_tables import table_file

LISTED = (
    "errors",
    "source_errors",
    "finding_list",
    "duplicates",
    "different_keys",
    "by_subject",
    "whole_set",
)
NESTED = ("findings", "by_severity")
WRITTEN = ("report", "tables")
TABLE_FORMATS = {f".{suffix}": name for name, (_write, _type, suffix) in TABLE_WRITERS.items()}


class SourceWithoutItems(DomainError):
    code = "source_without_items"
    detail = _(
        "%(file)s contains no source items. Name the file or folder of the benchmark’s source."
    )


class ReportOverInput(DomainError):
    code = "report_over_input"
    detail = _(
        "The report would overwrite %(file)s, which is one of the files to read. Choose another name "
        "for the report."
    )


class Command(LotsawaCommand):
    help = "Check a published benchmark against its source without importing it."

    def arguments(self, parser: ArgumentParser) -> None:
        formats = sorted(FORMATS)
        parser.add_argument("path", metavar="PATH", type=Path)
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--format", choices=formats, default="")
        how.add_argument(
            "--map",
            default="",
            metavar="FIELD=COLUMN,…",
            help="the columns of any other table, as in import_items",
        )
        parser.add_argument("--keys", type=Path, help="second file with the benchmark's keys")
        parser.add_argument("--source", type=Path, help="the benchmark that it was translated from")
        parser.add_argument(
            "--source-format",
            choices=formats,
            default="",
            help="format of the source (default: recognised from its content)",
        )
        parser.add_argument(
            "--source-map", default="", metavar="FIELD=COLUMN,…", help="the columns of the source"
        )
        parser.add_argument("--target-language", required=True, type=language_tag, metavar="L")
        parser.add_argument(
            "--source-language",
            type=language_tag,
            metavar="S",
            help="language of the source (default: recognised from its script)",
        )
        parser.add_argument(
            "--report", type=Path, metavar="FILE.html", help="write the audit as an HTML page"
        )
        parser.add_argument(
            "--tables",
            type=table_path,
            metavar="FILE",
            help="write the counts by check and subject; .tex, .md or .csv says how",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        refuse_overwriting(options)
        for written in WRITTEN:
            refuse_unwritable(options[written])
        self.say("Reading, checking and comparing; nothing is stored.")
        how = ImportOptions(format=options["format"], mapping=options["map"], keys=options["keys"])
        source_how = ImportOptions(format=options["source_format"], mapping=options["source_map"])
        with open_file(options["path"], how) as opened:
            report = audit(
                opened.rows,
                source_rows=source_rows(options["source"], source_how),
                source_language=options["source_language"] or "",
                target_language=options["target_language"],
            )
        self._say_what_was_told(report, options)
        if options["report"]:
            write_report(report, options)
            self.say(f"report written to {options['report']}")
        if options["tables"]:
            write_tables(report, options["tables"])
            self.say(f"tables written to {options['tables']}")
        return as_json(report)

    def text(self, result: dict[str, Any]) -> str:
        lines = [
            f"{name}: {value}"
            for name, value in result.items()
            if name not in (*LISTED, *NESTED) and not isinstance(value, list)
        ]
        lines += [f"{name}: {n}" for group in NESTED for name, n in result[group].items()]
        lines += [f"{e['file']}, row {e['row']}: {e['reason']}" for e in result["errors"]]
        lines += [f"key of {k['uid']}: {k['key']}, not {k['source_key']}" for k in keys_of(result)]
        return "\n".join([*lines, *map(pair_text, result["duplicates"])])

    def _say_what_was_told(self, report: AuditReport, options: dict[str, Any]) -> None:
        if report.source_language and not options["source_language"]:
            self.say(f"source language, told from its script: {report.source_language}")
        if report.unjoined:
            self.say(f"{len(report.unjoined)} texts have no source item of the same uid")


def keys_of(result: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = result["different_keys"]
    return found


def pair_text(pair: dict[str, Any]) -> str:
    keys = {True: "same key", False: "DIFFERENT KEY", None: "key unknown"}[pair["same_key"]]
    across = "across splits" if pair["crosses_splits"] else "within a split"
    said = (pair["a"], pair["b"], pair["side"], pair["kind"], f"{pair['similarity']:.3f}")
    return "\t".join((*said, keys, across))


def language_tag(text: str) -> str:
    """Take a language tag such as bo, zh or zh-Hant-TW; raises ArgumentTypeError."""
    if not re.fullmatch(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*", text):
        words = gettext("%(text)r is not a language tag; write one such as bo or zh-Hant")
        raise ArgumentTypeError(words % {"text": text})
    return text.replace("_", "-")


def source_rows(path: Path | None, how: ImportOptions) -> list[Row] | None:
    """Read the source whole; None where none is named. Raises FileRefused, SourceWithoutItems."""
    if path is None:
        return None
    with open_file(path, how) as opened:
        rows = list(opened.rows)
    if not any(isinstance(row, SourceRow) for row in rows):
        raise SourceWithoutItems(file=path.name)
    return rows


def table_path(text: str) -> Path:
    """Take the path of a file of tables; raises ArgumentTypeError for an unknown ending."""
    path = Path(text)
    if path.suffix not in TABLE_FORMATS:
        words = gettext("%(file)s should end with one of %(known)s")
        raise ArgumentTypeError(words % {"file": path.name, "known": ", ".join(TABLE_FORMATS)})
    return path


def refuse_overwriting(options: dict[str, Any]) -> None:
    """Raise ReportOverInput where a file to write is one of the files that are to be read."""
    written = [options[name] for name in WRITTEN if options[name]]
    for read, report in product(_inputs(options), written):
        if report.exists() and read.exists() and report.samefile(read):
            raise ReportOverInput(file=read)


def _inputs(options: dict[str, Any]) -> Iterator[Path]:
    yield from (options[name] for name in ("path", "keys", "source") if options[name])


def write_report(report: AuditReport, options: dict[str, Any]) -> None:
    files = AuditedFiles(
        benchmark=options["path"].resolve().name,
        format=options["format"] or options["map"],
        source=options["source"].resolve().name if options["source"] else "",
        now=timezone.now(),
    )
    options["report"].write_text(as_html(report, files), encoding="utf-8")


def write_tables(report: AuditReport, path: Path) -> None:
    found = table_file(audit_tables(report), TABLE_FORMATS[path.suffix], stem=path.stem)
    path.write_text(found.text, encoding="utf-8")
