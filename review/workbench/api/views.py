"""The API of reviewers: claim a seat, judge, skip, renew."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from review.requests import IDEMPOTENCY_KEY, idempotency_key, valid
from review.seats.actions.seats import claim_seat, renew_seat, reserve_seats, skip_seat, undo_skip
from review.seats.refusals import ReviewerPaused
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.reveals import reveal_source
from review.workbench.actions.suggestions import keep_suggestion
from review.workbench.actions.withdrawals import withdraw_judgement
from review.workbench.api.claims import NOTHING_LEFT, ClaimSerializer, HeldSerializer
from review.workbench.api.serializers import (
    CorrectionSerializer,
    JudgementInput,
    ReceiptSerializer,
    SkipInput,
    SuggestionInput,
    SuggestionReceipt,
)
from review.workbench.presenters import claim_json, load_texts
from review.workbench.selectors import own_judgement, round_to_judge, seat_by_id


class ClaimView(APIView):
    """Take the next seat, or return the one you hold already.

    A paused reviewer gets no new seat. Who holds one when the pause begins gets it again with a
    `notice`, and may finish it until its time is over.
    """

    @extend_schema(
        request=None,
        responses={200: ClaimSerializer, 204: NOTHING_LEFT, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        round_ = round_to_judge(caller(request), pk)
        notice = {}
        try:
            seat = claim_seat(round_=round_, reviewer=caller(request), now=timezone.now())
        except ReviewerPaused as error:
            if error.held is None:
                raise
            seat, notice = error.held, {"notice": str(error)}
        if seat is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(claim_json(load_texts(seat)) | notice)


class ReserveView(APIView):
    """Fill up the items that you hold to one and the project's `items_ahead` more; list them all."""

    @extend_schema(request=None, responses={200: HeldSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        round_ = round_to_judge(caller(request), pk)
        seats = reserve_seats(round_=round_, reviewer=caller(request), now=timezone.now())
        return Response({"held": [claim_json(load_texts(seat)) for seat in seats]})


class JudgementView(APIView):
    """Send a judgement; sending it again with the same Idempotency-Key returns the first answer."""

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=JudgementInput,
        responses={201: ReceiptSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        assignment = seat_by_id(caller(request), pk)
        key = idempotency_key(request)
        data = JudgementInput(data=request.data)
        data.is_valid(raise_exception=True)
        judgement = submit_judgement(
            assignment=assignment,
            reviewer=caller(request),
            revision_id=data.validated_data["revision"],
            content=data.content(),
            idempotency_key=key,
            now=timezone.now(),
        )
        body = {"judgement": judgement.pk, "receipt": str(judgement.receipt)}
        return Response(body, status=status.HTTP_201_CREATED)


class WithdrawView(APIView):
    """Take your judgement back and get its item again, to give another judgement in its place."""

    @extend_schema(request=None, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        judgement = own_judgement(caller(request), pk)
        seat = withdraw_judgement(judgement=judgement, reviewer=caller(request), now=timezone.now())
        return Response(claim_json(load_texts(seat)))


class RevealView(APIView):
    """End the blind first reading of an item that you hold: its source, key and findings."""

    @extend_schema(request=None, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        seat = seat_by_id(caller(request), pk)
        reveal_source(assignment=seat, reviewer=caller(request), now=timezone.now())
        return Response(claim_json(load_texts(seat)))


class SuggestionView(APIView):
    """Keep what you wrote on an item that you can no longer judge.

    The senior sees it, and whoever judges the item in a later round.
    """

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=SuggestionInput,
        responses={201: SuggestionReceipt, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        assignment = seat_by_id(caller(request), pk)
        data = valid(SuggestionInput(data=request.data))
        suggestion = keep_suggestion(
            assignment=assignment,
            reviewer=caller(request),
            verdict=data["verdict"],
            correction=CorrectionSerializer().value(data.get("correction")),
            comment=data["comment"],
            reason=data["reason"],
            idempotency_key=idempotency_key(request),
            now=timezone.now(),
        )
        return Response({"suggestion": suggestion.pk}, status=status.HTTP_201_CREATED)


class SkipView(APIView):
    """Give a seat back with a reason."""

    @extend_schema(request=SkipInput, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        assignment = seat_by_id(caller(request), pk)
        data = valid(SkipInput(data=request.data))
        skip_seat(assignment=assignment, reviewer=caller(request), now=timezone.now(), **data)
        return Response(status=status.HTTP_204_NO_CONTENT)


class UndoSkipView(APIView):
    """Go back to an item that you skipped, if its seat is still free; what else you hold stays yours."""

    @extend_schema(request=None, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        assignment = seat_by_id(caller(request), pk)
        seat = undo_skip(assignment=assignment, reviewer=caller(request), now=timezone.now())
        return Response(claim_json(load_texts(seat)))


class RenewView(APIView):
    """Take a seat that you held again after its time ran out, if nobody else has taken it."""

    @extend_schema(request=None, responses={200: ClaimSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        assignment = seat_by_id(caller(request), pk)
        seat = renew_seat(assignment=assignment, reviewer=caller(request), now=timezone.now())
        return Response(claim_json(load_texts(seat)))
