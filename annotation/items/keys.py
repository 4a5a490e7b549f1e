"""Correcting the key of an item, with a history like that of its texts (ADR 0025)."""

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.checks.actions import check_again
from annotation.duplicates.clusters import lock_clusters
from annotation.duplicates.keys import compare_keys_again
from annotation.enums import ItemKind
from annotation.models import Item, KeyChange, Revision
from common.errors import DomainError
from common.reasons import checked_reason
from languages.letters import letters_of, plain_letter, position_of
from languages.numerals import read_number


class KeyUnknown(DomainError):
    code = "key_unknown"
    detail = _("The key must name one of the options: %(letters)s.")
    status = 400


class NumberUnknown(DomainError):
    code = "number_unknown"
    detail = _("The answer of this item must be a number, for example 12, 3.5 or 2/3.")
    status = 400


class KeyNotThere(DomainError):
    code = "key_not_there"
    detail = _(
        "This item has no key, because its answer is a text. Edit the text to correct the answer."
    )
    status = 400


class KeyUnchanged(DomainError):
    code = "key_unchanged"
    detail = _("The key is already %(key)s.")
    status = 400


class KeyStale(DomainError):
    code = "key_stale"
    detail = _(
        "The key has changed since you opened the item. Look at the key now and decide again."
    )


@transaction.atomic
def correct_key(
    *, item: Item, key: str, reason: str, actor: User | None, now: datetime
) -> KeyChange:
    """Give the item another key; the old one, the reason and who decided stay in its history.

    In order: the item's key, the row of the change, the checks of the item's current texts, what
    its duplicate pairs say of keys, the audit row. Texts, their approval, judgements and frozen
    releases stay as they are. Raises ReasonMissing, ReasonTooLong, TextInvalid, KeyUnknown,
    NumberUnknown, KeyNotThere, KeyUnchanged, KeyStale.
    """
    reason = checked_reason(reason)
    key = _checked_key(item, key)
    lock_clusters(item.project_id)
    old_key = item.key
    # Who moves the key holds the item's row, so the change before can be read after that.
    if not Item.objects.filter(pk=item.pk, key=old_key).update(key=key):
        raise KeyStale
    item.key = key
    before = KeyChange.objects.filter(item=item).order_by("-number").first()
    change = KeyChange.objects.create(
        item=item,
        number=before.number + 1 if before else 1,
        supersedes=before,
        old_key=old_key,
        new_key=key,
        reason=reason,
        author=actor,
        created_at=now,
    )
    check_again(revisions=_current_texts(item), project=item.project, now=now)
    compare_keys_again(item)
    record_event(
        actor=actor,
        verb="item.key_corrected",
        target=f"item:{item.pk}",
        scope=item.project.slug,
        data={"uid": item.uid, "from": old_key, "to": key, "reason": reason},
        now=now,
    )
    return change


def _checked_key(item: Item, key: str) -> str:
    if item.kind == ItemKind.NUMBER:
        key = key.strip()
        if read_number(key) is None:
            raise NumberUnknown
    elif item.kind != ItemKind.CHOICE:
        raise KeyNotThere
    else:
        key = _checked_letter(item, key)
    if key == item.key:
        raise KeyUnchanged(key=key)
    return key


def _checked_letter(item: Item, key: str) -> str:
    key, count = plain_letter(key), len(item.options)
    if position_of(key, count) is None:
        raise KeyUnknown(letters=", ".join(letters_of(count)) or "–")
    return key


def _current_texts(item: Item) -> list[Revision]:
    rows = Revision.objects.filter(
        translation__item=item, translation__current_revision=F("pk")
    ).select_related("translation__item")
    return list(rows.prefetch_related("findings", "translation__item__key_changes").order_by("pk"))
