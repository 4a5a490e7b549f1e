"""Opening, closing and discarding rounds."""

from dataclasses import asdict, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.querysets import ItemQuerySet
from common.db import move
from common.errors import DomainError
from jobs.actions import JobNotCancellable, cancel_job, create_job
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project
from review.enums import (
    ROUND_TRANSITIONS,
    PanelState,
    RoundKind,
    RoundState,
    SeatState,
    Selection,
)
from review.guidelines.actions.guidelines import current_guideline
from review.models import (
    Answer,
    Assignment,
    ExpiredClaim,
    Judgement,
    Panel,
    Round,
    RoundChoice,
    Suggestion,
)
from review.report.actions.tables import freeze_tables
from review.report.queries import round_figures
from review.rounds.actions.choosing_guard import refuse_while_choosing
from review.rounds.actions.hidden_keys import show_keys
from review.rounds.actions.opening import (
    NothingToReview,
    RoundDiscarded,
    delete_rows,
    fill_and_open,
    remove_round,
)
from review.rounds.actions.settings import RoundSettings, as_fields, check_settings
from review.rounds.previews import RoundPreview, judging_people, may_judge_again, preview_round
from review.seats.actions.further_seats import end_inquiries
from review.seats.actions.key_disputes import open_key_disputes
from review.seats.actions.seats import lock_seats, remember_claims
from review.selection.actions import tell_controls
from review.selection.item_choice import (
    chosen_items,
    latest_judged_round,
    left_out_count,
    read_items,
)

OPENING_KIND = "round-opening"
OPENED_AT_ONCE = 3_000
UNDECIDED = (PanelState.JUDGING, PanelState.DISPUTED)


class RoundAlreadyOpen(DomainError):
    code = "round_already_open"
    detail = _("Round %(number)s is still open. Close it before you open another.")


class RoundBeingOpened(DomainError):
    code = "round_already_open"
    detail = _("Round %(number)s is being opened. Wait for it or discard it.")


class RoundNotFinishable(DomainError):
    """Too few people may judge; `preview` says who may, and why it is not enough."""

    code = "round_not_finishable"
    detail = _(
        "Some items cannot get all their judgements from the people of this project. Choose fewer "
        "judgements per item, or add people who may judge; or confirm that you want to open the "
        "round anyway."
    )

    def __init__(self, preview: RoundPreview) -> None:
        self.preview = preview
        super().__init__()


class RoundNotOpen(DomainError):
    code = "round_not_open"
    detail = _("This round is not open.")


class RoundHasJudgements(DomainError):
    code = "round_has_judgements"
    detail = _(
        "People have worked in round %(number)s, so it cannot be discarded. Close it instead."
    )


def open_round(
    *,
    project: Project,
    settings: RoundSettings,
    actor: User | None,
    now: datetime,
    is_in_background: bool = False,
    is_unfinishable_allowed: bool = True,
) -> Round:
    """Open the next round: one panel for each chosen item, `panel_size` open seats for each panel.

    Items in open disputes wait for the senior and are left out. Seats are offered by risk:
    texts with errors first, then with warnings, then by uid.

    Up to OPENED_AT_ONCE items the round opens in one transaction. Above that it is filled in
    short ones, in the state *opening*: by a job with `is_in_background`, else in this process.
    Raises RoundInvalid, RoundAlreadyOpen, RoundBeingOpened, TextsBeingChosen, NothingToReview,
    DisputeReopened and, unless `is_unfinishable_allowed`, RoundNotFinishable.
    """
    check_settings(project, settings, now=now)
    _refuse_second(project)
    refuse_while_choosing(project)
    items = chosen_items(project, settings.choice)
    counted = items.order_by()[: OPENED_AT_ONCE + 1].count()  # more make no difference
    if not counted:
        raise NothingToReview
    if not is_unfinishable_allowed:
        _refuse_unfinishable(project, items, settings)
    if counted <= OPENED_AT_ONCE:
        with transaction.atomic():
            round_ = _create_round(project, settings, actor, now)
            fill_and_open(round_, read_items(items), now=now)
        return round_
    if is_in_background:
        return _queue_opening(project, settings, actor, now)
    round_ = _create_round(project, settings, actor, now)
    try:
        fill_and_open(round_, read_items(items), now=now)
    except BaseException:
        remove_round(round_)
        raise
    return round_


def preview_of(
    project: Project, settings: RoundSettings, items: ItemQuerySet | None = None
) -> RoundPreview:
    """Who may judge how many items, and whether a round over them can be finished.

    `items` are those of the settings, where they are known already.
    """
    if items is None:
        items = chosen_items(project, settings.choice)
    found = preview_round(
        project,
        items,
        panel_size=settings.panel_size,
        cap_per_person=settings.cap_per_person,
        is_same_panel_allowed=settings.is_same_panel_allowed,
        audience=settings.audience,
        kind=settings.kind,
        control_percent=settings.control_percent,
    )
    return replace(
        found,
        left_out=left_out_count(project, settings.choice),
        has_substitute=settings.substitute is not None,
    )


@transaction.atomic
def close_round(*, round_: Round, actor: User | None, now: datetime) -> Round:
    """Close a round: its seats are gone, unfinished panels stay undecided, its figures are frozen.

    Its tables by group and by reviewer are frozen too, by a job where it has many items. Disputes
    stay in the queue, and wait for nobody any more. Raises RoundNotOpen.
    """
    # In the order of `projects.locks`: otherwise a round that closes while a judgement comes in
    # would wait for the judgement, and the judgement for the round.
    lock_project(round_.project_id)
    _lock_panels(Panel.objects.filter(round=round_, state__in=UNDECIDED))
    if round_.kind == RoundKind.SOLVING:
        open_key_disputes(round_=round_, now=now)
    Panel.objects.filter(round=round_, state=PanelState.JUDGING).update(state=PanelState.UNFINISHED)
    tell_controls(round_, now)
    _close_seats(Assignment.objects.filter(round=round_), now)
    end_inquiries(round_, now)
    rows = Round.objects.filter(pk=round_.pk)
    move(
        rows,
        to=RoundState.CLOSED,
        transitions=ROUND_TRANSITIONS,
        refusal=RoundNotOpen,
        closed_at=now,
    )
    show_keys(round_)
    # Of the row as it is now: figures of an open round leave out what is not decided.
    closed = rows.select_related("project").get()
    rows.update(figures=round_figures(closed).as_json())
    freeze_tables(round_=closed, actor=actor, now=now)
    record_event(
        actor=actor,
        verb="round.closed",
        target=f"round:{round_.pk}",
        scope=round_.project.slug,
        data={"number": round_.number},
        now=now,
    )
    return Round.objects.get(pk=round_.pk)


@transaction.atomic
def discard_round(*, round_: Round, actor: User | None, now: datetime) -> None:
    """Delete a round in which nobody gave anything yet, with its seats; its items are as before.

    Works in every state: an opening that is under way is cancelled. The audit event stays. The
    number is used again, as rounds count on from the latest.
    Raises RoundHasJudgements, and RoundDiscarded where somebody else was quicker.
    """
    # In the order of `projects.locks`, so that this and a judgement never wait for each other.
    if round_.job_id:
        Job.objects.select_for_update(no_key=True).filter(pk=round_.job_id).first()
    lock_project(round_.project_id)
    _lock_panels(Panel.with_controls.filter(round=round_))
    free = [SeatState.OPEN, SeatState.CLAIMED, SeatState.CLOSED]
    seats = Assignment.objects.filter(round=round_, state__in=free)
    lock_seats(seats)
    # A batch of panels that is just being added has the round; the next batch finds none.
    if not Round.objects.select_for_update(no_key=True).filter(pk=round_.pk).first():
        raise RoundDiscarded
    # After the seats are locked: whoever ends one notes who held it.
    delete_rows(ExpiredClaim.objects.filter(assignment__round=round_))
    delete_rows(seats)
    # Only now: a judgement that was under way had its seat, and the deletion waited for it.
    if _holds_work(round_):
        raise RoundHasJudgements(number=round_.number)
    record_event(
        actor=actor,
        verb="round.discarded",
        target=f"round:{round_.pk}",
        scope=round_.project.slug,
        data={"number": round_.number, "state": round_.state, "panels": round_.panel_count},
        now=now,
    )
    remove_round(round_)
    if round_.state == RoundState.OPENING:
        _cancel_job_of(round_, actor, now)


def _lock_panels(panels: QuerySet[Panel]) -> None:
    list(panels.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))


def _close_seats(seats: QuerySet[Assignment], now: datetime) -> None:
    """Close the seats that nobody has used, and note who held them.

    Free ones first, so that nobody takes one while those that are held are looked through.
    """
    closed = {"state": SeatState.CLOSED, "reviewer": None, "expires_at": None}
    seats.filter(state=SeatState.OPEN).update(**closed)
    held = seats.filter(state=SeatState.CLAIMED)
    lock_seats(held)
    remember_claims(held, now)
    seats.filter(state__in=[SeatState.OPEN, SeatState.CLAIMED]).update(**closed)


def _holds_work(round_: Round) -> bool:
    """Whether somebody gave anything in the round, taken back or not: none of it is deleted."""
    given = (Judgement.all_rows, Answer.all_rows, Suggestion.objects)
    return any(rows.filter(panel__round=round_).exists() for rows in given)


def _store_choice(round_: Round, settings: RoundSettings) -> None:
    """Keep what the selection needs, so that an opening that begins anew finds the same items."""
    if settings.selection not in (Selection.LIST, Selection.FILTER, Selection.CHANGED):
        return
    since = settings.since_round
    if settings.selection == Selection.CHANGED and since is None:
        latest = latest_judged_round(round_.project)
        since = latest.number if latest else None
    RoundChoice.objects.create(
        round=round_,
        uids=[uid for uid in settings.uids if uid],
        item_filter=asdict(settings.item_filter),
        since_round=since,
    )


def _refuse_second(project: Project) -> None:
    latest = project.rounds.order_by("-number").first()
    if latest and latest.state == RoundState.OPENING:
        raise RoundBeingOpened(number=latest.number)
    if latest and latest.state != RoundState.CLOSED:
        raise RoundAlreadyOpen(number=latest.number)


def _refuse_unfinishable(project: Project, items: ItemQuerySet, settings: RoundSettings) -> None:
    preview = preview_of(project, settings, items)
    if not preview.forecast.is_finishable:
        raise RoundNotFinishable(preview)


@transaction.atomic
def _queue_opening(
    project: Project, settings: RoundSettings, actor: User | None, now: datetime
) -> Round:
    round_ = _create_round(project, settings, actor, now)
    round_.job = create_job(
        kind=OPENING_KIND,
        scope=project.slug,
        params={"round": round_.number},
        actor=actor,
        now=now,
    )
    round_.save(update_fields=["job"])
    return round_


@transaction.atomic
def _create_round(
    project: Project, settings: RoundSettings, actor: User | None, now: datetime
) -> Round:
    """Insert a round without panels in the state *opening*.

    Raises RoundAlreadyOpen, RoundBeingOpened, TextsBeingChosen.
    """
    # Before anything is read: of two who open a round at once the second finds that of the first.
    refuse_while_choosing(project)
    _refuse_second(project)
    latest = project.rounds.order_by("-number").first()
    fields = as_fields(settings)
    fields["is_same_panel_allowed"] = may_judge_again(
        judging_people(project, settings.audience),
        panel_size=settings.panel_size,
        is_allowed=settings.is_same_panel_allowed,
        kind=settings.kind,
    )
    fields |= {"audience": settings.audience.as_json(), "substitute_id": settings.substitute}
    round_ = Round(
        project=project,
        number=latest.number + 1 if latest else 1,
        guideline=current_guideline(project=project, now=now),
        opened_by=actor,
        opened_at=now,
        left_out_count=left_out_count(project, settings.choice),
        **fields,
    )
    try:
        with transaction.atomic():
            round_.save()
            _store_choice(round_, settings)
    except IntegrityError as error:
        raise RoundAlreadyOpen(number=round_.number) from error
    return round_


def _cancel_job_of(round_: Round, actor: User | None, now: datetime) -> None:
    """Stop the job of an opening; it finds no round any more."""
    try:
        if round_.job:
            cancel_job(job=round_.job, actor=actor, now=now)
    except JobNotCancellable:
        return
