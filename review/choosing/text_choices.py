"""The page on which people choose item by item whose text goes on: its filter, rows and marks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.diffs import Segment, diff
from annotation.enums import Origin
from annotation.items.text_rows import label_of, text_in
from annotation.models import Item, Revision, Translation
from projects.criteria import Criteria
from projects.models import Project, Subject
from review.answers.figures import Opinion, best_systems
from review.choosing.actions.choosing import panels_in_work, worked_on
from review.figures.labels import short_label
from review.models import ComparedText, Panel, Round, TextChoice
from review.outcomes import FURTHER

PAGE_SIZE = 20
CHOICES_SHOWN = 5
DISAGREE = "disagree"
QUESTION = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFilter:
    """Which items to show: of a subject, of a comparison, or those whose texts differ."""

    subject: str = ""
    round: Round | None = None
    show: str = ""


class Mean(NamedTuple):
    """The mean of the ratings on a criterion, which has a name for programs and a label for people."""

    name: str
    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Said:
    """What the experts of a comparison said of one text of an item."""

    approvals: int
    judges: int
    means: Sequence[Mean]
    mean_rank: float | None
    is_best: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One system's text of an item; `fields` has (field, letter or name, difference from the text that goes on).

    `number` is the digit that chooses it.
    """

    number: int
    translation: int
    system: str
    revision: Revision
    fields: Sequence[tuple[str, str, Sequence[Segment]]]
    is_chosen: bool
    is_corrected: bool
    said: Said | None


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One item with its texts side by side.

    `is_waiting` says that it is in an open round or dispute, `is_worked_on` that people have
    judged, decided on or corrected its text.
    """

    item: Item
    sides: Sequence[Side]
    is_waiting: bool
    is_worked_on: bool


def items_to_choose(project: Project, wanted: ChoiceFilter) -> QuerySet[Item]:
    """The items that several systems translated; order them by uid_order for pages."""
    rows = Item.objects.filter(project=project)
    if wanted.subject:  # the subject's own index has them in order
        rows = Item.objects.filter(
            subject=Subject.objects.filter(project=project, slug=wanted.subject).first()
        )
    others = Translation.objects.filter(
        item=OuterRef("pk"), current_revision__isnull=False
    ).exclude(pk=OuterRef("working_translation"))
    if wanted.show == DISAGREE:
        text = "current_revision__content_hash"
        others = others.exclude(**{text: OuterRef(f"working_translation__{text}")})
    rows = rows.filter(Exists(others))
    if wanted.round:
        compared = Panel.objects.filter(round=wanted.round).order_by().values("item")
        rows = rows.filter(pk__in=compared)
    found: QuerySet[Item] = rows.select_related("subject")
    return found


def choice_rows(items: Sequence[Item], round_: Round | None) -> list[ChoiceRow]:
    """The rows of one page; three queries, whatever it shows."""
    texts = Translation.objects.filter(
        item__in=[item.pk for item in items], current_revision__isnull=False
    ).select_related("current_revision")
    by_item: dict[int, list[Translation]] = defaultdict(list)
    for each in texts.order_by("system", "pk"):
        by_item[each.item_id].append(each)
    said = _said(items, round_) if round_ else {}
    states = _states(items)
    return [_row(item, by_item[item.pk], said, states[item.pk]) for item in items]


def latest_choices(project: Project) -> list[TextChoice]:
    """The choices that can be undone still, the newest first."""
    rows = TextChoice.objects.filter(project=project, undone_at__isnull=True, item_count__gt=0)
    latest = project.rounds.order_by("-opened_at").values_list("opened_at", flat=True).first()
    if latest:
        rows = rows.filter(made_at__gt=latest)
    return list(rows.select_related("actor").order_by("-pk")[:CHOICES_SHOWN])


def _states(items: Sequence[Item]) -> dict[int, tuple[bool, bool]]:
    """`is_waiting` and `is_worked_on` of the items of a page.

    Asked of these items alone: as a part of the list, PostgreSQL would work them out for all.
    """
    rows = Item.objects.filter(pk__in=[item.pk for item in items]).annotate(
        is_waiting=Exists(panels_in_work()),
        is_worked_on=Exists(Item.objects.filter(worked_on(), pk=OuterRef("pk"))),
    )
    found = rows.order_by("pk").values_list("pk", "is_waiting", "is_worked_on")
    return {pk: (is_waiting, is_worked_on) for pk, is_waiting, is_worked_on in found}


def _row(
    item: Item,
    texts: Sequence[Translation],
    said: Mapping[tuple[int, str], Said],
    state: tuple[bool, bool],
) -> ChoiceRow:
    working = next((each for each in texts if each.pk == item.working_translation_id), texts[0])
    before = _current(working)
    sides = [
        Side(
            number=number,
            translation=each.pk,
            system=each.system,
            revision=_current(each),
            fields=_compared(before, _current(each)),
            is_chosen=each.pk == item.working_translation_id,
            is_corrected=_current(each).origin in (Origin.HUMAN, Origin.ADJUDICATED),
            said=said.get((item.pk, each.system)),
        )
        for number, each in enumerate(texts, start=1)
    ]
    return ChoiceRow(item, sides, *state)


def _current(translation: Translation) -> Revision:
    revision = translation.current_revision
    if revision is None:
        raise LookupError(translation.pk)
    return revision


def _compared(before: Revision, after: Revision) -> list[tuple[str, str, Sequence[Segment]]]:
    options = [f"options.{place}" for place in range(len(after.options))]
    further = [name for name in FURTHER if text_in(before, name) or text_in(after, name)]
    named = [(QUESTION, ""), *((name, label_of(name)) for name in (*options, *further))]
    return [(n, label, _difference(text_in(before, n), text_in(after, n))) for n, label in named]


def _difference(was: str, text: str) -> Sequence[Segment]:
    return diff(was, text) if was != text else [Segment("same", text)]


def _said(items: Sequence[Item], round_: Round) -> dict[tuple[int, str], Said]:
    """What was said of each item's texts in a comparison, by item and system; one query."""
    rows = ComparedText.objects.filter(
        answer__panel__round=round_,
        answer__panel__item__in=[item.pk for item in items],
        answer__withdrawn_at__isnull=True,
    ).annotate(system=F("revision__translation__system"), item=F("answer__panel__item"))
    opinions = [
        Opinion(*row)
        for row in rows.order_by("pk").values_list(
            "system", "item", "is_approved", "ratings", "rank"
        )
    ]
    criteria = round_.project.criteria
    best = best_systems(opinions, criteria)
    grouped: dict[tuple[int, str], list[Opinion]] = defaultdict(list)
    for each in opinions:
        grouped[each.item, each.system].append(each)
    return {
        place: _summed(each, criteria, is_best=place[1] in best[place[0]])
        for place, each in grouped.items()
    }


def _summed(opinions: Sequence[Opinion], criteria: Criteria, *, is_best: bool) -> Said:
    ranks = [each.rank for each in opinions if each.rank]
    count = len(opinions)
    return Said(
        approvals=sum(each.is_approved for each in opinions),
        judges=count,
        means=[
            Mean(
                each.name,
                short_label(each),
                sum(said.ratings[each.name] for said in opinions) / count,
            )
            for each in criteria
        ],
        mean_rank=sum(ranks) / len(ranks) if ranks else None,
        is_best=is_best,
    )
