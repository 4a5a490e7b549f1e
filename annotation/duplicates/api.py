"""The API of duplicates: pairs by filter, starting a search, deciding and reopening a pair."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.duplicates import actions
from annotation.duplicates.queries import (
    LOUDEST,
    PAIR_COLUMNS,
    PairFilter,
    pair_lines,
    pairs_of,
    searches_of,
    with_items,
)
from annotation.enums import PairKind, PairState, TextSide
from annotation.models import DuplicatePair, DuplicateSearch, Item
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import ApiPagination, KeysetPagination
from common.reasons import REASON_LENGTH
from jobs.enums import JobState
from projects.api.views import valid
from projects.models import Project
from projects.selectors import project_for

DECISIONS = [(state.value, state.label) for state in (PairState.DISTINCT, PairState.DUPLICATE)]


class PairQuery(serializers.Serializer[Any]):
    """A choice of pairs; `state` is open unless it is given, `all` means any."""

    state = serializers.ChoiceField(
        choices=[*PairState.choices, ("all", "all")], default=PairState.OPEN.value
    )
    kind = serializers.ChoiceField(choices=PairKind.choices, required=False)
    side = serializers.ChoiceField(choices=TextSide.choices, required=False)
    key = serializers.ChoiceField(choices=["same", "different"], required=False)
    splits = serializers.ChoiceField(choices=["across", "within"], required=False)


class DuplicatePairSerializer(serializers.Serializer[DuplicatePair]):
    """Items by uid; `a` is the older one of the two."""

    id = serializers.IntegerField()
    a = serializers.CharField(source="a.uid")
    a_id = serializers.IntegerField()
    b = serializers.CharField(source="b.uid")
    b_id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=PairKind.choices)
    side = serializers.ChoiceField(choices=TextSide.choices)
    similarity = serializers.FloatField(min_value=0, max_value=1)
    same_key = serializers.BooleanField(source="has_same_key")
    crosses_splits = serializers.BooleanField()
    state = serializers.ChoiceField(choices=PairState.choices)
    dropped = serializers.CharField(source="dropped.uid", allow_null=True, default=None)
    reason = serializers.CharField()
    decided_by = serializers.CharField(source="decided_by.email", allow_null=True, default=None)
    decided_at = serializers.DateTimeField(allow_null=True)


class SearchInput(StrictSerializer):
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=PairKind.choices),
        default=[str(method) for method in actions.METHODS],
        max_length=3,
    )


class SearchSerializer(serializers.Serializer[DuplicateSearch]):
    id = serializers.IntegerField()
    job = serializers.IntegerField(source="job_id")
    methods = serializers.ListField(child=serializers.ChoiceField(choices=PairKind.choices))
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(source="job.finished_at", allow_null=True)


class StartedSearchSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()
    search = serializers.IntegerField()


class DecisionInput(StrictSerializer):
    state = serializers.ChoiceField(choices=DECISIONS)
    dropped = serializers.CharField(
        max_length=200, allow_null=True, default=None, help_text="The uid of the item to exclude."
    )
    reason = serializers.CharField(max_length=REASON_LENGTH)


class ReopeningInput(StrictSerializer):
    reason = serializers.CharField(max_length=REASON_LENGTH)


class DuplicatePairListView(generics.ListAPIView[DuplicatePair]):
    serializer_class = DuplicatePairSerializer
    pagination_class = ApiPagination
    queryset = DuplicatePair.objects.none()

    def get_queryset(self) -> Any:
        slug = self.kwargs["slug"]
        project = project_for(caller(self.request), slug, "annotation.view_duplicates")
        return with_items(pairs_of(project, _wanted(self.request)))

    @extend_schema(
        parameters=[PairQuery],
        responses={200: DuplicatePairSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Pairs of the project; an open pair is left out once one of its items is excluded."""
        return super().get(request, *args, **kwargs)


class DuplicateExportView(ExportView):
    @extend_schema(
        parameters=[PairQuery, format_parameter()], responses={**file_responses(), **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All pairs of a filter, the most urgent first, as a stream of JSON lines or CSV."""
        project = project_for(caller(request), slug, "annotation.view_duplicates")
        rows = pair_lines(pairs_of(project, _wanted(request)).order_by(*LOUDEST))
        name = asked_format(request)
        lines = csv_lines(PAIR_COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"{slug}-duplicates.{name}")


class NewestSearchPagination(KeysetPagination):
    order = ("-pk",)


class DuplicateSearchListView(generics.GenericAPIView[DuplicateSearch]):
    serializer_class = SearchSerializer
    pagination_class = NewestSearchPagination
    queryset = DuplicateSearch.objects.none()

    @extend_schema(responses={200: SearchSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Searches of the project, newest first; `jobs/{job}/` says how far one is."""
        project = project_for(caller(request), slug, "annotation.view_duplicates")
        page: Any = self.paginate_queryset(searches_of(project))
        return self.get_paginated_response(SearchSerializer(page, many=True).data)

    @extend_schema(request=SearchInput, responses={202: StartedSearchSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a search; its progress is that of the job."""
        user = caller(request)
        project = project_for(user, slug, "annotation.search_duplicates")
        data = valid(SearchInput(data=request.data))
        search = actions.start_search(project=project, actor=user, now=timezone.now(), **data)
        body = {"job": search.job_id, "search": search.pk}
        return Response(body, status=status.HTTP_202_ACCEPTED)


class DuplicateDecisionView(APIView):
    @extend_schema(request=DecisionInput, responses={200: DuplicatePairSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Decide a pair once; of duplicates one item is dropped, of different items none."""
        pair = _pair(request, pk)
        data = valid(DecisionInput(data=request.data))
        data["dropped"] = _named(pair, data["dropped"])
        user = caller(request)
        actions.decide_pair(pair=pair, actor=user, now=timezone.now(), **data)
        return _shown(pair)


class DuplicateReopeningView(APIView):
    @extend_schema(request=ReopeningInput, responses={200: DuplicatePairSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take a decision back; the item that it dropped returns."""
        pair = _pair(request, pk)
        data = valid(ReopeningInput(data=request.data))
        actions.reopen_pair(pair=pair, actor=caller(request), now=timezone.now(), **data)
        return _shown(pair)


def _wanted(request: Request) -> PairFilter:
    names = PairQuery().fields
    chosen = valid(PairQuery(data={n: v for n, v in request.query_params.items() if n in names}))
    if chosen["state"] == "all":
        chosen["state"] = ""
    return PairFilter(**chosen)


def _pair(request: Request, pk: int) -> DuplicatePair:
    user = caller(request)
    visible = Project.objects.visible_to(user)
    rows = with_items(DuplicatePair.objects.filter(project__in=visible))
    pair = get_object_or_404(rows, pk=pk)
    project_for(user, pair.project.slug, "annotation.decide_duplicate")
    return pair


def _named(pair: DuplicatePair, uid: str | None) -> Item | None:
    if uid is None:
        return None
    for item in (pair.a, pair.b):
        if item.uid == uid:
            return item
    raise actions.DroppedNotOfPair


def _shown(pair: DuplicatePair) -> Response:
    row = with_items(DuplicatePair.objects.filter(pk=pair.pk)).first()
    if row is None:
        raise Http404
    return Response(DuplicatePairSerializer(row).data)
