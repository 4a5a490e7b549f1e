"""The API of runs."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import ApiPagination
from endpoints.specs.selectors import get_model
from evaluation.audits.queries import audit_json
from evaluation.models import Run
from evaluation.results.actions import start_scoring
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.runs.actions import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_ROTATION,
    MAX_SHOTS,
    METHOD_NAMES,
    RunSettings,
    cancel_run,
    resume_run,
    start_run,
)
from evaluation.runs.estimates import SAMPLED_ITEMS, estimate_json, estimate_run
from evaluation.runs.forms import RunFilterForm
from evaluation.runs.lists import FILE_COLUMNS, costs_by_model, file_rows, filtered_runs
from evaluation.selectors import run_by_id
from evaluation.translation.tables import translation_rows
from jobs.enums import JobState
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import ensure_default_prompts
from prompts.enums import OptionLabels, PromptStyle, ShotLayout
from prompts.queries import known_prompts
from prompts.selectors import find_prompt, get_prompt
from releases.selectors import get_release

VIEW = "evaluation.view_run"
FILTERS = [
    OpenApiParameter("q", description="Part of the name of a model, a release or a prompt."),
    OpenApiParameter("model", description="Name of the model spec."),
    OpenApiParameter("release", description="Version of the release."),
    OpenApiParameter("prompt", description="Name of the prompt."),
    OpenApiParameter("state", enum=sorted(JobState.values)),
    OpenApiParameter("rotation", int, description="Rotation of the options, 0 for none."),
]


class RunInput(StrictSerializer):
    release = serializers.CharField(max_length=40, help_text="Version of the release.")
    model = serializers.CharField(max_length=100, help_text="Name of the model spec.")
    prompt = serializers.CharField(max_length=100, default=str(PromptStyle.DIRECT))
    shots = serializers.IntegerField(min_value=0, max_value=MAX_SHOTS, default=0)
    epochs = serializers.IntegerField(min_value=1, max_value=MAX_EPOCHS, default=1)
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=METHOD_NAMES),
        allow_empty=True,
        default=lambda: list(DEFAULT_METHODS),
        help_text="An empty list asks the open-ended items, for an arena.",
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)
    published = serializers.BooleanField(
        default=False, help_text="Remove reasoning as the published scorer of TLUE does."
    )
    ask_again = serializers.BooleanField(
        default=False, help_text="Also ask what an earlier run of the project has answered."
    )

    rotation = serializers.IntegerField(
        min_value=0,
        max_value=MAX_ROTATION,
        default=0,
        help_text="Show options from this one on, counted from 0, and those before it last.",
    )
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="US dollars; the run ends when it is spent."
    )

    hold = serializers.BooleanField(default=False, help_text="Let it wait for batch files.")

    def settings(self) -> RunSettings:
        data = self.validated_data
        return RunSettings(
            shots=data["shots"],
            epochs=data["epochs"],
            methods=tuple(dict.fromkeys(data["methods"])),
            concurrency=data["concurrency"],
            is_published=data["published"],
            is_asked_again=data["ask_again"],
            budget=data["budget"],
            rotation=data["rotation"],
            is_held=data["hold"],
        )

    def parts(self, user: User, project: Project) -> dict[str, Any]:
        """Return what `start_run` and `estimate_run` take beside the prompt.

        Raises the refusals of unknown names.
        """
        data = self.validated_data
        return {
            "release": get_release(project, data["release"], must_stand=True, user=user),
            "model_spec": get_model(project, data["model"]),
            "settings": self.settings(),
        }


class RunResumeInput(StrictSerializer):
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="Replaces the budget of the run."
    )


class RunEstimateSerializer(serializers.Serializer[Any]):
    """What a run would take; tokens and price are extrapolated if not all items were looked at."""

    items = serializers.IntegerField()
    looked_at = serializers.IntegerField(help_text="Items that the estimate rests on.")
    questions = serializers.IntegerField(help_text="Items × epochs.")
    reused = serializers.IntegerField(help_text="Questions that an earlier run has answered.")
    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField(allow_null=True)
    bytes_per_token = serializers.FloatField()
    measured_on = serializers.IntegerField(
        help_text="Stored answers that tell the bytes of a token; 0 if they are assumed."
    )
    completion_basis = serializers.ChoiceField(choices=["measured", "limit", "unknown"])
    price = serializers.CharField(allow_null=True, help_text="US dollars.")
    shots = serializers.IntegerField(help_text="Examples of all subjects.")
    hidden_items = serializers.IntegerField(
        help_text="Hidden items that would go to an endpoint which is not allowed to see them."
    )
    bare_shots = serializers.IntegerField(
        help_text="Examples of a chain of thought without an explanation in the target language."
    )


class RunScoreInput(StrictSerializer):
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=METHOD_NAMES),
        allow_empty=False,
        default=list,
        help_text="Methods to add to those of the run.",
    )


class RunStartedSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    job = serializers.IntegerField()


class RunSerializer(serializers.Serializer[Run]):
    id = serializers.IntegerField()
    release = serializers.CharField(source="release.version")
    model = serializers.CharField(source="model_spec.name")
    model_revision = serializers.IntegerField(source="model_spec.revision")
    prompt = serializers.CharField(source="prompt_template.name")
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")
    prompt_layout = serializers.ChoiceField(
        choices=ShotLayout.choices,
        source="prompt_template.layout",
        help_text="Examples as earlier turns, or in one text with the question.",
    )
    prompt_labels = serializers.ChoiceField(
        choices=OptionLabels.choices, source="prompt_template.labels"
    )
    shot_seed = serializers.IntegerField(
        source="prompt_template.shot_seed",
        allow_null=True,
        help_text="Drew the examples; null if they are the first dev items.",
    )
    shots = serializers.IntegerField()
    epochs = serializers.IntegerField()
    rotation = serializers.IntegerField()
    methods = serializers.ListField(child=serializers.CharField())
    concurrency = serializers.IntegerField()
    published = serializers.BooleanField(source="is_published")
    ask_again = serializers.BooleanField(
        source="is_asked_again",
        help_text="False if answers of earlier runs to the same questions are used.",
    )
    budget = serializers.DecimalField(12, 4, allow_null=True)
    imported_from = serializers.CharField(
        help_text="Format of the file, if another program asked the questions."
    )
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    scoring_job = serializers.IntegerField(
        source="scoring_job_id",
        allow_null=True,
        help_text="The last job that scored the stored answers again.",
    )
    headline_method = serializers.CharField(help_text="Empty until a job of the run has ended.")
    headline_accuracy = serializers.FloatField(
        allow_null=True, help_text="Accuracy by the headline method when the last job ended."
    )
    headline_low = serializers.FloatField(
        allow_null=True, source="headline_interval.low", default=None, help_text="Of its interval."
    )
    headline_high = serializers.FloatField(
        allow_null=True, source="headline_interval.high", default=None
    )
    headline_read = serializers.IntegerField(help_text="The number of answers that it is based on.")
    started_at = serializers.DateTimeField()


class RunDetailSerializer(RunSerializer):
    results = serializers.DictField(help_text="The results so far; rates are between 0 and 1.")
    import_report = serializers.DictField(
        help_text="Of an imported run: what was joined, what was not, and the file's own figures."
    )


class ModelCostSerializer(serializers.Serializer[Any]):
    model = serializers.CharField()
    revision = serializers.IntegerField()
    runs = serializers.IntegerField()
    bought = serializers.IntegerField(help_text="Answers that were asked for.")
    reused = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    price = serializers.CharField(
        allow_null=True, help_text="US dollars; null if prices or tokens are not known."
    )


class RunListView(generics.GenericAPIView[Run]):
    """The runs of a project that the caller may see."""

    pagination_class = ApiPagination
    serializer_class = RunSerializer
    queryset = Run.objects.none()

    @extend_schema(parameters=FILTERS, responses={200: RunSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        page: Any = self.paginate_queryset(_asked_for(request, slug))
        return self.get_paginated_response(RunSerializer(page, many=True).data)

    @extend_schema(request=RunInput, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a run. Its progress is at `jobs/{job}/`."""
        user, now = caller(request), timezone.now()
        project = project_for(user, slug, "evaluation.start_run")
        data = RunInput(data=request.data)
        data.is_valid(raise_exception=True)
        ensure_default_prompts(project=project, now=now)
        parts = data.parts(user, project)
        prompt = get_prompt(project, data.validated_data["prompt"])
        return _started(start_run(**parts, prompt=prompt, actor=user, now=now))


class RunExportView(ExportView):
    @extend_schema(
        parameters=[*FILTERS, format_parameter()], responses={**file_responses(), **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """The runs of a filter with their headline figures and costs, as JSON lines or CSV."""
        rows = file_rows(_asked_for(request, slug))
        name = asked_format(request)
        lines = csv_lines(FILE_COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"{slug}-runs.{name}")


class RunCostView(APIView):
    @extend_schema(responses={200: ModelCostSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What the runs of a project have taken, by model: answers, tokens and price."""
        user = caller(request)
        project = project_for(user, slug, "evaluation.view_runs")
        return Response(ModelCostSerializer(costs_by_model(user, project), many=True).data)


class RunEstimateView(APIView):
    @extend_schema(parameters=[RunInput], responses={200: RunEstimateSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Estimate what a run would take: calls, reused answers, tokens and price."""
        user, now = caller(request), timezone.now()
        project = project_for(user, slug, "evaluation.start_run")
        data = RunInput(data=request.query_params)
        data.is_valid(raise_exception=True)
        parts = data.parts(user, project)
        prompt = find_prompt(known_prompts(project, now=now), data.validated_data["prompt"])
        found = estimate_run(**parts, prompt=prompt, most=SAMPLED_ITEMS)
        return Response(estimate_json(found))


class RunView(APIView):
    @extend_schema(responses={200: RunDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return a run with its results overall, by category and by subject, without text of items."""
        run = run_by_id(caller(request), pk, VIEW)
        body: dict[str, Any] = dict(RunSerializer(run).data)
        results = {
            **results_json(run_results(run)),
            "translation_scores": translation_rows(run),
            "audit": audit_json(run),
        }
        return Response(body | {"results": results, "import_report": run.import_report})


class RunCancelView(APIView):
    @extend_schema(request=None, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a run. The answers so far are kept."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.cancel_run")
        cancel_run(run=run, actor=user, now=timezone.now())
        return _started(run)


class RunResumeView(APIView):
    @extend_schema(request=RunResumeInput, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a run: ask the questions that have no answer."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.resume_run")
        data = RunResumeInput(data=request.data)
        data.is_valid(raise_exception=True)
        budget = data.validated_data["budget"]
        return _started(resume_run(run=run, budget=budget, actor=user, now=timezone.now()))


class RunScoreView(APIView):
    @extend_schema(request=RunScoreInput, responses={202: RunStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Score the stored answers by the methods of the run and further ones, without the endpoint."""
        user = caller(request)
        run = run_by_id(user, pk, "evaluation.resume_run")
        data = RunScoreInput(data=request.data)
        data.is_valid(raise_exception=True)
        methods = data.validated_data["methods"]
        job = start_scoring(run=run, methods=methods, actor=user, now=timezone.now())
        return Response({"run": run.pk, "job": job.pk}, status=status.HTTP_202_ACCEPTED)


def _asked_for(request: Request, slug: str) -> QuerySet[Run]:
    """Return the runs of the filter in the query string. Raises ValidationError."""
    user = caller(request)
    project = project_for(user, slug, "evaluation.view_runs")
    form = RunFilterForm(request.query_params)
    if not form.is_valid():
        raise serializers.ValidationError(
            {name: [str(text) for text in texts] for name, texts in form.errors.items()}
        )
    return filtered_runs(user, project, form.wanted())


def _started(run: Run) -> Response:
    body = {"run": run.pk, "job": run.job_id}
    return Response(body, status=status.HTTP_202_ACCEPTED)
