"""A statement of work as the command, the downloads and the API give it."""

from decimal import Decimal
from typing import Any

from review.people.statements import Line, Statement

COLUMNS = (
    "person",
    "email",
    "judgements",
    "late_judgements",
    "active_seconds",
    "active_hours",
    "hourly",
    "currency",
    "amount",
)


def statement_json(statement: Statement) -> dict[str, Any]:
    """The whole statement; money and hours as texts, so that no program rounds them."""
    return {
        "project": statement.project.slug,
        "month": str(statement.month),
        "time_zone": "UTC",
        "closed_at": statement.closed_at.isoformat() if statement.closed_at else None,
        "judgements": statement.judgements,
        "late_judgements": statement.late_judgements,
        "active_seconds": statement.active_seconds,
        "totals": [
            {"currency": currency, "amount": str(amount)} for currency, amount in statement.totals
        ],
        "lines": [line_row(line) for line in statement.lines],
    }


def line_row(line: Line) -> dict[str, Any]:
    return {
        "person": line.name,
        "email": line.email,
        "judgements": line.judgements,
        "late_judgements": line.late_judgements,
        "active_seconds": line.active_seconds,
        "active_hours": str(line.hours),
        "hourly": _text(line.hourly),
        "currency": line.currency or None,
        "amount": _text(line.amount),
    }


def _text(money: Decimal | None) -> str | None:
    return None if money is None else str(money)
