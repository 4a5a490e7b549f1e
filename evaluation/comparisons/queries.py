"""Reads which items runs answered correctly, as arrays that are read once for each run."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.cache import cache
from django.db.models import Count, F, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from annotation.enums import SplitName
from common.db import JsonLength
from common.errors import DomainError
from endpoints.models import ModelSpec
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.request_building import letter_shown
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.figures import KEEP_SECONDS
from evaluation.results.queries.items import Answers, answers_of
from evaluation.translation.queries import Counted, counted_texts
from languages.letters import MAX_OPTIONS, position_of
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from review.answers.queries import solving_answers
from scoring.pairs import Floats, Ints
from scoring.scorers import TRANSLATION

FLIPS_A_PAGE = 50
OWN = "own"
"""Instead of a method: each run by its own first one."""


class ItemNotShared(DomainError):
    code = "item_not_shared"
    detail = _("These runs share no answered item “%(uid)s”.")
    status = 404


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a release says about a test item; `passage` is empty for an item that stands alone.

    `origin` is the name of the source that the item came from.
    """

    uid: str
    subject: str
    subject_name: str
    category: str
    dimension: str
    level: str
    year: str
    kind: str
    subset: str
    options: int
    passage: str
    origin: str


@dataclass(frozen=True)
class Comparison:
    """Runs beside each other on the items that they all answered, by one method or each by its own.

    methods: that of each run; `method` is the one of all, or OWN
    items: ids of the shared items, ascending; the arrays stand in this order
    has_hidden: whether items that are hidden in a release of these runs are among them
    correct: a row for each run
    translations: for each run, what is counted of its answers to `items`; then there are no `answers`
    """

    runs: tuple[Run, ...]
    method: str
    methods: tuple[str, ...]
    answers: tuple[Answers, ...]
    items: Ints
    facts: dict[int, ItemFacts]
    has_hidden: bool = True
    translations: tuple[Counted, ...] = ()

    @cached_property
    def correct(self) -> Floats:
        return np.array([self._at(each, each.correct) for each in self.answers])

    @cached_property
    def valid(self) -> Floats:
        return np.array([self._at(each, each.valid) for each in self.answers])

    @cached_property
    def found(self) -> Ints:
        return np.array([np.asarray(self._at(each, each.found)) for each in self.answers])

    @cached_property
    def shared_facts(self) -> tuple[ItemFacts, ...]:
        return tuple(self.facts[item] for item in self.items.tolist())

    @cached_property
    def groups(self) -> Ints | None:
        """A number for each passage; None if every item stands alone."""
        names = [facts.passage for facts in self.shared_facts]
        if not any(names):
            return None
        places: dict[str, int] = {}
        keys = (name or f"\0{place}" for place, name in enumerate(names))
        return np.array([places.setdefault(key, len(places)) for key in keys])

    def _at(self, answers: Answers, values: Floats | Ints) -> Floats:
        return np.asarray(values[np.searchsorted(answers.items, self.items)])


def compare(runs: Sequence[Run], method: str, *, has_hidden: bool = True) -> Comparison:
    """Compare runs on the items that all of them answered. Takes a query.

    With OWN as the method, each run is read by its first one, so that likelihoods can stand beside
    texts.
    What runs and releases say is kept in the cache; each takes another query if it is not. Items of
    different projects, as of one in the source language, are the same if their uids are. Without
    hidden items, one that any of the releases hides is left out.
    """
    first = runs[0].release
    methods = tuple(methods_of(run)[0] if method == OWN else method for run in runs)
    asked = list(zip(runs, methods, strict=True))
    answers = tuple(
        _placed_in(first, run, each) for run, each in zip(runs, answers_of(asked), strict=True)
    )
    items = _shared([each.items for each in answers])
    facts = facts_of(first)
    hidden = set() if has_hidden else _hidden_uids(runs)
    shown = items[_are_shown(items, facts, hidden)]
    return Comparison(tuple(runs), method, methods, answers, shown, facts, has_hidden)


def compare_translations(runs: Sequence[Run], *, has_hidden: bool = True) -> Comparison:
    """Compare runs on the items that all of them translated, in one direction. Takes a query a run.

    Items of different projects are the same, and hidden ones are left out, as in `compare`.
    """
    first = runs[0].release
    facts = facts_of(first)
    counted = [_counted_in(first, run) for run in runs]
    items = _shared([each.items for each in counted])
    hidden = set() if has_hidden else _hidden_uids(runs)
    kept = _are_shown(items, facts, hidden)
    directions = [each.of(items).directions for each in counted]
    for each in directions[1:]:
        kept &= each == directions[0]
    shown = items[kept]
    methods = (TRANSLATION,) * len(runs)
    return Comparison(
        tuple(runs), TRANSLATION, methods, (), shown, facts, has_hidden,
        tuple(each.of(shown) for each in counted),
    )  # fmt: skip


def facts_of(release: Release) -> dict[int, ItemFacts]:
    """Return the facts of each test item of a frozen release by the item's id, from the cache."""
    key = f"release-facts-2:{release.pk}:{release.content_hash}:{release.created_at.timestamp()}"
    found: dict[int, ItemFacts] | None = cache.get(key)
    if found is None:
        found = _read_facts(release)
        cache.set(key, found, KEEP_SECONDS)
    return found


def sizes_of(runs: Sequence[Run]) -> list[Decimal | None]:
    """Return billions of parameters of each run's model; None if they are not known.

    A revision without a size has that of the latest revision that names the same model. Takes one
    query.
    """
    return _stated(runs, "size", None)


def bases_of(runs: Sequence[Run]) -> list[str]:
    """Return the name of the model that each run's was tuned from, in the same way; empty if unknown."""
    return _stated(runs, "tuned_from", "")


def _stated(runs: Sequence[Run], field: str, unknown: Any) -> list[Any]:
    rows = ModelSpec.objects.filter(
        name__in={run.model_spec.name for run in runs},
        model__in={run.model_spec.model for run in runs},
    ).order_by("revision")
    stated: dict[tuple[int | None, str, str], Any] = {
        (project, name, model): value
        for project, name, model, value in rows.values_list("project", "name", "model", field)
        if value != unknown
    }
    specs = [run.model_spec for run in runs]
    values = [getattr(spec, field) for spec in specs]
    return [
        stated.get((spec.project_id, spec.name, spec.model), unknown) if value == unknown else value
        for spec, value in zip(specs, values, strict=True)
    ]


def position_shares(found: Comparison) -> list[list[float]]:
    """Return, for each run, how often the option at each position in its prompts was chosen.

    Of all answers with a letter, without those to hidden items if the comparison leaves these out:
    of a model that is nearly always right, the exact shares would tell how often each letter is the
    key. An empty list if there are none. Takes one query.
    """
    read = _read_by(found)
    rotations = {run.pk: run.rotation for run in found.runs}
    hidden = ReleaseItem.objects.filter(
        release__in={run.release_id for run in found.runs}, subset=Subset.BLACK_BOX
    )
    hidden = hidden.none() if found.has_hidden else hidden
    rows = (
        Score.objects.filter(run__in=read, method__in=set(found.methods), is_valid=True)
        .exclude(response__release_item__uid__in=hidden.values("uid"))
        .annotate(count=JsonLength("response__release_item__revision__options"))
        .order_by()
        .values_list("run", "method", "version", "letter", "count")
        .annotate(n=Count("pk"))
    )
    counts: dict[int, Counter[int]] = {run.pk: Counter() for run in found.runs}
    for run, method, version, letter, options, n in rows:
        shown = position_of(letter_shown(letter, options or MAX_OPTIONS, rotations[run]))
        if (method, version) == read[run] and shown is not None:
            counts[run][shown] += n
    return [
        [each[place] / each.total() for place in range(max(each) + 1)] if each else []
        for each in (counts[run.pk] for run in found.runs)
    ]


def human_answers(release: Release) -> dict[int, tuple[int, int]]:
    """Return how many answers people gave to each test item, and how many of them have its key now.

    Answers are those of closed solving rounds; items without one are missing. Takes one query.
    """
    items = release.items.filter(split=SplitName.TEST).values("item")
    rows = solving_answers(items).order_by().values_list("panel__item_id")
    counts = rows.annotate(n=Count("pk"), right=Count("pk", filter=Q(choice=F("panel__item__key"))))
    return {item: (n, right) for item, n, right in counts}


@dataclass(frozen=True, slots=True)
class Flip:
    """An item that two runs did not answer correctly equally often.

    first, second: in which share of its epochs each run was right
    first_response, second_response: ids of the answer of each run in its first epoch
    """

    item: ReleaseItem
    first: float
    second: float
    first_response: int | None
    second_response: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a run answered to one item in an epoch, and what a method read in it."""

    run: int
    epoch: int
    text: str
    letter: str
    is_correct: bool


@dataclass(frozen=True, slots=True)
class FlipPage:
    """A page of flips; `pages` counts them, `total` the flips."""

    rows: tuple[Flip, ...]
    number: int
    pages: int
    total: int


def flips(found: Comparison, *, page: int = 1) -> FlipPage:
    """Return a page of the items that the first two runs differ in, the largest differences first.

    Takes 3 queries, however many there are.
    """
    differences = found.correct[0] - found.correct[1]
    order = np.argsort(-np.abs(differences), kind="stable")
    places = order[: int((differences != 0).sum())]
    pages = max(1, -(-len(places) // FLIPS_A_PAGE))
    number = min(max(1, page), pages)
    shown = places[(number - 1) * FLIPS_A_PAGE : number * FLIPS_A_PAGE].tolist()
    ids = found.items[shown].tolist()
    rows = ReleaseItem.objects.filter(release=found.runs[0].release_id, item__in=ids)
    items = {row.item_id: row for row in rows.select_related("subject", "revision")}
    uids = {item: items[item].uid for item in ids}
    answers = [_first_responses(run, list(uids.values())) for run in found.runs[:2]]
    return FlipPage(
        rows=tuple(
            Flip(
                item=items[item],
                first=float(found.correct[0][place]),
                second=float(found.correct[1][place]),
                first_response=answers[0].get(uids[item]),
                second_response=answers[1].get(uids[item]),
            )
            for place, item in zip(shown, ids, strict=True)
        ),
        number=number,
        pages=pages,
        total=len(places),
    )


def replies_to(found: Comparison, uid: str) -> tuple[ReleaseItem, list[Reply]]:
    """Return a shared item as the first run's release has it, and all answers to it.

    They stand in the order of the runs and epochs. Raises ItemNotShared. Takes 2 queries.
    """
    placed = (
        ReleaseItem.objects.filter(release=found.runs[0].release_id, uid=uid)
        .select_related("revision")
        .first()
    )
    if placed is None or placed.item_id not in set(found.items.tolist()):
        raise ItemNotShared(uid=uid)
    places = {run.pk: place for place, run in enumerate(found.runs)}
    read = _read_by(found)
    rows = Score.objects.filter(
        run__in=places, method__in=set(found.methods), response__release_item__uid=uid
    ).select_related("response")
    replies = [
        Reply(each.run_id, each.response.epoch, each.response.text, each.letter, each.is_correct)
        for each in rows
        if (each.method, each.version) == read[each.run_id]
    ]
    return placed, sorted(replies, key=lambda one: (places[one.run], one.epoch))


def _read_by(found: Comparison) -> dict[int, tuple[str, int]]:
    """Return the method and version that each run is read by."""
    rows = zip(found.runs, found.methods, found.answers, strict=True)
    return {run.pk: (method, answers.version) for run, method, answers in rows}


def _hidden_uids(runs: Sequence[Run]) -> set[str]:
    releases = {run.release_id: run.release for run in runs}.values()
    return {
        facts.uid
        for release in releases
        for facts in facts_of(release).values()
        if facts.subset == Subset.BLACK_BOX
    }


def _shared(items: Sequence[Ints]) -> Ints:
    """Return the items that are in all of these."""
    return reduce(partial(np.intersect1d, assume_unique=True), items)


def _are_shown(
    items: Ints, facts: Mapping[int, ItemFacts], hidden: Collection[str]
) -> npt.NDArray[np.bool]:
    shown = (item in facts and facts[item].uid not in hidden for item in items.tolist())
    return np.fromiter(shown, dtype=bool, count=len(items))


def _counted_in(first: Release, run: Run) -> Counted:
    """What is counted of a run, with the ids that the project of `first` has for its items."""
    counted = counted_texts(run)
    if run.release.project_id == first.project_id:
        return counted
    items, order = _ids_in(first, run, counted.items)
    return replace(counted.at(order), items=items)


def _placed_in(first: Release, run: Run, answers: Answers) -> Answers:
    """The answers with the ids that the project of `first` has for items with the same uids."""
    if run.release.project_id == first.project_id:
        return answers
    items, order = _ids_in(first, run, answers.items)
    return replace(
        answers,
        items=items,
        correct=answers.correct[order],
        valid=answers.valid[order],
        found=answers.found[order],
    )


def _ids_in(first: Release, run: Run, items: Ints) -> tuple[Ints, Ints]:
    """Return the ids that `first` has for items of a run with the same uids, ascending, and their places."""
    ids = {facts.uid: item for item, facts in facts_of(first).items()}
    uids = {item: facts.uid for item, facts in facts_of(run.release).items()}
    found = np.array([ids.get(uids.get(item, ""), -1) for item in items.tolist()], dtype=np.int64)
    order = np.argsort(found, kind="stable")[int((found < 0).sum()) :]
    return found[order], order


def _read_facts(release: Release) -> dict[int, ItemFacts]:
    """`passage` is what the source's file says in a column `passage`, or `link` as in Belebele."""
    rows = (
        ReleaseItem.objects.filter(release=release, split=SplitName.TEST)
        .annotate(
            option_count=JsonLength("revision__options"),
            passage=Coalesce(
                KeyTextTransform("passage", F("item__metadata")),
                KeyTextTransform("link", F("item__metadata")),
            ),
        )
        .order_by()
        .values_list(
            "item_id",
            "uid",
            "subject__slug",
            "subject__name",
            "subject__category",
            "subject__dimension",
            "subject__level",
            "level",
            "year",
            "kind",
            "subset",
            "option_count",
            "passage",
            "item__source__name",
        )
    )
    return {
        item: ItemFacts(
            uid, subject, name, category, dimension, level or of_subject, year, kind, subset,
            options or 0, passage or "", origin,
        )
        for item, uid, subject, name, category, dimension, of_subject, level, year, kind, subset,
        options, passage, origin in rows
    }  # fmt: skip


def _first_responses(run: Run, uids: list[str]) -> dict[str, int]:
    """The id of the first answer to each item, by the item's uid, which projects share."""
    rows = ModelResponse.objects.filter(
        run=run, release_item__uid__in=uids, state=ResponseState.ANSWERED
    ).order_by("-epoch", "-pk")
    return dict(rows.values_list("release_item__uid", "pk"))
