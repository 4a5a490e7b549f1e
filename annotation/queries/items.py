"""Questions about items: the filtered list, one item beside its texts, and rows to download."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext

from annotation.checks.base import letter_of
from annotation.checks.messages import describe
from annotation.diffs import Segment, diff
from annotation.enums import ItemState, Severity, TranslationState
from annotation.models import Finding, Item, Project, Revision, Translation

UNTRANSLATED = "untranslated"
ANY_FINDING, NO_FINDING = "any", "none"
DOWNLOAD_BATCH = 500
DOWNLOAD_COLUMNS = (
    "uid",
    "subject",
    "category",
    "split",
    "item_state",
    "key",
    "question",
    "options",
    "system",
    "state",
    "revision",
    "translation_question",
    "translation_options",
    "errors",
    "warnings",
)
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """Which items of a project; empty means all. `state` is a translation's or an item's."""

    q: str = ""
    subject: str = ""
    category: str = ""
    split: str = ""
    state: str = ""
    findings: str = ""
    code: str = ""


class FindingCounts(NamedTuple):
    """Open findings on one text."""

    errors: int = 0
    warnings: int = 0
    notes: int = 0


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding in words; `start` and `end` count code points in its field."""

    pk: int
    code: str
    severity: str
    field: str
    start: int
    end: int
    message: str
    is_dismissed: bool
    dismissal_reason: str
    dismissed_by: str


@dataclass(frozen=True, slots=True)
class TextRow:
    """The question or an option: source beside translation."""

    label: str
    field: str
    source_text: str
    target_text: str
    is_key: bool
    findings: Sequence[ShownFinding]


class FieldDiff(NamedTuple):
    """One field of a text; segments against the text before, None where it stayed the same."""

    label: str
    text: str
    segments: Sequence[Segment] | None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One revision and what it changed."""

    number: int
    origin: str
    author: str
    created_at: datetime
    is_current: bool
    fields: Sequence[FieldDiff]


@dataclass(frozen=True, slots=True)
class OtherTranslation:
    """The current text of the item by another system."""

    system: str
    state: str
    question: str
    options: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """Everything the page of one item shows."""

    item: Item
    revision: Revision | None
    rows: Sequence[TextRow]
    findings: Sequence[ShownFinding]
    history: Sequence[HistoryEntry] = field(default_factory=list)
    others: Sequence[OtherTranslation] = field(default_factory=list)


def filtered_items(project: Project, wanted: ItemFilter) -> QuerySet[Item]:
    """The items that `wanted` names, with subject and current text; order by uid for pages."""
    rows = Item.objects.filter(project=project).select_related(
        "subject", "working_translation__current_revision"
    )
    plain = {
        "split": wanted.split,
        "subject__slug": wanted.subject,
        "subject__category": wanted.category,
    }
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    rows = _in_state(rows, wanted.state)
    rows = _with_findings(rows, wanted.findings, wanted.code)
    found: QuerySet[Item] = _with_text(rows, wanted.q)
    return found


def finding_counts(revision_ids: Sequence[int]) -> Mapping[int, FindingCounts]:
    """Open findings by revision, in one grouped query."""
    rows = (
        Finding.objects.filter(revision__in=revision_ids)
        .open()
        .values("revision")
        .annotate(
            errors=Count("pk", filter=Q(severity=Severity.ERROR)),
            warnings=Count("pk", filter=Q(severity=Severity.WARNING)),
            notes=Count("pk", filter=Q(severity=Severity.INFO)),
        )
        .order_by("revision")
    )
    return {r["revision"]: FindingCounts(r["errors"], r["warnings"], r["notes"]) for r in rows}


def current_revision(item: Item) -> Revision | None:
    """The text under review, None where there is no translation; wants the relations loaded."""
    translation = item.working_translation
    return translation.current_revision if translation else None


def counts_of_items(items: Sequence[Item]) -> Mapping[int, FindingCounts]:
    """Open findings on the current text of each item, by item id."""
    revision_of = {item.pk: revision.pk for item in items if (revision := current_revision(item))}
    counts = finding_counts(list(revision_of.values()))
    return {pk: counts.get(revision, FindingCounts()) for pk, revision in revision_of.items()}


def item_sheet(item: Item, *, shows_authors: bool) -> ItemSheet:
    """One item with its texts, findings and history; four queries, names only for those who lead."""
    revision = current_revision(item)
    findings = shown_findings(revision) if revision else []
    return ItemSheet(
        item=item,
        revision=revision,
        rows=text_rows(item, revision, [f for f in findings if not f.is_dismissed]),
        findings=findings,
        history=_history(item, shows_authors=shows_authors),
        others=_others(item),
    )


def shown_findings(revision: Revision) -> list[ShownFinding]:
    """Every finding on a text in words: open ones first, worst first."""
    rows = Finding.objects.filter(revision=revision).select_related("dismissed_by").order_by("pk")
    shown = [
        ShownFinding(
            pk=f.pk,
            code=f.code,
            severity=f.severity,
            field=f.field,
            start=f.start,
            end=f.end,
            message=describe(f.code, f.data, gettext),
            is_dismissed=f.dismissed_at is not None,
            dismissal_reason=f.dismissal_reason,
            dismissed_by=str(f.dismissed_by or ""),
        )
        for f in rows
    ]
    return sorted(shown, key=lambda f: (f.is_dismissed, _ORDER[Severity(f.severity)]))


def text_rows(
    item: Item, revision: Revision | None, findings: Sequence[ShownFinding]
) -> list[TextRow]:
    """The question and each option beside the translation.

    Where the published options could not be told apart, the whole text stands in the question.
    """
    by_field: dict[str, list[ShownFinding]] = defaultdict(list)
    for finding in findings:
        by_field["question" if finding.field == "item" else finding.field].append(finding)
    target = list(revision.options) if revision else []
    count = max(len(item.options), len(target))
    question = revision.question if revision else ""
    first = TextRow(
        label="Q",
        field="question",
        source_text=item.question,
        target_text=question,
        is_key=False,
        findings=by_field["question"],
    )
    options = [
        TextRow(
            label=letter_of(n),
            field=f"options.{n}",
            source_text=_nth(item.options, n),
            target_text=_nth(target, n),
            is_key=item.key == letter_of(n),
            findings=by_field[f"options.{n}"],
        )
        for n in range(count)
    ]
    return [first, *options]


def download_rows(items: QuerySet[Item]) -> Iterator[dict[str, Any]]:
    """The items by uid with their current text and counts of findings, read in batches."""
    stream = items.order_by("uid", "pk").iterator(chunk_size=DOWNLOAD_BATCH)
    while batch := list(islice(stream, DOWNLOAD_BATCH)):
        counts = counts_of_items(batch)
        for item in batch:
            yield _download_row(item, counts.get(item.pk, FindingCounts()))


def _download_row(item: Item, counts: FindingCounts) -> dict[str, Any]:
    translation, revision = item.working_translation, current_revision(item)
    return {
        "uid": item.uid,
        "subject": item.subject.slug,
        "category": item.subject.category,
        "split": item.split,
        "item_state": item.state,
        "key": item.key,
        "question": item.question,
        "options": item.options,
        "system": translation.system if translation else "",
        "state": translation.state if translation else UNTRANSLATED,
        "revision": revision.number if revision else 0,
        "translation_question": revision.question if revision else "",
        "translation_options": revision.options if revision else [],
        "errors": counts.errors,
        "warnings": counts.warnings,
    }


def _in_state(rows: Any, state: str) -> Any:
    if state == ItemState.EXCLUDED:
        return rows.filter(state=ItemState.EXCLUDED)
    if state == UNTRANSLATED:
        return rows.filter(working_translation__isnull=True)
    if state:
        return rows.active().filter(working_translation__state=TranslationState(state))
    return rows


def _with_findings(rows: Any, findings: str, code: str) -> Any:
    conditions = {"code": code} if code else {}
    if findings in Severity.values:
        return rows.with_open_findings(severity=findings, **conditions)
    if findings == NO_FINDING:
        return rows.without_open_findings(**conditions)
    if findings == ANY_FINDING or code:
        return rows.with_open_findings(**conditions)
    return rows


def _with_text(rows: Any, text: str) -> Any:
    if not text:
        return rows
    return rows.filter(
        Q(uid__icontains=text)
        | Q(question__icontains=text)
        | Q(working_translation__current_revision__question__icontains=text)
    )


def _nth(texts: Sequence[str], n: int) -> str:
    return texts[n] if n < len(texts) else ""


def _history(item: Item, shows_authors: bool) -> list[HistoryEntry]:
    if item.working_translation is None:
        return []
    current = item.working_translation.current_revision_id
    revisions = list(
        Revision.objects.filter(translation=item.working_translation)
        .select_related("author")
        .order_by("number")
    )
    entries = [
        HistoryEntry(
            number=revision.number,
            origin=revision.get_origin_display(),
            author=str(revision.author or "") if shows_authors else "",
            created_at=revision.created_at,
            is_current=revision.pk == current,
            fields=_field_diffs(before, revision),
        )
        for before, revision in zip([None, *revisions], revisions, strict=False)
    ]
    return entries[::-1]


def _field_diffs(before: Revision | None, revision: Revision) -> list[FieldDiff]:
    new = _fields(revision)
    if before is None:
        return [FieldDiff(label, text, None) for label, text in new.items()]
    old = _fields(before)
    labels = sorted({*old, *new}, key=lambda label: (label != "Q", label))
    pairs = [(label, old.get(label, ""), new.get(label, "")) for label in labels]
    return [FieldDiff(label, b, diff(a, b) if a != b else None) for label, a, b in pairs]


def _fields(revision: Revision) -> dict[str, str]:
    return {"Q": revision.question} | dict(_lettered(revision.options))


def _lettered(options: Sequence[str]) -> list[tuple[str, str]]:
    return [(letter_of(n), option) for n, option in enumerate(options)]


def _others(item: Item) -> list[OtherTranslation]:
    rows = (
        Translation.objects.filter(item=item)
        .exclude(pk=item.working_translation_id or 0)
        .select_related("current_revision")
        .order_by("system", "pk")
    )
    return [
        OtherTranslation(
            system=row.system,
            state=row.get_state_display(),
            question=row.current_revision.question,
            options=_lettered(row.current_revision.options),
        )
        for row in rows
        if row.current_revision
    ]
