"""Sums up what came of a system's translation jobs: failures, findings, lengths and price."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet
from django.db.models.functions import Length
from django.utils.translation import gettext

from annotation.asking.queries import Totals, reason_text, state_counts
from annotation.checks.catalogue.labels import title
from annotation.enums import TranslatedState
from annotation.models import Finding, TranslatedItem, TranslationJob
from annotation.translating.queries import totals_by_system, totals_of
from projects.models import Project

MOST_SHOWN = 100
Items = QuerySet[TranslatedItem]


@dataclass(frozen=True, slots=True)
class Failure:
    """Items that failed for one reason, in words; `uids` are the first of them."""

    words: str
    count: int
    uids: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What came of one job, or of all jobs of a system.

    `length_ratio` is the median of the questions' lengths, target to source.
    """

    translated: int
    failed: int
    open: int
    totals: Totals
    item_price: Decimal | None
    failures: Sequence[Failure]
    findings: Sequence[tuple[str, str, int]]
    length_ratio: float | None


def results_of(started: TranslationJob) -> Results:
    """Return the results of a job so far."""
    return _results(started.items.all(), totals_of(started))


def results_of_system(project: Project, system: str) -> Results | None:
    """Return what came of all jobs of a system, None if it has none.

    An item that several jobs had counts once, as the last of them left it.
    """
    found = totals_by_system(project, [system]).get(system)
    if found is None:
        return None
    rows = TranslatedItem.objects.filter(
        translation_job__project=project, translation_job__system=system
    )
    later = rows.filter(item=OuterRef("item"), pk__gt=OuterRef("pk"))
    return _results(rows.filter(~Exists(later)), found.totals)


def _results(rows: Items, totals: Totals) -> Results:
    counts = state_counts(rows)
    translated = counts[TranslatedState.TRANSLATED]
    return Results(
        translated=translated,
        failed=counts[TranslatedState.FAILED],
        open=counts[TranslatedState.OPEN],
        totals=totals,
        item_price=totals.price / translated if totals.price is not None and translated else None,
        failures=_failures(rows),
        findings=_findings(rows),
        length_ratio=_length_ratio(rows),
    )


def results_json(results: Results) -> dict[str, Any]:
    """Return what the API and the command print; prices are text, so that no digit is lost."""
    totals = results.totals
    return {
        "items": results.translated + results.failed + results.open,
        "translated": results.translated,
        "failed": results.failed,
        "open": results.open,
        "calls": totals.calls + totals.failed_calls,
        "answered": totals.calls,
        "failed_calls": totals.failed_calls,
        "tokens": {"prompt": totals.prompt_tokens, "completion": totals.completion_tokens},
        "price": str(totals.price) if totals.price is not None else None,
        "price_per_item": str(results.item_price) if results.item_price is not None else None,
        "length_ratio": results.length_ratio,
        "failures": [
            {"reason": failure.words, "count": failure.count, "uids": list(failure.uids)}
            for failure in results.failures
        ],
        "findings": {code: count for code, _title, count in results.findings},
    }


def _failures(items: Items) -> list[Failure]:
    rows = items.filter(state=TranslatedState.FAILED).order_by("pk")
    uids: dict[str, list[str]] = {}
    for reason, data, uid in rows.values_list("reason", "reason_data", "item__uid"):
        uids.setdefault(reason_text(reason, data), []).append(uid)
    ranked = Counter({words: len(found) for words, found in uids.items()}).most_common()
    return [Failure(words, count, uids[words][:MOST_SHOWN]) for words, count in ranked]


def _findings(items: Items) -> list[tuple[str, str, int]]:
    """Return code, title and count of the open findings on the texts of items, the most first."""
    rows = Finding.objects.open().filter(revision__translated_item__in=items)
    counts = rows.values_list("code").annotate(n=Count("pk")).order_by("-n", "code")
    return [(code, title(code, gettext), count) for code, count in counts]


def _length_ratio(items: Items) -> float | None:
    rows = items.filter(state=TranslatedState.TRANSLATED)
    lengths = rows.annotate(
        source=Length("item__question"), target=Length(F("revision__question"))
    ).values_list("source", "target")
    ratios = [target / source for source, target in lengths if source]
    return round(median(ratios), 3) if ratios else None
