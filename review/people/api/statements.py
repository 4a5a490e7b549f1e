"""The API of statements of work."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines
from projects.selectors import project_for
from review.people.actions import close_statement
from review.people.statement_rows import COLUMNS, line_row, statement_json
from review.people.statements import own_statements, statement_months, statement_of
from review.selectors import month_at

VIEW = "review.view_statements"


class LineSerializer(serializers.Serializer[Any]):
    """One person's work in a month."""

    person = serializers.CharField()
    email = serializers.EmailField()
    judgements = serializers.IntegerField()
    late_judgements = serializers.IntegerField(
        help_text="Of the judgements, those of months that were closed already."
    )
    active_seconds = serializers.IntegerField()
    active_hours = serializers.DecimalField(max_digits=14, decimal_places=2)
    hourly = serializers.DecimalField(max_digits=12, decimal_places=2, allow_null=True)
    currency = serializers.CharField(allow_null=True)
    amount = serializers.DecimalField(max_digits=14, decimal_places=2, allow_null=True)


class TotalSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    amount = serializers.DecimalField(max_digits=14, decimal_places=2)


class StatementSerializer(serializers.Serializer[Any]):
    """A month's work; `closed_at` is null while it is open and may change."""

    project = serializers.CharField()
    month = serializers.CharField()
    time_zone = serializers.CharField()
    closed_at = serializers.DateTimeField(allow_null=True)
    judgements = serializers.IntegerField()
    late_judgements = serializers.IntegerField()
    active_seconds = serializers.IntegerField()
    totals = TotalSerializer(many=True)
    lines = LineSerializer(many=True)


class StatementMonthSerializer(serializers.Serializer[Any]):
    month = serializers.CharField()
    judgements = serializers.IntegerField()
    closed_at = serializers.DateTimeField(allow_null=True)


class OwnStatementSerializer(LineSerializer):
    """One's own line of a closed statement."""

    project = serializers.CharField()
    month = serializers.CharField()
    closed_at = serializers.DateTimeField()


class StatementListView(APIView):
    @extend_schema(
        operation_id="projects_statements_list",
        responses={200: StatementMonthSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The months with work, newest first."""
        project = project_for(caller(request), slug, VIEW)
        months: Any = statement_months(project)
        return Response(StatementMonthSerializer(months, many=True).data)


class StatementView(APIView):
    @extend_schema(
        operation_id="projects_statements_read", responses={200: StatementSerializer, **REFUSALS}
    )
    def get(self, request: Request, slug: str, month: str) -> Response:
        """Who judged how much in a month of UTC, how long, and what it pays."""
        project = project_for(caller(request), slug, VIEW)
        return Response(statement_json(statement_of(project, month_at(month))))


class StatementExportView(ExportView):
    @extend_schema(
        parameters=[format_parameter(["csv"])],
        responses={**file_responses(["text/csv"]), **REFUSALS},
    )
    def get(self, request: Request, slug: str, month: str) -> StreamingHttpResponse:
        """The lines of a month's statement as CSV."""
        project = project_for(caller(request), slug, VIEW)
        name = asked_format(request, ["csv"])
        found = statement_of(project, month_at(month))
        lines = csv_lines(COLUMNS, map(line_row, found.lines))
        return file_answer(lines, name=f"{slug}-work-{month}.{name}")


class CloseStatementView(APIView):
    @extend_schema(request=None, responses={201: StatementSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, month: str) -> Response:
        """Freeze a month; judgements that come later go to the next one."""
        user = caller(request)
        project = project_for(user, slug, "review.close_statement")
        wanted = month_at(month)
        close_statement(project=project, month=wanted, actor=user, now=timezone.now())
        body = statement_json(statement_of(project, wanted))
        return Response(body, status=status.HTTP_201_CREATED)


class OwnStatementListView(APIView):
    @extend_schema(
        operation_id="me_statements_list",
        responses={200: OwnStatementSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Your line in each closed statement, newest first."""
        rows = [
            line_row(line)
            | {
                "project": statement.project.slug,
                "month": f"{statement.month:%Y-%m}",
                "closed_at": statement.closed_at,
            }
            for statement, line in own_statements(caller(request))
        ]
        return Response(OwnStatementSerializer(rows, many=True).data)
