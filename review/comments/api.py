"""The API of comments: read and add them, resolve and reopen threads, look names up."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.items.selectors import item_of
from common.api import REFUSALS, ErrorSerializer, IdField, StrictSerializer
from common.pagination import NumberedPagination
from projects.selectors import project_for
from review.comments.actions import LONGEST_COMMENT, add_comment, reopen_thread, resolve_thread
from review.comments.paging import line_of, lines_of
from review.comments.selectors import thread_of, thread_on
from review.comments.threads import comments_on, names_like, reached_nobody
from review.models import Comment
from review.requests import valid

COMMENT = "review.comment"
COMMENT_KINDS = ["comment", "judgement", "suggestion"]
ANSWERS = {**REFUSALS, 429: ErrorSerializer}


class CommentSerializer(serializers.Serializer[Any]):
    """One comment: in a thread, or read-only where it came with a judgement or a suggestion."""

    id = serializers.IntegerField(source="said.pk")
    kind = serializers.ChoiceField(choices=COMMENT_KINDS, source="said.kind")
    thread = serializers.IntegerField(
        source="thread.first.pk",
        default=None,
        allow_null=True,
        help_text="The first comment of its thread; null where it came with something else.",
    )
    is_resolved = serializers.BooleanField(
        source="thread.is_resolved", default=None, allow_null=True
    )
    can_resolve = serializers.BooleanField(
        source="thread.can_resolve", default=None, allow_null=True
    )
    round = serializers.IntegerField(source="said.round", allow_null=True)
    at = serializers.DateTimeField(source="said.at")
    author = serializers.ChoiceField(
        choices=["you", "manager", "senior", "reviewer"], source="said.code"
    )
    name = serializers.CharField(source="said.name", help_text="Empty where you may not know it.")
    letter = serializers.CharField(
        source="said.letter", help_text="Tells reviewers apart whose names you may not know."
    )
    text = serializers.CharField(source="said.text")


class CommentedSerializer(CommentSerializer):
    reached_nobody = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names after an @ in the new comment that are of nobody whom you may mention.",
    )


class CommentInput(StrictSerializer):
    """A new comment; `thread` is the id of the first comment of the thread that it answers."""

    text = serializers.CharField(max_length=LONGEST_COMMENT)
    thread = IdField(required=False)
    idempotency_key = serializers.CharField(max_length=100)


class NameSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(source="words")


class CommentListView(generics.GenericAPIView[Comment]):
    """The comments on one item."""

    pagination_class = NumberedPagination
    serializer_class = CommentSerializer

    @extend_schema(responses={200: CommentSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What was said on an item, as far as you may read it, thread by thread."""
        user = caller(request)
        lines = lines_of(comments_on(item_of(project_for(user, slug, COMMENT), pk), user))
        page: Any = self.paginate_queryset(lines)
        return self.get_paginated_response(CommentSerializer(page, many=True).data)

    @extend_schema(request=CommentInput, responses={201: CommentedSerializer, **ANSWERS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Add a comment. The same `idempotency_key` again adds nothing."""
        user = caller(request)
        item = item_of(project_for(user, slug, COMMENT), pk)
        given = valid(CommentInput(data=request.data))
        thread = given.pop("thread", None)
        comment = add_comment(
            item=item,
            thread=thread_on(item, thread) if thread else None,
            actor=user,
            now=timezone.now(),
            **given,
        )
        told = _told(comment, user)
        body = {**told, "reached_nobody": reached_nobody(comment)}
        return Response(body, status=status.HTTP_201_CREATED)


class ResolveView(APIView):
    @extend_schema(request=None, responses={200: CommentSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Mark a thread as done; `id` is that of its first comment."""
        user = caller(request)
        thread = thread_of(project_for(user, slug, COMMENT), pk)
        resolve_thread(thread=thread, actor=user, now=timezone.now())
        return Response(_told(thread, user))


class ReopenView(APIView):
    @extend_schema(request=None, responses={200: CommentSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take back that a thread is done."""
        user = caller(request)
        thread = thread_of(project_for(user, slug, COMMENT), pk)
        reopen_thread(thread=thread, actor=user, now=timezone.now())
        return Response(_told(thread, user))


def _told(comment: Comment, user: User) -> dict[str, Any]:
    line = line_of(lines_of(comments_on(comment.item, user)), comment.pk)
    return CommentSerializer(line).data


class NameListView(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("q", str, description="A part of the name")],
        responses={200: NameSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Whom you may mention in a comment: people whose names you may know, and groups."""
        user = caller(request)
        project = project_for(user, slug, COMMENT)
        found = names_like(user, project, request.query_params.get("q", "")[:100])
        return Response(NameSerializer(found, many=True).data)
