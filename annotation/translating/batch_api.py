"""The API of the batch files of translation jobs."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.asking.api import ResumeInput
from annotation.asking.batch_files import ask_directly, hold_asking, taken_json
from annotation.translating.actions import TRANSLATION
from annotation.translating.api import job_by_id
from annotation.translating.batch_files import file_of, take_files
from annotation.translating.execution import translation_work
from common.api import READ_REFUSALS, REFUSALS, StrictJSONParser, StrictSerializer
from jobs.enums import JobState


class BatchAnswersInput(StrictSerializer):
    files = serializers.ListField(
        child=serializers.FileField(), allow_empty=False, max_length=10,
        help_text="The file of answers, and the file of errors if there is one.",
    )  # fmt: skip


class BatchAnswersSerializer(serializers.Serializer[Any]):
    stored = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Stored before.")
    failed = serializers.IntegerField(help_text="Requests that failed; the next file has them.")
    missing = serializers.IntegerField(help_text="Calls without an answer that were not there.")
    missing_ids = serializers.ListField(
        child=serializers.CharField(), help_text="The first ten of them."
    )
    step = serializers.IntegerField(help_text="The step that the next file asks.")
    steps = serializers.IntegerField()
    state = serializers.ChoiceField(choices=JobState.choices)


class JobStateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=JobState.choices)


class BatchFileView(APIView):
    @extend_schema(
        responses={
            (200, "application/jsonl"): OpenApiTypes.BINARY, 204: None, **READ_REFUSALS, **REFUSALS,
        }
    )  # fmt: skip
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the calls that a held translation job lacks, as a batch file; 204 if none is left."""
        started = job_by_id(caller(request), pk, TRANSLATION.manage)
        return file_of(started) or Response(status=status.HTTP_204_NO_CONTENT)


class BatchAnswersView(APIView):
    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(request=BatchAnswersInput, responses={200: BatchAnswersSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Store the answers of batch files. Stored answers are kept, so a file may come twice."""
        started = job_by_id(caller(request), pk, TRANSLATION.manage)
        data = BatchAnswersInput(data=request.data)
        data.is_valid(raise_exception=True)
        taken = take_files(started, data.validated_data["files"])
        return Response(taken_json(translation_work(started), taken))


class HoldView(APIView):
    @extend_schema(request=ResumeInput, responses={200: JobStateSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Have a translation job wait for batch files, or give one that waits another budget."""
        user = caller(request)
        started = job_by_id(user, pk, TRANSLATION.manage)
        data = ResumeInput(data=request.data)
        data.is_valid(raise_exception=True)
        budget = data.validated_data["budget"]
        held = hold_asking(TRANSLATION, started, actor=user, now=timezone.now(), budget=budget)
        return Response({"state": held.job.state})


class AskDirectlyView(APIView):
    @extend_schema(request=None, responses={200: JobStateSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Let workers ask what a held job lacks. Answers of a file that is out are paid twice, stored once."""
        user = caller(request)
        started = job_by_id(user, pk, TRANSLATION.manage)
        asked = ask_directly(started, actor=user, now=timezone.now())
        return Response({"state": asked.job.state})
