"""The API of disputes: the queue, and settling one."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.pagination import KeysetPagination
from projects.selectors import project_for
from review.disputes.actions.adjudication import adjudicate_panel
from review.disputes.actions.visits import visit_dispute
from review.disputes.api.serializers import AdjudicationInput, DisputeSerializer
from review.disputes.queue import DAYS, ONLY, SORTS, QueueFilter, queue_of
from review.disputes.selectors import panel_by_id
from review.enums import DecisionKind
from review.models import Panel
from review.outcomes import ReasonCode
from review.requests import idempotency_key, valid

FILTERS = [
    OpenApiParameter("subject", description="Slug of a subject."),
    OpenApiParameter(
        "reason",
        description="A reason that the dispute has, such as score_gap; with “only-” before it, "
        "the only one.",
    ),
    OpenApiParameter(
        "verdicts", description="A letter for each judgement: A approve, E revise, R reject (AAE)."
    ),
    OpenApiParameter("gap", type=int, description="Largest gap between two ratings."),
    OpenApiParameter("round", type=int, description="Number of a round."),
    OpenApiParameter("system", description="Translation system of the text."),
    OpenApiParameter("days", enum=list(DAYS), type=int, description="Waiting at least so long."),
    OpenApiParameter(
        "waiting",
        enum=["yes"],
        description="Disputes that wait for a second look or one more judgement; others without it.",
    ),
    OpenApiParameter("sort", enum=list(SORTS), description="Worst first unless said otherwise."),
]
WHOLE_NUMBER: dict[str, Any] = {"invalid": _("Give a whole number.")}
REASONS = [*ReasonCode, *(f"{ONLY}{code}" for code in ReasonCode)]


class QueueFilterSerializer(StrictSerializer):
    """The query string of the queue; empty values ask for nothing."""

    subject = serializers.CharField(max_length=200, default="", allow_blank=True)
    reason = serializers.ChoiceField(choices=REASONS, default="", allow_blank=True)
    verdicts = serializers.CharField(max_length=200, default="", allow_blank=True)
    gap = serializers.RegexField(
        r"^[0-9]{1,4}$", default="", allow_blank=True, error_messages=WHOLE_NUMBER
    )
    round = serializers.RegexField(
        r"^[0-9]{1,4}$", default="", allow_blank=True, error_messages=WHOLE_NUMBER
    )
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    days = serializers.ChoiceField(choices=list(map(str, DAYS)), default="", allow_blank=True)
    waiting = serializers.ChoiceField(choices=["yes"], default="", allow_blank=True)
    sort = serializers.ChoiceField(choices=list(SORTS), default="", allow_blank=True)
    cursor = serializers.CharField(required=False, allow_blank=True)
    page_size = serializers.CharField(required=False, allow_blank=True)


def asked_for(request: Request) -> QueueFilter:
    """What the query string asks for.

    Raises ValidationError for what the queue does not know: a misspelt filter that is left out
    would show, or settle at one go, more than was meant.
    """
    return QueueFilter.of(valid(QueueFilterSerializer(data=request.query_params.dict())))


class QueuePagination(KeysetPagination):
    """Pages in the order that the query string asks for."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.order = asked_for(request).order
        return super().paginate_queryset(queryset, request, view)


class DisputeListView(generics.GenericAPIView[Panel]):
    """Open disputes, worst agreement first, in keyset pages; a senior's own are left out."""

    serializer_class = DisputeSerializer
    pagination_class = QueuePagination

    @extend_schema(parameters=FILTERS, responses={200: DisputeSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, "review.view_disputes")
        wanted = asked_for(request)
        rows = queue_of(project, user, wanted, now=timezone.now())
        page = self.paginate_queryset(rows.prefetch_related("judgements"))
        return self.get_paginated_response(DisputeSerializer(page, many=True).data)


class VisitorsSerializer(serializers.Serializer[Any]):
    others = serializers.ListField(child=serializers.CharField(), help_text="Their names.")


class DecidedSerializer(serializers.Serializer[Any]):
    adjudication = serializers.IntegerField(help_text="What `adjudications/{id}/passage/` takes.")
    decision = serializers.ChoiceField(choices=DecisionKind.choices)
    revision = serializers.IntegerField(
        allow_null=True, help_text="The text that it made; null where it made none."
    )


class VisitView(APIView):
    """Say for a few minutes that you have a dispute open, and learn who else has."""

    @extend_schema(request=None, responses={200: VisitorsSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = panel_by_id(user, pk)
        others = visit_dispute(panel=panel, visitor=user, now=timezone.now())
        return Response({"others": others})


class AdjudicationView(APIView):
    """Settle a dispute."""

    @extend_schema(
        parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
        request=AdjudicationInput,
        responses={201: DecidedSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = panel_by_id(user, pk)
        data = AdjudicationInput(data=request.data)
        data.is_valid(raise_exception=True)
        chosen = data.validated_data.get("judgement")
        judgement = panel.judgements.filter(pk=chosen).first() if chosen else None
        adjudication = adjudicate_panel(
            panel=panel,
            senior=user,
            content=data.content(judgement),
            now=timezone.now(),
            idempotency_key=idempotency_key(request)
            if "Idempotency-Key" in request.headers
            else "",
        )
        body = {
            "adjudication": adjudication.pk,
            "decision": adjudication.decision,
            "revision": adjudication.resulting_revision_id,
        }
        return Response(body, status=status.HTTP_201_CREATED)
