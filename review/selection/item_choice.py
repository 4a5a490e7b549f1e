"""Which items a round is about, and in which order its seats are offered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q

from annotation.enums import ItemState, Severity, SplitName
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Finding, Item, Translation
from annotation.querysets import ItemQuerySet
from projects.models import Project
from review.enums import PanelState, RoundKind, Selection
from review.models import Panel, Round
from review.selection.sampling import stratified_sample

UIDS_AT_ONCE = 1_000
NO_FILTER = ItemFilter()


class ChosenItem(NamedTuple):
    """An item with the ids of its subject, its current text and that text's author.

    `order` is what to sort by instead of `uid`, as people count.
    """

    pk: int
    uid: str
    subject: int
    revision: int
    author: int | None
    system: str = ""
    split: str = SplitName.TEST
    order: str = ""


class Drawable(NamedTuple):
    """What a sample is drawn by."""

    pk: int
    uid: str
    subject: int


class Unusable(NamedTuple):
    """A line of a list that names no item to judge, and why."""

    line: int
    uid: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChoice:
    """What a manager chooses; `sample_size` draws from it, with each subject's share.

    `uids` goes with *list*, `item_filter` with *filter*. `since_round` goes with *changed*; None
    means the latest round in which anything was judged.
    """

    selection: Selection = Selection.NOT_APPROVED
    sample_size: int | None = None
    seed: int = 0
    uids: Sequence[str] = ()
    item_filter: ItemFilter = NO_FILTER
    since_round: int | None = None
    kind: RoundKind = RoundKind.REVIEW


COLUMNS = (
    "pk",
    "uid",
    "subject_id",
    "working_translation__current_revision_id",
    "working_translation__current_revision__author_id",
    "working_translation__system",
    "split",
    "uid_order",
)


def reviewable_items(project: Project) -> ItemQuerySet:
    """Items with a text to judge; those in an open dispute wait for the senior instead."""
    items: ItemQuerySet = project.items.active().translated()
    return items.exclude(panels__state=PanelState.DISPUTED)  # a control never is


def chosen_items(project: Project, choice: ItemChoice) -> ItemQuerySet:
    """The items of a round with this choice; only a sample is drawn now, of all that it is from."""
    items = of_kind(CHOICES[choice.selection](project, choice), choice.kind)
    if not choice.sample_size:
        return items
    rows = items.order_by().values_list("pk", "uid", "subject_id")
    sample = stratified_sample([Drawable(*row) for row in rows], choice.sample_size, choice.seed)
    return items.filter(pk__among=[drawn.pk for drawn in sample])


def read_items(items: ItemQuerySet) -> list[ChosenItem]:
    """Read chosen items, by uid; the cost grows with them."""
    return [ChosenItem(*row) for row in items.order_by("uid").values_list(*COLUMNS)]


def of_kind(items: ItemQuerySet, kind: RoundKind) -> ItemQuerySet:
    """The items that a round of this kind can ask about.

    A comparison needs the texts of two systems, solving needs options and a key.
    """
    if kind == RoundKind.COMPARISON:
        others = Translation.objects.filter(item=OuterRef("pk"), current_revision__isnull=False)
        return items.filter(Exists(others.exclude(pk=OuterRef("working_translation"))))
    if kind == RoundKind.SOLVING:
        return items.exclude(key="").exclude(options=[])
    return items


def left_out_count(project: Project, choice: ItemChoice) -> int:
    """How many of the chosen items a round of this kind cannot ask about, before a sample."""
    if choice.kind == RoundKind.REVIEW:
        return 0
    items = CHOICES[choice.selection](project, choice)
    return items.exclude(pk__in=of_kind(items, choice.kind).values("pk")).count()


def unusable_lines(project: Project, uids: Sequence[str]) -> list[Unusable]:
    """The lines of a list that name no item that can be judged now, each with the reason."""
    reasons: dict[str, str] = {}
    for start in range(0, len(uids), UIDS_AT_ONCE):
        part = [uid for uid in uids[start : start + UIDS_AT_ONCE] if uid]
        reasons.update(_reasons_against(project, part))
    return [
        Unusable(line, uid, reasons[uid])
        for line, uid in enumerate(uids, start=1)
        if uid in reasons
    ]


def by_risk(project: Project, items: Sequence[ChosenItem]) -> list[ChosenItem]:
    """Put the items whose text has the most open errors first, then warnings, then as people count."""
    found = _open_findings(project)

    def risk(item: ChosenItem) -> tuple[int, int, str]:
        errors, warnings = found.get(item.revision, (0, 0))
        return (-errors, -warnings, item.order)

    return sorted(items, key=risk)


def latest_judged_round(project: Project) -> Round | None:
    """The latest round in which anything was judged."""
    rounds = Round.objects.filter(project=project, judged_count__gt=0)
    return rounds.order_by("-number").first()


def _all(project: Project, _choice: ItemChoice) -> ItemQuerySet:
    return reviewable_items(project)


def _not_approved(project: Project, _choice: ItemChoice) -> ItemQuerySet:
    return reviewable_items(project).not_approved()


def _approved(project: Project, _choice: ItemChoice) -> ItemQuerySet:
    return reviewable_items(project).approved()


def _changed(project: Project, choice: ItemChoice) -> ItemQuerySet:
    """Items that got a new text since the round was opened; a first text is no change."""
    since = (
        latest_judged_round(project)
        if choice.since_round is None
        else Round.objects.filter(project=project, number=choice.since_round).first()
    )
    if since is None:
        return reviewable_items(project).none()
    text = "working_translation__current_revision__"
    return reviewable_items(project).filter(
        **{f"{text}created_at__gt": since.opened_at, f"{text}supersedes__isnull": False}
    )


def _with_findings(project: Project, _choice: ItemChoice) -> ItemQuerySet:
    flagged = Q(has_open_errors=True) | Q(has_open_warnings=True)
    return reviewable_items(project).filter(flagged)


def _filtered(project: Project, choice: ItemChoice) -> ItemQuerySet:
    shown = filtered_items(project, choice.item_filter).order_by().values("pk")
    return reviewable_items(project).filter(pk__in=shown)


def _listed(project: Project, choice: ItemChoice) -> ItemQuerySet:
    found: list[int] = []
    uids = list(dict.fromkeys(choice.uids))
    for start in range(0, len(uids), UIDS_AT_ONCE):
        part = Item.objects.filter(project=project, uid__in=uids[start : start + UIDS_AT_ONCE])
        found.extend(part.values_list("pk", flat=True))
    return reviewable_items(project).filter(pk__among=found)


CHOICES: Mapping[Selection, Callable[[Project, ItemChoice], ItemQuerySet]] = {
    Selection.NOT_APPROVED: _not_approved,
    Selection.APPROVED: _approved,
    Selection.CHANGED: _changed,
    Selection.FINDINGS: _with_findings,
    Selection.FILTER: _filtered,
    Selection.LIST: _listed,
    Selection.ALL: _all,
    Selection.SAMPLE: _not_approved,
}


def _reasons_against(project: Project, uids: Sequence[str]) -> dict[str, str]:
    """Why each of these uids can't be judged, for those that can't."""
    rows = Item.objects.filter(project=project, uid__in=uids)
    columns = rows.values_list("pk", "uid", "state", "working_translation")
    found: dict[str, Any] = {uid: (pk, state, text) for pk, uid, state, text in columns}
    disputes = Panel.objects.filter(state=PanelState.DISPUTED, item__in=rows)
    disputed = set(disputes.values_list("item", flat=True))
    reasons = dict.fromkeys(set(uids) - found.keys(), "unknown")
    for uid, (pk, state, text) in found.items():
        if state == ItemState.EXCLUDED:
            reasons[uid] = "excluded"
        elif text is None:
            reasons[uid] = "untranslated"
        elif pk in disputed:
            reasons[uid] = "disputed"
    return reasons


def _open_findings(project: Project) -> dict[int, tuple[int, int]]:
    """Errors and warnings of each current text that has any."""
    rows = (
        Finding.objects.open()
        .current()
        .filter(revision__translation__item__project=project)
        .values_list("revision")
        .annotate(
            errors=Count("pk", filter=Q(severity=Severity.ERROR)),
            warnings=Count("pk", filter=Q(severity=Severity.WARNING)),
        )
        .order_by()
    )
    return {revision: (errors, warnings) for revision, errors, warnings in rows}
