"""The first half of an import: compare rows with the project, check texts, spool what is new."""

import hashlib
import json
import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from annotation.actions.findings import check_text
from annotation.actions.revisions import text_hash
from annotation.checks import CheckInput, Problem
from annotation.importers import RowError, RowRef, SourceRow, TranslationRow
from annotation.importers.base import Data
from annotation.models import Item, Project, Revision, Subject, Translation

FIXED_SYSTEM_FORMATS = ("ti_mmlu",)


class FoundProblem(NamedTuple):
    """One result of a check, as plain values."""

    code: str
    severity: str
    field: str
    start: int
    end: int
    data: dict[str, Any]


class PreparedTranslation(NamedTuple):
    """A new translation of an item, with what the checks found in it."""

    uid: str
    system: str
    question: str
    options: list[str]
    key: str
    raw: str
    content_hash: str
    problems: list[FoundProblem]


class PreparedItem(NamedTuple):
    """A new item, as plain values that a temporary file takes quickly."""

    uid: str
    subject: str
    category: str
    split: str
    question: str
    options: list[str]
    key: str
    explanation: str
    level: str
    year: str
    metadata: dict[str, str]
    content_hash: str


PreparedRow = PreparedItem | PreparedTranslation


@dataclass(slots=True)
class BatchOutcome:
    """What became of the rows of one batch."""

    rows: list[PreparedRow] = field(default_factory=list)
    refused: list[RowError] = field(default_factory=list)
    unchanged: int = 0
    with_findings: int = 0


class KnownItem(NamedTuple):
    """What the checks and comparisons need of an item that is there or is about to be."""

    question: str
    options: Sequence[str]
    key: str
    content_hash: str


class ImportedText(NamedTuple):
    """The first text of a translation, as it was imported."""

    content_hash: str
    key: str

    def differs_from(self, row: TranslationRow) -> bool:
        """Whether the row says something else; a row without a key says nothing of it."""
        has_other_key = bool(row.key) and row.key != self.key
        return has_other_key or self.content_hash != text_hash(row.question, row.options)


ImportedTexts = Mapping[tuple[str, str], ImportedText]


class PreparedRows:
    """Batches of rows spooled to a temporary file and read back in order; few MB in memory."""

    SPOOL_BYTES = 4_000_000

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=self.SPOOL_BYTES)  # noqa: SIM115
        self._batches = 0
        self.items = 0
        self.translations = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def extend(self, rows: Sequence[PreparedRow]) -> None:
        items = sum(isinstance(row, PreparedItem) for row in rows)
        self.items += items
        self.translations += len(rows) - items
        self._batches += 1
        pickle.dump(list(rows), self._file, pickle.HIGHEST_PROTOCOL)

    def batches(self) -> Iterator[list[PreparedRow]]:
        self._file.seek(0)
        for _ in range(self._batches):
            yield pickle.load(self._file)  # noqa: S301 - our own temporary file


class Preparation:
    """Compares batches of rows with the project.

    No uid comes twice under one name of a system: importers refuse the second. Kept between
    batches is what they cannot see: which rows mean the system of the whole import, by name or
    without one, and the category of each subject.
    """

    def __init__(self, *, project: Project, options_system: str) -> None:
        self.project = project
        self.system = options_system
        self._of_whole_import: dict[str, RowRef] = {}
        named = project.subjects.exclude(category="").values_list("slug", "category")
        self._categories: dict[str, str] = dict(named)

    def prepare(self, rows: Sequence[SourceRow | TranslationRow]) -> BatchOutcome:
        """Sort one batch into new, unchanged and refused rows; two queries whatever its size."""
        outcome = BatchOutcome()
        uids = {row.uid for row in rows}
        known = self._known_items(uids)
        imported = self._imported_texts(uids) if known else {}
        for row in rows:
            if isinstance(row, SourceRow):
                self._prepare_item(row, known, imported, outcome)
            else:
                self._prepare_translation(row, known, imported, outcome)
        return outcome

    def _known_items(self, uids: set[str]) -> dict[str, KnownItem]:
        rows = Item.objects.filter(project=self.project, uid__in=uids).values_list(
            "uid", "question", "options", "key", "content_hash"
        )
        return {uid: KnownItem(*values) for uid, *values in rows}

    def _imported_texts(self, uids: set[str]) -> dict[tuple[str, str], ImportedText]:
        """The first text of each (uid, system)."""
        rows = Revision.objects.filter(
            translation__item__project=self.project, translation__item__uid__in=uids, number=1
        ).values_list("translation__item__uid", "translation__system", "content_hash", "key")
        return {(uid, system): ImportedText(*text) for uid, system, *text in rows}

    def _prepare_item(
        self,
        row: SourceRow,
        known: dict[str, KnownItem],
        imported: ImportedTexts,
        outcome: BatchOutcome,
    ) -> None:
        """Take the item and its translation, or neither where one of them is refused."""
        digest = item_hash(row)
        there = known.get(row.uid)
        item = there or KnownItem(row.question, row.options, row.key, digest)
        refusal = _too_long_item(row) or (None if there else self._other_category(row))
        if item.content_hash != digest:
            refusal = RowError(row.ref, "item_differs", {"uid": row.uid})
        if not refusal and row.translation:
            refusal = self._refusal(row.translation, item, imported)
        if refusal:
            outcome.refused.append(refusal)
            return
        if there:
            outcome.unchanged += row.translation is None
        else:
            known[row.uid] = item
            if row.category:
                self._categories[row.subject] = row.category
            outcome.rows.append(_prepared_item(row, digest))
        if row.translation:
            self._prepare_translation(row.translation, known, imported, outcome)

    def _prepare_translation(
        self,
        row: TranslationRow,
        known: Mapping[str, KnownItem],
        imported: ImportedTexts,
        outcome: BatchOutcome,
    ) -> None:
        system = self._system_of(row)
        item = known.get(row.uid)
        digest = text_hash(row.question, row.options)
        refusal = self._refusal(row, item, imported)
        if refusal:
            outcome.refused.append(refusal)
        elif item is None or (row.uid, system) in imported:
            outcome.unchanged += 1
        else:
            problems = self._check(row, item)
            outcome.with_findings += bool(problems)
            outcome.rows.append(_prepared_translation(row, system, digest, problems))

    def _refusal(
        self, row: TranslationRow, item: KnownItem | None, imported: ImportedTexts
    ) -> RowError | None:
        system = self._system_of(row)
        there = imported.get((row.uid, system))
        return self._second_of_system(row, system) or _refused_translation(row, system, item, there)

    def _second_of_system(self, row: TranslationRow, system: str) -> RowError | None:
        """A row that means the system of the whole import after another one of its uid did."""
        if not system or system != self.system:
            return None
        first = self._of_whole_import.setdefault(row.uid, row.ref)
        if first == row.ref:
            return None
        data: Data = {"uid": row.uid, "first_file": first.file, "first_row": first.row}
        return RowError(row.ref, "duplicate_uid", data)

    def _other_category(self, row: SourceRow) -> RowError | None:
        """A category that is not the one of the row's subject; a blank one contradicts nothing."""
        there = self._categories.get(row.subject, row.category)
        if not row.category or row.category == there:
            return None
        data = {"subject": row.subject, "category": row.category, "there": there}
        return RowError(row.ref, "category_differs", data)

    def _system_of(self, row: TranslationRow) -> str:
        """The system that the row names; a format that names always the same yields to the option."""
        if self.system and row.system in FIXED_SYSTEM_FORMATS:
            return self.system
        return row.system or self.system

    def _check(self, row: TranslationRow, item: KnownItem) -> list[Problem]:
        return check_text(
            CheckInput(
                source_question=item.question,
                source_options=item.options,
                source_key=item.key,
                question=row.question,
                options=row.options,
                key=row.key,
                raw=row.raw,
                marks=row.marks,
                source_language=self.project.source_language,
                target_language=self.project.target_language,
            )
        )


_encode = json.JSONEncoder(ensure_ascii=False).encode


def item_hash(row: SourceRow) -> str:
    """SHA-256 of everything that a source row says of its item."""
    said: list[Any] = [
        row.subject,
        row.question,
        list(row.options),
        row.key,
        row.split,
        row.explanation,
        row.level,
        row.year,
        row.category,
        dict(sorted(row.metadata.items())),
    ]
    return hashlib.sha256(_encode(said).encode()).hexdigest()


def _limits(model: Any, *names: str) -> dict[str, int]:
    return {name: model._meta.get_field(name).max_length for name in names}


_ITEM_LIMITS = _limits(Item, "uid", "level", "year") | {
    "subject": Subject._meta.get_field("slug").max_length or 0,
    "category": Subject._meta.get_field("category").max_length or 0,
}
_SYSTEM_LIMIT = Translation._meta.get_field("system").max_length or 0


def _too_long_item(row: SourceRow) -> RowError | None:
    for column, limit in _ITEM_LIMITS.items():
        if len(getattr(row, column)) > limit:
            return RowError(row.ref, "cell_too_long", {"column": column, "limit": limit})
    return None


def _refused_translation(
    row: TranslationRow, system: str, item: KnownItem | None, there: ImportedText | None
) -> RowError | None:
    if item is None:
        return RowError(row.ref, "item_unknown", {"uid": row.uid})
    if not system:
        return RowError(row.ref, "system_missing", {"uid": row.uid})
    if len(system) > _SYSTEM_LIMIT:
        return RowError(row.ref, "cell_too_long", {"column": "system", "limit": _SYSTEM_LIMIT})
    if there is not None and there.differs_from(row):
        return RowError(row.ref, "translation_differs", {"uid": row.uid, "system": system})
    return None


def _prepared_item(row: SourceRow, digest: str) -> PreparedItem:
    return PreparedItem(
        uid=row.uid,
        subject=row.subject,
        category=row.category,
        split=row.split,
        question=row.question,
        options=list(row.options),
        key=row.key,
        explanation=row.explanation,
        level=row.level,
        year=row.year,
        metadata=dict(row.metadata),
        content_hash=digest,
    )


def _prepared_translation(
    row: TranslationRow, system: str, digest: str, problems: Sequence[Problem]
) -> PreparedTranslation:
    return PreparedTranslation(
        uid=row.uid,
        system=system,
        question=row.question,
        options=list(row.options),
        key=row.key or "",
        raw=row.raw,
        content_hash=digest,
        problems=[
            FoundProblem(p.code, p.severity, p.field, p.start, p.end, dict(p.data))
            for p in problems
        ],
    )
