"""Adjectives of single tables, chainable."""

from typing import Any

from django.apps import apps
from django.db.models import Exists, F, Manager, OuterRef, Q, QuerySet

from annotation.enums import ItemState, Severity, TranslationState


class ItemQuerySet(QuerySet[Any]):
    def active(self) -> "ItemQuerySet":
        return self.filter(state=ItemState.ACTIVE)

    def translated(self) -> "ItemQuerySet":
        return self.filter(working_translation__isnull=False)

    def not_approved(self) -> "ItemQuerySet":
        return self.filter(working_translation__state=TranslationState.PENDING)

    def approved(self) -> "ItemQuerySet":
        return self.filter(working_translation__state=TranslationState.APPROVED)

    def with_open_findings(self, **conditions: Any) -> "ItemQuerySet":
        """Return items whose current text has an undismissed finding that meets `conditions`."""
        return self.filter(_open_finding(conditions))

    def without_open_findings(self, **conditions: Any) -> "ItemQuerySet":
        """Return items whose current text has no such finding."""
        return self.filter(~_open_finding(conditions))


class ItemManager(Manager.from_queryset(ItemQuerySet)):  # type: ignore[misc]
    """Items of finished imports and those that were made here."""

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(is_shown())


class TranslationManager(Manager[Any]):
    """Translations of finished imports and those that were made here."""

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(is_shown())


class FindingQuerySet(QuerySet[Any]):
    def open(self) -> "FindingQuerySet":
        return self.filter(dismissed_at__isnull=True)

    def errors(self) -> "FindingQuerySet":
        return self.filter(severity=Severity.ERROR)

    def current(self) -> "FindingQuerySet":
        """Return findings on texts that are current."""
        shown = is_shown("revision__translation__")
        return self.filter(shown, revision__translation__current_revision=F("revision"))


def is_shown(path: str = "") -> Q:
    """Return whether a row, or the one that `path` leads to, belongs to no unfinished import.

    A plain `IN` on a handful of ids, which the database finds once a query: no join, so that an
    UPDATE stays one, and no change to the rows when an import shows them all at once.
    """
    unfinished = _rows_of("ImportBatch").filter(finished_at__isnull=True)
    return ~Q(**{f"{path}import_batch__in": unfinished})


def _open_finding(conditions: dict[str, Any]) -> Exists:
    return Exists(
        _rows_of("Finding").filter(
            revision=OuterRef("working_translation__current_revision"),
            dismissed_at__isnull=True,
            **conditions,
        )
    )


def _rows_of(name: str) -> QuerySet[Any]:
    """Return the rows of another table, found by its name as in a foreign key: the models import us."""
    model: Any = apps.get_model("annotation", name)
    rows: QuerySet[Any] = model.objects.all()
    return rows
