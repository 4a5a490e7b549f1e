"""Opening, closing and discarding rounds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.items.queries import ItemFilter
from annotation.models import Translation
from common.db import move
from common.errors import DomainError
from jobs.actions import JobNotCancellable, cancel_job, create_job
from projects.enums import JUDGES
from projects.models import Project
from review.actions.controls import tell_controls
from review.actions.further_seats import end_inquiries
from review.actions.guidelines import current_guideline
from review.actions.key_disputes import open_key_disputes
from review.actions.opening import (
    NothingToReview,
    RoundDiscarded,
    delete_rows,
    fill_and_open,
    remove_round,
)
from review.actions.seats import remember_claims
from review.actions.tables import freeze_tables
from review.audience import Audience
from review.controls import known_good_items
from review.enums import (
    ROUND_TRANSITIONS,
    PanelState,
    RoundKind,
    RoundState,
    SeatState,
    Selection,
    VerdictRule,
)
from review.item_choice import (
    NO_FILTER,
    ChosenItem,
    ItemChoice,
    Unusable,
    choose_items,
    latest_judged_round,
    unusable_lines,
)
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
from review.previews import RoundPreview, judging_people, may_judge_again, preview_round
from review.report_queries import round_figures

OPENING_KIND = "round-opening"
OPENED_AT_ONCE = 3_000
LONGEST_LIST = 50_000
LINES_TOLD = 20
ELSEWHERE = {
    "uids",
    "item_filter",
    "since_round",
    "roles",
    "languages",
    "excluded_people",
    "needs_expert",
}
_LINE_WORDS = {
    "unknown": _("Line %(line)s: there is no item %(uid)s in this project."),
    "excluded": _("Line %(line)s: item %(uid)s is excluded. Restore it, or remove this line."),
    "untranslated": _("Line %(line)s: item %(uid)s has no translation yet. Remove this line."),
    "disputed": _("Line %(line)s: item %(uid)s is in an open dispute. Settle it first."),
}


class RoundAlreadyOpen(DomainError):
    code = "round_already_open"
    detail = _("Round %(number)s is still open. Close it before you open another.")


class RoundInvalid(DomainError):
    code = "round_invalid"
    detail = _("Some settings of the round are not valid.")
    status = 400


class RoundNotFinishable(DomainError):
    """Too few people may judge; `preview` says who may, and why it is not enough."""

    code = "round_not_finishable"
    detail = _(
        "Some items cannot get all their judgements from the people of this project. Choose fewer "
        "judgements for each item, or add people who may judge; or confirm that you want to open "
        "the round anyway."
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSettings:
    """What a manager chooses for a round; see `Round`, `ItemChoice` and `Audience` for the meaning of each.

    `is_same_panel_allowed` None means: only where too few other people may judge.
    """

    panel_size: int = 2
    uncertain_seats: int = 0
    selection: Selection = Selection.NOT_APPROVED
    sample_size: int | None = None
    seed: int = 0
    uids: Sequence[str] = ()
    item_filter: ItemFilter = NO_FILTER
    since_round: int | None = None
    verdict_rule: VerdictRule = VerdictRule.UNANIMOUS
    score_gap: int = 2
    reservation_minutes: int = 30
    cap_per_person: int | None = None
    due_on: date | None = None
    is_same_panel_allowed: bool | None = None
    roles: Sequence[str] = ()
    languages: Sequence[str] = ()
    excluded_people: Sequence[int] = ()
    needs_expert: bool = False
    control_percent: int = 0
    has_blind_reading: bool = False
    kind: RoundKind = RoundKind.REVIEW

    @property
    def audience(self) -> Audience:
        return Audience(
            roles=tuple(self.roles),
            languages=tuple(self.languages),
            excluded=tuple(self.excluded_people),
            needs_expert=self.needs_expert,
        )

    @property
    def choice(self) -> ItemChoice:
        return ItemChoice(
            selection=self.selection,
            sample_size=self.sample_size,
            seed=self.seed,
            uids=self.uids,
            item_filter=self.item_filter,
            since_round=self.since_round,
            kind=self.kind,
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
    Raises RoundInvalid, RoundAlreadyOpen, NothingToReview and, unless `is_unfinishable_allowed`,
    RoundNotFinishable.
    """
    check_settings(project, settings)
    _refuse_second(project)
    items = chosen_items(project, settings)
    if not items:
        raise NothingToReview
    if not is_unfinishable_allowed:
        _refuse_unfinishable(project, items, settings)
    if len(items) <= OPENED_AT_ONCE:
        with transaction.atomic():
            round_ = _create_round(project, settings, actor, now)
            fill_and_open(round_, items, now=now)
        return round_
    if is_in_background:
        return _queue_opening(project, settings, actor, now)
    round_ = _create_round(project, settings, actor, now)
    try:
        fill_and_open(round_, items, now=now)
    except BaseException:
        remove_round(round_)
        raise
    return round_


def check_settings(project: Project, settings: RoundSettings) -> None:
    """Hold the limits of what a manager fills in. Raises RoundInvalid with the fields at fault."""
    _check_fields(settings)
    if (
        faults := _kind_faults(project, settings)
        | _choice_faults(project, settings)
        | audience_faults(project, settings.audience)
    ):
        raise RoundInvalid(fields=faults)


def audience_faults(project: Project, audience: Audience) -> dict[str, list[str]]:
    """What is wrong with whom a round asks, by field."""
    faults: dict[str, list[str]] = {}
    if not set(audience.roles) <= {str(role) for role in JUDGES}:
        faults["roles"] = [str(_("Choose from: %s.") % ", ".join(JUDGES))]
    members = set(project.memberships.values_list("user", flat=True))
    strangers = sorted(set(audience.excluded) - members)
    if strangers:
        words = _("Not a member of this project: %s.") % ", ".join(map(str, strangers))
        faults["excluded_people"] = [str(words)]
    return faults


def chosen_items(project: Project, settings: RoundSettings) -> list[ChosenItem]:
    """The items that a round with these settings takes now, by uid."""
    return choose_items(project, settings.choice)


def preview_of(
    project: Project, items: Sequence[ChosenItem], settings: RoundSettings
) -> RoundPreview:
    """Who may judge how many of `items`, and whether a round over them can be finished."""
    return preview_round(
        project,
        items,
        panel_size=settings.panel_size,
        cap_per_person=settings.cap_per_person,
        is_same_panel_allowed=settings.is_same_panel_allowed,
        audience=settings.audience,
    )


@transaction.atomic
def close_round(*, round_: Round, actor: User | None, now: datetime) -> Round:
    """Close a round: its seats are gone, unfinished panels stay undecided, its figures are frozen.

    Its tables by group and by reviewer are frozen too, by a job where it has many items. Disputes
    stay in the queue, and wait for nobody any more. Raises RoundNotOpen.
    """
    if round_.kind == RoundKind.SOLVING:
        open_key_disputes(round_=round_, now=now)
    # In the order in which a judgement takes them, panel, seat, round: otherwise a round closed
    # while a judgement comes in would wait for the judgement, and the judgement for the round.
    Panel.objects.filter(round=round_, state=PanelState.JUDGING).update(state=PanelState.UNFINISHED)
    tell_controls(round_, now)
    remember_claims(Assignment.objects.filter(round=round_, state=SeatState.CLAIMED), now)
    Assignment.objects.filter(round=round_, state__in=[SeatState.OPEN, SeatState.CLAIMED]).update(
        state=SeatState.CLOSED, reviewer=None, expires_at=None
    )
    end_inquiries(round_, now)
    rows = Round.objects.filter(pk=round_.pk)
    move(
        rows,
        to=RoundState.CLOSED,
        transitions=ROUND_TRANSITIONS,
        refusal=RoundNotOpen,
        closed_at=now,
    )
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
    # In the order of a judgement, so that the two never wait for each other: panel, seat, round.
    # With no_key, a skip that has its seat already can still store its row.
    panels = Panel.with_controls.filter(round=round_).select_for_update(no_key=True).order_by("pk")
    list(panels.values_list("pk", flat=True))
    # A batch of panels that is just being added has the round; the next batch finds none.
    if not Round.objects.select_for_update().filter(pk=round_.pk).first():
        raise RoundDiscarded
    free = [SeatState.OPEN, SeatState.CLAIMED, SeatState.CLOSED]
    delete_rows(ExpiredClaim.objects.filter(assignment__round=round_))
    delete_rows(Assignment.objects.filter(round=round_, state__in=free))
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


def _holds_work(round_: Round) -> bool:
    """Whether somebody gave anything in the round, taken back or not: none of it is deleted."""
    given = (Judgement.all_rows, Answer.all_rows, Suggestion.objects)
    return any(rows.filter(panel__round=round_).exists() for rows in given)


def _check_fields(settings: RoundSettings) -> None:
    chosen = _as_fields(settings)
    given = {name for name, value in chosen.items() if value is not None}
    others = {field.name for field in Round._meta.get_fields()} - given
    try:
        Round(**chosen).clean_fields(exclude=others)
    except ValidationError as error:
        raise RoundInvalid(fields=error.message_dict) from error


def _kind_faults(project: Project, settings: RoundSettings) -> dict[str, list[str]]:
    if settings.kind != RoundKind.REVIEW and settings.control_percent:
        return {"control_percent": [str(_("Only reviews have control items. Enter 0."))]}
    if settings.kind != RoundKind.COMPARISON:
        return {}
    systems = Translation.objects.filter(item__project=project).order_by().values("system")
    if len(systems.distinct()[:2]) > 1:
        return {}
    words = _("All texts of this project are by one system. Import those of another one first.")
    return {"kind": [str(words)]}


def _choice_faults(project: Project, settings: RoundSettings) -> dict[str, list[str]]:
    """What a choice lacks, by field."""
    if settings.selection == Selection.SAMPLE and not settings.sample_size:
        return {"sample_size": [str(_("Give the size of the sample."))]}
    if settings.control_percent and not known_good_items(project).exists():
        return {
            "control_percent": [str(_("No item is approved yet that could be a control item."))]
        }
    if settings.selection == Selection.LIST:
        return _list_faults(project, settings.uids)
    if settings.selection == Selection.CHANGED:
        return _since_faults(project, settings.since_round)
    return {}


def _list_faults(project: Project, uids: Sequence[str]) -> dict[str, list[str]]:
    if not any(uids):
        return {"uids": [str(_("Give the uids of the items, one on each line."))]}
    if len(uids) > LONGEST_LIST:
        words = _("A list can have at most %(most)s items. Choose them by a filter instead.")
        return {"uids": [str(words % {"most": LONGEST_LIST})]}
    faults = unusable_lines(project, uids)
    told = [_line_words(each) for each in faults[:LINES_TOLD]]
    if len(faults) > LINES_TOLD:
        told.append(str(_("and %(count)s more lines") % {"count": len(faults) - LINES_TOLD}))
    return {"uids": told} if told else {}


def _line_words(fault: Unusable) -> str:
    return str(_LINE_WORDS[fault.reason] % {"line": fault.line, "uid": fault.uid})


def _since_faults(project: Project, number: int | None) -> dict[str, list[str]]:
    if number is None and latest_judged_round(project) is None:
        return {"since_round": [str(_("Nothing has been judged yet. Choose other items."))]}
    if number is not None and not project.rounds.filter(number=min(number, 32_767)).exists():
        words = _("There is no round %(number)s in this project.")
        return {"since_round": [str(words % {"number": number})]}
    return {}


def _as_fields(settings: RoundSettings) -> dict[str, Any]:
    """The settings that are columns of the round."""
    return {name: getattr(settings, name) for name in settings.__slots__ if name not in ELSEWHERE}


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
    if latest and latest.state != RoundState.CLOSED:
        raise RoundAlreadyOpen(number=latest.number)


def _refuse_unfinishable(
    project: Project, items: Sequence[ChosenItem], settings: RoundSettings
) -> None:
    preview = preview_of(project, items, settings)
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


def _create_round(
    project: Project, settings: RoundSettings, actor: User | None, now: datetime
) -> Round:
    """Insert a round without panels in the state *opening*. Raises RoundAlreadyOpen."""
    latest = project.rounds.order_by("-number").first()
    fields = _as_fields(settings)
    fields["is_same_panel_allowed"] = may_judge_again(
        judging_people(project, settings.audience),
        panel_size=settings.panel_size,
        is_allowed=settings.is_same_panel_allowed,
    )
    if settings.kind == RoundKind.SOLVING:  # there it means: also those who saw the key
        fields["is_same_panel_allowed"] = bool(settings.is_same_panel_allowed)
    fields["audience"] = settings.audience.as_json()
    round_ = Round(
        project=project,
        number=latest.number + 1 if latest else 1,
        guideline=current_guideline(project=project, now=now),
        opened_by=actor,
        opened_at=now,
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
