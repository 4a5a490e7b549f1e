"""Choosing which system's text of an item goes on to the next round."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.enums import Origin, TranslationState
from annotation.items.choosing import choose_translations
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Item, Revision, Translation
from annotation.querysets import ItemQuerySet
from common.batches import batched
from common.errors import DomainError
from projects.models import Project
from review.answer_queries import best_ranked
from review.enums import PanelState, RoundKind, RoundState
from review.models import Judgement, Panel, Round

AT_ONCE = 500


class SystemUnknown(DomainError):
    code = "system_unknown"
    detail = _("No item of this project has a text by %(system)s.")
    status = 400


class NothingRanked(DomainError):
    code = "nothing_ranked"
    detail = _("Round %(number)s is not a closed comparison, so it cannot say which text is best.")
    status = 400


@dataclass(frozen=True, slots=True)
class Chosen:
    """What became of the items: those that another text is chosen for now, and why others stay.

    `same` had the chosen text already, `reviewed` have a text that people worked on, `waiting`
    are in an open round or an open dispute, `without` have no such text.
    """

    changed: int = 0
    same: int = 0
    reviewed: int = 0
    waiting: int = 0
    without: int = 0

    def __add__(self, other: "Chosen") -> "Chosen":
        return Chosen(
            self.changed + other.changed,
            self.same + other.same,
            self.reviewed + other.reviewed,
            self.waiting + other.waiting,
            self.without + other.without,
        )


def choose_system(
    *,
    project: Project,
    system: str,
    item_filter: ItemFilter,
    is_reviewed_included: bool,
    actor: User | None,
    now: datetime,
) -> Chosen:
    """Let the text of one system go on to the next round, for all items that a filter shows.

    Items whose text people have worked on keep it, unless `is_reviewed_included`: approved and
    rejected texts, texts with judgements, and texts that were corrected here. Items in an open
    round or dispute always keep theirs. Each AT_ONCE items are a transaction; doing it again
    changes only what is left. Raises SystemUnknown.
    """
    of_system = Translation.objects.filter(item__project=project, system=system)
    if not of_system.exists():
        raise SystemUnknown(system=system)
    items = filtered_items(project, item_filter).order_by().values_list("pk", flat=True)
    found = Chosen()
    for some in batched(items.iterator(AT_ONCE), AT_ONCE):
        wanted = dict(of_system.filter(item__in=some).values_list("item", "pk"))
        left = Chosen(without=len(some) - len(wanted))
        found += left + _choose(project, wanted, is_reviewed_included, system, actor, now)
    return found


def choose_best_ranked(
    *, round_: Round, is_reviewed_included: bool, actor: User | None, now: datetime
) -> Chosen:
    """Let the text that a closed comparison found best go on, for each item that it compared.

    Where two texts are equally good the item keeps its own, if that is one of them, else takes
    the first by the system's name. Items that nobody compared count as `without`. Otherwise as
    `choose_system`. Raises NothingRanked.
    """
    if round_.kind != RoundKind.COMPARISON or round_.state != RoundState.CLOSED:
        raise NothingRanked(number=round_.number)
    best = best_ranked(round_)
    found = Chosen(without=round_.panel_count - len(best))
    why = f"round {round_.number}"
    for some in batched(best.items(), AT_ONCE):
        found += _choose(round_.project, dict(some), is_reviewed_included, why, actor, now)
    return found


def choose_for_item(
    *, item: Item, system: str, is_reviewed_included: bool, actor: User | None, now: datetime
) -> Chosen:
    """Let the text of one system go on for one item, as `choose_system` does. Raises SystemUnknown."""
    rows = Translation.objects.filter(item=item, system=system).values_list("item", "pk")
    if not rows:
        raise SystemUnknown(system=system)
    return _choose(item.project, dict(rows), is_reviewed_included, system, actor, now)


def worked_on() -> Q:
    """Items whose working translation people have judged, decided on or corrected."""
    here = {"revision__translation": OuterRef("working_translation")}
    judged = Judgement.objects.filter(**here)
    made_here = Revision.objects.filter(
        translation=OuterRef("working_translation"), origin__in=[Origin.HUMAN, Origin.ADJUDICATED]
    )
    decided = Q(
        working_translation__state__in=[TranslationState.APPROVED, TranslationState.REJECTED]
    )
    return decided | Exists(judged) | Exists(made_here)


def _choose(
    project: Project,
    wanted: Mapping[int, int],
    is_reviewed_included: bool,
    why: str,
    actor: User | None,
    now: datetime,
) -> Chosen:
    """`wanted` is {item: translation}."""
    items: ItemQuerySet = Item.objects.filter(pk__in=wanted)
    in_work = Panel.objects.filter(item=OuterRef("pk"))
    is_waiting = Q(state=PanelState.DISPUTED) | Q(
        round__state__in=[RoundState.OPENING, RoundState.OPEN], round__kind=RoundKind.REVIEW
    )
    rows = items.annotate(
        is_worked_on=Case(When(worked_on(), then=True), default=False),
        is_waiting=Exists(in_work.filter(is_waiting)),
    ).values_list("pk", "working_translation", "is_waiting", "is_worked_on")
    seen: dict[int, int | None] = {}
    same = reviewed = waiting = 0
    for pk, working, waits, worked in rows:
        if working == wanted[pk]:
            same += 1
        elif waits:
            waiting += 1
        elif worked and not is_reviewed_included:
            reviewed += 1
        else:
            seen[pk] = working
    chosen = {pk: wanted[pk] for pk in seen}
    changed = choose_translations(
        project=project, chosen=chosen, seen=seen, why=why, actor=actor, now=now
    )
    return Chosen(len(changed), same, reviewed, waiting + len(chosen) - len(changed))
