"""Opening and closing rounds, and the guidelines they are judged by."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.enums import Severity
from annotation.models import Finding, Item, Project
from annotation.querysets import ItemQuerySet
from common.db import move
from common.errors import DomainError
from review import queries
from review.default_guideline import DEFAULT_RUBRIC, DEFAULT_TEXT
from review.enums import (
    ROUND_TRANSITIONS,
    PanelState,
    RoundState,
    SeatState,
    Selection,
    VerdictRule,
)
from review.models import Assignment, Guideline, Panel, Round

BATCH = 2000


class RoundAlreadyOpen(DomainError):
    code = "round_already_open"
    detail = _("Round %(number)s is still open. Close it before you open another.")


class NothingToReview(DomainError):
    code = "nothing_to_review"
    detail = _("No item fits: all are approved, in dispute, excluded or without a translation.")


class RoundInvalid(DomainError):
    code = "round_invalid"
    detail = _("Some settings of the round are not valid.")
    status = 400


class RoundNotOpen(DomainError):
    code = "round_not_open"
    detail = _("This round is closed.")


class GuidelineInvalid(DomainError):
    code = "guideline_invalid"
    detail = _("A guideline needs a text and one sentence for each rating from 0 to 5.")
    status = 400


class GuidelineOutdated(DomainError):
    code = "guideline_outdated"
    detail = _("Somebody has written a version meanwhile. Look at it, then write yours.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSettings:
    """What a manager chooses for a round; see `Round` for the meaning of each.

    `is_same_panel_allowed` None means: only where there are too few others to judge.
    """

    panel_size: int = 2
    selection: Selection = Selection.NOT_APPROVED
    sample_size: int | None = None
    seed: int = 0
    verdict_rule: VerdictRule = VerdictRule.UNANIMOUS
    score_gap: int = 2
    reservation_minutes: int = 30
    cap_per_person: int | None = None
    due_on: date | None = None
    is_same_panel_allowed: bool | None = None


@transaction.atomic
def open_round(
    *, project: Project, settings: RoundSettings, actor: User | None, now: datetime
) -> Round:
    """Open the next round: one panel for each chosen item, `panel_size` open seats for each panel.

    Items in open disputes wait for the senior and are left out. Seats are offered by risk:
    texts with errors first, then with warnings, then by uid.
    Raises RoundInvalid, RoundAlreadyOpen, NothingToReview.
    """
    if settings.selection == Selection.SAMPLE and not settings.sample_size:
        raise RoundInvalid(fields={"sample_size": [str(_("A sample needs its size."))]})
    round_ = _create_round(project, settings, actor, now)
    items = _choose_items(project, settings)
    if not items:
        raise NothingToReview
    panels = _create_panels(round_, _by_risk(items))
    Round.objects.filter(pk=round_.pk).update(panel_count=panels)
    round_.panel_count = panels
    record_event(
        actor=actor,
        verb="round.opened",
        target=f"round:{round_.pk}",
        scope=project.slug,
        data={"number": round_.number, "panels": panels, "panel_size": settings.panel_size},
        now=now,
    )
    return round_


@transaction.atomic
def close_round(*, round_: Round, actor: User | None, now: datetime) -> Round:
    """Close a round: its seats are gone, unfinished panels stay undecided, its figures are frozen.

    Disputes stay in the queue. Raises RoundNotOpen.
    """
    # In the order in which a judgement takes them, panel, seat, round: otherwise a round closed
    # while a judgement comes in would wait for the judgement, and the judgement for the round.
    Panel.objects.filter(round=round_, state=PanelState.JUDGING).update(state=PanelState.UNFINISHED)
    Assignment.objects.filter(round=round_, state__in=[SeatState.OPEN, SeatState.CLAIMED]).update(
        state=SeatState.CLOSED, reviewer=None, expires_at=None
    )
    rows = Round.objects.filter(pk=round_.pk)
    move(
        rows,
        to=RoundState.CLOSED,
        transitions=ROUND_TRANSITIONS,
        refusal=RoundNotOpen,
        closed_at=now,
    )
    # Of the row as it is now: figures of an open round leave out what is not decided.
    figures = queries.round_figures(rows.get())
    rows.update(figures=figures.as_json())
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
def create_guideline(
    *,
    project: Project,
    text: str,
    rubric: Mapping[str, Sequence[str]],
    actor: User | None,
    now: datetime,
) -> Guideline:
    """Add the next version of a project's guideline. Raises GuidelineInvalid, GuidelineOutdated."""
    sentences = [rubric.get(name, ()) for name in ("domain", "cultural")]
    if not text.strip() or any(len(s) != 6 or not all(t.strip() for t in s) for s in sentences):
        raise GuidelineInvalid
    latest = project.guidelines.order_by("-version").first()
    guideline = Guideline(
        project=project,
        version=latest.version + 1 if latest else 1,
        text=text,
        rubric={"domain": list(rubric["domain"]), "cultural": list(rubric["cultural"])},
        created_by=actor,
        created_at=now,
    )
    try:
        with transaction.atomic():
            guideline.save(force_insert=True)
    except IntegrityError as error:
        raise GuidelineOutdated from error
    record_event(
        actor=actor,
        verb="guideline.created",
        target=f"guideline:{guideline.pk}",
        scope=project.slug,
        data={"version": guideline.version},
        now=now,
    )
    return guideline


def _create_round(
    project: Project, settings: RoundSettings, actor: User | None, now: datetime
) -> Round:
    latest = project.rounds.order_by("-number").first()
    if latest and latest.state == RoundState.OPEN:
        raise RoundAlreadyOpen(number=latest.number)
    chosen = {name: getattr(settings, name) for name in settings.__slots__}
    chosen["is_same_panel_allowed"] = _may_judge_again(project, settings)
    round_ = Round(
        project=project,
        number=latest.number + 1 if latest else 1,
        guideline=_current_guideline(project, now),
        opened_by=actor,
        opened_at=now,
        **chosen,
    )
    _check_chosen(round_, chosen)
    try:
        with transaction.atomic():
            round_.save()
    except IntegrityError as error:
        raise RoundAlreadyOpen(number=round_.number) from error
    return round_


def _check_chosen(round_: Round, chosen: dict[str, Any]) -> None:
    """Hold the limits of the fields that a manager fills in. Raises RoundInvalid."""
    given = {name for name, value in chosen.items() if value is not None}
    others = {field.name for field in Round._meta.get_fields()} - given
    try:
        round_.clean_fields(exclude=others)
    except ValidationError as error:
        raise RoundInvalid(fields=error.message_dict) from error


def _may_judge_again(project: Project, settings: RoundSettings) -> bool:
    """Whether last round's judges may judge an item again: if told so, or if there are no others."""
    if settings.is_same_panel_allowed is not None:
        return settings.is_same_panel_allowed
    return queries.judge_count(project) < 2 * settings.panel_size


def _current_guideline(project: Project, now: datetime) -> Guideline:
    guideline = project.guidelines.order_by("-version").first()
    return guideline or create_guideline(
        project=project, text=DEFAULT_TEXT, rubric=DEFAULT_RUBRIC, actor=None, now=now
    )


def _choose_items(project: Project, settings: RoundSettings) -> list[Item]:
    items: ItemQuerySet = project.items.active().translated()
    if settings.selection != Selection.ALL:
        items = items.not_approved()
    items = items.exclude(
        panels__state=PanelState.DISPUTED,
    ).select_related("working_translation")
    chosen = list(
        items.only("uid", "subject", "working_translation__current_revision").order_by("uid")
    )
    if settings.selection == Selection.SAMPLE and settings.sample_size:
        chosen = stratified_sample(chosen, settings.sample_size, settings.seed)
    return chosen


def stratified_sample(items: Sequence[Item], size: int, seed: int) -> list[Item]:
    """Return `size` of `items`, shared out over subjects in proportion (largest remainder).

    Within a subject the order is by a hash of seed and uid: the same seed gives the same sample,
    and of a subject a larger share contains the smaller.
    """
    by_subject: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_subject[item.subject_id].append(item)
    shares = {s: size * len(group) / len(items) for s, group in by_subject.items()}
    quota = {s: min(math.floor(share), len(by_subject[s])) for s, share in shares.items()}
    remainders = sorted(shares, key=lambda s: (quota[s] - shares[s], s))
    for subject in remainders[: min(size, len(items)) - sum(quota.values())]:
        quota[subject] += 1
    chosen = [
        item
        for subject, group in by_subject.items()
        for item in sorted(group, key=lambda i: _rank(seed, i.uid))[: quota[subject]]
    ]
    return sorted(chosen, key=lambda item: item.uid)


def _rank(seed: int, uid: str) -> str:
    return hashlib.sha256(f"{seed}\x00{uid}".encode()).hexdigest()


def _by_risk(items: list[Item]) -> list[Item]:
    """Order items by open errors, then open warnings in their current text, then uid."""
    found: dict[int, tuple[int, int]] = {
        row["revision"]: (row["errors"], row["warnings"])
        for row in Finding.objects.open()
        .current()
        .filter(revision__translation__item__project=items[0].project_id)
        .values("revision")
        .annotate(
            errors=Count("pk", filter=Q(severity=Severity.ERROR)),
            warnings=Count("pk", filter=Q(severity=Severity.WARNING)),
        )
        .order_by()
    }

    def risk(item: Item) -> tuple[int, int, str]:
        errors, warnings = found.get(_revision_id(item), (0, 0))
        return (-errors, -warnings, item.uid)

    return sorted(items, key=risk)


def _revision_id(item: Item) -> int:
    translation: Any = item.working_translation
    return int(translation.current_revision_id)


def _create_panels(round_: Round, items: Iterable[Item]) -> int:
    panels = Panel.objects.bulk_create(
        [
            Panel(round=round_, item=item, revision_id=_revision_id(item), position=position)
            for position, item in enumerate(items, start=1)
        ],
        batch_size=BATCH,
    )
    Assignment.objects.bulk_create(
        [
            Assignment(panel=panel, round=round_, position=panel.position, seat=seat)
            for panel in panels
            for seat in range(1, round_.panel_size + 1)
        ],
        batch_size=BATCH,
    )
    return len(panels)
