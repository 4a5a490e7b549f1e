"""The API of jobs: state, progress and result; cancel and resume."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from jobs.actions import cancel_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.queries import is_worker_alive, result_of
from jobs.selectors import job_for


class JobSerializer(serializers.Serializer[Job]):
    """A job; `error` and `note` are words in the caller's language, `error_code` is for programs.

    `result` of an import is its report, even when rows were refused.
    """

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
        """One job: how far it is and what it came to."""
        job, _project = job_for(caller(request), pk, "jobs.view_job")
        return Response(JobSerializer(job).data)


class CancelJobView(APIView):
    @extend_schema(request=None, responses={200: JobSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Ask a job to stop: at once if it waits, at its next check if it runs."""
        job, _project = job_for(caller(request), pk, "jobs.cancel_job")
        cancel_job(job=job, actor=caller(request), now=timezone.now())
        job.refresh_from_db()
        return Response(JobSerializer(job).data)


class ResumeJobView(APIView):
    @extend_schema(request=None, responses={200: JobSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Send a failed or cancelled job back to the queue; what it has done stays done."""
        job, _project = job_for(caller(request), pk, "jobs.cancel_job")
        resume_job(job=job, actor=caller(request), now=timezone.now())
        job.refresh_from_db()
        return Response(JobSerializer(job).data)
