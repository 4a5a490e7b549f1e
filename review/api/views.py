"""The API of reviewers and seniors: claim, judge, skip, disputes."""

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from annotation.access import project_for
from common.pagination import ApiPagination, KeysetPagination
from review import queries
from review.actions.adjudication import adjudicate_panel
from review.actions.judgements import submit_judgement
from review.actions.seats import claim_seat, renew_seat, skip_seat
from review.api.access import LARGEST_ID, REFUSALS, round_of, to_members, user_of, valid
from review.api.serializers import (
    AdjudicationInput,
    DisputeSerializer,
    JudgementInput,
    JudgementSerializer,
    ReceiptSerializer,
    SkipInput,
)
from review.enums import PanelState
from review.models import Assignment, Judgement, Panel
from review.workbench import claim_json, load_texts

IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)
FREE_OBJECT = OpenApiResponse(response=OpenApiTypes.OBJECT)


class ClaimView(APIView):
    """Take the next seat, or get the one again that one holds."""

    @extend_schema(
        request=None,
        responses={200: FREE_OBJECT, 204: OpenApiResponse(description="Nothing left"), **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        round_ = round_of(user_of(request), pk)
        if not request.user.has_perm("review.claim_seat", round_):
            raise PermissionDenied
        seat = claim_seat(round_=round_, reviewer=user_of(request), now=timezone.now())
        if seat is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(claim_json(load_texts(seat)))


class JudgementView(APIView):
    """Send a judgement; with the same Idempotency-Key the first answer comes again."""

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=JudgementInput,
        responses={201: ReceiptSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        assignment = _seat(user_of(request), pk)
        key = _idempotency_key(request)
        data = JudgementInput(data=request.data)
        data.is_valid(raise_exception=True)
        judgement = submit_judgement(
            assignment=assignment,
            reviewer=user_of(request),
            revision_id=data.validated_data["revision"],
            content=data.content(),
            idempotency_key=key,
            now=timezone.now(),
        )
        body = {"judgement": judgement.pk, "receipt": str(judgement.receipt)}
        return Response(body, status=status.HTTP_201_CREATED)


class SkipView(APIView):
    """Give a seat back with a reason."""

    @extend_schema(request=SkipInput, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        assignment = _seat(user_of(request), pk)
        data = valid(SkipInput(data=request.data))
        skip_seat(assignment=assignment, reviewer=user_of(request), now=timezone.now(), **data)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RenewView(APIView):
    """Take the same seat again after its time ran out, if nobody else has it."""

    @extend_schema(request=None, responses={200: FREE_OBJECT, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        assignment = _seat(user_of(request), pk)
        seat = renew_seat(assignment=assignment, reviewer=user_of(request), now=timezone.now())
        return Response(claim_json(load_texts(seat)))


class JudgementListView(generics.GenericAPIView[Judgement]):
    """Judgements of a project that the caller may see, in keyset pages."""

    serializer_class = JudgementSerializer
    pagination_class = ApiPagination

    @extend_schema(
        parameters=[OpenApiParameter("round", int, description="number of the round")],
        responses={200: JudgementSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_rounds")
        rows = queries.judgements_visible_to(project, user_of(request)).select_related(
            "panel__item", "panel__round", "reviewer"
        )
        if "round" in request.query_params:
            rows = rows.filter(panel__round__number=_number(request, "round"))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(JudgementSerializer(page, many=True).data)


class WorstFirstPagination(KeysetPagination):
    """Pages in the order of the adjudication queue."""

    order = ("-severity", "pk")


class DisputeListView(generics.GenericAPIView[Panel]):
    """Open disputes, worst agreement first, in keyset pages; a senior's own are left out."""

    serializer_class = DisputeSerializer
    pagination_class = WorstFirstPagination

    @extend_schema(responses={200: DisputeSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_disputes")
        rows = queries.disputes_for(project, user_of(request)).prefetch_related("judgements")
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(DisputeSerializer(page, many=True).data)


class AdjudicationView(APIView):
    """Settle a dispute."""

    @extend_schema(request=AdjudicationInput, responses={201: FREE_OBJECT, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        panel = _visible_panel(user, pk)
        if not user.has_perm("review.adjudicate_panel", panel):
            raise PermissionDenied
        data = AdjudicationInput(data=request.data)
        data.is_valid(raise_exception=True)
        chosen = data.validated_data.get("judgement")
        judgement = panel.judgements.filter(pk=chosen).first() if chosen else None
        adjudication = adjudicate_panel(
            panel=panel, senior=user, content=data.content(judgement), now=timezone.now()
        )
        body = {
            "adjudication": adjudication.pk,
            "decision": adjudication.decision,
            "revision": adjudication.resulting_revision_id,
        }
        return Response(body, status=status.HTTP_201_CREATED)


def _seat(user: User, pk: int) -> Assignment:
    """A seat in a project of the caller's; that it is theirs the action finds out in its UPDATE."""
    return get_object_or_404(queries.seats_open_to(user), pk=min(pk, LARGEST_ID))


def _visible_panel(user: User, pk: int) -> Panel:
    rows = Panel.objects.exclude(state=PanelState.JUDGING).select_related(
        "round__project", "item", "revision__translation__current_revision"
    )
    panel = get_object_or_404(rows, pk=min(pk, LARGEST_ID))
    return to_members(user, panel.round.project, panel)


def _idempotency_key(request: Request) -> str:
    key = str(request.headers.get("Idempotency-Key", "")).strip()
    if not key or len(key) > 100 or not key.isprintable():
        said = _("Send an Idempotency-Key header of 1 to 100 characters, new for each judgement.")
        raise ValidationError({"Idempotency-Key": [said]})
    return key


def _number(request: Request, name: str) -> int:
    value = request.query_params[name]
    if not value.isdecimal() or len(value) > 9:
        raise ValidationError({name: [_("Give a whole number.")]})
    return int(value)
