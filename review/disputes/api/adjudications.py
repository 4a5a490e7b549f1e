"""The API around the queue of disputes: reopening, settling many, substitutes."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from common.api import REFUSALS, IdField, StrictSerializer
from common.pagination import KeysetPagination
from common.reasons import REASON_LENGTH
from projects.selectors import project_for
from review.disputes.actions.bulk import (
    AT_ONCE,
    approvable,
    approve_disputes,
    bulk_disputes,
    left_out,
)
from review.disputes.actions.reopening import reopen_dispute
from review.disputes.actions.substitutes import name_substitute, name_substitutes
from review.disputes.api.disputes import FILTERS, asked_for
from review.disputes.queries import panels_settled_by
from review.disputes.selectors import dispute_by_id, panel_by_id
from review.disputes.substitution import blocked_disputes, candidates_for
from review.enums import DecisionKind
from review.models import Panel
from review.selectors import round_by_id

NAME = "review.name_substitute"


class DisputeReopeningInput(StrictSerializer):
    reason = serializers.CharField(max_length=REASON_LENGTH)


class BulkInput(StrictSerializer):
    """`before` is the time that the preview gave: what came up later is left alone.

    `without` are the ids of disputes of the filter that are left alone as well.
    """

    reason = serializers.CharField(max_length=REASON_LENGTH)
    before = serializers.DateTimeField()
    without = serializers.ListField(
        child=IdField(),
        required=False,
        default=list,
        max_length=AT_ONCE,
    )


class SubstituteInput(StrictSerializer):
    user = serializers.EmailField(help_text="e-mail address of a member")
    note = serializers.CharField(max_length=REASON_LENGTH)


class CandidateSerializer(serializers.Serializer[User]):
    email = serializers.EmailField()
    name = serializers.CharField()


class BlockedSerializer(serializers.Serializer[Any]):
    """A dispute that no senior may settle, with the members who could be named for it."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.uid")
    round = serializers.IntegerField(source="round.number")
    candidates = serializers.SerializerMethodField()

    @extend_schema_field(CandidateSerializer(many=True))
    def get_candidates(self, panel: Panel) -> list[dict[str, str]]:
        people = self.context["candidates"][panel.pk]
        return [{"email": person.email, "name": person.name} for person in people]


class SettledSerializer(serializers.Serializer[Panel]):
    """A dispute with your decision in force; `adjudication` is the id that `adjudications/{id}/passage/` takes."""

    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.uid")
    round = serializers.IntegerField(source="round.number")
    adjudication = serializers.IntegerField(source="adjudication_id")
    decision = serializers.ChoiceField(choices=DecisionKind.choices, source="adjudication.decision")
    reason = serializers.CharField(source="adjudication.reason")
    settled_at = serializers.DateTimeField()


class LatestSettledPagination(KeysetPagination):
    order = ("-settled_at", "pk")


class WorstFirstPagination(KeysetPagination):
    order = ("-severity", "pk")


class ReopenedSerializer(serializers.Serializer[Any]):
    adjudication = serializers.IntegerField(help_text="The decision that was taken back.")


class BulkPreviewSerializer(serializers.Serializer[Any]):
    """`left_out` says by code how many disputes of the filter cannot be approved so."""

    count = serializers.IntegerField()
    left_out = serializers.DictField(child=serializers.IntegerField())
    before = serializers.DateTimeField(help_text="To be sent with the approval.")


class BulkDoneSerializer(serializers.Serializer[Any]):
    settled = serializers.IntegerField()
    skipped = serializers.DictField(child=serializers.IntegerField())
    left = serializers.IntegerField(help_text="Still open in the filter.")


class SubstituteNamedSerializer(serializers.Serializer[Any]):
    substitute = serializers.EmailField()


class SubstitutesNamedSerializer(serializers.Serializer[Any]):
    named = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Disputes of the round that still lack a senior.")


class ReopeningView(APIView):
    """Take your decision on a dispute back, as long as no later round or release has its text."""

    @extend_schema(
        request=DisputeReopeningInput,
        responses={201: ReopenedSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = panel_by_id(user, pk)
        data = DisputeReopeningInput(data=request.data)
        data.is_valid(raise_exception=True)
        reason = data.validated_data["reason"]
        made = reopen_dispute(panel=panel, senior=user, reason=reason, now=timezone.now())
        return Response({"adjudication": made.adjudication_id}, status=status.HTTP_201_CREATED)


class SettledListView(generics.GenericAPIView[Panel]):
    """What you have settled, the latest first; `disputes/{id}/reopening/` takes it back."""

    serializer_class = SettledSerializer
    pagination_class = LatestSettledPagination

    @extend_schema(responses={200: SettledSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, "review.view_disputes")
        page: Any = self.paginate_queryset(panels_settled_by(user, project))
        return self.get_paginated_response(SettledSerializer(page, many=True).data)


class BulkView(APIView):
    """Approve the texts of all disputes of a filter, with one reason."""

    @extend_schema(
        parameters=FILTERS,
        responses={200: BulkPreviewSerializer, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Preview how many disputes that match the filter can be approved, and how many are left out.

        `before` is the time to send with the approval.
        """
        user, now = caller(request), timezone.now()
        project = project_for(user, slug, "review.adjudicate_disputes")
        wanted = asked_for(request)
        found = bulk_disputes(project, user, wanted, before=now, now=now)
        count = approvable(found).count()
        return Response({"count": count, "left_out": left_out(found), "before": now})

    @extend_schema(
        request=BulkInput,
        parameters=FILTERS,
        responses={200: BulkDoneSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Settle up to 200; the answer says how many were settled, left out and remain."""
        user = caller(request)
        project = project_for(user, slug, "review.adjudicate_disputes")
        data = BulkInput(data=request.data)
        data.is_valid(raise_exception=True)
        done = approve_disputes(
            project=project,
            senior=user,
            wanted=asked_for(request),
            reason=data.validated_data["reason"],
            before=data.validated_data["before"],
            without=data.validated_data["without"],
            now=timezone.now(),
        )
        return Response({"settled": done.settled, "skipped": done.skipped, "left": done.left})


class BlockedListView(generics.GenericAPIView[Panel]):
    """Disputes that every senior judged or wrote, so that a manager names somebody else."""

    serializer_class = BlockedSerializer
    pagination_class = WorstFirstPagination

    @extend_schema(responses={200: BlockedSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, NAME)
        page = self.paginate_queryset(blocked_disputes(project)) or []
        context = {"candidates": candidates_for(project, page)}
        return self.get_paginated_response(BlockedSerializer(page, many=True, context=context).data)


class SubstitutesView(APIView):
    """Let a member settle all disputes of a round that no senior may settle."""

    @extend_schema(
        request=SubstituteInput,
        responses={201: SubstitutesNamedSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Disputes about texts that the member judged or wrote are `left`, like those of others."""
        user = caller(request)
        round_ = round_by_id(user, pk, NAME)
        data = SubstituteInput(data=request.data)
        data.is_valid(raise_exception=True)
        person = User.objects.filter(email__iexact=data.validated_data["user"]).first()
        done = name_substitutes(
            round_=round_,
            user=person or User(),
            note=data.validated_data["note"],
            actor=user,
            now=timezone.now(),
        )
        return Response(SubstitutesNamedSerializer(done).data, status=status.HTTP_201_CREATED)


class SubstituteView(APIView):
    """Let a member settle a dispute that no senior may settle."""

    @extend_schema(
        request=SubstituteInput,
        responses={201: SubstituteNamedSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = dispute_by_id(user, pk, NAME)
        data = SubstituteInput(data=request.data)
        data.is_valid(raise_exception=True)
        person = User.objects.filter(email__iexact=data.validated_data["user"]).first()
        named = name_substitute(
            panel=panel,
            user=person or User(),
            note=data.validated_data["note"],
            actor=user,
            now=timezone.now(),
        )
        return Response({"substitute": named.user.email}, status=status.HTTP_201_CREATED)
