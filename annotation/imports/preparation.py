"""Compares the rows of a file with the project, and says which texts are to be checked."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotation.checks.catalogue.base import CheckedText, Problem
from annotation.enums import ItemKind
from annotation.glossary.queries import terms_in_source
from annotation.importers.base import Data, RowError, RowRef, SourceRow, TranslationRow
from annotation.items.revisions import text_hash
from annotation.models import Item, KeyChange, Revision, Translation
from projects.models import Project, Subject

NATIVE_SYSTEM = "original"
"""The system of the texts of native items, which nobody translated."""


class PreparedTranslation(NamedTuple):
    """A new translation; `item` is 0 where that is new too.

    `is_first` says that the item has no translation yet, so that this one may come under review.
    `problems` is a list that fills when the text has been checked.
    """

    uid: str
    item: int
    system: str
    question: str
    options: Sequence[str]
    key: str
    raw: str
    content_hash: str
    answer: str
    explanation: str
    is_first: bool
    problems: list[Problem]


class PreparedItem(NamedTuple):
    """A new item, as plain values that are inserted as they are."""

    uid: str
    subject: str
    category: str
    split: str
    question: str
    options: Sequence[str]
    key: str
    kind: str
    answer: str
    explanation: str
    level: str
    year: str
    metadata: dict[str, str]
    content_hash: str


PreparedRow = PreparedItem | PreparedTranslation


@dataclass(slots=True)
class BatchOutcome:
    """What became of the rows of one batch.

    `texts` are to be checked: those of the translations among `rows`, in the same order.
    """

    rows: list[PreparedRow] = field(default_factory=list)
    texts: list[CheckedText] = field(default_factory=list)
    refused: list[RowError] = field(default_factory=list)
    read: int = 0
    unchanged: int = 0
    with_findings: int = 0

    def add_problems(self, found: Sequence[Sequence[Problem]]) -> None:
        """Give each translation what the checks found in its text."""
        translations = (row for row in self.rows if isinstance(row, PreparedTranslation))
        for row, problems in zip(translations, found, strict=True):
            row.problems.extend(problems)
            self.with_findings += bool(problems)


class KnownItem(NamedTuple):
    """What checks and comparisons need of an item; `pk` is 0 for one that is about to be written."""

    pk: int
    question: str
    options: Sequence[str]
    key: str
    content_hash: str
    kind: str = ItemKind.CHOICE
    answer: str = ""
    explanation: str = ""
    working_translation: int | None = None

    def own_part(self, row: TranslationRow) -> TranslationRow:
        """The row without a reference answer where the item has none to translate."""
        has_none = self.kind in (ItemKind.CHOICE, ItemKind.NUMBER)
        return replace(row, answer="") if row.answer and has_none else row


class ImportedText(NamedTuple):
    """The first text of a translation, as it was imported."""

    content_hash: str
    key: str

    def differs_from(self, row: TranslationRow) -> bool:
        """Whether the row says something else; a row without a key says nothing of it."""
        has_other_key = bool(row.key) and row.key != self.key
        return has_other_key or self.content_hash != row_hash(row)


ImportedTexts = Mapping[tuple[str, str], ImportedText]


class Preparation:
    """Compares batches of rows with the project.

    No uid comes twice under one name of a system: importers refuse the second. Kept between
    batches is what they cannot see: which rows mean the system of the whole import, by name or
    without one, the category of each subject, and which keys were corrected.
    """

    def __init__(self, *, project: Project, options_system: str) -> None:
        self.project = project
        self.system = options_system
        self._of_whole_import: dict[str, RowRef] = {}
        named = project.subjects.exclude(category="").values_list("slug", "category")
        self._categories: dict[str, str] = dict(named)
        changes = KeyChange.objects.filter(item__project=project)
        self._former_keys = set(changes.values_list("item__uid", "old_key"))

    def prepare(self, rows: Sequence[SourceRow | TranslationRow]) -> BatchOutcome:
        """Sort one batch into new, unchanged and refused rows; two queries whatever its size."""
        outcome = BatchOutcome()
        uids = {row.uid for row in rows}
        known = self._known_items(uids)
        imported = self._imported_texts(known) if known else {}
        for row in rows:
            if isinstance(row, SourceRow):
                self._prepare_item(self._with_own_text(row), known, imported, outcome)
            else:
                self._prepare_translation(row, known, imported, outcome)
        return outcome

    def _with_own_text(self, row: SourceRow) -> SourceRow:
        """Give an item its own text, which the reviews put right, where nothing is to be translated.

        That is so in a project of one language, and of what asks others for a translation.
        """
        is_own = self.project.is_monolingual or row.kind == "translation"
        if row.translation or not is_own:
            return row
        text = TranslationRow(
            ref=row.ref,
            uid=row.uid,
            question=row.question,
            options=row.options,
            key=row.key,
            system=NATIVE_SYSTEM,
            is_default_system=True,
            answer=row.answer,
            explanation=row.explanation,
        )
        return replace(row, translation=text)

    def _known_items(self, uids: set[str]) -> dict[str, KnownItem]:
        rows = Item.objects.filter(project=self.project, uid__in=uids).values_list(
            "uid", "pk", "question", "options", "key", "content_hash", "kind", "answer",
            "explanation", "working_translation",
        )  # fmt: skip
        return {uid: KnownItem(*values) for uid, *values in rows}

    def _imported_texts(
        self, known: Mapping[str, KnownItem]
    ) -> dict[tuple[str, str], ImportedText]:
        """The first text of each (uid, system), in two queries: SQLite plans the join badly."""
        uid_of = {item.pk: uid for uid, item in known.items()}
        names = {
            pk: (uid_of[item], system)
            for pk, item, system in Translation.objects.filter(item__in=uid_of).values_list(
                "pk", "item", "system"
            )
        }
        if not names:
            return {}
        texts = Revision.objects.filter(translation__in=list(names), number=1).values_list(
            "translation", "content_hash", "key"
        )
        return {names[pk]: ImportedText(*text) for pk, *text in texts}

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
        about = (digest, row.kind, row.answer, row.explanation)
        item = there or KnownItem(0, row.question, row.options, row.key, *about)
        refusal = _too_long_item(row) or (None if there else self._other_category(row))
        if item.content_hash != digest:
            refusal = RowError(row.ref, "item_differs", {"uid": row.uid})
        if not refusal and row.translation:
            refusal = self._refusal(item.own_part(row.translation), item, imported)
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
        row = item.own_part(row) if item else row
        digest = row_hash(row)
        refusal = self._refusal(row, item, imported)
        if refusal:
            outcome.refused.append(refusal)
        elif item is None or (row.uid, system) in imported:
            outcome.unchanged += 1
        else:
            outcome.rows.append(_prepared_translation(row, item, system, digest))
            outcome.texts.append(self._checked_text(row, item))

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
        """The system that the row names; the option is for rows that name none or only a default."""
        if self.system and (row.is_default_system or not row.system):
            return self.system
        return row.system

    def _checked_text(self, row: TranslationRow, item: KnownItem) -> CheckedText:
        return (
            item.question,
            item.options,
            item.key,
            row.question,
            row.options,
            None if (row.uid, row.key) in self._former_keys else row.key,
            self.project.source_language,
            self.project.target_language,
            row.marks,
            terms_in_source(self.project, item.question, item.options),
            item.kind,
            (item.answer, item.explanation),
            (row.answer, row.explanation),
        )


def row_hash(row: TranslationRow) -> str:
    """SHA-256 of the text of a row, as a revision has it."""
    return text_hash(row.question, row.options, row.answer, row.explanation)


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
        *([] if row.kind == "choice" else [row.kind, row.answer]),
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
        options=row.options,
        key=row.key,
        kind=row.kind,
        answer=row.answer,
        explanation=row.explanation,
        level=row.level,
        year=row.year,
        metadata=dict(row.metadata),
        content_hash=digest,
    )


def _prepared_translation(
    row: TranslationRow, item: KnownItem, system: str, digest: str
) -> PreparedTranslation:
    return PreparedTranslation(
        uid=row.uid,
        item=item.pk,
        system=system,
        question=row.question,
        options=row.options,
        key=row.key or "",
        raw=row.raw,
        content_hash=digest,
        answer=row.answer,
        explanation=row.explanation,
        is_first=item.working_translation is None,
        problems=[],
    )
