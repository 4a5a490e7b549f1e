"""The API of comparisons and solving rounds: take a seat, answer, results."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.figure_tables import FORMATS, table_file
from common.pagination import ApiPagination
from review.answers.actions import (
    MOST_TEXTS,
    AnswerContent,
    AnswerInvalid,
    TextOpinion,
    submit_answer,
    withdraw_answer,
)
from review.answers.answering import seat_json
from review.answers.api.claims import SeatToAnswerSerializer
from review.answers.rows import ANSWER_FORMATS, answer_row, answers_of
from review.answers.selectors import own_answer, round_to_answer, round_with_results, seat_to_answer
from review.answers.tables import results_json, results_of, results_stem, results_table
from review.enums import RoundKind
from review.limits import LONGEST_SECONDS, LONGEST_TEXT
from review.models import Answer
from review.requests import IDEMPOTENCY_KEY, RatingsField, idempotency_key, valid
from review.seats.actions.seats import claim_seat, skip_seat
from review.seats.refusals import PausedWithSeat
from review.selectors import round_by_id
from review.workbench.api.claims import NOTHING_LEFT
from review.workbench.api.serializers import SkipInput


class TextOpinionInput(StrictSerializer):
    """What you say of one text; `rank` 1 is the best. Rank all texts, or none."""

    number = serializers.IntegerField(min_value=1, max_value=MOST_TEXTS)
    is_approved = serializers.BooleanField()
    ratings = RatingsField()
    rank = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_TEXTS
    )


class AnswerInput(StrictSerializer):
    """What `POST assignments/{id}/answer/` takes.

    In a solving round `choice`: a letter, or null for "I cannot say". In a comparison `texts` and
    the `token` that came with them.
    """

    choice = serializers.CharField(required=False, allow_null=True, max_length=1)
    token = serializers.CharField(default="", allow_blank=True, max_length=40)
    texts = serializers.ListField(child=TextOpinionInput(), required=False, max_length=MOST_TEXTS)
    comment = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    active_seconds = serializers.IntegerField(default=0, min_value=0, max_value=LONGEST_SECONDS)

    def content(self, *, is_comparison: bool) -> AnswerContent:
        data = self.validated_data
        said = {"comment": data["comment"], "active_seconds": data["active_seconds"]}
        if is_comparison:
            return AnswerContent(token=data["token"], opinions=_opinions(data), **said)
        if "choice" not in data:
            raise AnswerInvalid(fields={"choice": [str(self.error_messages["required"])]})
        return AnswerContent(choice=data["choice"] or "", **said)


class AnswerReceipt(serializers.Serializer[Any]):
    answer = serializers.IntegerField()
    receipt = serializers.UUIDField()


class GivenTextSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    revision = serializers.IntegerField()
    place = serializers.IntegerField(help_text="Where the text stood on the page, from 0.")
    is_approved = serializers.BooleanField()
    ratings = serializers.DictField(child=serializers.IntegerField())
    rank = serializers.IntegerField(allow_null=True)


class GivenAnswerSerializer(serializers.Serializer[Any]):
    """An answer as `review.answers.rows.answer_row` makes it: `texts` in comparisons, else `choice`."""

    id = serializers.IntegerField()
    item = serializers.CharField()
    reviewer = serializers.EmailField()
    comment = serializers.CharField()
    active_seconds = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    texts = GivenTextSerializer(many=True, required=False)
    choice = serializers.CharField(
        required=False, allow_null=True, help_text="Null for who could not say."
    )


class TakeView(APIView):
    """Take the next seat of a round that compares or solves, or return the one you hold."""

    @extend_schema(
        request=None,
        responses={200: SeatToAnswerSerializer, 204: NOTHING_LEFT, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        round_ = round_to_answer(user, pk)
        notice = {}
        try:
            seat = claim_seat(
                round_=round_, reviewer=user, now=timezone.now(), kind=RoundKind(round_.kind)
            )
        except PausedWithSeat as error:
            seat, notice = error.held, {"notice": str(error)}
        if seat is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(seat_json(seat) | notice)


class AnswerView(APIView):
    """Send an answer; sending it again with the same Idempotency-Key returns the first one."""

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=AnswerInput,
        responses={201: AnswerReceipt, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        seat = seat_to_answer(caller(request), pk)
        key = idempotency_key(request)
        data = AnswerInput(data=request.data)
        data.is_valid(raise_exception=True)
        answer = submit_answer(
            assignment=seat,
            reviewer=caller(request),
            content=data.content(is_comparison=seat.round.kind == RoundKind.COMPARISON),
            idempotency_key=key,
            now=timezone.now(),
        )
        body = {"answer": answer.pk, "receipt": str(answer.receipt)}
        return Response(body, status=status.HTTP_201_CREATED)


class SkipAnswerView(APIView):
    """Give a seat back with a reason; the item is not offered to you again."""

    @extend_schema(request=SkipInput, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        seat = seat_to_answer(caller(request), pk)
        data = valid(SkipInput(data=request.data))
        skip_seat(assignment=seat, reviewer=caller(request), now=timezone.now(), **data)
        return Response(status=status.HTTP_204_NO_CONTENT)


class WithdrawAnswerView(APIView):
    """Take your answer back and get its item again."""

    @extend_schema(request=None, responses={200: SeatToAnswerSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        seat = withdraw_answer(answer=own_answer(user, pk), reviewer=user, now=timezone.now())
        return Response(seat_json(seat))


class ResultsView(APIView):
    """What a closed comparison or solving round came to, as `round_results --json` prints it."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        round_ = round_by_id(caller(request), pk, "review.view_report")
        return Response(results_json(round_with_results(round_)))


class ResultsExportView(ExportView):
    @extend_schema(
        parameters=[format_parameter(FORMATS)],
        responses={**file_responses(each[1] for each in FORMATS.values()), **REFUSALS},
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The results of a comparison or solving round as CSV, LaTeX or Markdown."""
        round_ = round_with_results(round_by_id(caller(request), pk, "review.view_report"))
        table = results_table(results_of(round_))
        file = table_file([table], asked_format(request, FORMATS), stem=results_stem(round_))
        return file_answer([file.text], name=file.name, media_type=file.media_type)


class AnswerExportView(ExportView):
    @extend_schema(parameters=[format_parameter()], responses={**file_responses(), **REFUSALS})
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Every answer of a closed comparison or solving round, as a stream of JSON lines or CSV."""
        round_ = round_with_results(round_by_id(caller(request), pk, "review.export_answers"))
        name = asked_format(request)
        lines = ANSWER_FORMATS[name][0](round_)
        return file_answer(
            lines, name=f"{round_.project.slug}-round-{round_.number}-answers.{name}"
        )


class AnswerListView(generics.GenericAPIView[Answer]):
    """Every answer of a closed comparison or solving round, in keyset pages."""

    serializer_class = GivenAnswerSerializer
    pagination_class = ApiPagination

    @extend_schema(responses={200: GivenAnswerSerializer(many=True), **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        round_ = round_with_results(round_by_id(caller(request), pk, "review.export_answers"))
        rows = answers_of(round_).order_by("pk")
        page: Any = self.paginate_queryset(rows)
        return self.get_paginated_response([answer_row(answer) for answer in page])


def _opinions(data: dict[str, Any]) -> dict[int, TextOpinion]:
    """By the number of the text; of one number given twice the last counts."""
    return {
        each["number"]: TextOpinion(
            is_approved=each["is_approved"], ratings=each["ratings"], rank=each["rank"]
        )
        for each in data.get("texts", ())
    }
