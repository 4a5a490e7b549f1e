"""Every write to a translation's text and standing after it was imported."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event, record_events
from accounts.models import User
from annotation.checks.actions import check_revision, findings_for
from annotation.enums import TRANSLATION_TRANSITIONS, Origin, TranslationState
from annotation.index import lock_items, refresh_finding_flags, store_translation_texts
from annotation.models import Finding, Item, Revision, Translation
from common.db import move, sources_of
from common.errors import DomainError
from common.prepared import Update, prepared_update
from projects.models import Project

_encode = json.JSONEncoder(ensure_ascii=False).encode


class RevisionStale(DomainError):
    code = "revision_stale"
    detail = _(
        "The text has changed since you opened it. Look at the current text and decide again."
    )


class RevisionUnchanged(DomainError):
    code = "revision_unchanged"
    detail = _("The new text is the same as the current one.")
    status = 400


@dataclass(frozen=True, slots=True)
class NewText:
    """The first text of an item by a system, with what the checks find in it; nothing is stored yet."""

    item: Item
    revision: Revision
    findings: Sequence[Finding]


def new_machine_text(
    *,
    item: Item,
    question: str,
    options: Sequence[str],
    answer: str,
    explanation: str,
    now: datetime,
) -> NewText:
    """Check a text that a system made of an item here; nothing is written."""
    revision = Revision(
        number=1, question=question, options=list(options), answer=answer, explanation=explanation,
        origin=Origin.MT, content_hash=text_hash(question, options, answer, explanation),
        created_at=now,
    )  # fmt: skip
    found = findings_for(item=item, revision=revision, project=item.project, now=now)
    return NewText(item, revision, found)


@transaction.atomic
def store_machine_texts(
    *, texts: Sequence[NewText], project: Project, system: str, actor: User | None, now: datetime
) -> list[NewText]:
    """Store the first texts of items by a system; they wait for review. Return those that are stored.

    In order: the translations and their texts, findings, the items' working translations where
    they have none, search texts and flags, an audit row for each text. A text of an item that has
    one of this system already is left out, so running it twice changes nothing.
    """
    stored = _with_translations(texts, system, now)
    revisions = Revision.objects.bulk_create([text.revision for text in stored])
    Finding.objects.bulk_create([finding for text in stored for finding in text.findings])
    _make_first(revisions)
    store_translation_texts(revisions)
    refresh_finding_flags([text.item.pk for text in stored])
    data = {"origin": str(Origin.MT), "number": 1, "system": system}
    targets = {f"revision:{revision.pk}": data for revision in revisions}
    record_events(
        actor=actor, verb="revision.created", targets=targets, scope=project.slug, now=now
    )
    return stored


def _with_translations(texts: Sequence[NewText], system: str, now: datetime) -> list[NewText]:
    """Insert the translations of texts, and return those whose item had none of this system.

    They are inserted in the order of the items, which are locked, so that two workers, or a worker
    and an import, do not wait for each other. Only what this transaction has inserted is without a
    text yet.
    """
    items = sorted(text.item.pk for text in texts)
    lock_items(items)
    new = [Translation(item_id=item, system=system, created_at=now) for item in items]
    Translation.objects.bulk_create(new, ignore_conflicts=True)
    bare = Translation.objects.filter(item__in=items, system=system, current_revision=None)
    made = {translation.item_id: translation for translation in bare}
    stored = [text for text in texts if text.item.pk in made]
    for text in stored:
        text.revision.translation = made[text.item.pk]
    return stored


def _make_first(revisions: Sequence[Revision]) -> None:
    """Make first texts the current ones, and their translations those under review of items without one."""
    made = Translation.objects.filter(pk__in=[revision.translation_id for revision in revisions])
    first = Revision.objects.filter(translation=OuterRef("pk")).values("pk")
    made.update(current_revision=Subquery(first))
    bare = Item.objects.filter(pk__in=made.values("item"), working_translation=None)
    bare.update(working_translation=Subquery(made.filter(item=OuterRef("pk")).values("pk")))


@transaction.atomic
def create_revision(
    *,
    base: Revision,
    question: str,
    options: Sequence[str],
    origin: Origin,
    author: User | None,
    now: datetime,
    answer: str | None = None,
    explanation: str | None = None,
    numbers_confirmed: bool = False,
) -> Revision:
    """Supersede `base` by a new text, which becomes current, is checked, and waits for review.

    Without an `answer` or `explanation` those of `base` stay.
    Raises RevisionUnchanged when the text is the same, RevisionStale when `base` is no longer
    current (the one-to-one `supersedes` holds against two at once). A text that was withdrawn
    stands between `base` and the new one.
    """
    revision = supersede_text(
        base=base,
        question=question,
        options=options,
        origin=origin,
        author=author,
        now=now,
        answer=answer,
        explanation=explanation,
        numbers_confirmed=numbers_confirmed,
    )
    record_event(
        actor=author,
        verb="revision.created",
        target=f"revision:{revision.pk}",
        scope=base.translation.item.project.slug,
        data={"origin": str(origin), "number": revision.number},
        now=now,
    )
    return revision


@transaction.atomic
def supersede_text(
    *,
    base: Revision,
    question: str,
    options: Sequence[str],
    origin: Origin,
    author: User | None,
    now: datetime,
    answer: str | None = None,
    explanation: str | None = None,
    numbers_confirmed: bool = False,
) -> Revision:
    """Do as `create_revision` without an audit event: the caller records one for many texts."""
    answer = base.answer if answer is None else answer
    explanation = base.explanation if explanation is None else explanation
    digest = text_hash(question, options, answer, explanation)
    if digest == base.content_hash:
        raise RevisionUnchanged
    revision = _append_revision(
        base,
        question=question,
        options=list(options),
        answer=answer,
        explanation=explanation,
        origin=origin,
        author=author,
        numbers_confirmed=numbers_confirmed,
        content_hash=digest,
        created_at=now,
    )
    _make_current(revision, base, now)
    return revision


def _append_revision(base: Revision, **fields: Any) -> Revision:
    """Return the next text after the latest one of the same translation, with the key of `base`."""
    latest = Revision.objects.filter(translation=base.translation_id).order_by("-number")[0]
    try:
        with transaction.atomic():
            return Revision.objects.create(
                translation=base.translation,
                number=latest.number + 1,
                supersedes=latest,
                key=base.key,
                **fields,
            )
    except IntegrityError as error:
        raise RevisionStale from error


def _make_current(revision: Revision, base: Revision, now: datetime) -> None:
    """Let a new text wait for review in the place of `base`, and check it. Raises RevisionStale."""
    moved = Translation.objects.filter(pk=base.translation_id, current_revision=base).update(
        current_revision=revision, state=TranslationState.PENDING
    )
    if not moved:
        raise RevisionStale
    check_revision(revision=revision, now=now)
    store_translation_texts([revision])
    refresh_finding_flags([base.translation.item_id])


@transaction.atomic
def restore_revision(
    *, revision: Revision, current: Revision, actor: User | None, now: datetime
) -> None:
    """Make an earlier text the current one again, waiting for review; `current` stays as a row.

    Raises RevisionStale when `current` is no longer the current text.
    """
    put_back(revision=revision, current=current)
    record_event(
        actor=actor,
        verb="revision.restored",
        target=f"revision:{revision.pk}",
        scope=revision.translation.item.project.slug,
        data={"number": revision.number, "instead_of": current.number},
        now=now,
    )


@transaction.atomic
def put_back(*, revision: Revision, current: Revision) -> None:
    """Do as `restore_revision` without an audit event: the caller records one for many texts."""
    moved = Translation.objects.filter(pk=revision.translation_id, current_revision=current).update(
        current_revision=revision, state=TranslationState.PENDING
    )
    if not moved:
        raise RevisionStale
    store_translation_texts([revision])
    refresh_finding_flags([revision.translation.item_id])


def approve_translation(*, revision: Revision) -> None:
    """Mark the translation approved with `revision` as its text; call it in the deciding transaction.

    Approving again changes nothing, and a rejected translation may be approved. Raises
    RevisionStale when the text is no longer current.
    """
    approve_text(revision.pk)


def approve_text(revision: int) -> None:
    """Do as `approve_translation` with the id of the text, which need not be loaded then."""
    if not _approve(revision=revision):
        _decide(revision, TranslationState.APPROVED)


def reject_translation(*, revision: Revision) -> None:
    """Mark the translation rejected, as `approve_translation` marks it approved."""
    _decide(revision.pk, TranslationState.REJECTED)


def reopen_translation(*, revision: Revision) -> None:
    """Have an approved translation wait for review again, as a panel disputes its text.

    Changes nothing where it is not approved, or has another text by now.
    """
    Translation.objects.filter(
        pk=revision.translation_id, current_revision=revision, state=TranslationState.APPROVED
    ).update(state=TranslationState.PENDING)


def text_hash(
    question: str, options: Sequence[str], answer: str = "", explanation: str = ""
) -> str:
    """Return the SHA-256 of exactly this text; one without answer and explanation is hashed without them."""
    parts = [question, list(options), *([answer, explanation] if answer or explanation else [])]
    return hashlib.sha256(_encode(parts).encode()).hexdigest()


@prepared_update(revision=int)
def _approve(revision: int) -> Update:
    sources = sources_of(TranslationState.APPROVED, TRANSLATION_TRANSITIONS)
    rows = Translation.objects.filter(current_revision_id=revision, state__in=sources)
    return rows, {"state": TranslationState.APPROVED}


def _decide(revision: int, state: TranslationState) -> None:
    rows = Translation.objects.filter(current_revision_id=revision)
    if rows.filter(state=state).exists():
        return
    move(rows, to=state, transitions=TRANSLATION_TRANSITIONS, refusal=RevisionStale)
