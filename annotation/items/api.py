"""The API of items: filtered pages, one item, taking it out and back in."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.checks.api import ReasonInput
from annotation.checks.presenters import shown_findings
from annotation.enums import ItemKind, ItemState, SplitName, TranslationState
from annotation.glossary.api import HitSerializer
from annotation.glossary.presenters import shown_hits
from annotation.items.actions import exclude_item, restore_item
from annotation.items.forms import ItemFilterForm
from annotation.items.keys import correct_key
from annotation.items.presenters import shown_key_changes
from annotation.items.queries import (
    DOWNLOAD_COLUMNS,
    FindingCounts,
    counts_of_items,
    current_revision,
    download_rows,
    filtered_items,
)
from annotation.items.selectors import item_of
from annotation.items.text_rows import text_rows
from annotation.models import Item
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import ApiPagination
from common.reasons import REASON_LENGTH
from projects.api.views import valid
from projects.models import Project
from projects.selectors import check_right, project_for

VIEW_ITEMS = "annotation.view_items"
FILTERS = [
    OpenApiParameter(name, OpenApiTypes.STR, description=words)
    for name, words in {
        "q": "Text in the uid, the question or its translation.",
        "subject": "Slug of a subject.",
        "category": "Category of subjects.",
        "state": "pending, approved, rejected, untranslated or excluded.",
        "findings": "error, warning, any or none.",
        "code": "Code of a check with an open finding.",
        "split": "test or dev.",
        "system": "System of the text under review.",
        "round": "Number of a closed round that the item was in.",
        "key": "The whole key; upper and lower case are the same.",
        "length_from": "Fewest characters of the question under review.",
        "length_to": "Most characters of the question under review.",
    }.items()
]


class ItemFilterInput(StrictSerializer):
    """The filter of `GET projects/{slug}/items/`; what is left out filters nothing."""

    q = serializers.CharField(required=False, allow_blank=True, max_length=200)
    subject = serializers.CharField(required=False, allow_blank=True, max_length=200)
    category = serializers.CharField(required=False, allow_blank=True, max_length=200)
    state = serializers.CharField(required=False, allow_blank=True, max_length=20)
    findings = serializers.CharField(required=False, allow_blank=True, max_length=20)
    code = serializers.CharField(required=False, allow_blank=True, max_length=100)
    split = serializers.CharField(required=False, allow_blank=True, max_length=10)
    system = serializers.CharField(required=False, allow_blank=True, max_length=100)
    round = serializers.CharField(required=False, allow_blank=True, max_length=9)
    key = serializers.CharField(required=False, allow_blank=True, max_length=40)
    length_from = serializers.CharField(required=False, allow_blank=True, max_length=9)
    length_to = serializers.CharField(required=False, allow_blank=True, max_length=9)


class TextSerializer(serializers.Serializer[Item]):
    """The text of an item that is under review."""

    system = serializers.CharField(source="working_translation.system")
    state = serializers.ChoiceField(
        choices=TranslationState.choices, source="working_translation.state"
    )
    revision = serializers.IntegerField(source="working_translation.current_revision.pk")
    number = serializers.IntegerField(source="working_translation.current_revision.number")
    question = serializers.CharField(source="working_translation.current_revision.question")
    options = serializers.ListField(
        child=serializers.CharField(), source="working_translation.current_revision.options"
    )
    answer = serializers.CharField(source="working_translation.current_revision.answer")
    explanation = serializers.CharField(source="working_translation.current_revision.explanation")


class CountsSerializer(serializers.Serializer[Any]):
    errors = serializers.IntegerField()  # type: ignore[assignment]
    warnings = serializers.IntegerField()
    notes = serializers.IntegerField()


class ItemSerializer(serializers.Serializer[Item]):
    id = serializers.IntegerField()
    uid = serializers.CharField()
    subject = serializers.CharField(source="subject.slug")
    category = serializers.CharField(source="subject.category")
    split = serializers.ChoiceField(choices=SplitName.choices)
    state = serializers.ChoiceField(choices=ItemState.choices)
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    key = serializers.CharField()
    kind = serializers.ChoiceField(choices=ItemKind.choices)
    answer = serializers.CharField()
    explanation = serializers.CharField()
    translation = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField()

    @extend_schema_field(TextSerializer(allow_null=True))
    def get_translation(self, item: Item) -> Any:
        return TextSerializer(item).data if current_revision(item) else None

    @extend_schema_field(CountsSerializer)
    def get_findings(self, item: Item) -> Any:
        counts = self.context["counts"].get(item.pk, FindingCounts())
        return CountsSerializer(counts).data


class FoundSerializer(serializers.Serializer[Any]):
    """A finding on the text under review."""

    id = serializers.IntegerField(source="pk")
    code = serializers.CharField()
    severity = serializers.CharField()
    field = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    message = serializers.CharField()
    is_dismissed = serializers.BooleanField()
    dismissal_reason = serializers.CharField()


class KeyChangeSerializer(serializers.Serializer[Any]):
    """A correction of the key; `author` is empty for those who may not know names."""

    old_key = serializers.CharField()
    new_key = serializers.CharField()
    reason = serializers.CharField()
    author = serializers.CharField()
    created_at = serializers.DateTimeField()


class ItemDetailSerializer(ItemSerializer):
    source = serializers.CharField(source="source.name")  # type: ignore[assignment]
    open_and_dismissed = serializers.SerializerMethodField()
    key_changes = serializers.SerializerMethodField(
        help_text="The latest; all are in the history of the item."
    )

    @extend_schema_field(FoundSerializer(many=True))
    def get_open_and_dismissed(self, item: Item) -> Any:
        revision = current_revision(item)
        return FoundSerializer(shown_findings(revision) if revision else [], many=True).data

    @extend_schema_field(KeyChangeSerializer(many=True))
    def get_key_changes(self, item: Item) -> Any:
        changes = shown_key_changes(item, shows_authors=self.context["shows_authors"])
        return KeyChangeSerializer(changes, many=True).data


class KeyInput(StrictSerializer):
    key = serializers.CharField(max_length=40)
    reason = serializers.CharField(max_length=REASON_LENGTH)


class ItemListView(generics.ListAPIView[Item]):
    """Items of a project with their current text and counts of open findings."""

    serializer_class = ItemSerializer
    pagination_class = ApiPagination
    queryset = Item.objects.none()

    @extend_schema(parameters=FILTERS, responses={200: ItemSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(_asked_for(request, kwargs["slug"])) or []
        context = {**self.get_serializer_context(), "counts": counts_of_items(page)}
        shown: Any = ItemSerializer(page, many=True, context=context)  # type: ignore[arg-type]
        return self.get_paginated_response(shown.data)


class ItemExportView(ExportView):
    @extend_schema(
        parameters=[*FILTERS, format_parameter()], responses={**file_responses(), **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All items of a filter with their current text, as a stream of JSON lines or CSV."""
        rows = download_rows(_asked_for(request, slug))
        name = asked_format(request)
        lines = csv_lines(DOWNLOAD_COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"{slug}-items.{name}")


class ItemView(APIView):
    @extend_schema(responses={200: ItemDetailSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One item with its texts."""
        user = caller(request)
        return Response(item_json(user, project_for(user, slug, VIEW_ITEMS), pk))


class ItemKeyView(APIView):
    @extend_schema(request=KeyInput, responses={200: ItemDetailSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Correct the key of an item; the old key and the reason stay in its history."""
        user = caller(request)
        project = project_for(user, slug, "annotation.correct_key")
        item = item_of(project, pk)
        given = valid(KeyInput(data=request.data))
        correct_key(item=item, actor=user, now=timezone.now(), **given)
        return Response(item_json(user, project, pk))


class ExcludeItemView(APIView):
    @extend_schema(request=ReasonInput, responses={200: ItemDetailSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Leave an item out of rounds and releases."""
        return _change(request, slug, pk, exclude_item)


class RestoreItemView(APIView):
    @extend_schema(request=ReasonInput, responses={200: ItemDetailSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take an excluded item back in."""
        return _change(request, slug, pk, restore_item)


def _asked_for(request: Request, slug: str) -> QuerySet[Item]:
    project = project_for(caller(request), slug, VIEW_ITEMS)
    form = ItemFilterForm(request.query_params, project=project)
    if not form.is_valid():
        raise ValidationError(
            {name: [str(word) for word in words] for name, words in form.errors.items()}
        )
    return filtered_items(project, form.wanted())


def item_json(user: User, project: Project, pk: int) -> Any:
    item = item_of(project, pk)
    shows_authors = user.has_perm("annotation.dismiss_finding", project)
    context = {"counts": counts_of_items([item]), "shows_authors": shows_authors}
    return ItemDetailSerializer(item, context=context).data


def _change(request: Request, slug: str, pk: int, action: Any) -> Response:
    user = caller(request)
    project = project_for(user, slug, VIEW_ITEMS)
    check_right(user, project, "annotation.change_item")
    item = item_of(project, pk)
    reason = valid(ReasonInput(data=request.data))["reason"]
    action(item=item, reason=reason, actor=user, now=timezone.now())
    return Response(item_json(user, project, pk))


class ItemTermsView(APIView):
    @extend_schema(responses={200: HitSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The terms in an item, and what became of them in its translation."""
        project = project_for(caller(request), slug, VIEW_ITEMS)
        item = item_of(project, pk)
        hits = shown_hits(project, text_rows(item, current_revision(item), []))
        return Response(HitSerializer(hits.hits, many=True).data)
