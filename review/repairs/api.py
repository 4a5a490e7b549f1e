"""The API of batch repairs: a preview, the batches, starting the one that was previewed, undoing it."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.db import LARGEST_ID
from common.pagination import ApiPagination
from projects.models import Project
from projects.selectors import project_for
from review.enums import LeftOut
from review.models import RepairBatch, RepairedText
from review.repairs.actions import start_repairs, start_undo
from review.repairs.forms import RepairForm
from review.repairs.planning import AT_ONCE, RepairFilter, plan_repairs
from review.repairs.presenters import SHOWN, ShownPlan, TextChange, shown_plan, shown_texts
from review.repairs.queries import batch_of, batches_of, texts_of
from review.requests import valid

EDIT = "annotation.edit_text"


class RepairInput(StrictSerializer):
    """Which texts: those with an open finding of `code`, by default the texts under review."""

    code = serializers.CharField(max_length=60)
    subject = serializers.CharField(max_length=100, default="", allow_blank=True)
    system = serializers.CharField(max_length=100, default="", allow_blank=True)
    after = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=LARGEST_ID,
        help_text="`next_after` of the preview before.",
    )


class StartRepairsInput(RepairInput):
    digest = serializers.CharField(max_length=64, help_text="That of the preview.")


class RepairedFieldSerializer(serializers.Serializer[Any]):
    """One field of a text; each segment is `same`, `ins` or `del`, and a text."""

    label = serializers.CharField()  # type: ignore[assignment]
    segments = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2),
        allow_null=True,
    )


class RepairTextSerializer(serializers.Serializer[TextChange]):
    """A text of a preview or batch. `left` says why it is left out, `kept` why undoing left it."""

    item = serializers.IntegerField(source="item.pk")
    uid = serializers.CharField(source="item.uid")
    revision = serializers.IntegerField(source="revision.pk")
    fields = RepairedFieldSerializer(many=True)  # type: ignore[assignment]
    left = serializers.ChoiceField(choices=LeftOut.choices, allow_blank=True)
    kept = serializers.ChoiceField(choices=LeftOut.choices, allow_blank=True)
    reason = serializers.CharField()
    is_repaired = serializers.BooleanField()
    is_restored = serializers.BooleanField()


class RepairPlanSerializer(serializers.Serializer[ShownPlan]):
    digest = serializers.CharField()
    count = serializers.IntegerField(help_text="How many texts the batch would change.")
    changes = RepairTextSerializer(many=True, help_text=f"The first {SHOWN} of them.")
    left_count = serializers.IntegerField(help_text="How many texts it would leave out.")
    left = RepairTextSerializer(many=True, help_text="Some of them, of every reason.")
    next_after = serializers.IntegerField(
        allow_null=True, help_text=f"Set if there are more than {AT_ONCE} texts to look at."
    )


class RepairBatchSerializer(serializers.Serializer[RepairBatch]):
    id = serializers.IntegerField()
    code = serializers.CharField()
    subject = serializers.CharField(source="subject.slug", default="")
    system = serializers.CharField()
    actor = serializers.EmailField(source="actor.email", allow_null=True, default=None)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    job = serializers.IntegerField(source="job_id")
    undo_job = serializers.IntegerField(source="undo_job_id", allow_null=True)
    texts = serializers.IntegerField(source="text_count")
    repaired = serializers.IntegerField(source="n_repaired")
    left = serializers.IntegerField(source="n_left")
    restored = serializers.IntegerField(source="n_restored")
    kept = serializers.IntegerField(source="n_kept")


class RepairStartedSerializer(serializers.Serializer[Any]):
    batch = serializers.IntegerField()
    job = serializers.IntegerField(help_text="The job that does it; `result` has the counts.")


class RepairPreviewView(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("code", required=True, description="The code of a check."),
            OpenApiParameter("subject", description="Slug of a subject."),
            OpenApiParameter("system", description="Texts of this system."),
            OpenApiParameter("after", int, description="`next_after` of the preview before."),
        ],
        responses={200: RepairPlanSerializer, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """What a batch repair would change, and what it would leave out; nothing is changed."""
        project = project_for(caller(request), slug, EDIT)
        wanted = _wanted(project, valid(RepairInput(data=request.query_params.dict())))
        return Response(RepairPlanSerializer(shown_plan(plan_repairs(project, wanted))).data)


@extend_schema_view(get=extend_schema(responses={200: RepairBatchSerializer, **REFUSALS}))
class RepairBatchListView(generics.ListAPIView[RepairBatch]):
    """The batch repairs of a project."""

    serializer_class = RepairBatchSerializer
    pagination_class = ApiPagination
    queryset = RepairBatch.objects.none()

    def get_queryset(self) -> Any:
        project = project_for(caller(self.request), self.kwargs["slug"], EDIT)
        return batches_of(project)

    @extend_schema(request=StartRepairsInput, responses={202: RepairStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Make the repairs of a preview by a job. 409 where the preview would be another now."""
        user = caller(request)
        project = project_for(user, slug, EDIT)
        said = valid(StartRepairsInput(data=request.data))
        digest = said.pop("digest")
        wanted = _wanted(project, said)
        now = timezone.now()
        batch = start_repairs(project=project, wanted=wanted, digest=digest, actor=user, now=now)
        body = {"batch": batch.pk, "job": batch.job_id}
        return Response(body, status=status.HTTP_202_ACCEPTED)


class RepairBatchView(APIView):
    @extend_schema(responses={200: RepairBatchSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One batch repair with its counts."""
        project = project_for(caller(request), slug, EDIT)
        return Response(RepairBatchSerializer(batch_of(project, pk)).data)


class RepairedTextListView(generics.ListAPIView[RepairedText]):
    serializer_class = RepairTextSerializer  # type: ignore[assignment]  # of what is shown of a row
    pagination_class = ApiPagination
    queryset = RepairedText.objects.none()

    @extend_schema(responses={200: RepairTextSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The texts of a batch repair: what changed in each, and why others stayed."""
        project = project_for(caller(request), kwargs["slug"], EDIT)
        page: Any = self.paginate_queryset(texts_of(batch_of(project, kwargs["pk"])))
        rows: Any = shown_texts(page)
        return self.get_paginated_response(RepairTextSerializer(rows, many=True).data)


class UndoRepairsView(APIView):
    @extend_schema(request=None, responses={202: RepairStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Bring back the former texts by a job, where nothing happened to them since."""
        user = caller(request)
        batch = batch_of(project_for(user, slug, EDIT), pk)
        job = start_undo(batch=batch, actor=user, now=timezone.now())
        return Response({"batch": batch.pk, "job": job.pk}, status=status.HTTP_202_ACCEPTED)


def _wanted(project: Project, said: dict[str, Any]) -> RepairFilter:
    """The texts that a request names. Raises ValidationError with the fields at fault."""
    form = RepairForm(said, project=project)
    if not form.is_valid():
        raise serializers.ValidationError(
            {name: [str(word) for word in words] for name, words in form.errors.items()}
        )
    return form.wanted()
