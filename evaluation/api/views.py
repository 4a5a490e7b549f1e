"""API views of models, runs and responses."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import ErrorSerializer
from common.api_exports import file_answer
from common.pagination import ApiPagination
from evaluation.actions import (
    cancel_run,
    create_model,
    ensure_default_prompts,
    resume_run,
    revise_model,
    start_run,
    start_scoring,
)
from evaluation.api.serializers import (
    ModelInput,
    ModelSerializer,
    PromptSerializer,
    ResponseDetailSerializer,
    ResponseSerializer,
    RevisionInput,
    RunDetailSerializer,
    RunFileSerializer,
    RunInput,
    RunSerializer,
    RunStartedSerializer,
)
from evaluation.models import ModelResponse, ModelSpec, Run
from evaluation.presenters import shown_readings
from evaluation.queries.responses import KINDS, filtered_responses, reading_of
from evaluation.queries.results import run_results
from evaluation.queries.runs import runs_seen_by
from evaluation.queries.specs import current_models, known_prompts
from evaluation.results_csv import run_files
from evaluation.results_json import results_json
from evaluation.selectors import (
    get_model,
    get_prompt,
    response_filter,
    response_of,
    run_by_id,
)
from projects.selectors import project_for
from releases.selectors import get_release

READ_REFUSALS = dict.fromkeys((401, 403, 404), ErrorSerializer)
LIST_REFUSALS = dict.fromkeys((400, 401, 403, 404), ErrorSerializer)
REFUSALS = dict.fromkeys((400, 401, 403, 404, 409), ErrorSerializer)
VIEW = "evaluation.view_run"
CHANGE = "evaluation.change_models"
FILTERS = ("method", "kind", "differs")


class ModelListView(generics.GenericAPIView[ModelSpec]):
    """The latest revision of each model of a project."""

    pagination_class = ApiPagination
    serializer_class = ModelSerializer
    queryset = ModelSpec.objects.none()

    @extend_schema(responses={200: ModelSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, "evaluation.view_runs")
        page: Any = self.paginate_queryset(current_models(project))
        return self.get_paginated_response(ModelSerializer(page, many=True).data)

    @extend_schema(request=ModelInput, responses={201: ModelSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add a model."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = ModelInput(data=request.data)
        data.is_valid(raise_exception=True)
        spec = create_model(
            project=project, name=data.validated_data["name"], values=data.values(), actor=user,
            now=timezone.now(),
        )  # fmt: skip
        return _model(spec)


class ModelView(APIView):
    @extend_schema(request=RevisionInput, responses={201: ModelSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Add a revision of a model."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = RevisionInput(data=request.data)
        data.is_valid(raise_exception=True)
        spec = get_model(project, name)
        revised = revise_model(spec=spec, values=data.values(), actor=user, now=timezone.now())
        return _model(revised)


class PromptListView(APIView):
    @extend_schema(responses={200: PromptSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The prompts that a run can take: the project's and the built-in ones."""
        project = project_for(caller(request), slug, "evaluation.view_runs")
        prompts: Any = known_prompts(project, now=timezone.now())
        return Response(PromptSerializer(prompts, many=True).data)


class RunListView(generics.GenericAPIView[Run]):
    """The runs of a project that the caller may see."""

    pagination_class = ApiPagination
    serializer_class = RunSerializer
    queryset = Run.objects.none()

    @extend_schema(responses={200: RunSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, "evaluation.view_runs")
        page: Any = self.paginate_queryset(runs_seen_by(user, project))
        return self.get_paginated_response(RunSerializer(page, many=True).data)

    @extend_schema(request=RunInput, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a run. Its progress is at `jobs/{job}/`."""
        user, now = caller(request), timezone.now()
        project = project_for(user, slug, "evaluation.start_run")
        data = RunInput(data=request.data)
        data.is_valid(raise_exception=True)
        ensure_default_prompts(project=project, now=now)
        run = start_run(
            release=get_release(project, data.validated_data["release"], must_stand=True),
            model_spec=get_model(project, data.validated_data["model"]),
            prompt=get_prompt(project, data.validated_data["prompt"]),
            settings=data.settings(), actor=user, now=now,
        )  # fmt: skip
        return _started(run)


class RunView(APIView):
    @extend_schema(responses={200: RunDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return a run with its results overall, by category and by subject, without text of items."""
        run = run_by_id(caller(request), pk, VIEW)
        body: dict[str, Any] = dict(RunSerializer(run).data)
        return Response(body | {"results": results_json(run_results(run))})


class RunFileListView(APIView):
    @extend_schema(responses={200: RunFileSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """The CSV files of a run with its current figures; none before the first answer is scored."""
        run = run_by_id(caller(request), pk, VIEW)
        files = run_files(run_results(run))
        return Response([{"name": name, "size": len(text.encode())} for name, text in files])


class RunFileView(APIView):
    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR, **READ_REFUSALS})
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        """One of the CSV files of a run; those of the methods have the names that TLUE publishes."""
        run = run_by_id(caller(request), pk, VIEW)
        text = dict(run_files(run_results(run))).get(name)
        if text is None:
            raise Http404
        return file_answer([text], name=name.rpartition("/")[2], media_type="text/csv")


class RunCancelView(APIView):
    @extend_schema(request=None, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a run. The answers so far are kept."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.cancel_run")
        cancel_run(run=run, actor=user, now=timezone.now())
        return _started(run)


class RunResumeView(APIView):
    @extend_schema(request=None, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a run: ask the questions that have no answer."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.resume_run")
        return _started(resume_run(run=run, actor=user, now=timezone.now()))


class RunScoreView(APIView):
    @extend_schema(request=None, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Score the stored answers with the current version of each method, without the endpoint."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.resume_run")
        job = start_scoring(run=run, actor=user, now=timezone.now())
        return Response({"run": run.pk, "job": job.pk}, status=status.HTTP_202_ACCEPTED)


class ResponseListView(generics.GenericAPIView[ModelResponse]):
    """Raw responses with their scores, including hidden items. For managers only."""

    pagination_class = ApiPagination
    serializer_class = ResponseSerializer
    queryset = ModelResponse.objects.none()

    def get_queryset(self) -> QuerySet[ModelResponse]:
        run = run_by_id(caller(self.request), self.kwargs["pk"], "evaluation.view_responses")
        names = {name: self.request.GET.get(name, "") for name in FILTERS}
        rows = filtered_responses(run, response_filter(run, **names))
        return rows.select_related("release_item__subject").prefetch_related("scores")

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "method", description="Filter by this method (default: the headline)."
            ),
            OpenApiParameter("kind", enum=KINDS, description="What the method found."),
            OpenApiParameter(
                "differs", description="Only responses in which this method found something else."
            ),
        ],
        responses={200: ResponseSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, pk: int) -> Response:
        page: Any = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ResponseSerializer(page, many=True).data)


class ResponseView(APIView):
    @extend_schema(responses={200: ResponseDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int, response_pk: int) -> Response:
        """One raw response with its prompt, and what each method takes from it and why."""
        run = run_by_id(caller(request), pk, "evaluation.view_responses")
        response: Any = response_of(run, response_pk)
        reading = reading_of(response)
        response.messages, response.read_text = reading.messages, reading.read_text
        response.readings = shown_readings(reading, response.release_item.key)
        return Response(ResponseDetailSerializer(response).data)


def _model(spec: ModelSpec) -> Response:
    body = ModelSerializer(spec).data
    return Response(body, status=status.HTTP_201_CREATED)


def _started(run: Run) -> Response:
    body = {"run": run.pk, "job": run.job_id}
    return Response(body, status=status.HTTP_202_ACCEPTED)
