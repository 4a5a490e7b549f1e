"""Questions about items: the filtered list, counts of findings, and rows to download."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce, Length

from annotation.enums import ItemState, Severity, TranslationState
from annotation.items.search import few, items_with_text
from annotation.models import Finding, Item, Revision, Translation, TranslationJob
from projects.models import Project, Subject

UNTRANSLATED = "untranslated"
ANY_FINDING, NO_FINDING = "any", "none"
LONGEST_NUMBER = 9
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
    "kind",
    "answer",
    "explanation",
    "translation_answer",
    "translation_explanation",
)
_FLAG_OF = {
    str(Severity.ERROR): "has_open_errors",
    str(Severity.WARNING): "has_open_warnings",
    ANY_FINDING: "has_open_findings",
    NO_FINDING: "has_open_findings",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """A choice of a project's items; empty means all. `state` is a translation's or an item's.

    `system` is that of the text under review. `round` is the number of a closed round.
    `length_from` and `length_to` bound the characters of the question under review, or of the
    source's question where no text is. Numbers are texts here, as an address and a job have them.
    """

    q: str = ""
    subject: str = ""
    category: str = ""
    split: str = ""
    state: str = ""
    findings: str = ""
    code: str = ""
    system: str = ""
    round: str = ""
    key: str = ""
    length_from: str = ""
    length_to: str = ""


class FindingCounts(NamedTuple):
    """Open findings on one text."""

    errors: int = 0
    warnings: int = 0
    notes: int = 0


def filtered_items(project: Project, wanted: ItemFilter) -> QuerySet[Item]:
    """Return the items that `wanted` names, with subject and current text; order by uid_order for pages."""
    rows = _in_subject(project, wanted.subject).select_related(
        "subject", "working_translation__current_revision"
    )
    plain = {
        "split": wanted.split,
        "subject__category": wanted.category,
        "working_translation__system": wanted.system,
        "key__iexact": wanted.key,
    }
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    rows = _in_round(rows, project, wanted.round)
    rows = _of_length(rows, wanted.length_from, wanted.length_to)
    rows = _in_state(rows, wanted.state)
    rows = _with_findings(rows, wanted.findings, wanted.code)
    return items_with_text(rows, wanted.q) if wanted.q else rows


def systems_of(project: Project) -> list[str]:
    """Return the translation systems that the project has texts of, by name."""
    rows = Translation.objects.filter(item__project=project).order_by().values_list("system")
    return sorted(name for (name,) in rows.distinct())


def named_systems(project: Project) -> list[str]:
    """Return the systems that imports have named, then those of translation jobs, each in their order."""
    sources = project.sources.exclude(system="").order_by("pk").values_list("system", flat=True)
    jobs = TranslationJob.objects.filter(project=project).order_by("pk")
    return [*dict.fromkeys([*sources, *jobs.values_list("system", flat=True)])]


def closed_rounds_of(project: Project) -> list[int]:
    """Return the numbers of the rounds that a filter may name, newest first.

    An open round is not among them: with the other filters its list would tell seniors which of
    its items are controls.
    """
    rounds = project.rounds.filter(closed_at__isnull=False).order_by("-number")
    return list(rounds.values_list("number", flat=True))


def neighbours(items: QuerySet[Item], item: Item) -> tuple[int | None, int | None]:
    """Return the ids of the items before and after `item` in a filtered list; one row each is read."""
    ids = items.values_list("pk", flat=True)
    before = ids.filter(uid_order__lt=item.uid_order).order_by("-uid_order", "-pk").first()
    after = ids.filter(uid_order__gt=item.uid_order).order_by("uid_order", "pk").first()
    return before, after


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
    """Return the text under review, None where there is no translation; wants the relations loaded."""
    translation = item.working_translation
    return translation.current_revision if translation else None


def counts_of_items(items: Sequence[Item]) -> Mapping[int, FindingCounts]:
    """Open findings on the current text of each item, by item id."""
    revision_of = {item.pk: revision.pk for item in items if (revision := current_revision(item))}
    counts = finding_counts(list(revision_of.values()))
    return {pk: counts.get(revision, FindingCounts()) for pk, revision in revision_of.items()}


def download_rows(items: QuerySet[Item]) -> Iterator[dict[str, Any]]:
    """Yield the items by uid with their current text and counts of findings, read in batches."""
    stream = items.order_by("uid_order", "pk").iterator(chunk_size=DOWNLOAD_BATCH)
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
        "kind": item.kind,
        "answer": item.answer,
        "explanation": item.explanation,
        "system": translation.system if translation else "",
        "state": translation.state if translation else UNTRANSLATED,
        "revision": revision.number if revision else 0,
        "translation_question": revision.question if revision else "",
        "translation_options": revision.options if revision else [],
        "translation_answer": revision.answer if revision else "",
        "translation_explanation": revision.explanation if revision else "",
        "errors": counts.errors,
        "warnings": counts.warnings,
    }


def _in_subject(project: Project, slug: str) -> Any:
    if not slug:
        return Item.objects.filter(project=project)
    return Item.objects.filter(subject=Subject.objects.filter(project=project, slug=slug).first())


def _in_round(rows: Any, project: Project, number: str) -> Any:
    if not number:
        return rows
    if not _is_number(number):
        return rows.none()
    rounds = project.rounds.filter(number=number, closed_at__isnull=False)
    return rows.filter(panels__round__in=rounds, panels__is_control=False)  # at most one panel each


def _of_length(rows: Any, shortest: str, longest: str) -> Any:
    given = {"gte": shortest, "lte": longest}
    bounds = {f"question_length__{name}": value for name, value in given.items() if value}
    if not bounds:
        return rows
    if not all(map(_is_number, bounds.values())):
        return rows.none()
    text = Coalesce("working_translation__current_revision__question", "question")
    return rows.alias(question_length=Length(text)).filter(**bounds)


def _is_number(text: str) -> bool:
    """Whether a command or a stored filter says a number that a database can compare."""
    return text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER


def _in_state(rows: Any, state: str) -> Any:
    if state == ItemState.EXCLUDED:
        return rows.filter(state=ItemState.EXCLUDED)
    if state == UNTRANSLATED:
        return rows.filter(working_translation__isnull=True)
    if state:
        wanted = Translation.objects.filter(state=TranslationState(state))
        rows = _narrowed(rows, wanted.values_list("item", flat=True))
        return rows.active().filter(working_translation__state=TranslationState(state))
    return rows


def _with_findings(rows: Any, findings: str, code: str) -> Any:
    if code:
        return _with_code(rows, findings, code)
    flag = _FLAG_OF.get(findings)
    return rows.filter(**{flag: findings != NO_FINDING}) if flag else rows


def _with_code(rows: Any, findings: str, code: str) -> Any:
    conditions = {"code": code}
    if findings == NO_FINDING:
        return rows.without_open_findings(**conditions)
    if findings in Severity.values:
        conditions["severity"] = findings
    found = Finding.objects.open().filter(**conditions)
    rows = _narrowed(rows, found.values_list("revision__translation__item", flat=True))
    return rows.with_open_findings(**conditions)


def _narrowed(rows: Any, item_ids: QuerySet[Any, Any]) -> Any:
    found = few(item_ids)
    return rows if found is None else rows.filter(pk__in=found)
