"""The API of comments: read and add them, resolve and reopen threads, look names up."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.items.selectors import item_of
from common.api import REFUSALS, ErrorSerializer, StrictSerializer
from common.db import LARGEST_ID
from projects.selectors import project_for
from review.comments.actions import LONGEST_COMMENT, add_comment, reopen_thread, resolve_thread
from review.comments.selectors import thread_of, thread_on
from review.comments.threads import comments_on, names_like, reached_nobody
from review.requests import valid

COMMENT = "review.comment"
ANSWERS = {**REFUSALS, 429: ErrorSerializer}


class SaidSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    author = serializers.ChoiceField(
        choices=["you", "manager", "senior", "reviewer"], source="code"
    )
    name = serializers.CharField(help_text="Empty where you may not know it.")
    letter = serializers.CharField(help_text="Tells reviewers apart whose names you may not know.")
    text = serializers.CharField()


class ThreadSerializer(serializers.Serializer[Any]):
    first = SaidSerializer()
    replies = SaidSerializer(many=True)
    is_resolved = serializers.BooleanField()
    can_resolve = serializers.BooleanField()


class BesideSerializer(SaidSerializer):
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=["judgement", "suggestion"])


class ItemCommentsSerializer(serializers.Serializer[Any]):
    threads = ThreadSerializer(many=True)
    beside = BesideSerializer(
        many=True, help_text="Comments that came with judgements and suggestions; read-only."
    )


class CommentedSerializer(ItemCommentsSerializer):
    reached_nobody = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names after an @ in the new comment that are of nobody whom you may mention.",
    )


class CommentInput(StrictSerializer):
    """A new comment; `thread` is the id of the first comment of the thread that it answers."""

    text = serializers.CharField(max_length=LONGEST_COMMENT)
    thread = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    idempotency_key = serializers.CharField(max_length=100)


class NameSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(source="words")


class CommentListView(APIView):
    @extend_schema(responses={200: ItemCommentsSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What was said on an item, as far as you may read it."""
        user = caller(request)
        item = item_of(project_for(user, slug, COMMENT), pk)
        return Response(ItemCommentsSerializer(comments_on(item, user)).data)

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
        told = ItemCommentsSerializer(comments_on(item, user)).data
        body = {**told, "reached_nobody": reached_nobody(comment)}
        return Response(body, status=status.HTTP_201_CREATED)


class ResolveView(APIView):
    @extend_schema(request=None, responses={200: ItemCommentsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Mark a thread as done; `id` is that of its first comment."""
        user = caller(request)
        thread = thread_of(project_for(user, slug, COMMENT), pk)
        resolve_thread(thread=thread, actor=user, now=timezone.now())
        return Response(ItemCommentsSerializer(comments_on(thread.item, user)).data)


class ReopenView(APIView):
    @extend_schema(request=None, responses={200: ItemCommentsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take back that a thread is done."""
        user = caller(request)
        thread = thread_of(project_for(user, slug, COMMENT), pk)
        reopen_thread(thread=thread, actor=user, now=timezone.now())
        return Response(ItemCommentsSerializer(comments_on(thread.item, user)).data)


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
