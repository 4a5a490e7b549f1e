"""What the calls of the API about jobs that ask models about items share."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from annotation.asking.actions import resume_asking
from annotation.asking.kinds import AskingKind, Started, Task
from annotation.asking.queries import MOST_UIDS, Selection, estimate_json, jobs_of
from annotation.asking.selectors import asking_job_for
from annotation.items.api import ItemFilterInput
from annotation.items.queries import ItemFilter
from annotation.models.asking import MAX_CONCURRENCY, AskingJob
from common.api import StrictSerializer
from endpoints.specs.selectors import get_model
from jobs.actions import cancel_job
from jobs.enums import JobState
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import LONGEST_PROMPT
from prompts.models import PromptTemplate


class CallsInput(StrictSerializer):
    """The model, and what its calls may take."""

    model = serializers.CharField(max_length=100, help_text="Name of the model spec.")
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="US dollars; null is no bound."
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the estimate and start nothing."
    )

    def bounds(self, project: Project) -> dict[str, Any]:
        """Return the settings that are the same for all kinds, but for the items."""
        data = self.validated_data
        return {
            "model": get_model(project, data["model"]),
            "concurrency": data["concurrency"],
            "budget": data["budget"],
            "is_held": data.get("hold", False),
        }


class AskingInput(CallsInput):
    subject = serializers.CharField(max_length=100, default="", allow_blank=True)
    q = serializers.CharField(max_length=200, default="", allow_blank=True)
    select = ItemFilterInput(
        required=False, help_text="The filter of the list of items, with `subject` and `q` in it."
    )
    uids = serializers.ListField(
        child=serializers.CharField(max_length=200), max_length=MOST_UIDS, default=list,
        help_text="Only these items; empty means all.",
    )  # fmt: skip
    limit = serializers.IntegerField(
        min_value=0, max_value=10**6, default=0, help_text="The first items only; 0 means all."
    )

    def shared(self, project: Project) -> dict[str, Any]:
        """Return the settings that are the same for all kinds."""
        data = self.validated_data
        named = {name: data[name] for name in ("subject", "q") if data[name]}
        items = ItemFilter(**{**data.get("select", {}), **named})
        selection = Selection(items=items, limit=data["limit"], uids=data["uids"])
        return {**self.bounds(project), "selection": selection}


def hold_input() -> serializers.BooleanField:
    """Return the field of kinds of job that take batch files."""
    return serializers.BooleanField(default=False, help_text="Let it wait for batch files.")


class ResumeInput(StrictSerializer):
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="Replaces the budget of the job."
    )


class TokensSerializer(serializers.Serializer[Any]):
    prompt = serializers.IntegerField()
    completion = serializers.IntegerField()


class EstimateSerializer(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    hidden_left_out = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens = TokensSerializer(allow_null=True)
    price = serializers.CharField(allow_null=True, help_text="US dollars.")
    seconds = serializers.IntegerField(
        allow_null=True, help_text="If calls take as long as the last ones; null if none was timed."
    )
    measured_on = serializers.IntegerField(help_text="Calls that the tokens were measured on.")


class AskingJobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    model = serializers.CharField(source="model_spec.name")
    model_revision = serializers.IntegerField(source="model_spec.revision")
    budget = serializers.DecimalField(12, 4, allow_null=True)
    selection = serializers.DictField()
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    started_at = serializers.DateTimeField()


class AskingPromptInput(StrictSerializer):
    revision = serializers.IntegerField(
        min_value=1, max_value=32767, help_text="The one that you edited."
    )
    frame = serializers.CharField(max_length=LONGEST_PROMPT)


class TaskPromptSerializer(serializers.Serializer[PromptTemplate]):
    revision = serializers.IntegerField()
    frame = serializers.CharField()


def jobs_answer(view: GenericAPIView[Any], kind: AskingKind[Any], slug: str) -> Response:
    """Answer with a page of the jobs of a project, as the view's serializer shows them."""
    project = project_for(caller(view.request), slug, kind.view)
    return _page_answer(view, jobs_of(kind, project))


def rows_answer(
    view: GenericAPIView[Any],
    kind: AskingKind[Started],
    slug: str,
    pk: int,
    rows: Callable[[Started], QuerySet[Any]],
) -> Response:
    """Answer with a page of `rows` of a job, as the view's serializer shows them."""
    return _page_answer(view, rows(asking_job_for(kind, caller(view.request), slug, pk)))


def _page_answer(view: GenericAPIView[Any], rows: QuerySet[Any]) -> Response:
    page: Any = view.paginate_queryset(rows)
    return view.get_paginated_response(view.get_serializer(page, many=True).data)


def prompt_answer(request: Request, slug: str, kind: AskingKind[Any], task: Task) -> Response:
    """Answer with the prompt of a task."""
    project = project_for(caller(request), slug, kind.manage)
    return Response(TaskPromptSerializer(task.prompt_of(project, now=timezone.now())).data)


def revised_answer(request: Request, slug: str, kind: AskingKind[Any], task: Task) -> Response:
    """Add a revision of the prompt of a task."""
    project = project_for(caller(request), slug, kind.manage)
    data = AskingPromptInput(data=request.data)
    data.is_valid(raise_exception=True)
    revised = task.revise(
        project=project, actor=caller(request), now=timezone.now(), **data.validated_data
    )
    return Response(TaskPromptSerializer(revised).data, status=status.HTTP_201_CREATED)


def start_answer(
    request: Request,
    slug: str,
    kind: AskingKind[Any],
    form: type[Any],
    *,
    start: Callable[..., AskingJob],
    estimate: Callable[..., Any],
) -> Response:
    """Queue a job, or answer with its estimate."""
    user = caller(request)
    project = project_for(user, slug, kind.manage)
    data = form(data=request.data)
    data.is_valid(raise_exception=True)
    settings = data.settings(project)
    if data.validated_data["dry_run"]:
        found = estimate(project=project, settings=settings)
        return Response(estimate_json(found, settings.concurrency))
    started = start(project=project, settings=settings, actor=user, now=timezone.now())
    return _started(kind, started)


def cancel_answer(request: Request, kind: AskingKind[Started], started: Started) -> Response:
    cancel_job(job=started.job, actor=caller(request), now=timezone.now())
    return _started(kind, started)


def resume_answer(request: Request, kind: AskingKind[Started], started: Started) -> Response:
    data = ResumeInput(data=request.data)
    data.is_valid(raise_exception=True)
    budget = data.validated_data["budget"]
    resumed = resume_asking(kind, started, actor=caller(request), now=timezone.now(), budget=budget)
    return _started(kind, resumed)


def _started(kind: AskingKind[Any], started: AskingJob) -> Response:
    body = {kind.key: started.pk, "job": started.job_id}
    return Response(body, status=status.HTTP_202_ACCEPTED)
