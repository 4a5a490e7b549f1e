"""The API of answers which another program asked for."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictJSONParser, StrictSerializer
from evaluation.outside.actions import OutsideOptions, start_run_import
from evaluation.outside.readers import READERS
from evaluation.runs.actions import DEFAULT_METHODS, METHOD_NAMES
from projects.selectors import project_for
from releases.selectors import get_release


class RunImportInput(StrictSerializer):
    file = serializers.FileField()
    format = serializers.ChoiceField(choices=sorted(READERS))
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
        project = project_for(user, slug, "evaluation.start_run")
        given = RunImportInput(data=request.data)
        given.is_valid(raise_exception=True)
        data = given.validated_data
        job = start_run_import(
            release=get_release(project, data["release"]),
            file=data["file"],
            name=data["file"].name,
            options=OutsideOptions(data["format"], tuple(data["methods"]), data["model"]),
            actor=user,
            now=timezone.now(),
        )
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)
