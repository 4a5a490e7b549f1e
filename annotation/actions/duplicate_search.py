"""The work of a duplicate search, in named blocks that a worker can take up again.

The units of a search are planned from its methods and the number of items alone, so the plan is
the same after a kill: for source and target `exact`, `same-question`, `near:0` … and
`semantic:0` …, and at the end `outdated`. A unit's pairs are written in one short transaction
with its `SearchedBlock` row, whose unique name keeps it from being counted twice; encoding stands
outside of any transaction. Loads numpy, and torch when a semantic search begins: worker only.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.dedupe import ngrams
from annotation.dedupe.exact import exact_pairs, same_question_pairs
from annotation.dedupe.mining import block_count
from annotation.dedupe.near import (
    Search,
    make_search,
    near_pairs,
    semantic_pairs,
    semantic_threshold,
)
from annotation.dedupe.ngrams import Vectors
from annotation.dedupe.pairs import STRENGTH, Pair, Side, merge_pairs
from annotation.dedupe.texts import ItemText, same_key
from annotation.embeddings import load_embedder
from annotation.enums import ItemState, PairKind, PairState
from annotation.models import DuplicatePair, DuplicateSearch, Item, SearchedBlock
from common.jobs import Progress
from common.models import Job

SIDES: tuple[Side, ...] = ("source", "target")
OUTDATED = "outdated"
ENCODED_AT_ONCE = 1024
WRITTEN_AT_ONCE = 500

Encoder = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class Unit:
    """One named piece of a search; `block` is 0 for a unit that is not cut in blocks."""

    side: Side
    step: str
    block: int = 0

    @property
    def name(self) -> str:
        has_blocks = self.step in {PairKind.NEAR, PairKind.SEMANTIC}
        return f"{self.side}:{self.step}" + (f":{self.block}" if has_blocks else "")


def run_search_job(job: Job, progress: Progress) -> dict[str, Any]:
    """Do what is missing of a search and return its counts; pairs are keyed by (a, b, side).

    A pair that several units find keeps the strongest kind. A decided pair stays as it was
    decided. Raises EmbeddingModelMissing, JobCancelled and JobInterrupted.
    """
    search = DuplicateSearch.objects.select_related("project").get(job=job)
    last_item = int(job.params["last_item"])
    items = Item.objects.filter(project=search.project_id, pk__lte=last_item).count()
    units = planned_units(search.methods, items)
    finished = set(search.blocks.values_list("name", flat=True))
    progress.start(len(units) + 1, done=len(finished), note=_("reading the texts"))
    for side in SIDES:
        missing = [u for u in units if u.side == side and u.name not in finished]
        if not missing:
            continue
        work = SideWork(search, side, read_texts(search, side, last_item), progress)
        for unit in missing:
            progress.check()
            write_block(search, unit.name, work.pairs(unit))
            finished.add(unit.name)
            progress.reach(len(finished))
    if OUTDATED not in finished:
        _close(search)
    return summary(search)


def planned_units(methods: Sequence[str], items: int) -> list[Unit]:
    """The units of a search over `items` items, strongest method first on each side."""
    blocks = range(block_count(items))
    units = []
    for side in SIDES:
        if PairKind.EXACT in methods:
            units.append(Unit(side, PairKind.EXACT))
        if PairKind.NEAR in methods:
            units.append(Unit(side, "same-question"))
            units += [Unit(side, PairKind.NEAR, block) for block in blocks]
        if PairKind.SEMANTIC in methods:
            units += [Unit(side, PairKind.SEMANTIC, block) for block in blocks]
    return units


def read_texts(search: DuplicateSearch, side: Side, last_item: int) -> list[ItemText]:
    """One text for every item up to `last_item`, by id; empty where it takes no part.

    Excluded and untranslated items keep their row, so that blocks cut before and after a kill
    hold the same items even if one was excluded in between.
    """
    place = "" if side == "source" else "working_translation__current_revision__"
    rows = (
        Item.objects.filter(project=search.project_id, pk__lte=last_item)
        .order_by("pk")
        .values_list("pk", "state", "key", f"{place}question", f"{place}options")
    )
    return [
        ItemText(pk, question or "", tuple(options or ()), key)
        if state == ItemState.ACTIVE
        else ItemText(pk, "")
        for pk, state, key, question, options in rows.iterator(chunk_size=2000)
    ]


@dataclass(slots=True)
class SideWork:
    """The texts of one side and, once needed, their vectors: of one method at a time."""

    search: DuplicateSearch
    side: Side
    texts: list[ItemText]
    progress: Progress
    _step: str = ""
    _mined: Search | None = field(default=None)

    def pairs(self, unit: Unit) -> list[Pair]:
        if unit.step == PairKind.EXACT:
            return exact_pairs(self.texts, side=self.side)
        if unit.step == "same-question":
            return same_question_pairs(self.texts, language=self._language, side=self.side)
        mined = self._prepared(unit.step)
        if unit.step == PairKind.NEAR:
            return near_pairs(mined, block=unit.block)
        threshold = semantic_threshold(language=self._language, model=self.search.model)
        return semantic_pairs(mined, block=unit.block, threshold=threshold)

    @property
    def _language(self) -> str:
        project = self.search.project
        return project.source_language if self.side == "source" else project.target_language

    def _prepared(self, step: str) -> Search:
        if self._mined is None or self._step != step:
            self._mined = None  # frees the other method's vectors before these are made
            self._mined = make_search(
                self.texts, language=self._language, side=self.side, encoder=self._encoder(step)
            )
            self._step = step
        return self._mined

    def _encoder(self, step: str) -> Encoder:
        if step == PairKind.NEAR:
            return lambda texts: encode_in_steps(texts, ngrams.encode, self.progress)
        self.progress.say(_("loading the model"))
        embedder = load_embedder(self.search.model)
        return lambda texts: encode_in_steps(texts, embedder.encode, self.progress)


def encode_in_steps(texts: Sequence[str], encode: Encoder, progress: Progress) -> Vectors:
    """Encode what is not empty, by the thousand, between looks at whether to stop.

    An empty text gets a row of zeros, which is like nothing.
    """
    filled = [at for at, text in enumerate(texts) if text]
    vectors: Vectors | None = None
    for start in range(0, len(filled), ENCODED_AT_ONCE):
        progress.check()
        progress.say(_("encoding text %(n)s of %(total)s") % {"n": start + 1, "total": len(filled)})
        places = filled[start : start + ENCODED_AT_ONCE]
        rows = encode([texts[at] for at in places])
        if vectors is None:
            vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
        vectors[places] = rows
    progress.say("")
    return np.zeros((len(texts), 1), np.float32) if vectors is None else vectors


def write_block(search: DuplicateSearch, name: str, pairs: Sequence[Pair]) -> None:
    """Store a unit's pairs and that it is finished, both or neither; a repeat does nothing."""
    pairs = merge_pairs(pairs)
    try:
        with transaction.atomic():
            SearchedBlock.objects.create(search=search, name=name, found=len(pairs))
            for start in range(0, len(pairs), WRITTEN_AT_ONCE):
                _write_pairs(search, pairs[start : start + WRITTEN_AT_ONCE])
    except IntegrityError:
        if not search.blocks.filter(name=name).exists():
            raise


def summary(search: DuplicateSearch) -> dict[str, Any]:
    """Counts of the pairs that this search found or found again and that nobody has decided."""
    rows = DuplicatePair.objects.filter(search=search, state=PairState.OPEN)
    kinds = dict(rows.values_list("kind").annotate(n=Count("pk")).order_by("kind"))
    return {
        "items": Item.objects.filter(
            project=search.project_id, pk__lte=search.job.params["last_item"]
        )
        .active()
        .count(),
        "found": sum(kinds.values()),
        **{str(kind): kinds.get(str(kind), 0) for kind in reversed(STRENGTH)},
        "different_key": rows.filter(has_same_key=False).count(),
    }


def _write_pairs(search: DuplicateSearch, pairs: Sequence[Pair]) -> None:
    ids = {pair.a for pair in pairs}
    known = {
        (row.a_id, row.b_id, row.side): row
        for row in DuplicatePair.objects.filter(project=search.project_id, a__in=ids)
    }
    fresh, again = [], []
    for pair, row in zip(pairs, _rows_of(search, pairs), strict=True):
        old = known.get((pair.a, pair.b, pair.side))
        if old is None:
            fresh.append(row)
        elif old.state == PairState.OPEN and _takes_over(search, row, old):
            row.pk, row.created_at = old.pk, old.created_at
            again.append(row)
    DuplicatePair.objects.bulk_create(fresh)
    for row in again:
        DuplicatePair.objects.filter(pk=row.pk, state=PairState.OPEN).update(
            kind=row.kind,
            similarity=row.similarity,
            has_same_key=row.has_same_key,
            crosses_splits=row.crosses_splits,
            search=search,
        )


def _takes_over(search: DuplicateSearch, row: DuplicatePair, old: DuplicatePair) -> bool:
    """Whether the finding is stronger, or the old one is from an earlier search by these methods.

    An older finding of a method that this search does not use stands until it is outdone.
    """
    if old.search_id < search.pk and old.kind in search.methods:
        return True
    return (STRENGTH[row.kind], row.similarity) >= (STRENGTH[old.kind], old.similarity)  # type: ignore[index]


def _rows_of(search: DuplicateSearch, pairs: Sequence[Pair]) -> Iterator[DuplicatePair]:
    items = {
        item.pk: item
        for item in Item.objects.filter(
            pk__in={pk for pair in pairs for pk in (pair.a, pair.b)}
        ).select_related("working_translation__current_revision")
    }
    now = timezone.now()
    for pair in pairs:
        a, b = items[pair.a], items[pair.b]
        yield DuplicatePair(
            project_id=search.project_id,
            a=a,
            b=b,
            side=pair.side,
            kind=pair.kind,
            similarity=pair.similarity,
            has_same_key=_have_same_key(a, b, pair.side),
            crosses_splits=a.split != b.split,
            search=search,
            created_at=now,
        )


def _have_same_key(a: Item, b: Item, side: Side) -> bool:
    """Whether the right options say the same on this side, or in the source.

    The source has the last word where two translations word one answer differently. A side counts
    where both items have an option list there, the source always.
    """
    translated = [_text_on(item, side) for item in (a, b)]
    if all(text.options for text in translated) and same_key(*translated):
        return True
    return same_key(_text_on(a, "source"), _text_on(b, "source"))


def _text_on(item: Item, side: Side) -> ItemText:
    translation = item.working_translation
    text = item if side == "source" or translation is None else translation.current_revision
    return ItemText(item.pk, "", tuple(text.options if text else ()), item.key)


def _close(search: DuplicateSearch) -> None:
    """Take away open pairs that an earlier search found by these methods and this one did not.

    Their texts have changed. Pairs of excluded items wait for the item's return.
    """
    with transaction.atomic():
        gone = DuplicatePair.objects.filter(
            project=search.project_id,
            state=PairState.OPEN,
            kind__in=search.methods,
            search__lt=search.pk,
            a__state=ItemState.ACTIVE,
            b__state=ItemState.ACTIVE,
        )
        SearchedBlock.objects.get_or_create(
            search=search, name=OUTDATED, defaults={"found": gone.count()}
        )
        gone.delete()
