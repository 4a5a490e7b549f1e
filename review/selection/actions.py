"""Planting control items into a round, and telling what they were when it closes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.enums import SplitName
from annotation.models import Item
from common.bulk_insert import insert_new_rows
from projects.models import Project
from review.enums import Outcome, PanelState
from review.models import Control, Panel, Round
from review.selection.controls import AT_ONCE, PlannedControl, planned_text


def plant_controls(round_: Round, planned: Sequence[PlannedControl]) -> list[int]:
    """Give each planned control its panel and its text; return the ids of the panels.

    The caller holds a transaction and adds the seats.
    """
    items = _items(planned)
    ids = insert_new_rows(
        Panel,
        ["item", "revision", "subject", "system", "is_dev", "position"],
        [
            (each.item, each.revision, *_group_of(items[each.item]), each.position)
            for each in planned
        ],
        {
            "round": round_.pk,
            "state": PanelState.JUDGING,
            "outcome": "",
            "reasons": [],
            "severity": 0,
            "tally": "",
            "is_control": True,
        },
    )
    rows = []
    for panel, each in zip(ids, planned, strict=True):
        control = planned_text(items[each.item], each, round_.project, round_.seed)
        control.panel_id = panel
        rows.append(control)
    Control.objects.bulk_create(rows, batch_size=AT_ONCE)
    Round.objects.filter(pk=round_.pk).update(control_count=len(rows))
    Project.objects.filter(pk=round_.project_id).update(is_browsing_closed=True)
    return list(ids)


def settle_control(panel: Panel, outcome: str, *, tally: str, now: datetime) -> None:
    """Note what the judges of a control came to; its item and its text stay as they are.

    A control is never an open dispute: no senior may meet it, and its item is free for the next
    round.
    """
    is_disputed = outcome == Outcome.DISPUTED
    Panel.with_controls.filter(pk=panel.pk, state=PanelState.JUDGING).update(
        state=PanelState.SETTLED,
        outcome=outcome,
        tally=tally,
        decided_at=now,
        settled_at=None if is_disputed else now,
    )


def tell_controls(round_: Round, now: datetime) -> None:
    """Give the controls of a round that closes the outcome that they should have had.

    From then on My work says what became of them, as of other items.
    """
    if not round_.control_count:
        return
    open_browsing(round_)
    rows = Panel.with_controls.filter(round=round_, is_control=True)
    told = {"state": PanelState.SETTLED, "decided_at": now, "settled_at": now}
    rows.filter(control__fault="").update(outcome=Outcome.APPROVED, **told)
    rows.exclude(control__fault="").update(outcome=Outcome.REVISED, **told)


def open_browsing(round_: Round) -> None:
    """Let reviewers look items up again."""
    Project.objects.filter(pk=round_.project_id).update(is_browsing_closed=False)


def remove_controls(panels: QuerySet[Panel]) -> None:
    """Delete what the controls among `panels` show, before the panels themselves."""
    rows = Control.objects.filter(panel__in=panels)
    rows._raw_delete(using=rows.db)  # noqa: SLF001


def _group_of(item: Item) -> tuple[int, str, bool]:
    """Subject, system and whether it is a dev item, as its panel repeats them."""
    translation: Any = item.working_translation
    return item.subject_id, translation.system, item.split == SplitName.DEV


def _items(planned: Sequence[PlannedControl]) -> dict[int, Item]:
    found: dict[int, Item] = {}
    wanted = [each.item for each in planned]
    for start in range(0, len(wanted), AT_ONCE):
        rows = Item.objects.filter(pk__in=wanted[start : start + AT_ONCE])
        found |= {
            row.pk: row for row in rows.select_related("working_translation__current_revision")
        }
    return found
