"""The API of the translation memory and the concordance."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.glossary.selectors import item_named
from annotation.items.queries import current_revision
from annotation.memory.forms import ConcordanceForm, MemoryForm
from annotation.memory.presenters import fields_with
from annotation.memory.queries import PARTS, concordance, similar_to
from annotation.models import Item
from common.api import ErrorSerializer
from common.pagination import KeysetPagination
from projects.selectors import project_for

REFUSALS = dict.fromkeys((400, 401, 403, 404), ErrorSerializer)
VIEW_ITEMS = "annotation.view_items"


def _parameters(**words: str) -> list[OpenApiParameter]:
    return [OpenApiParameter(n, OpenApiTypes.STR, description=w) for n, w in words.items()]


class PairSerializer(serializers.Serializer[Item]):
    """An item's texts side by side."""

    id = serializers.IntegerField()
    uid = serializers.CharField()
    state = serializers.CharField(source="working_translation.state")
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    answer = serializers.CharField()
    explanation = serializers.CharField()
    translation = serializers.SerializerMethodField()
    translated_options = serializers.SerializerMethodField()
    translated_answer = serializers.SerializerMethodField()
    translated_explanation = serializers.SerializerMethodField()

    def get_translation(self, item: Item) -> str:
        revision = current_revision(item)
        return revision.question if revision else ""

    def get_translated_options(self, item: Item) -> list[str]:
        revision = current_revision(item)
        return list(revision.options) if revision else []

    def get_translated_answer(self, item: Item) -> str:
        revision = current_revision(item)
        return revision.answer if revision else ""

    def get_translated_explanation(self, item: Item) -> str:
        revision = current_revision(item)
        return revision.explanation if revision else ""


class FoundPairSerializer(PairSerializer):
    """An item of the concordance with the fields that have the text: question, options.0 and so on."""

    found_in = serializers.SerializerMethodField()

    def get_found_in(self, item: Item) -> list[str]:
        return fields_with(item, self.context["wanted"])


class MatchSerializer(serializers.Serializer[Any]):
    likeness = serializers.FloatField()
    found_in = serializers.ChoiceField(
        choices=PARTS, source="part", help_text="Which texts of the two items are alike."
    )
    item = PairSerializer()


class ConcordancePagination(KeysetPagination):
    """In natural order of uid, as the page."""

    order = ("uid_order",)


class ConcordanceView(generics.GenericAPIView[Item]):
    """Items with a word or phrase in any of their texts or translations."""

    serializer_class = FoundPairSerializer
    pagination_class = ConcordancePagination

    @extend_schema(
        parameters=_parameters(
            q="Word or phrase.",
            side="both, source or target.",
            scope="approved or all.",
        ),
        responses={200: FoundPairSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, VIEW_ITEMS)
        form = ConcordanceForm(request.query_params)
        if not form.is_valid():
            raise ValidationError({n: [str(e) for e in found] for n, found in form.errors.items()})
        wanted = form.wanted()
        rows = concordance(project, wanted) if wanted.q else Item.objects.none()
        page: Any = self.paginate_queryset(rows)
        shown = FoundPairSerializer(page, many=True, context={"wanted": wanted})
        return self.get_paginated_response(shown.data)


class MemoryView(APIView):
    """Approved items like an item or a text, the most similar first."""

    @extend_schema(
        parameters=_parameters(item="Uid of an item.", text="Any text in the source language."),
        responses={200: MatchSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, VIEW_ITEMS)
        form = MemoryForm(request.query_params)
        if not form.is_valid():
            raise ValidationError({n: [str(e) for e in found] for n, found in form.errors.items()})
        given = form.cleaned_data
        item = item_named(project, given["item"])
        found = similar_to(project, item, given["text"])
        return Response(MatchSerializer(found, many=True).data)
