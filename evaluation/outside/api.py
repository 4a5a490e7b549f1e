"""The API of answers which another program asked for, and of files that other programs open."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictJSONParser, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from evaluation.outside.actions import OutsideOptions, start_run_import
from evaluation.outside.exporting import exported_file
from evaluation.outside.readers import READERS
from evaluation.outside.writers import WRITERS
from evaluation.runs.actions import DEFAULT_METHODS, METHOD_NAMES
from evaluation.selectors import run_by_id
from projects.selectors import project_for
from releases.selectors import get_release


class RunImportInput(StrictSerializer):
    file = serializers.FileField()
    format = serializers.ChoiceField(
        choices=sorted(READERS), default="", help_text="Without one, the content says it."
    )
    release = serializers.CharField(max_length=50)
    model = serializers.CharField(max_length=100, allow_blank=True, default="")
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=METHOD_NAMES),
        allow_empty=False,
        default=list(DEFAULT_METHODS),
    )


class RunImportStarted(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="Its result names the run.")


class RunImportView(APIView):
    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(request=RunImportInput, responses={202: RunImportStarted, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Import a file of answers as a run; `result` of the job names the run."""
        user = caller(request)
        project = project_for(user, slug, "evaluation.import_run")
        given = RunImportInput(data=request.data)
        given.is_valid(raise_exception=True)
        data = given.validated_data
        job = start_run_import(
            release=get_release(project, data["release"], user=user),
            file=data["file"],
            name=data["file"].name,
            options=OutsideOptions(tuple(data["methods"]), data["format"], data["model"]),
            actor=user,
            now=timezone.now(),
        )
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)


class RunAnswersQuery(serializers.Serializer[Any]):
    hidden = serializers.BooleanField(default=False)


class RunAnswersView(ExportView):
    @extend_schema(
        parameters=[
            format_parameter(WRITERS),
            OpenApiParameter(
                "hidden", bool, description="With hidden items, their texts and keys."
            ),
        ],
        responses={
            **file_responses(dict.fromkeys(each.media_type for each in WRITERS.values())),
            **READ_REFUSALS,
        },
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The answers of a run in a file that another program opens. For managers only.

        `lm_eval` are the samples of lm-evaluation-harness, `lm_eval_results` its results, and
        `inspect` is a log of Inspect.
        """
        run = run_by_id(caller(request), pk, "evaluation.view_responses")
        asked = RunAnswersQuery(data={"hidden": request.query_params.get("hidden", False)})
        asked.is_valid(raise_exception=True)
        name, media_type, pieces = exported_file(
            run, asked_format(request, WRITERS), with_hidden=asked.validated_data["hidden"]
        )
        return file_answer(pieces, name=name, media_type=media_type)
