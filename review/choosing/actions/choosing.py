"""Choosing which system's text of an item goes on to the next round."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.enums import Origin, TranslationState
from annotation.items.choosing import choose_translations
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Item, Revision, Translation
from annotation.querysets import ItemQuerySet
from common.batches import batched
from common.errors import DomainError
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project
from review.answers.queries import best_ranked
from review.enums import PanelState, RoundKind, RoundState
from review.models import ChosenText, Judgement, Panel, Round, TextChoice
from review.rounds.actions.choosing_guard import hold_texts

AT_ONCE = 500
Value = TypeVar("Value")


class ChosenMeanwhile(DomainError):
    code = "chosen_meanwhile"
    detail = _("Somebody else chose another text of this item in the meantime. Look at it again.")


class ItemInWork(DomainError):
    code = "item_in_work"
    detail = _("This item is in an open round or dispute, so it keeps its text until that is over.")


class TextWorkedOn(DomainError):
    code = "text_worked_on"
    detail = _(
        "People have judged, decided on or corrected the text of this item. Tick the box to "
        "replace such texts too."
    )


class ChoiceFixed(DomainError):
    code = "choice_fixed"
    detail = _(
        "This choice can no longer be undone: it was undone already, or a round has been opened "
        "since. Choose the texts anew."
    )


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
    is_preview: bool = False,
    choice: TextChoice | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Let the text of one system go on to the next round, for all items that a filter shows.

    Items whose text people have worked on keep it, unless `is_reviewed_included`: approved and
    rejected texts, texts with judgements, and texts that were corrected here. Items in an open
    round or dispute always keep theirs. Each AT_ONCE items are a transaction; doing it again
    changes only what is left. With `is_preview` nothing changes, and the answer says what would.
    A job gives its `choice`, with which it goes on, and its `progress`. Raises SystemUnknown,
    TextsBeingChosen, RoundBeingOpened.
    """
    of_system = texts_of_system(project, system)
    # All ids at once: a list that is read while rows change would hold an old state of them.
    items = list(filtered_items(project, item_filter).order_by("pk").values_list("pk", flat=True))
    found = Chosen()
    making = _Making(project, system, actor, now, is_reviewed_included, is_preview, choice)
    for some in _in_batches(items, progress):
        wanted = dict(of_system.filter(item__in=some).values_list("item", "pk"))
        found += Chosen(without=len(some) - len(wanted)) + making.choose(wanted)
    return found


def choose_best_ranked(
    *,
    round_: Round,
    is_reviewed_included: bool,
    actor: User | None,
    now: datetime,
    ties_to: str = "",
    is_preview: bool = False,
    choice: TextChoice | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Let the text that a closed comparison found best go on, for each item that it compared.

    Where two texts are equally good the item takes that of the system `ties_to`, else keeps its
    own, if that is one of them, else takes the first by the system's name. Items that nobody
    compared count as `without`. Otherwise as `choose_system`. Raises NothingRanked.
    """
    refuse_unranked(round_)
    items = list(Panel.objects.filter(round=round_).order_by("pk").values_list("item", flat=True))
    found = Chosen()
    why = why_best(round_)
    making = _Making(round_.project, why, actor, now, is_reviewed_included, is_preview, choice)
    for some in _in_batches(items, progress):
        best = best_ranked(round_, some, ties_to=ties_to)
        found += Chosen(without=len(some) - len(best)) + making.choose(best)
    return found


def why_best(round_: Round) -> str:
    """What a choice of the best texts of a comparison is called."""
    return f"round {round_.number}"


def texts_of_system(project: Project, system: str) -> QuerySet[Translation]:
    """The texts by a system. Raises SystemUnknown if there is none."""
    rows: QuerySet[Translation] = Translation.objects.filter(item__project=project, system=system)
    if not rows.exists():
        raise SystemUnknown(system=system)
    return rows


def refuse_unranked(round_: Round) -> None:
    """Raise NothingRanked unless the round is a closed comparison."""
    if round_.kind != RoundKind.COMPARISON or round_.state != RoundState.CLOSED:
        raise NothingRanked(number=round_.number)


def choose_for_item(
    *,
    item: Item,
    system: str,
    is_reviewed_included: bool,
    actor: User | None,
    now: datetime,
    is_preview: bool = False,
    instead_of: str = "",
) -> Chosen:
    """Let the text of one system go on for one item, as `choose_system` does.

    `instead_of` is the system whose text was seen to go on; of two people who choose different
    texts at once the second is told. Raises SystemUnknown, ChosenMeanwhile.
    """
    rows = Translation.objects.filter(item=item, system=system).values_list("item", "pk")
    if not rows:
        raise SystemUnknown(system=system)
    making = _Making(item.project, system, actor, now, is_reviewed_included, is_preview)
    return making.choose(dict(rows), _seen_text(item, instead_of) if instead_of else None)


def _seen_text(item: Item, system: str) -> dict[int, int | None]:
    """What `_Making.choose` expects of an item whose text by `system` was seen to go on."""
    text = Translation.objects.filter(item=item, system=system).first()
    return {item.pk: text.pk if text else None}


def choose_text(
    *,
    item: Item,
    translation: Translation,
    seen: int | None,
    is_reviewed_included: bool,
    actor: User,
    now: datetime,
) -> TextChoice | None:
    """Let one text of an item go on, in place of the one that was `seen`; None if it does already.

    Of two people who choose different texts at once the second is told. Raises ChosenMeanwhile,
    ItemInWork, TextWorkedOn.
    """
    making = _Making(item.project, translation.system, actor, now, is_reviewed_included)
    done = making.choose({item.pk: translation.pk}, {item.pk: seen})
    if done.reviewed:
        raise TextWorkedOn
    if done.waiting:
        raise ItemInWork
    return making.choice


def undo_choice(
    *,
    choice: TextChoice,
    actor: User | None,
    now: datetime,
    job: Job | None = None,
    progress: Progress | None = None,
) -> int:
    """Give the items of a choice their texts of before; return how many have them back.

    Items for which another text was chosen since keep it. Each AT_ONCE items are a transaction;
    running it again goes on where it stopped. `job` is the one that does it, with its `progress`.
    Raises ChoiceFixed, TextsBeingChosen, RoundBeingOpened.
    """
    if not is_undoable(choice):
        raise ChoiceFixed
    for some in _in_batches(list(choice.texts.values_list("pk", flat=True)), progress):
        _give_back(choice, some, actor, now, job)
    TextChoice.objects.filter(pk=choice.pk, undone_at__isnull=True).update(undone_at=now)
    return count_given_back(choice)


def count_given_back(choice: TextChoice) -> int:
    """How many items of a choice have the text that they had before it."""
    return choice.texts.filter(item__working_translation=F("before")).count()


def is_undoable(choice: TextChoice) -> bool:
    """Not once it was undone, and not once a round was opened since."""
    later = Round.objects.filter(project=choice.project_id, opened_at__gte=choice.made_at)
    return choice.undone_at is None and not later.exists()


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


@transaction.atomic
def _give_back(
    choice: TextChoice, texts: Sequence[int], actor: User | None, now: datetime, job: Job | None
) -> None:
    hold_texts(choice.project, job=job)
    rows = choice.texts.filter(pk__in=texts, before__isnull=False)
    before: dict[int, int] = {}
    after: dict[int, int | None] = {}
    for item, old, new in rows.values_list("item", "before", "after"):
        before[item], after[item] = old, new
    choose_translations(
        project=choice.project,
        chosen=before,
        seen=after,
        why=f"undo {choice.why}",
        actor=actor,
        now=now,
    )


def _in_batches(
    values: Collection[Value], progress: Progress | None
) -> Iterator[tuple[Value, ...]]:
    """AT_ONCE values at a time; between them a job says how far it is, and stops if it should."""
    if progress:
        progress.start(len(values))
    done = 0
    for some in batched(values, AT_ONCE):
        yield some
        done += len(some)
        if progress:
            progress.advance_to(done)


@dataclass(slots=True)
class _Making:
    """One choice while it is being made, batch by batch; `choice` is none while nothing changed.

    A job gives the choice that it makes: items that it has changed before it stopped are done.
    """

    project: Project
    why: str
    actor: User | None
    now: datetime
    is_reviewed_included: bool
    is_preview: bool = False
    choice: TextChoice | None = None

    @transaction.atomic
    def choose(
        self, wanted: Mapping[int, int], expected: Mapping[int, int | None] | None = None
    ) -> Chosen:
        """Sort out which items may change and change them; `wanted` is {item: translation}.

        Raises ChosenMeanwhile where an item has another text than `expected`.
        """
        if not self.is_preview:
            hold_texts(self.project, job=self.choice.job if self.choice else None)
        wanted = self._left(wanted)
        seen, stay = _sorted_out(wanted, is_reviewed_included=self.is_reviewed_included)
        if expected is not None and any(seen[pk] != expected[pk] for pk in seen):
            raise ChosenMeanwhile
        if self.is_preview:
            return stay + Chosen(changed=len(seen))
        changed = choose_translations(
            project=self.project,
            chosen={pk: wanted[pk] for pk in seen},
            seen=seen,
            why=self.why,
            actor=self.actor,
            now=self.now,
        )
        self._keep([(pk, seen[pk], wanted[pk]) for pk in changed])
        return stay + Chosen(changed=len(changed), waiting=len(seen) - len(changed))

    def _left(self, wanted: Mapping[int, int]) -> Mapping[int, int]:
        """Without the items that this choice has changed already."""
        if self.choice is None:
            return wanted
        rows = ChosenText.objects.filter(choice=self.choice, item__in=wanted)
        done = set(rows.values_list("item", flat=True))
        return {item: text for item, text in wanted.items() if item not in done}

    def _keep(self, changed: Sequence[tuple[int, int | None, int]]) -> None:
        """Note what items had before: (item, before, after)."""
        if not changed:
            return
        self.choice = self.choice or TextChoice.objects.create(
            project=self.project, actor=self.actor, why=self.why, made_at=self.now
        )
        rows = [
            ChosenText(choice=self.choice, item_id=item, before_id=before, after_id=after)
            for item, before, after in changed
        ]
        ChosenText.objects.bulk_create(rows)
        kept = TextChoice.objects.filter(pk=self.choice.pk)
        kept.update(item_count=F("item_count") + len(rows))


def _sorted_out(
    wanted: Mapping[int, int], *, is_reviewed_included: bool
) -> tuple[dict[int, int | None], Chosen]:
    """{item: its translation} of the items that may change, and how many stay for which reason."""
    items: ItemQuerySet = Item.objects.filter(pk__among=wanted)
    rows = items.annotate(
        is_worked_on=Case(When(worked_on(), then=True), default=False),
        is_waiting=Exists(panels_in_work()),
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
    return seen, Chosen(same=same, reviewed=reviewed, waiting=waiting)


def panels_in_work() -> QuerySet[Panel]:
    """The panels of an item (`OuterRef`) that are in an open review or in an open dispute."""
    is_waiting = Q(state=PanelState.DISPUTED) | Q(
        round__state__in=[RoundState.OPENING, RoundState.OPEN], round__kind=RoundKind.REVIEW
    )
    rows: QuerySet[Panel] = Panel.objects.filter(is_waiting, item=OuterRef("pk"))
    return rows
