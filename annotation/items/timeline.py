"""The history of an item, as events: imported, new texts, corrected keys, exclusions, dismissals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.checks.catalogue.labels import describe
from annotation.diffs import Segment, diff
from annotation.enums import ItemState
from annotation.items.text_rows import (
    ANSWER,
    EXPLANATION,
    Texts,
    label_of,
    text_in,
)
from annotation.models import Finding, Item, ItemStateChange, KeyChange, Revision


class FieldDiff(NamedTuple):
    """One field of a text; segments against the text before, None where it stayed the same."""

    field: str
    text: str
    segments: Sequence[Segment] | None

    @property
    def label(self) -> str:
        """What stands before the text."""
        return label_of(self.field)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One thing that happened to an item.

    `kind` is a word for programs. `who` is empty where nobody did it or the reader is told no
    name; `note` is the reason or comment; `details` are short facts; `fields` a text, or what
    changed in it, which `read_fields` compares only for events that are shown.
    """

    at: datetime
    kind: str
    title: str
    who: str = ""
    note: str = ""
    details: Sequence[str] = ()
    read_fields: Callable[[], Sequence[FieldDiff]] = tuple

    @property
    def fields(self) -> Sequence[FieldDiff]:
        return self.read_fields()


def item_events(item: Item, *, shows_names: bool) -> list[TimelineEvent]:
    """Return the events of an item and of the text under review, in no order; four queries."""

    def name(person: User | None) -> str:
        return str(person) if person and shows_names else ""

    imported = TimelineEvent(
        at=item.created_at, kind="imported", title=_("Item added"), note=item.source.name
    )
    events = [imported, *(_key_event(row, name(row.author)) for row in _of(KeyChange, item))]
    events += [_state_event(row, name(row.author)) for row in _of(ItemStateChange, item)]
    translation = item.working_translation
    if translation is None:
        return events
    revisions = list(
        Revision.objects.filter(translation=translation).select_related("author").order_by("number")
    )
    pairs = zip([None, *revisions], revisions, strict=False)
    events += [_text_event(old, new, translation.system, name(new.author)) for old, new in pairs]
    dismissed = Finding.objects.filter(revision__in=revisions, dismissed_at__isnull=False)
    rows = dismissed.select_related("dismissed_by").order_by("pk")
    return events + [_dismissal_event(row, name(row.dismissed_by)) for row in rows]


def newest_first(events: Iterable[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events, the latest first; of two at the same time, the one that came later in `events`."""
    return sorted(events, key=lambda event: event.at)[::-1]


def changed_fields(before: Texts | None, after: Texts) -> list[FieldDiff]:
    """Return the fields of a text that differ from the text before; all without one."""
    new = _fields(after)
    if before is None:
        return [FieldDiff(field, text, None) for field, text in new.items()]
    old = _fields(before)
    count = max(len(before.options), len(after.options))
    names = ("question", *(f"options.{n}" for n in range(count)), ANSWER, EXPLANATION)
    pairs = [(field, old.get(field, ""), new.get(field, "")) for field in names]
    return [FieldDiff(field, b, diff(a, b)) for field, a, b in pairs if a != b]


def _of(model: type[Any], item: Item) -> Iterable[Any]:
    return model.objects.filter(item=item).select_related("author").order_by("pk")  # type: ignore[no-any-return]


def _key_event(row: KeyChange, who: str) -> TimelineEvent:
    return TimelineEvent(
        at=row.created_at,
        kind="key",
        title=_("Key changed from %(old)s to %(new)s") % {"old": row.old_key, "new": row.new_key},
        who=who,
        note=row.reason,
    )


def _state_event(row: ItemStateChange, who: str) -> TimelineEvent:
    is_excluded = row.state == ItemState.EXCLUDED
    return TimelineEvent(
        at=row.created_at,
        kind="excluded" if is_excluded else "restored",
        title=_("Item excluded") if is_excluded else _("Item restored"),
        who=who,
        note=row.reason,
    )


def _text_event(before: Revision | None, row: Revision, system: str, who: str) -> TimelineEvent:
    return TimelineEvent(
        at=row.created_at,
        kind="revision",
        title=_("Revision %(n)s") % {"n": row.number},
        who=who,
        details=[str(row.get_origin_display()) if before else system],
        read_fields=partial(changed_fields, before, row),
    )


def _dismissal_event(row: Finding, who: str) -> TimelineEvent:
    message = describe(row.code, row.data, _)
    return TimelineEvent(
        at=row.dismissed_at or row.created_at,
        kind="dismissed",
        title=_("Finding dismissed: %(message)s") % {"message": message},
        who=who,
        note=row.dismissal_reason,
    )


def _fields(text: Texts) -> dict[str, str]:
    options = {f"options.{n}": option for n, option in enumerate(text.options)}
    further = {name: text_in(text, name) for name in (ANSWER, EXPLANATION)}
    return {"question": text.question, **options} | {k: v for k, v in further.items() if v}
