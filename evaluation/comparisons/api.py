"""The API of comparisons of runs."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.figure_tables import Table, as_json
from evaluation.comparisons.catalogue import ALL_TABLES, with_unfinished
from evaluation.comparisons.papers import answers_table
from evaluation.comparisons.pictures import MEDIA_TYPES, file_of
from evaluation.comparisons.queries import OWN, Flip, FlipPage, flips
from evaluation.comparisons.selectors import (
    comparison_of,
    comparison_with_answers,
    page_number,
    runs_to_compare,
    table_and_method,
    table_of,
)
from projects.selectors import project_for
from scoring.scorers import SCORERS

PARAMETERS = [
    OpenApiParameter("runs", str, required=True, description="Numbers of 2 to 10 runs: 3,7."),
    OpenApiParameter(
        "table",
        str,
        enum=list(ALL_TABLES),
        description="Default: `runs`, or `translations` of runs that ask for nothing else.",
    ),
    OpenApiParameter(
        "method",
        str,
        enum=[*SCORERS, OWN],
        description="Default: the first that all runs have, or else `own`, the first of each run.",
    ),
]


class ComparisonView(APIView):
    @extend_schema(parameters=PARAMETERS, responses={200: OpenApiTypes.OBJECT, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Compare runs on the items that they share: one table, without text of items."""
        return Response(as_json(_table(request, slug)))


class ComparisonExportView(ExportView):
    @extend_schema(
        parameters=[*PARAMETERS, format_parameter(MEDIA_TYPES)],
        responses={**file_responses(MEDIA_TYPES.values()), **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """One table of a comparison as CSV, LaTeX, Markdown or SVG, with the numbers of the page."""
        name = asked_format(request, MEDIA_TYPES)
        table = _table(request, slug)
        file = file_of(table, name, stem=f"{slug}-{table.name}")
        return file_answer([file.text], name=file.name, media_type=file.media_type)


class FlipSerializer(serializers.Serializer[Flip]):
    uid = serializers.CharField(source="item.uid")
    subject = serializers.CharField(source="item.subject.slug")
    key = serializers.CharField(source="item.key")
    first = serializers.FloatField(help_text="In which share of its epochs the first run is right.")
    second = serializers.FloatField()
    first_response = serializers.IntegerField(allow_null=True)
    second_response = serializers.IntegerField(allow_null=True)


class FlipPageSerializer(serializers.Serializer[FlipPage]):
    number = serializers.IntegerField()
    pages = serializers.IntegerField()
    total = serializers.IntegerField()
    rows = FlipSerializer(many=True)


class FlipListView(APIView):
    @extend_schema(
        parameters=[*PARAMETERS[::2], OpenApiParameter("page", int, default=1)],
        responses={200: FlipPageSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The items that the first two runs answer differently, for managers."""
        query = request.query_params
        found = comparison_with_answers(
            caller(request), slug, query.get("runs", ""), query.get("method", "")
        )
        page = flips(found, page=page_number(query.get("page", "")))
        return Response(FlipPageSerializer(page).data)


class AnswerListView(APIView):
    @extend_schema(
        parameters=[*PARAMETERS[::2], OpenApiParameter("uid", str, required=True)],
        responses={200: OpenApiTypes.OBJECT, **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The answers of the runs to one item side by side, with its text and key, for managers."""
        query = request.query_params
        found = comparison_with_answers(
            caller(request), slug, query.get("runs", ""), query.get("method", "")
        )
        table = answers_table(found, query.get("uid", ""))
        return Response(as_json(with_unfinished(table, found)))


def _table(request: Request, slug: str) -> Table:
    user, query = caller(request), request.query_params
    project = project_for(user, slug, "evaluation.view_runs")
    runs = runs_to_compare(user, project, query.get("runs", ""))
    name, method = table_and_method(query.get("table", ""), query.get("method", ""))
    found = comparison_of(runs, method, user)
    return with_unfinished(table_of(name, found), found)
