"""The API of one's own answers in comparisons and solving rounds."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from common.api import REFUSALS
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from review.enums import RoundKind
from review.models import Answer
from review.people.answer_work import COLUMNS, answer_work_rows, answers_by, work_rows_of
from review.people.api.work import FILTERS, WorkFilterSerializer, WorkPagination
from review.people.work import WorkFilter
from review.requests import valid

NAMES = ("project", "round", "month")
PARAMETERS = [each for each in FILTERS if each.name in NAMES]


class AnsweredTextSerializer(serializers.Serializer[Any]):
    """What you said of one text; whose it was and the votes once the round is closed."""

    number = serializers.IntegerField()
    is_approved = serializers.BooleanField()
    ratings = serializers.DictField(child=serializers.IntegerField())
    rank = serializers.IntegerField(allow_null=True)
    system = serializers.CharField(help_text="Empty while the round is open.")
    approvals = serializers.IntegerField(allow_null=True)
    judges = serializers.IntegerField(allow_null=True)


class AnswerWorkSerializer(serializers.Serializer[Any]):
    """One answer, as `review.people.answer_work.work_rows_of` makes it."""

    id = serializers.IntegerField()
    project = serializers.CharField()
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=RoundKind.choices)
    item = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    choice = serializers.CharField(help_text="In a solving round; empty for “I cannot say”.")
    key = serializers.CharField(help_text="Empty until it may be told.")
    agrees = serializers.BooleanField(
        allow_null=True, help_text="Whether your choice is the key; null until it may be told."
    )
    texts = AnsweredTextSerializer(many=True)
    comment = serializers.CharField()
    active_seconds = serializers.IntegerField()


class AnswerWorkListView(generics.GenericAPIView[Answer]):
    serializer_class = AnswerWorkSerializer
    pagination_class = WorkPagination

    @extend_schema(
        parameters=PARAMETERS, responses={200: AnswerWorkSerializer(many=True), **REFUSALS}
    )
    def get(self, request: Request) -> Response:
        """Your answers in comparisons and solving rounds, newest first, with what became of them."""
        page: Any = self.paginate_queryset(_asked_for(request))
        rows = work_rows_of(caller(request), page)
        return self.get_paginated_response(AnswerWorkSerializer(rows, many=True).data)


class AnswerWorkExportView(ExportView):
    @extend_schema(
        parameters=[*PARAMETERS, format_parameter()],
        responses={**file_responses(), **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All of your answers as a stream of JSON lines or CSV."""
        name = asked_format(request)
        rows = answer_work_rows(caller(request), _asked_for(request))
        lines = csv_lines(COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"my-answers.{name}")


def _asked_for(request: Request) -> QuerySet[Answer]:
    data = valid(WorkFilterSerializer(data=request.query_params.dict()))
    return answers_by(caller(request), WorkFilter(**{name: data[name] for name in NAMES}))
