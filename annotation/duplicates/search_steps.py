"""One side of a duplicate search at work: texts read, made ready, encoded, unit by unit compared.

What is prepared lives in this process only and is made anew when a search is taken up again, so
it is cut in steps: the count moves, and a person who asks for the end is heard, at each of them.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field

import numpy as np
from django.utils import timezone

from annotation.duplicates.dedupe import mining, ngrams
from annotation.duplicates.dedupe.answers import Answers
from annotation.duplicates.dedupe.comparison import ComparedText, compared_text
from annotation.duplicates.dedupe.exact import exact_pairs, same_question_pairs
from annotation.duplicates.dedupe.near import (
    Encoder,
    Search,
    make_search,
    near_pairs,
    semantic_pairs,
    semantic_threshold,
)
from annotation.duplicates.dedupe.ngrams import Vectors
from annotation.duplicates.dedupe.pairs import Pair, Side
from annotation.duplicates.dedupe.texts import ItemText
from annotation.duplicates.embeddings import Embedder, load_embedder
from annotation.enums import ItemState, PairKind
from annotation.models import DuplicatePair, DuplicateSearch, Item
from jobs.progress import Progress

MINED = (PairKind.NEAR, PairKind.SEMANTIC)
STEP = 128  # texts prepared between two looks at whether to stop; a slow model takes a second
LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Unit:
    """One named piece of a search; `block` is 0 for a unit that is not cut in blocks."""

    side: Side
    method: str
    block: int = 0

    @property
    def name(self) -> str:
        """As `source:exact`, `target:near:256-511`; the rows tell whatever size blocks once had."""
        if self.method not in MINED:
            return f"{self.side}:{self.method}"
        first = self.block * mining.BLOCK
        return f"{self.side}:{self.method}:{first}-{first + mining.BLOCK - 1}"


@dataclass(slots=True)
class Steps:
    """The count that people see: units that are stored, and steps of what is prepared for them."""

    progress: Progress
    done: int

    def one_more(self) -> None:
        """Count a step. Raises JobCancelled and JobInterrupted."""
        self.done += 1
        self.progress.advance_to(self.done)


@dataclass(frozen=True, slots=True)
class SideTexts:
    """The items of one side by id, row by row; `sources` is empty where they are the same."""

    items: list[ItemText]
    splits: list[str]
    sources: list[ItemText]

    def answers(self) -> Answers:
        return Answers(self.items, self.sources) if self.sources else Answers(self.items)


def read_texts(search: DuplicateSearch, side: Side, last_item: int) -> SideTexts:
    """Return one text for every item up to `last_item`, by id; empty where it takes no part.

    Excluded and untranslated items keep their row, so that blocks cut before and after a kill
    hold the same items even if one was excluded in between.
    """
    place = "" if side == "source" else "working_translation__current_revision__"
    rows = (
        Item.objects.filter(project=search.project_id, pk__lte=last_item)
        .order_by("pk")
        .values_list(
            "pk", "state", "key", "split", "options", f"{place}question", f"{place}options"
        )
    )
    found = SideTexts([], [], [])
    for pk, state, key, split, source_options, question, options in rows.iterator(chunk_size=2000):
        text = (question or "", tuple(options or ()), key)
        found.items.append(ItemText(pk, *(text if state == ItemState.ACTIVE else ("", ()))))
        found.splits.append(split)
        if side == "target":
            found.sources.append(ItemText(pk, "", tuple(source_options or ()), key))
    return found


def load_model(model: str, progress: Progress) -> Embedder:
    """Load an embedding model in a thread, so that a search can be stopped meanwhile.

    What was loading then goes on and is there for the next search of this process.
    """
    progress.pause_clock("loading_model")
    loading: Future[Embedder] = Future()
    threading.Thread(target=_load, args=(model, loading), daemon=True).start()
    while not wait([loading], timeout=LOOK_SECONDS).done:
        progress.check()
    return loading.result()


def _load(model: str, loading: "Future[Embedder]") -> None:
    try:
        loading.set_result(load_embedder(model))
    except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
        loading.set_exception(error)


@dataclass(slots=True)
class SideWork:
    """The texts of one side and, once needed, their vectors: of one method at a time."""

    search: DuplicateSearch
    side: Side
    read: SideTexts
    steps: Steps
    embedder: Embedder | None
    _answers: Answers = field(init=False)
    _texts: list[ComparedText] = field(init=False, default_factory=list)
    _mined: Search | None = field(init=False, default=None)
    _method: str = field(init=False, default="")
    _rows: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._answers = self.read.answers()
        self._rows = {item.id: row for row, item in enumerate(self.read.items)}

    def pairs(self, unit: Unit) -> list[Pair]:
        """Return the pairs of a unit. Raises JobCancelled and JobInterrupted within a second or so."""
        check = self.steps.progress.check
        if not self._texts:
            self._texts = self._compared()
        if unit.method == PairKind.EXACT:
            return exact_pairs(self._texts, side=self.side)
        if unit.method not in MINED:
            return same_question_pairs(
                self._texts, language=self._language, side=self.side, tick=check
            )
        mined = self._prepared(unit.method)
        if unit.method == PairKind.NEAR:
            return near_pairs(mined, block=unit.block, tick=check)
        threshold = semantic_threshold(language=self._language, model=self.search.model)
        return semantic_pairs(mined, block=unit.block, threshold=threshold, tick=check)

    def rows(self, pairs: Sequence[Pair]) -> Iterator[DuplicatePair]:
        """Yield what is stored of pairs. Their key is the same if either text says so, or the source's."""
        a, b = (
            np.array([self._rows[pk] for pk in ids], np.intp)
            for ids in ([pair.a for pair in pairs], [pair.b for pair in pairs])
        )
        now, splits = timezone.now(), self.read.splits
        differ = self._answers.differ(a, b).tolist()
        for pair, one, other, has_other_key in zip(pairs, a, b, differ, strict=True):
            yield DuplicatePair(
                project_id=self.search.project_id,
                a_id=pair.a,
                b_id=pair.b,
                side=pair.side,
                kind=pair.kind,
                similarity=pair.similarity,
                has_same_key=not has_other_key,
                crosses_splits=splits[one] != splits[other],
                search=self.search,
                created_at=now,
            )

    @property
    def _language(self) -> str:
        project = self.search.project
        return project.source_language if self.side == "source" else project.target_language

    def _compared(self) -> list[ComparedText]:
        self.steps.progress.set_note("reading_texts")
        texts: list[ComparedText] = []
        for start in range(0, len(self.read.items), STEP):
            texts += map(compared_text, self.read.items[start : start + STEP])
            self.steps.one_more()
        self.steps.progress.set_note("")
        return texts

    def _prepared(self, method: str) -> Search:
        encoder = self._in_steps(self._encode_of(method))
        if self._mined is None:
            self._mined = make_search(
                self._texts,
                language=self._language,
                side=self.side,
                answers=self._answers,
                encoder=encoder,
            )
        elif self._method != method:
            self._mined.encode(encoder)
        self._method = method
        return self._mined

    def _encode_of(self, method: str) -> Encoder:
        if method == PairKind.NEAR or self.embedder is None:
            return ngrams.encode
        return self.embedder.encode

    def _in_steps(self, encode: Encoder) -> Encoder:
        def encode_in_steps(texts: Sequence[str]) -> Vectors:
            self.steps.progress.set_note("encoding_texts")
            vectors = _encode_in_steps(texts, encode, self.steps.one_more)
            self.steps.progress.set_note("")
            return vectors

        return encode_in_steps


def preparing_steps(items: int, methods: Sequence[str]) -> int:
    """Count the steps of `SideWork` for units of these methods before they are compared."""
    return -(-items // STEP) * (1 + len(set(methods) & set(MINED))) if methods else 0


def _encode_in_steps(
    texts: Sequence[str], encode: Encoder, one_more: Callable[[], None]
) -> Vectors:
    """Encode what is not empty; an empty text gets a row of zeros, which is like nothing."""
    vectors: Vectors | None = None
    for start in range(0, len(texts), STEP):
        filled = [at for at in range(start, min(start + STEP, len(texts))) if texts[at]]
        if filled:
            rows = encode([texts[at] for at in filled])
            if vectors is None:
                vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
            vectors[filled] = rows
        one_more()
    return np.zeros((len(texts), 1), np.float32) if vectors is None else vectors
