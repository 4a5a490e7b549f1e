"""The API of the extraction audit of a run."""

import secrets
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, IdField, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from evaluation.audits.actions import AGREED, DOUBTFUL, LONGEST, MOST, start_audit, store_reading
from evaluation.audits.presenters import readable_response
from evaluation.audits.queries import (
    EXPORT_COLUMNS,
    audit_figures,
    export_rows,
    figures_json,
    left_for,
    next_for,
)
from evaluation.audits.selectors import audited_for, get_audit
from evaluation.selectors import run_by_id
from jobs.enums import JobState

VIEW, START, READ = "evaluation.view_run", "evaluation.start_audit", "evaluation.read_for_audit"
EXPORT = "evaluation.view_responses"


class AuditInput(StrictSerializer):
    doubtful = serializers.IntegerField(
        min_value=1,
        max_value=MOST,
        default=DOUBTFUL,
        help_text="Responses in which no method finds an answer, and as many in which they differ.",
    )
    agreed = serializers.IntegerField(
        min_value=1, max_value=MOST, default=AGREED, help_text="Responses in which methods agree."
    )
    seed = serializers.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="Of the drawing; a random one by default.",
    )


class AuditStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class AuditSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    seed = serializers.IntegerField()
    populations = serializers.DictField(
        help_text="Responses of the run by kind of item and stratum; empty until they are drawn."
    )
    figures = serializers.DictField(
        help_text="Agreement of readers, and the accuracy of each method with its interval."
    )


class ReadableSerializer(serializers.Serializer[Any]):
    """A response without the key and without what methods read."""

    response = serializers.IntegerField()
    question = serializers.CharField()
    options = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="[letter, text]."
    )
    has_number = serializers.BooleanField(help_text="Whether the answer is a number.")
    reference = serializers.CharField(
        help_text="Of an open-ended item, with which you compare the response; else empty."
    )
    text = serializers.CharField(help_text="The response without reasoning.")


class NextSerializer(serializers.Serializer[Any]):
    left = serializers.IntegerField(help_text="How many responses you may still read.")
    next = ReadableSerializer(allow_null=True)


class ExtractionReadingInput(StrictSerializer):
    response = IdField()
    answer = serializers.CharField(
        max_length=LONGEST,
        allow_null=True,
        help_text="An option letter or a number; null for no answer, or for more than one. Of a "
        "response to an open-ended item, `right` or `wrong`.",
    )


class AuditView(APIView):
    @extend_schema(responses={200: AuditSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """The audit of a run: how far people have read, and how well each method reads."""
        audit: Any = get_audit(run_by_id(caller(request), pk, VIEW))
        audit.figures = figures_json(audit_figures(audit))
        return Response(AuditSerializer(audit).data)

    @extend_schema(request=AuditInput, responses={202: AuditStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Start the audit of a run: a job draws the responses that people read."""
        user = caller(request)
        run = run_by_id(user, pk, START)
        data = AuditInput(data=request.data)
        data.is_valid(raise_exception=True)
        settings = {"seed": secrets.randbelow(2**31), **data.validated_data}
        audit = start_audit(run=run, **settings, actor=user, now=timezone.now())
        return Response({"job": audit.job_id}, status=status.HTTP_202_ACCEPTED)


class NextView(APIView):
    @extend_schema(responses={200: NextSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """The next response to read."""
        user = caller(request)
        run = run_by_id(user, pk, READ)
        audit = get_audit(run)
        found = next_for(audit, user)
        shown = readable_response(found, run) if found else None
        body = {"left": left_for(audit, user).count(), "next": shown}
        return Response(NextSerializer(body).data)


class ExtractionReadingView(APIView):
    @extend_schema(request=ExtractionReadingInput, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Store what you read in a response of the sample; sending the same again changes nothing."""
        user = caller(request)
        audit = get_audit(run_by_id(user, pk, READ))
        data = ExtractionReadingInput(data=request.data)
        data.is_valid(raise_exception=True)
        audited = audited_for(user, audit, data.validated_data["response"])
        answer = data.validated_data["answer"]
        store_reading(audited=audited, answer=answer, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class AuditExportView(ExportView):
    @extend_schema(parameters=[format_parameter()], responses={**file_responses(), **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """What people and methods read in each response of the sample. For managers only."""
        run = run_by_id(caller(request), pk, EXPORT)
        extension = asked_format(request)
        rows = export_rows(get_audit(run))
        lines = csv_lines(EXPORT_COLUMNS, rows) if extension == "csv" else json_lines(rows)
        return file_answer(lines, name=f"run-{pk}-audit.{extension}")
