"""The API of one item where its reviews count: its history, and changing its text by hand."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.items.api import ItemDetailSerializer, item_json
from annotation.items.selectors import item_of
from annotation.items.timeline import TimelineEvent
from common.api import REFUSALS, IdField
from common.pagination import NumberedPagination
from projects.selectors import project_for
from review.items.actions import edit_text
from review.items.history import item_history
from review.items.selectors import revision_to_edit
from review.requests import valid
from review.workbench.api.serializers import CONFIRMATION, CorrectionSerializer
from review.workbench.api.text_checks import ANSWERS, as_answer, typed_text
from review.workbench.text_checks import (
    check_typed,
)


class ChangedFieldSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    text = serializers.CharField()


class TimelineEventSerializer(serializers.Serializer[TimelineEvent]):
    """One thing that happened; `who` is empty where you may not know the name."""

    at = serializers.DateTimeField()
    kind = serializers.CharField()
    title = serializers.CharField()
    who = serializers.CharField()
    note = serializers.CharField()
    details = serializers.ListField(child=serializers.CharField())
    fields = serializers.SerializerMethodField("changed")  # type: ignore[assignment]

    @extend_schema_field(ChangedFieldSerializer(many=True))
    def changed(self, event: TimelineEvent) -> Any:
        return ChangedFieldSerializer(event.fields, many=True).data


class ItemTextInput(CorrectionSerializer):
    """The whole text; `revision` is the one that you changed, the current one if left out."""

    revision = IdField(required=False)
    numbers_confirmed = serializers.BooleanField(default=False, help_text=CONFIRMATION)


class ItemHistoryView(generics.GenericAPIView[Any]):
    """What happened to one item."""

    pagination_class = NumberedPagination
    serializer_class = TimelineEventSerializer

    @extend_schema(responses={200: TimelineEventSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What happened to an item, newest first, as far as you may know it."""
        user = caller(request)
        item = item_of(project_for(user, slug, "annotation.view_items"), pk)
        page: Any = self.paginate_queryset(item_history(item, user))
        return self.get_paginated_response(TimelineEventSerializer(page, many=True).data)


class ItemTextView(APIView):
    @extend_schema(request=ItemTextInput, responses={200: ItemDetailSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Change the text of an item by hand; the new revision is checked and waits for review."""
        user = caller(request)
        project = project_for(user, slug, "annotation.edit_text")
        item = item_of(project, pk)
        given = valid(ItemTextInput(data=request.data))
        edit_text(
            item=item,
            base=revision_to_edit(item, given.get("revision")),
            question=given["question"],
            options=given["options"],
            answer=given.get("answer"),
            explanation=given.get("explanation"),
            actor=user,
            now=timezone.now(),
            numbers_confirmed=given["numbers_confirmed"],
        )
        return Response(item_json(user, project, pk))


class CheckItemView(APIView):
    @extend_schema(request=CorrectionSerializer, responses=ANSWERS)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Check a text for an item that you may edit; nothing is stored."""
        project = project_for(caller(request), slug, "annotation.edit_text")
        item = item_of(project, pk)
        revision = revision_to_edit(item, None)
        return as_answer(
            check_typed(typed_text(request), item=item, revision=revision, project=project)
        )
