"""The API of jobs: state, progress, result, stopping and taking up again."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.access import job_for
from annotation.api.items import REFUSALS
from annotation.queries.imports import result_of
from common.enums import JobState
from common.jobs import is_worker_alive, resume_job, stop_job
from common.models import Job


class JobSerializer(serializers.Serializer[Job]):
    """A job; `result` of an import is its report, even of one that was refused."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    project = serializers.CharField(source="scope")
    state = serializers.ChoiceField(choices=JobState.choices)
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    note = serializers.CharField()
    error_code = serializers.CharField()
    error = serializers.CharField()
    result = serializers.SerializerMethodField()
    seconds_left = serializers.SerializerMethodField()
    is_worker_alive = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    cancel_requested_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.DictField())
    def get_result(self, job: Job) -> dict[str, Any]:
        return result_of(job)

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_seconds_left(self, job: Job) -> int | None:
        return job.seconds_left(timezone.now())

    @extend_schema_field(serializers.BooleanField())
    def get_is_worker_alive(self, _job: Job) -> bool:
        return is_worker_alive(now=timezone.now())


class JobView(APIView):
    @extend_schema(responses={200: JobSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        job, _project = job_for(caller(request), pk, "annotation.view_job")
        return Response(JobSerializer(job).data)


class CancelJobView(APIView):
    @extend_schema(request=None, responses={200: JobSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Ask a job to stop: at once if it waits, at its next check if it runs."""
        job, _project = job_for(caller(request), pk, "annotation.cancel_job")
        stop_job(job=job, actor=caller(request), now=timezone.now())
        job.refresh_from_db()
        return Response(JobSerializer(job).data)


class ResumeJobView(APIView):
    @extend_schema(request=None, responses={200: JobSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Send a failed or cancelled job back to the queue; what it has done stays done."""
        job, _project = job_for(caller(request), pk, "annotation.cancel_job")
        resume_job(job=job, actor=caller(request), now=timezone.now())
        job.refresh_from_db()
        return Response(JobSerializer(job).data)
