"""Filling a round with panels and seats, and taking them away again.

Panels go in by short transactions of BATCH items, so that on SQLite other people's writes wait
for one batch at most. Each batch moves the round's `panel_count` on by compare-and-swap: of two
workers that fill the same round one stops, and nothing is added to a round that was discarded.
A round that was not filled to the end stays in the state *opening*, where nobody gets a seat.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from annotation.enums import SplitName
from annotation.items.queries import ItemFilter
from annotation.models import Item
from common.bulk_insert import insert_new_rows
from common.db import move
from common.errors import DomainError
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import JobCancelled, JobInterrupted, Progress
from projects.locks import lock_project
from review.enums import ROUND_TRANSITIONS, PanelState, RoundKind, RoundState, SeatState, Selection
from review.models import Assignment, Comment, Panel, Reveal, Round, RoundChoice, Skip
from review.rounds.actions.hidden_keys import hide_keys, show_keys
from review.selection.actions import open_browsing, plant_controls, remove_controls
from review.selection.controls import PlannedControl, places_of_items, plan_controls
from review.selection.item_choice import ChosenItem, ItemChoice, by_risk, chosen_items, read_items
from review.selection.stages import StageOfRound, stage_of

BATCH = 5_000


class NothingToReview(DomainError):
    code = "nothing_to_review"
    detail = _(
        "No item matches this choice. Items in dispute, excluded or not translated are always "
        "left out. Choose other items, or import translations first."
    )


class RoundDiscarded(DomainError):
    code = "round_discarded"
    detail = _("This round was discarded. Open a new one.")


class DisputeReopened(DomainError):
    code = "dispute_reopened"
    detail = _(
        "The dispute about item %(uid)s has just been reopened, so its text cannot be judged yet. "
        "Open the round again; it will leave the item out."
    )


class RoundNotOpening(DomainError):
    code = "round_not_opening"
    detail = _("This round has been opened or discarded in the meantime.")


def perform_opening(job: Job, progress: Progress) -> dict[str, int]:
    """Fill and open the round of `job`; the work of a worker.

    Begins anew each time: what an opening that was killed left behind is removed first, so a
    repeated message gives the same round. Cancelled, it removes the round. Raises RoundDiscarded,
    NothingToReview and DisputeReopened, which leave no round behind either.
    """
    round_ = Round.objects.select_related("project").filter(job=job).first()
    if round_ is None:
        raise RoundDiscarded
    if round_.state == RoundState.OPENING:
        try:
            _open_from_start(round_, progress)
        except (JobCancelled, NothingToReview, DisputeReopened):
            remove_round(round_)
            raise
    return {"round": round_.number}


def remove_opening_of(job: Job) -> None:
    """Leave nothing of a round whose opening was cancelled; one that failed can be resumed."""
    if Job.objects.filter(pk=job.pk, state=JobState.CANCELLED).exists():
        for round_ in Round.objects.filter(job=job, state=RoundState.OPENING):
            remove_round(round_)


def fill_and_open(
    round_: Round,
    items: Sequence[ChosenItem],
    *,
    now: datetime,
    reached: Callable[[int], None] = lambda _done: None,
) -> None:
    """Give each item a panel and its seats in the order of risk, then open the round.

    Control items stand at places of their own between them.
    Calls `reached` with the number of items after each batch. Raises NothingToReview where the
    last item went after it was counted, RoundNotOpening, DisputeReopened.
    """
    if not items:
        raise NothingToReview
    ordered = by_risk(round_.project, items)
    planned = plan_controls(round_, {item.pk for item in items}, percent=round_.control_percent)
    places = places_of_items(len(ordered), planned)
    for start in range(0, len(ordered), BATCH):
        with transaction.atomic():
            some = slice(start, start + BATCH)
            _add_panels(round_, ordered[some], places[some], start)
        reached(min(start + BATCH, len(ordered)))
    _open(round_, stage_of(round_), now, planned)


def remove_round(round_: Round) -> None:
    """Delete a round with its seats, skips and panels, none of which may have a judgement.

    Raises RoundDiscarded where it is gone already.
    """
    with transaction.atomic():
        lock_project(round_.project_id)
        _remove_panels(round_)
        open_browsing(round_)
        show_keys(round_)
        delete_rows(RoundChoice.objects.filter(round=round_))
        if not delete_rows(Round.objects.filter(pk=round_.pk)):
            raise RoundDiscarded


def delete_rows(rows: QuerySet[Any]) -> int:
    """Delete rows in the database; return how many.

    `QuerySet.delete` would first read all of them, and all rows that point to them, to know
    what depends on what; here the database's own constraints hold that.
    """
    return rows._raw_delete(using=rows.db)  # noqa: SLF001


def _open_from_start(round_: Round, progress: Progress) -> None:
    with transaction.atomic():
        lock_project(round_.project_id)
        # Locks the row against a batch that another worker is just adding.
        Round.objects.filter(pk=round_.pk).update(panel_count=0)
        _remove_panels(round_)
    items = read_items(chosen_items(round_.project, _choice_of(round_)))
    progress.start(len(items))
    try:
        fill_and_open(round_, items, now=timezone.now(), reached=progress.advance_to)
    except RoundNotOpening as error:
        exists = Round.objects.filter(pk=round_.pk).exists()
        raise (JobInterrupted if exists else JobCancelled) from error


def _choice_of(round_: Round) -> ItemChoice:
    """The choice as it was stored when the opening was asked for."""
    stored = RoundChoice.objects.filter(round=round_).first() or RoundChoice()
    return ItemChoice(
        selection=Selection(round_.selection),
        sample_size=round_.sample_size,
        seed=round_.seed,
        uids=stored.uids,
        item_filter=ItemFilter(**stored.item_filter),
        since_round=stored.since_round,
        kind=RoundKind(round_.kind),
    )


def _add_panels(
    round_: Round, items: Sequence[ChosenItem], places: Sequence[int], done: int
) -> None:
    rows = Round.objects.filter(pk=round_.pk, state=RoundState.OPENING, panel_count=done)
    if not rows.update(panel_count=done + len(items)):
        raise RoundNotOpening
    ids = insert_new_rows(
        Panel,
        ["item", "revision", "subject", "system", "is_dev", "position"],
        [
            (each.pk, each.revision, each.subject, each.system, each.split == SplitName.DEV, n)
            for n, each in zip(places, items, strict=True)
        ],
        {
            "round": round_.pk,
            "state": PanelState.JUDGING,
            "outcome": "",
            "reasons": [],
            "severity": 0,
            "tally": "",
        },
    )
    _add_seats(round_, min(ids), max(ids))


def _add_seats(round_: Round, first: int, last: int) -> None:
    """Give the panels with ids from `first` to `last` their seats, in one statement.

    Made in the database: sending 200,000 rows of numbers there takes longer than storing them.
    The plus keeps the index over rounds out of it, which would read every panel for each batch.
    """
    seats = " UNION ALL ".join(f"SELECT {n} AS seat" for n in range(1, round_.panel_size + 1))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {Assignment._meta.db_table} (panel_id, round_id, position, seat, state)
            SELECT panel.id, panel.round_id, panel.position, numbers.seat, %s
            FROM {Panel._meta.db_table} AS panel CROSS JOIN ({seats}) AS numbers
            WHERE +panel.round_id = %s AND panel.id BETWEEN %s AND %s
            """,  # noqa: S608 - names of tables and numbers of seats
            [SeatState.OPEN, round_.pk, first, last],
        )


@transaction.atomic
def _open(
    round_: Round, stage: StageOfRound, now: datetime, planned: Sequence[PlannedControl]
) -> None:
    """Let people in: from here on seats are offered."""
    lock_project(round_.project_id)
    _refuse_disputed(round_)
    _take_current_texts(round_)
    if planned:
        ids = plant_controls(round_, planned)
        _add_seats(round_, min(ids), max(ids))
    move(
        Round.objects.filter(pk=round_.pk),
        to=RoundState.OPEN,
        transitions=ROUND_TRANSITIONS,
        refusal=RoundNotOpening,
        opened_at=now,
        **stage._asdict(),
    )
    round_.refresh_from_db(
        fields=["state", "opened_at", "panel_count", "control_count", "purpose", "stage"]
    )
    hide_keys(round_)
    record_event(
        actor=round_.opened_by,
        verb="round.opened",
        target=f"round:{round_.pk}",
        scope=round_.project.slug,
        data={
            "number": round_.number,
            "panels": round_.panel_count,
            "panel_size": round_.panel_size,
        }
        | ({"controls": round_.control_count} if round_.control_count else {}),
        now=now,
    )


def _refuse_disputed(round_: Round) -> None:
    """Raise DisputeReopened where an item came into dispute while the round was being filled."""
    disputed = Panel.objects.filter(state=PanelState.DISPUTED, item=OuterRef("item"))
    found = Panel.objects.filter(Exists(disputed), round=round_).select_related("item")
    if panel := found.order_by("pk").first():
        raise DisputeReopened(uid=panel.item.uid)


def _take_current_texts(round_: Round) -> None:
    """Point panels at texts that were corrected while the round was being filled."""
    current, system = "working_translation__current_revision", "working_translation__system"
    item = Item.objects.filter(pk=OuterRef("item"))
    Panel.objects.filter(round=round_).exclude(revision=F(f"item__{current}")).update(
        revision=Subquery(item.values(current)), system=Subquery(item.values(system))
    )


def _remove_panels(round_: Round) -> None:
    panels = Panel.with_controls.filter(round=round_)
    Comment.objects.filter(panel__in=panels).update(panel=None)
    delete_rows(Assignment.objects.filter(round=round_))
    delete_rows(Skip.objects.filter(panel__in=panels))
    remove_controls(panels)
    delete_rows(Reveal.objects.filter(panel__in=panels))
    delete_rows(panels)
