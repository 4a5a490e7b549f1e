"""The comments on an item: a page, which other pages show beside the item, and the names in it."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.items.selectors import item_of
from annotation.models import Item
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import KeysetPage, listed_part, numbered_page
from projects.selectors import project_for
from review.comments.actions import (
    LONGEST_COMMENT,
    CommentInvalid,
    add_comment,
    reopen_thread,
    resolve_thread,
)
from review.comments.forms import CommentForm
from review.comments.paging import COMMENTS_AT_ONCE, lines_of, page_with, threads_of
from review.comments.selectors import thread_of, thread_on
from review.comments.threads import comments_on, names_like, reached_nobody
from review.models import Comment

COMMENT = "review.comment"


@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The threads on an item; scripts get them without the page around. POST adds a comment."""
    user = current_user(request)
    item = item_of(project_for(user, slug, COMMENT), pk)
    if request.method != "POST":
        return _page(request, item)
    form = CommentForm(request.POST)
    try:
        comment = _add(item, form, user)
    except DomainError as error:
        return _page(request, item, form=form, error=error)
    return _go_on(request, item, comment.pk, strays=reached_nobody(comment))


@require_POST
def resolve(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    thread = thread_of(project_for(user, slug, COMMENT), pk)
    resolve_thread(thread=thread, actor=user, now=timezone.now())
    return _go_on(request, thread.item, thread.pk)


@require_POST
def reopen(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    thread = thread_of(project_for(user, slug, COMMENT), pk)
    reopen_thread(thread=thread, actor=user, now=timezone.now())
    return _go_on(request, thread.item, thread.pk)


@require_safe
def names(request: HttpRequest, slug: str) -> HttpResponse:
    """Names to complete after an @: only of people whom the caller may know."""
    user = current_user(request)
    project = project_for(user, slug, COMMENT)
    found = names_like(user, project, request.GET.get("q", "")[:100])
    return JsonResponse({"names": [{"name": each.words} for each in found]})


def _add(item: Item, form: CommentForm, user: User) -> Comment:
    if not form.is_valid():
        raise CommentInvalid(most=LONGEST_COMMENT)
    typed = form.cleaned_data
    return add_comment(
        item=item,
        thread=thread_on(item, typed["thread"]) if typed["thread"] else None,
        text=typed["text"].replace("\r\n", "\n"),
        idempotency_key=typed["idempotency_key"] or uuid.uuid4().hex,
        actor=user,
        now=timezone.now(),
    )


def _go_on(
    request: HttpRequest, item: Item, comment: int, strays: Sequence[str] = ()
) -> HttpResponse:
    """Show the comment; `strays` are the words after an @ in it that reached nobody."""
    warning = _stray_words(strays) if strays else ""
    if request.htmx:  # type: ignore[attr-defined]
        return _page(request, item, shown=comment, warning=warning)
    if warning:
        messages.warning(request, warning)
    number = page_with(lines_of(comments_on(item, current_user(request))), comment)
    query = f"?cursor={number}" if number else ""
    address = reverse("review:comments", args=[item.project.slug, item.pk])
    return redirect(f"{address}{query}#comment-{comment}")


def _stray_words(strays: Sequence[str]) -> str:
    words = ngettext(
        "Your comment is posted, but %(names)s matches nobody. Choose a name from the list that "
        "opens after the @.",
        "Your comment is posted, but these names match nobody: %(names)s. Choose names from the "
        "list that opens after the @.",
        len(strays),
    )
    return words % {"names": ", ".join(strays)}


def _page(
    request: HttpRequest,
    item: Item,
    *,
    form: CommentForm | None = None,
    error: DomainError | None = None,
    shown: int | None = None,
    warning: str = "",
) -> HttpResponse:
    typed = _typed(form)
    page = _part(request, item, shown or typed["typed_in"])
    context = {
        **_frame(item),
        **typed,
        "page": page,
        "comments": threads_of(page.rows),
        "error": error,
        "shown": shown,
        "warning": warning,
    }
    status = error.status if error else 200
    return render_page(
        request, "review/comments/comments.html", context, partial="comments", status=status
    )


def _frame(item: Item) -> dict[str, Any]:
    return {
        "project": item.project,
        "section": "items",
        "item": item,
        "longest": LONGEST_COMMENT,
        "key": uuid.uuid4().hex,
    }


def _part(request: HttpRequest, item: Item, wanted: int | None) -> KeysetPage:
    """Return the page that an address asks for, or after a post the one with a comment or thread."""
    lines = lines_of(comments_on(item, current_user(request)))
    if request.method != "POST":
        return listed_part(request, lines, size=COMMENTS_AT_ONCE)
    number = page_with(lines, wanted)
    return numbered_page(lines, cursor=number, size=COMMENTS_AT_ONCE)


def _typed(form: CommentForm | None) -> dict[str, Any]:
    """What was typed before a refusal, as a reply in a thread or as a comment of its own."""
    typed = form.data.get("text", "") if form else ""
    typed_in = form.cleaned_data.get("thread") if form else None
    return {"typed": typed, "typed_in": typed_in, "typed_new": "" if typed_in else typed}
