"""The API of one's own judgements and what became of them."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import json_lines
from common.months import parse_month
from common.pagination import KeysetPagination
from review.enums import Fate, Outcome, Verdict
from review.models import Judgement
from review.people.answer_work import months_of_all
from review.people.work import MonthOfWork, WorkFilter, work_of
from review.people.work_rows import work_csv, work_row, work_rows
from review.requests import valid
from review.screening.opinions import opinions_after_verdict
from review.screening.serializers import ToldOpinionSerializer
from review.workbench.api.serializers import CorrectionSerializer

FILTERS = [
    OpenApiParameter("project", description="short name of the project"),
    OpenApiParameter("round", int, description="number of the round"),
    OpenApiParameter("fate", enum=Fate.values, description="what became of the judgement"),
    OpenApiParameter("month", description="month of UTC, such as `2026-11`"),
]


class WorkSerializer(serializers.Serializer[Any]):
    """One judgement, as `review.people.work_rows.work_row` makes it."""

    id = serializers.IntegerField()
    project = serializers.CharField()
    round = serializers.IntegerField()
    item = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    ratings = serializers.DictField(child=serializers.IntegerField())
    tags = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    correction = CorrectionSerializer(allow_null=True)
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        allow_blank=True,
        help_text="What was decided of the item in the end; empty while nothing is.",
    )
    fate = serializers.ChoiceField(choices=Fate.choices)
    accepted = CorrectionSerializer(
        allow_null=True, help_text="The text that was accepted; null while or where none is."
    )
    reason = serializers.CharField(help_text="Why the senior decided so.")
    active_seconds = serializers.IntegerField()


class ListedWorkSerializer(WorkSerializer):
    opinions = ToldOpinionSerializer(
        many=True,
        help_text="What models said in screening; empty unless the round shows it by now.",
    )


class WorkFilterSerializer(StrictSerializer):
    project = serializers.CharField(max_length=60, default="")
    round = serializers.IntegerField(min_value=1, max_value=32_767, default=None)
    fate = serializers.ChoiceField(choices=Fate.choices, default="")
    month = serializers.CharField(max_length=7, default="")
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)
    format = serializers.CharField(required=False)

    def validate_month(self, text: str) -> Any:
        try:
            return parse_month(text) if text else None
        except ValueError as error:
            raise serializers.ValidationError(_("Write a month such as 2026-11.")) from error


class WorkPagination(KeysetPagination):
    order = ("-pk",)


class WorkListView(generics.GenericAPIView[Judgement]):
    serializer_class = ListedWorkSerializer
    pagination_class = WorkPagination

    @extend_schema(parameters=FILTERS, responses={200: ListedWorkSerializer(many=True), **REFUSALS})
    def get(self, request: Request) -> Response:
        """Your judgements, newest first, with outcome, accepted text, reason and active time.

        While a panel is being judged, only your own part is given.
        """
        page: Any = self.paginate_queryset(_asked_for(request))
        opinions = opinions_after_verdict(page)
        rows: Any = [work_row(row) | {"opinions": opinions.get(row.pk, ())} for row in page]
        return self.get_paginated_response(ListedWorkSerializer(rows, many=True).data)


class WorkMonthSerializer(serializers.Serializer[MonthOfWork]):
    """What you did in a month of UTC."""

    month = serializers.CharField()
    judgements = serializers.IntegerField()
    answers = serializers.IntegerField(help_text="In comparisons and solving rounds.")
    decided = serializers.IntegerField(help_text="Of the judgements, those with an outcome by now.")
    agreed = serializers.IntegerField(help_text="Of these, how often the outcome was your verdict.")
    active_seconds = serializers.IntegerField()


class WorkMonthListView(APIView):
    @extend_schema(
        operation_id="me_work_months",
        parameters=FILTERS,
        responses={200: WorkMonthSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Your work by month, newest first: how much, how long, and how often it was agreed with."""
        months: Any = months_of_all(caller(request), _wanted(request))[::-1]
        return Response(WorkMonthSerializer(months, many=True).data)


class WorkExportView(ExportView):
    @extend_schema(
        parameters=[*FILTERS, format_parameter()],
        responses={**file_responses(), **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All of your judgements as a stream of JSON lines or CSV."""
        name = asked_format(request)
        work = _asked_for(request)
        lines = work_csv(work) if name == "csv" else json_lines(work_rows(work))
        return file_answer(lines, name=f"my-work.{name}")


def _asked_for(request: Request) -> QuerySet[Judgement]:
    return work_of(caller(request), _wanted(request))


def _wanted(request: Request) -> WorkFilter:
    names = ("project", "round", "fate", "month")
    data = valid(WorkFilterSerializer(data=request.query_params.dict()))
    return WorkFilter(**{name: data[name] for name in names})
