"""Takes the next free seat that a person may judge: one statement, run at every claim.

Its SQL is built once for each kind of round, because building it takes longer than the rest of a claim.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Exists, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from common.prepared import keeping_cursor
from projects.enums import Role
from projects.models import Project
from review.eligibility import (
    NOT_KEPT_FOR_EXPERTS,
    bars_of,
    excludes_earlier_judges,
    is_barred,
    is_judged_by_an_expert,
    is_offered,
    judged_in,
)
from review.enums import SeatState
from review.models import Assignment, Round

# SQLite takes its only write lock before it reads, so nobody can be between the two parts.
TAKE_ON_SQLITE = """
UPDATE review_assignment
SET state = 'claimed', reviewer_id = %(reviewer)s, slot = %(slot)s, claimed_at = %(now)s,
    expires_at = %(until)s
WHERE id = ({search}) AND state = 'open'
RETURNING id, panel_id, position, seat
"""
# PostgreSQL locks the row that it found, tests it again as it is then, and passes over rows that
# others are taking at this moment: two people never wait for, or get, the same seat.
TAKE_ON_POSTGRESQL = """
WITH found AS MATERIALIZED ({search} FOR UPDATE OF "review_assignment" SKIP LOCKED)
UPDATE review_assignment AS taken
SET state = 'claimed', reviewer_id = %(reviewer)s, slot = %(slot)s, claimed_at = %(now)s,
    expires_at = %(until)s
FROM found
WHERE taken.id = found.id AND taken.state = 'open'
RETURNING taken.id, taken.panel_id, taken.position, taken.seat
"""


# Seat, round, project and role in one row: what a submit needs to know before it may write. The
# columns stand in the order of the models' fields, which is how `from_db` reads them.
SEAT_COLUMNS = ("id", "panel_id", "round_id", "position", "seat", "reviewer_id", "state")
ROUND_COLUMNS = (
    "id",
    "project_id",
    "number",
    "state",
    "panel_size",
    "guideline_id",
    "verdict_rule",
    "score_gap",
    "reservation_minutes",
    "cap_per_person",
    "due_on",
    "is_same_panel_allowed",
    "panel_count",
    "judged_count",
    "control_count",
    "control_judged_count",
    "uncertain_seats",
    "added_seat_count",
    "has_blind_reading",
    "kind",
    "answered_count",
)
PROJECT_COLUMNS = (
    "id",
    "slug",
    "name",
    "source_language",
    "target_language",
    "items_ahead",
    "undo_minutes",
    "is_browsing_closed",
    "glossary_version",
    "criteria_text",
    "solving_audience",
)
SEAT_IN_ROUND = """
SELECT {columns}, membership.role, membership.is_paused
FROM review_assignment AS seat
JOIN review_round AS round ON round.id = seat.round_id
JOIN projects_project AS project ON project.id = round.project_id
LEFT JOIN projects_membership AS membership
  ON membership.project_id = project.id AND membership.user_id = %s
WHERE seat.id = %s AND project.slug = %s AND round.number = %s AND round.kind = 'review'
""".format(
    columns=", ".join(
        f"{table}.{column}"
        for table, columns in (
            ("project", PROJECT_COLUMNS),
            ("round", ROUND_COLUMNS),
            ("seat", SEAT_COLUMNS),
        )
        for column in columns
    )
)


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a person's membership decides which seats they are offered."""

    membership: int
    has_expertise: bool
    needs_expert: bool = False

    @property
    def is_kept_off(self) -> bool:
        """Return whether one seat of each panel is not for them, but for experts."""
        return self.needs_expert and not self.has_expertise


class Which(Enum):
    """Which of the seats that a person may take: the next one, any, one by its id."""

    NEXT = auto()
    ANY = auto()
    THIS = auto()


@dataclass(frozen=True, slots=True)
class _Shape:
    """All that the statement of a claim depends on; the rest are values."""

    kind: str
    has_earlier_judges: bool
    is_same_panel_allowed: bool
    is_kept_off: bool
    holds_none: bool
    which: Which


class SeatSearch:
    """The open seats of a round that `reviewer` may take: `review.eligibility` says which."""

    def __init__(self, round_: Round, reviewer: User, standing: Standing) -> None:
        self._round, self.reviewer, self._standing = round_, reviewer, standing
        previous = _previous_round(round_) if excludes_earlier_judges(round_) else None
        self._has_earlier_judges = previous is not None
        self._values: dict[str, Any] = {
            "round": round_.pk,
            "reviewer": reviewer.pk,
            "membership": standing.membership,
            "previous": previous,
        }

    def take_next(self, now: datetime, *, slot: int | None = None) -> Assignment | None:
        """Take the first seat after the one that the reviewer had last.

        In `slot`, beside those they hold; without it only if they hold none, else None. Raises
        IntegrityError when they take a seat in another window at the same moment.
        """
        return self._take(self._search(Which.NEXT, slot), now, slot=slot or 0)

    def take_any(self, now: datetime, *, slot: int | None = None) -> Assignment | None:
        """Take the first seat of the round, as `take_next` does."""
        return self._take(self._search(Which.ANY, slot), now, slot=slot or 0)

    def take_this(self, assignment: Assignment, now: datetime, *, slot: int) -> Assignment | None:
        """Take this very seat, if it is open and one that the reviewer may take."""
        return self._take(self._search(Which.THIS, slot), now, slot=slot, seat=assignment.pk)

    def finds_any(self, *, slot: int | None = None) -> bool:
        """Return whether `take_any` would find a seat."""
        with connection.cursor() as cursor:
            cursor.execute(self._search(Which.ANY, slot), self._values)
            return cursor.fetchone() is not None

    def _search(self, which: Which, slot: int | None) -> str:
        shape = _Shape(
            kind=self._round.kind,
            has_earlier_judges=self._has_earlier_judges,
            is_same_panel_allowed=self._round.is_same_panel_allowed,
            is_kept_off=self._standing.is_kept_off,
            holds_none=slot is None,
            which=which,
        )
        return _sql_of(shape, connection.vendor)

    def _take(self, search: str, now: datetime, *, slot: int, **more: Any) -> Assignment | None:
        until = now + timedelta(minutes=self._round.reservation_minutes)
        is_postgresql = connection.vendor == "postgresql"
        statement = TAKE_ON_POSTGRESQL if is_postgresql else TAKE_ON_SQLITE
        as_stored = connection.ops.adapt_datetimefield_value
        times = {"now": as_stored(now), "until": as_stored(until)}
        values = {**self._values, **more, **times, "slot": slot}
        with keeping_cursor(connection) as cursor:
            cursor.execute(statement.format(search=search), values)
            rows = cursor.fetchall()
        if not rows:
            return None
        pk, panel, position, seat = rows[0]
        return Assignment(
            pk=pk,
            panel_id=panel,
            round=self._round,
            position=position,
            seat=seat,
            state="claimed",
            reviewer=self.reviewer,
            slot=slot,
            claimed_at=now,
            expires_at=until,
        )


# Values that stand for the arguments while the SQL is built; no other value in it is like them.
_STAND_INS = {
    -7_310_001: "round",
    -7_310_002: "reviewer",
    -7_310_003: "membership",
    -7_310_004: "previous",
    -7_310_005: "seat",
}
_ROUND, _REVIEWER, _MEMBERSHIP, _PREVIOUS, _SEAT = _STAND_INS


@cache
def _sql_of(shape: _Shape, _vendor: str) -> str:
    """Return the SQL that finds the first seat, with its arguments by name; built once.

    Constants are literals, so that the index of open seats serves: no database looks into a partial
    index for a value that it learns only later.
    """
    sql, params = _seats(shape).query.sql_with_params()
    return sql % tuple(
        f"%({_STAND_INS[value]})s" if value in _STAND_INS else _literal(value) for value in params
    )


def _seats(shape: _Shape) -> QuerySet[Assignment, Any]:
    earlier = judged_in([_PREVIOUS]) if shape.has_earlier_judges else None
    allowed = shape.is_same_panel_allowed
    bars = bars_of(shape.kind, is_same_panel_allowed=allowed, judged_before=earlier)
    seats = Assignment.objects.filter(
        is_offered(_REVIEWER, _MEMBERSHIP),
        ~is_barred(bars, _REVIEWER),
        round=_ROUND,
        state=SeatState.OPEN,
    )
    had = Assignment.objects.filter(round=_ROUND, reviewer=_REVIEWER)
    if shape.holds_none:
        seats = seats.exclude(Exists(had.filter(state=SeatState.CLAIMED)))
    if shape.is_kept_off:
        seats = seats.filter(_not_kept(shape.which))
    if shape.which == Which.THIS:
        seats = seats.filter(pk=_SEAT)
    if shape.which == Which.NEXT:
        # Searching on from the reviewer's last seat instead of from the start keeps a claim at the
        # same cost however many items the reviewer has behind them.
        last = had.order_by("-claimed_at").values("position")[:1]
        seats = seats.filter(position__gt=Coalesce(Subquery(last), 0))
    return seats.order_by("position", "seat").values("id")[:1]


def _not_kept(which: Which) -> Q:
    """A kept seat that no expert needs any more is only asked for when nothing else is left."""
    if which == Which.NEXT:
        return NOT_KEPT_FOR_EXPERTS
    return NOT_KEPT_FOR_EXPERTS | Q(is_judged_by_an_expert())


def _literal(value: Any) -> str:
    if isinstance(value, str) and value.isidentifier():
        return f"'{value}'"
    if isinstance(value, int):
        return str(int(value))
    raise TypeError(f"{value!r} cannot stand in the statement of a claim.")


def seat_in_round(
    pk: int, slug: str, number: int, user: User
) -> tuple[Assignment, Role | None, bool] | None:
    """The seat with its round and project, the role of `user` there and whether they are paused.

    Fields not asked for are deferred.
    """
    with keeping_cursor(connection) as cursor:
        cursor.execute(SEAT_IN_ROUND, [user.pk, pk, slug, number])
        row = cursor.fetchone()
    if row is None:
        return None
    values = iter(row)
    project_values, round_values, seat_values = (
        [next(values) for _column in columns]
        for columns in (PROJECT_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS)
    )
    seat = Assignment.from_db(connection.alias, SEAT_COLUMNS, seat_values)
    seat.round = Round.from_db(connection.alias, ROUND_COLUMNS, round_values)
    seat.round.project = Project.from_db(connection.alias, PROJECT_COLUMNS, project_values)
    if (stored := seat.round.project.solving_audience) is not None:  # as the database has it
        seat.round.project.solving_audience = json.loads(stored)
    role, is_paused = values
    return seat, Role(role) if role else None, bool(is_paused)


def _previous_round(round_: Round) -> int | None:
    """The id of the latest round before in which anything was judged."""
    rows = Round.objects.filter(
        project_id=round_.project_id, number__lt=round_.number, judged_count__gt=0
    )
    return rows.order_by("-number").values_list("pk", flat=True).first()
