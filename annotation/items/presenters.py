"""One item as its page shows it: the text beside its source, its key, and other systems' texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotation.checks.actions import repair_of
from annotation.checks.presenters import ShownFinding, in_words, shown_findings
from annotation.enums import ItemKind
from annotation.glossary.presenters import state_of
from annotation.glossary.queries import term_hits
from annotation.items.queries import current_revision
from annotation.items.text_rows import TextRow, further_fields, label_of, text_in, text_rows
from annotation.models import Finding, Item, KeyChange, Revision, Translation
from languages.letters import MAX_OPTIONS, letter_of
from projects.models import Project

LATEST_CHANGES = 10


@dataclass(frozen=True, slots=True)
class OtherTranslation:
    """The current text of the item by another system; `further` is (field, label, text) of the rest."""

    system: str
    state: str
    question: str
    options: Sequence[tuple[str, str]]
    further: Sequence[tuple[str, str, str]]
    findings: Sequence[ShownFinding]


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """Everything the page of one item shows."""

    item: Item
    revision: Revision | None
    rows: Sequence[TextRow]
    findings: Sequence[ShownFinding]
    is_repairable: bool
    others: Sequence[OtherTranslation] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownKeyChange:
    """One correction of a key; `author` is empty where the reader is told no names."""

    number: int
    old_key: str
    new_key: str
    reason: str
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class KeyCorrection:
    """The values of `annotation/includes/correct_key.html`: the key, its history, and the choice.

    `options` is (letter, source text), none for those who may not correct the key; `asks_number`
    says that the reader may correct a number instead. `has_older` is whether the history of the
    item has further changes.
    """

    item: int
    key: str
    language: str
    options: Sequence[tuple[str, str]]
    asks_number: bool
    changes: Sequence[ShownKeyChange]
    has_older: bool


def key_correction(item: Item, *, can_correct: bool, shows_authors: bool) -> KeyCorrection:
    """Return the key of an item with its history, in one query; wants the project loaded."""
    options = _lettered(item.options)[:MAX_OPTIONS] if can_correct else []
    changes = shown_key_changes(item, shows_authors=shows_authors)
    return KeyCorrection(
        item=item.pk,
        key=item.key,
        language=item.project.source_language,
        options=options,
        asks_number=can_correct and item.kind == ItemKind.NUMBER,
        changes=changes,
        has_older=bool(changes) and changes[0].number > 1,
    )


def shown_key_changes(item: Item, *, shows_authors: bool) -> list[ShownKeyChange]:
    """Return the latest corrections of the item's key, oldest first; one query."""
    rows = KeyChange.objects.filter(item=item).select_related("author").order_by("-number")
    return [
        ShownKeyChange(
            number=row.number,
            old_key=row.old_key,
            new_key=row.new_key,
            reason=row.reason,
            author=str(row.author or "") if shows_authors else "",
            created_at=row.created_at,
        )
        for row in reversed(rows[:LATEST_CHANGES])
    ]


def item_sheet(item: Item) -> ItemSheet:
    """Return one item with its texts and findings; three queries. Each finding stands in one place."""
    revision = current_revision(item)
    findings = shown_findings(revision) if revision else []
    return ItemSheet(
        item=item,
        revision=revision,
        rows=text_rows(item, revision, []),
        findings=findings,
        is_repairable=bool(revision and repair_of(item=item, text=revision, project=item.project)),
        others=_others(item),
    )


def _lettered(options: Sequence[str]) -> list[tuple[str, str]]:
    return [(letter_of(n), option) for n, option in enumerate(options)]


def _others(item: Item) -> list[OtherTranslation]:
    rows = (
        Translation.objects.filter(item=item)
        .exclude(pk=item.working_translation_id or 0)
        .select_related("current_revision")
        .order_by("system", "pk")
    )
    findings = _open_findings([row.current_revision_id for row in rows if row.current_revision_id])
    return [
        OtherTranslation(
            system=row.system,
            state=row.get_state_display(),
            question=row.current_revision.question,
            options=_lettered(row.current_revision.options),
            further=[
                (field, label_of(field), text_in(row.current_revision, field))
                for field in further_fields(item, row.current_revision)
            ],
            findings=findings[row.current_revision.pk],
        )
        for row in rows
        if row.current_revision
    ]


def _open_findings(revisions: Sequence[int]) -> Mapping[int, Sequence[ShownFinding]]:
    found: dict[int, list[Finding]] = {pk: [] for pk in revisions}
    rows = Finding.objects.filter(revision__in=revisions).open().select_related("dismissed_by")
    for finding in rows.order_by("pk") if revisions else ():
        found[finding.revision_id].append(finding)
    return {pk: in_words(of_text) for pk, of_text in found.items()}


def hits_json(project: Project, item: Item, revision: Revision) -> list[dict[str, object]]:
    """Return the terms of an item for programs, by field."""
    fields = [(r.field, r.source_text, r.target_text) for r in text_rows(item, revision, [])]
    return [
        {
            "field": hit.field,
            "source": hit.term.source,
            "preferred": list(hit.term.preferred),
            "allowed": list(hit.term.allowed),
            "forbidden": list(hit.term.forbidden),
            "note": hit.term.note,
            "state": state_of(hit),
        }
        for hit in term_hits(project, fields)
    ]
