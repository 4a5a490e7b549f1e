"""Every write to comments: adding one, and closing and reopening its thread."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.models import Item
from common.errors import DomainError, plain_text
from projects.enums import Role
from projects.rules import role_in
from review.comments.mentions import Named, find_mentions
from review.comments.threads import ThreadUnknown, can_resolve, known_names, readable
from review.idempotency import IdempotencyKeyReused
from review.models import Comment, Mention, Panel

LONGEST_COMMENT = 5_000
COMMENTS_AN_HOUR = 60
MENTIONS_AN_HOUR = 60
HOUR = timedelta(hours=1)


class CommentInvalid(DomainError):
    code = "comment_invalid"
    detail = _("Write something, up to %(most)s characters.")
    status = 400


class CommentKeyReused(IdempotencyKeyReused):
    detail = _("This idempotency key was used for another comment. Use a new key for each comment.")


class TooManyComments(DomainError):
    code = "too_many_comments"
    detail = _("You have written %(most)s comments within an hour. Wait a while and try again.")
    status = 429


class TooManyMentions(DomainError):
    code = "too_many_mentions"
    detail = _(
        "You have mentioned people %(most)s times within an hour. Wait a while, or leave out "
        "the @ before the names."
    )
    status = 429


class ThreadNotYours(DomainError):
    code = "thread_not_yours"
    detail = _("Only the person who began a thread, seniors and managers can resolve or reopen it.")
    status = 403


class ThreadUnchanged(DomainError):
    code = "thread_unchanged"
    detail = _("Somebody else has done this already: the thread is %(state)s.")


def add_comment(
    *,
    item: Item,
    thread: Comment | None,
    text: str,
    idempotency_key: str,
    actor: User,
    now: datetime,
) -> Comment:
    """Add a comment to `item`, in `thread` or as the first of a new one, with its mentions.

    Writes comment, mentions and audit event in one transaction; the people named are told by
    whoever reads the event. The same idempotency key again returns the comment stored first.

    Raises CommentInvalid, ThreadUnknown, CommentKeyReused where another item or thread has the
    comment of that key, TooManyComments, TooManyMentions, TextInvalid.
    """
    text = plain_text(text)
    if not 0 < len(text) <= LONGEST_COMMENT:
        raise CommentInvalid(most=LONGEST_COMMENT)
    _check_thread(item, thread, actor)
    if stored := _stored(item, thread, actor, idempotency_key):
        return stored
    named = find_mentions(text, known_names(actor, item.project))
    _check_pace(actor, named, now)
    try:
        with transaction.atomic():
            comment = _insert(item, thread, text, idempotency_key, actor, now)
            _insert_mentions(comment, named)
            _record("comment.added", comment, actor, now)
            return comment
    except IntegrityError:  # sent twice at once
        if stored := _stored(item, thread, actor, idempotency_key):
            return stored
        raise


def resolve_thread(*, thread: Comment, actor: User, now: datetime) -> None:
    """Mark a thread as done. Raises ThreadUnknown, ThreadNotYours, ThreadUnchanged."""
    _check_right(thread, actor)
    with transaction.atomic():
        rows = Comment.objects.filter(pk=thread.pk, resolved_at__isnull=True)
        if not rows.update(resolved_at=now, resolved_by=actor):
            raise ThreadUnchanged(state=_("resolved"))
        _record("comment.resolved", thread, actor, now)


def reopen_thread(*, thread: Comment, actor: User, now: datetime) -> None:
    """Take back that a thread is done. Raises ThreadUnknown, ThreadNotYours, ThreadUnchanged."""
    _check_right(thread, actor)
    with transaction.atomic():
        rows = Comment.objects.filter(pk=thread.pk, resolved_at__isnull=False)
        if not rows.update(resolved_at=None, resolved_by=None):
            raise ThreadUnchanged(state=_("open"))
        _record("comment.reopened", thread, actor, now)


def _check_thread(item: Item, thread: Comment | None, actor: User) -> None:
    if thread is None:
        return
    is_thread = thread.item_id == item.pk and thread.thread_id is None
    if not (is_thread and readable(thread, actor)):
        raise ThreadUnknown


def _check_right(thread: Comment, actor: User) -> None:
    _check_thread(thread.item, thread, actor)
    if not can_resolve(actor, thread):
        raise ThreadNotYours


def _stored(item: Item, thread: Comment | None, author: User, key: str) -> Comment | None:
    """The comment that was stored there with this key. Raises CommentKeyReused."""
    stored = Comment.objects.filter(author=author, idempotency_key=key).first()
    place = item.pk, thread.pk if thread else None
    if stored and (stored.item_id, stored.thread_id) != place:
        raise CommentKeyReused
    return stored


def _check_pace(author: User, named: list[Named], now: datetime) -> None:
    recent = Comment.objects.filter(author=author, created_at__gt=now - HOUR)
    if recent.count() >= COMMENTS_AN_HOUR:
        raise TooManyComments(most=COMMENTS_AN_HOUR, retry_after_seconds=HOUR.seconds)
    people = {person for each in named for person in each.people}
    if not people:
        return
    before = Mention.objects.filter(comment__in=recent.values("pk")).count()
    if before + len(people) > MENTIONS_AN_HOUR:
        raise TooManyMentions(most=MENTIONS_AN_HOUR, retry_after_seconds=HOUR.seconds)


def _insert(
    item: Item, thread: Comment | None, text: str, key: str, actor: User, now: datetime
) -> Comment:
    role = role_in(actor, item.project)
    # Locked, so that a round that is discarded at this moment does not leave its number here.
    panels = Panel.objects.select_for_update(no_key=True).filter(item=item).order_by("-pk")
    latest = panels.values_list("pk", flat=True).first()
    return Comment.objects.create(
        item=item,
        thread=thread,
        panel_id=latest,
        author=actor,
        is_from_manager=role == Role.MANAGER or (role is None and actor.is_superuser),
        text=text,
        idempotency_key=key,
        created_at=now,
    )


def _insert_mentions(comment: Comment, named: list[Named]) -> None:
    """One row a person, under the words that named them first."""
    words: dict[int, str] = {}
    for each in named:
        for person in each.people:
            words.setdefault(person, each.words)
    Mention.objects.bulk_create(
        Mention(comment=comment, user_id=person, words=said) for person, said in words.items()
    )


def _record(verb: str, comment: Comment, actor: User, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"comment:{comment.pk}",
        scope=comment.item.project.slug,
        data={"item": comment.item.uid},
        now=now,
    )
