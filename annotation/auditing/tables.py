"""The figures of an audit as tables for a paper: findings by check, and texts by subject."""

from django.utils.translation import gettext as _

from annotation.auditing.audit import AuditReport
from annotation.auditing.report import sections_of
from common.estimates import Estimate, Undefined
from common.figure_tables import Cell, Column, Kind, Table, Words
from common.intervals import wilson_interval


def audit_tables(report: AuditReport) -> list[Table]:
    """Return the tables of an audit; shares are of texts, with 95 % Wilson intervals."""
    return [_checks_table(report), _subjects_table(report)]


def _checks_table(report: AuditReport) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            each.title,
            each.code,
            each.severity_word,
            each.count,
            each.texts,
            _share(each.texts, report),
        )
        for each in sections_of(report)
    ]
    erring = sum(subject.with_errors for subject in report.subjects)
    rows.append((_("Any error"), "", "", None, erring, _share(erring, report)))
    columns = (
        Column("check", _("Check")),
        Column("code", _("Code")),
        Column("severity", _("Severity")),
        Column("findings", _("Findings"), Kind.COUNT),
        Column("texts", _("Texts"), Kind.COUNT),
        Column("share", _("Share of texts (%)"), Kind.PERCENT, has_estimates=True),
    )
    title = _("Findings in %(n)s texts, by check") % {"n": len(report.texts)}
    return Table("checks", title, columns, tuple(rows), _words(), _note())


def _subjects_table(report: AuditReport) -> Table:
    rows = tuple(
        (
            each.subject,
            each.texts,
            each.broken_options,
            each.empty,
            each.errors,
            each.warnings,
            _estimate(each.with_errors, each.texts),
        )
        for each in report.subjects
    )
    columns = (
        Column("subject", _("Subject")),
        Column("texts", _("Texts"), Kind.COUNT),
        Column("broken_options", _("Broken options"), Kind.COUNT),
        Column("empty", _("Empty"), Kind.COUNT),
        Column("errors", _("Errors"), Kind.COUNT),
        Column("warnings", _("Warnings"), Kind.COUNT),
        Column("with_errors", _("Texts with errors (%)"), Kind.PERCENT, has_estimates=True),
    )
    return Table("subjects", _("Texts by subject"), columns, rows, _words(), _note())


def _share(texts: int, report: AuditReport) -> Estimate:
    return _estimate(texts, len(report.texts))


def _estimate(part: int, whole: int) -> Estimate:
    if not whole:
        return Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    interval = wilson_interval(part, whole)
    return Estimate(part / whole, interval.low, interval.high, whole, 0)


def _note() -> str:
    return _("95 % Wilson intervals. A text counts once in each row, however many findings it has.")


def _words() -> Words:
    return Words({Undefined.NO_ITEMS: _("no texts")}, {}, "")
