"""The API of batch files of jobs."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictJSONParser, StrictSerializer
from endpoints.held.actions import ask_directly, give_answers, held_work, hold_calls
from endpoints.held.files import file_of
from endpoints.held.views import MANAGE
from jobs.enums import JobState
from jobs.selectors import job_for


class BatchAnswersInput(StrictSerializer):
    files = serializers.ListField(
        child=serializers.FileField(), allow_empty=False, max_length=10,
        help_text="The file of answers, and the file of errors if there is one.",
    )  # fmt: skip


class StoringJobSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="The job that stores the answers.")


class HeldBudgetInput(StrictSerializer):
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="Replaces the budget of the job."
    )


class JobStateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=JobState.choices)


class BatchFileView(APIView):
    @extend_schema(
        responses={
            (200, "application/jsonl"): OpenApiTypes.BINARY, **READ_REFUSALS, **REFUSALS,
        }
    )  # fmt: skip
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Return the calls that a held job lacks, as a batch file."""
        job, _scope = job_for(caller(request), pk, MANAGE)
        return file_of(held_work(job))


class BatchAnswersView(APIView):
    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(request=BatchAnswersInput, responses={202: StoringJobSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Queue a job that stores the answers of batch files. A file may come twice.

        Its `result` says how many were `stored`, `known` before and `failed`, and how many calls are
        `missing` (`missing_ids` are the first ten), the `step` of the next file of how many `steps`, and
        the `state` of the job that waits.
        """
        user = caller(request)
        job, _scope = job_for(user, pk, MANAGE)
        data = BatchAnswersInput(data=request.data)
        data.is_valid(raise_exception=True)
        files = [(file.name, file) for file in data.validated_data["files"]]
        storing = give_answers(job, files, actor=user, now=timezone.now())
        return Response({"job": storing.pk}, status=status.HTTP_202_ACCEPTED)


class HoldView(APIView):
    @extend_schema(request=HeldBudgetInput, responses={200: JobStateSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Have a job wait for batch files, or give one that waits another budget."""
        user = caller(request)
        job, _scope = job_for(user, pk, MANAGE)
        data = HeldBudgetInput(data=request.data)
        data.is_valid(raise_exception=True)
        work, budget = held_work(job), data.validated_data["budget"]
        hold_calls(work, actor=user, now=timezone.now(), budget=budget)
        return Response({"state": work.job.state})


class AskDirectlyView(APIView):
    @extend_schema(request=None, responses={200: JobStateSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Let workers ask what a held job lacks. Answers of a file that is out are paid twice, stored once."""
        user = caller(request)
        job, _scope = job_for(user, pk, MANAGE)
        ask_directly(job, actor=user, now=timezone.now())
        return Response({"state": job.state})
