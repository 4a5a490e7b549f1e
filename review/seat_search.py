"""Taking the next free seat that a person may judge: one statement, run at every claim.

It is written as SQL because building it with the ORM takes longer than the rest of a claim. The
state is a literal, so that both databases see that the index of open seats serves.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from accounts.models import User
from common.prepared import keeping_cursor
from projects.enums import Role
from projects.models import Project
from review.enums import RoundKind
from review.models import Assignment, Round

FREE_SEATS = """
SELECT seat.id
FROM review_assignment AS seat
JOIN review_panel AS panel ON panel.id = seat.panel_id
JOIN annotation_revision AS revision ON revision.id = panel.revision_id
JOIN annotation_item AS item ON item.id = panel.item_id
WHERE seat.round_id = %(round)s AND seat.state = 'open'
  AND item.state = 'active'
  AND (revision.author_id IS NULL OR revision.author_id <> %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_assignment AS own
                  WHERE own.panel_id = panel.id AND own.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_skip AS skip
                  WHERE skip.panel_id = panel.id AND skip.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_inquiry AS asked
                  WHERE asked.seat_id = seat.id AND asked.asked_by_id = %(reviewer)s)
"""
OF_ONES_SUBJECTS = """
  AND item.subject_id IN (SELECT expertise.subject_id FROM projects_membership_subjects AS expertise
                          WHERE expertise.membership_id = %(membership)s)
"""
# Seat 1 of each panel is kept for an expert: a constant, so that the index of open seats serves.
NOT_KEPT_FOR_EXPERTS = " AND seat.seat > 1"
# Where an expert judged from another seat the kept one is anybody's; only asked when nothing else
# is left. A seat that an expert merely holds can still run out.
NOT_NEEDED_BY_EXPERTS = """
  AND (seat.seat > 1 OR EXISTS (
    SELECT 1 FROM review_assignment AS other
    JOIN projects_membership AS expert
      ON expert.user_id = other.reviewer_id AND expert.project_id = %(project)s
    JOIN projects_membership_subjects AS known
      ON known.membership_id = expert.id AND known.subject_id = item.subject_id
    WHERE other.panel_id = panel.id AND other.state = 'judged'))
"""
NOT_JUDGED_BEFORE = """
  AND NOT EXISTS (SELECT 1 FROM review_judgement AS judgement
                  JOIN review_panel AS earlier ON earlier.id = judgement.panel_id
                  WHERE earlier.item_id = panel.item_id AND earlier.round_id = %(previous)s
                    AND NOT earlier.is_control
                    AND judgement.reviewer_id = %(reviewer)s)
"""
NOT_WRITTEN_WITH_OTHERS = """
  AND NOT EXISTS (SELECT 1 FROM review_judgement AS part
                  JOIN review_panel AS before ON before.id = part.panel_id
                  WHERE part.revision_id = revision.supersedes_id AND before.outcome = 'revised'
                    AND part.verdict = 'revise' AND part.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_adjudication AS decision
                  JOIN review_judgement AS adopted ON adopted.id = decision.adopted_id
                  WHERE decision.resulting_revision_id = revision.id
                    AND adopted.reviewer_id = %(reviewer)s)
"""
# Whoever judged the item or decided on it has seen its key.
NEVER_SAW_THE_KEY = """
  AND NOT EXISTS (SELECT 1 FROM review_judgement AS judgement
                  JOIN review_panel AS earlier ON earlier.id = judgement.panel_id
                  WHERE earlier.item_id = panel.item_id AND judgement.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_adjudication AS decision
                  JOIN review_panel AS settled ON settled.id = decision.panel_id
                  WHERE settled.item_id = panel.item_id AND decision.senior_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM annotation_keychange AS change
                  WHERE change.item_id = panel.item_id AND change.author_id = %(reviewer)s)
"""
# Nobody rates their own text beside others.
NOT_AUTHOR_OF_ANY = """
  AND NOT EXISTS (SELECT 1 FROM annotation_translation AS own
                  JOIN annotation_revision AS written ON written.translation_id = own.id
                  WHERE own.item_id = panel.item_id AND written.author_id = %(reviewer)s)
"""
HOLDS_NONE = """
  AND NOT EXISTS (SELECT 1 FROM review_assignment AS held
                  WHERE held.round_id = %(round)s AND held.reviewer_id = %(reviewer)s
                    AND held.state = 'claimed')
"""
# Searching on from the reviewer's last seat instead of from the start keeps a claim at the same
# cost however many items the reviewer has behind them.
AFTER_THE_LAST = """
  AND seat.position > COALESCE(
    (SELECT last.position FROM review_assignment AS last
     WHERE last.round_id = %(round)s AND last.reviewer_id = %(reviewer)s
     ORDER BY last.claimed_at DESC LIMIT 1), 0)
"""
# Seniors read the pages of items, where a control's true text is.
NO_CONTROLS = " AND NOT panel.is_control"
THIS_SEAT = " AND seat.id = %(seat)s"
IN_ORDER = " ORDER BY seat.position, seat.seat LIMIT 1"

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
WITH found AS MATERIALIZED ({search} FOR UPDATE OF seat SKIP LOCKED)
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
    is_senior: bool = False

    @property
    def is_kept_off(self) -> bool:
        """Whether one seat of each panel is not for them, but for experts."""
        return self.needs_expert and not self.has_expertise


class SeatSearch:
    """The open seats of a round that `reviewer` may take.

    Left out are panels of excluded items, panels that the reviewer sits on, skipped or wrote the
    text of, seats that they themselves asked for as seniors, subjects outside their expertise,
    seats kept for experts and, unless the round allows it because there are too few others, items
    that they judged in the round before, or whose text they wrote together with others or by a
    correction that a senior adopted.
    """

    def __init__(self, round_: Round, reviewer: User, standing: Standing) -> None:
        self._round, self.reviewer = round_, reviewer
        self._values: dict[str, Any] = {
            "round": round_.pk,
            "reviewer": reviewer.pk,
            "membership": standing.membership,
            "project": round_.project_id,
        }
        self._off_kept = NOT_KEPT_FOR_EXPERTS if standing.is_kept_off else ""
        self._off_needed = NOT_NEEDED_BY_EXPERTS if standing.is_kept_off else ""
        self._search = FREE_SEATS
        if standing.has_expertise:
            self._search += OF_ONES_SUBJECTS
        if standing.is_senior:
            self._search += NO_CONTROLS
        if round_.kind != RoundKind.REVIEW:
            self._search += _conditions_of_kind(round_)
        elif round_.number > 1 and not round_.is_same_panel_allowed:
            self._search += NOT_JUDGED_BEFORE + NOT_WRITTEN_WITH_OTHERS
            self._values["previous"] = _previous_round(round_)

    def take_next(self, now: datetime, *, slot: int | None = None) -> Assignment | None:
        """Take the first seat after the one that the reviewer had last.

        In `slot`, beside those they hold; without it only if they hold none, else None. Raises
        IntegrityError when they take a seat in another window at the same moment.
        """
        return self._take(self._off_kept + _beside(slot) + AFTER_THE_LAST, now, slot=slot or 0)

    def take_any(self, now: datetime, *, slot: int | None = None) -> Assignment | None:
        """Take the first seat of the round, as `take_next` does."""
        return self._take(self._off_needed + _beside(slot), now, slot=slot or 0)

    def take_this(self, assignment: Assignment, now: datetime, *, slot: int) -> Assignment | None:
        """Take this very seat, if it is open and one that the reviewer may take."""
        return self._take(self._off_needed + THIS_SEAT, now, slot=slot, seat=assignment.pk)

    def finds_any(self, *, slot: int | None = None) -> bool:
        """Whether `take_any` would find a seat."""
        with connection.cursor() as cursor:
            condition = self._off_needed + _beside(slot)
            cursor.execute(self._search + condition + IN_ORDER, self._values)
            return cursor.fetchone() is not None

    def _take(self, condition: str, now: datetime, *, slot: int, **more: Any) -> Assignment | None:
        until = now + timedelta(minutes=self._round.reservation_minutes)
        is_postgresql = connection.vendor == "postgresql"
        statement = TAKE_ON_POSTGRESQL if is_postgresql else TAKE_ON_SQLITE
        as_stored = connection.ops.adapt_datetimefield_value
        times = {"now": as_stored(now), "until": as_stored(until)}
        values = {**self._values, **more, **times, "slot": slot}
        with keeping_cursor(connection) as cursor:
            cursor.execute(statement.format(search=self._search + condition + IN_ORDER), values)
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


def _conditions_of_kind(round_: Round) -> str:
    if round_.kind == RoundKind.COMPARISON:
        return NOT_AUTHOR_OF_ANY
    return "" if round_.is_same_panel_allowed else NEVER_SAW_THE_KEY


def _beside(slot: int | None) -> str:
    return HOLDS_NONE if slot is None else ""


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
