"""The API of people who send submissions."""

import json
from io import BytesIO
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from common.api import (
    LIST_REFUSALS,
    READ_REFUSALS,
    REFUSALS,
    ErrorSerializer,
    StrictJSONParser,
    StrictSerializer,
)
from common.pagination import KeysetPagination
from releases.enums import HiddenPart
from releases.files.downloads import send_artifact
from releases.files.exporters.all_hidden import TEXTS_NAME
from releases.models import Release
from submissions.actions.endpoints import LARGEST_SEED, TeamEndpoint, send_endpoint
from submissions.actions.moderating import restore_submission, withdraw_submission
from submissions.actions.sending import (
    AnswersInvalid,
    Declared,
    cancel_submission,
    send_submission,
)
from submissions.actions.teams import join_team
from submissions.checking import Pairs, Unreadable, read_csv
from submissions.enums import SubmissionState, Visibility
from submissions.models import Participant, Submission, SubmissionPolicy
from submissions.presenters import all_as_json, as_json
from submissions.queries import (
    hidden_count,
    participant_of,
    quota_left,
    scores_left,
    submissions_of,
    takes_dictionaries,
)
from submissions.selectors import (
    TermsNotAccepted,
    may_send,
    part_for,
    sender_for,
    submission_for,
    taking_release,
)
from submissions.turns import turn_for


class Answers(dict[str, Any]):
    """An object of JSON that keeps its pairs, of which a plain one drops those with the same name."""

    def __init__(self, pairs: Pairs) -> None:
        super().__init__(pairs)
        self.pairs = pairs


class PairsParser(BaseParser):
    """Reads JSON as StrictJSONParser does, and keeps names that an object has twice.

    It is no JSONParser: these get no more than DATA_UPLOAD_MAX_MEMORY_SIZE, and answers may be
    larger, as `config.bodies` has checked.
    """

    media_type = StrictJSONParser.media_type

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        data = stream.read()
        StrictJSONParser().parse(BytesIO(data), media_type, parser_context)
        return json.loads(data, object_pairs_hook=Answers)


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {
            "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        },
    }
)
class PairsField(serializers.Field[Any, Any, Any, Any]):
    def to_internal_value(self, data: Any) -> Pairs:
        if not isinstance(data, Answers):
            raise serializers.ValidationError("Send an object of ids and answers.")
        return data.pairs


class SubmissionInput(StrictSerializer):
    """The answers as an object, or as CSV text with the columns id and answer."""

    model = serializers.CharField(max_length=200)
    answers = PairsField(required=False)
    csv = serializers.CharField(required=False, trim_whitespace=False)
    size = serializers.CharField(max_length=50, required=False, allow_blank=True, default="")
    prompt = serializers.CharField(max_length=10_000, required=False, allow_blank=True, default="")
    cutoff = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")
    has_open_weights = serializers.BooleanField(
        required=False, allow_null=True, default=None, help_text="null if you do not say it"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("answers" in attrs) == ("csv" in attrs):
            raise serializers.ValidationError({"answers": ["Send either answers or csv."]})
        if "csv" in attrs:
            try:
                attrs["answers"] = read_csv(attrs.pop("csv"))
            except Unreadable as error:
                raise serializers.ValidationError({"csv": [str(error)]}) from error
        return attrs


class TeamEndpointInput(StrictSerializer):
    """Where a model answers. `parameters` are decoding parameters; `seed` draws the order of questions."""

    model = serializers.CharField(max_length=200)
    base_url = serializers.CharField(max_length=300)
    key = serializers.CharField(
        max_length=500, required=False, allow_blank=True, default="", write_only=True
    )
    parameters = serializers.DictField(required=False, default=dict)
    seed = serializers.IntegerField(
        min_value=0, max_value=LARGEST_SEED, required=False, allow_null=True, default=None
    )
    size = serializers.CharField(max_length=50, required=False, allow_blank=True, default="")
    cutoff = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")
    has_open_weights = serializers.BooleanField(
        required=False, allow_null=True, default=None, help_text="null if you do not say it"
    )


class SentSerializer(serializers.Serializer[Any]):
    submission = serializers.IntegerField()


class FigureSerializer(serializers.Serializer[Any]):
    """A rounded share with its interval; `before_corrections` if keys were corrected since."""

    accuracy = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField()
    before_corrections = serializers.FloatField(allow_null=True)


class SubmissionSerializer(SentSerializer):
    """Aggregates only. `score` is empty while it waits, and if it is no better than the team's best."""

    project = serializers.CharField()
    version = serializers.CharField()
    team = serializers.CharField()
    model = serializers.CharField()
    state = serializers.ChoiceField(choices=SubmissionState.choices)
    detail = serializers.CharField()
    place = serializers.IntegerField(allow_null=True, help_text="In the queue, from 1.")
    epochs = serializers.IntegerField(help_text="How many answers were sent for each item.")
    is_endpoint = serializers.BooleanField(
        help_text="Whether this server asks the team's endpoint."
    )
    unanswered = serializers.IntegerField(help_text="Questions that its endpoint did not answer.")
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    is_listed = serializers.BooleanField(
        help_text="Whether the leaderboard lists it with its figures."
    )
    reason = serializers.CharField()
    sent_at = serializers.DateTimeField()
    score = FigureSerializer(allow_null=True)
    categories = serializers.DictField(child=FigureSerializer())


class ParticipationInput(StrictSerializer):
    """`terms_version` is the version that you read and accept; `team` names a new team."""

    affiliation = serializers.CharField(max_length=200)
    team = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    code = serializers.CharField(max_length=24, required=False, allow_blank=True, default="")
    terms_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class ParticipationSerializer(serializers.Serializer[Any]):
    team = serializers.CharField()
    code = serializers.CharField(help_text="Others join the team with it.")
    affiliation = serializers.CharField()
    is_admitted = serializers.BooleanField()
    is_banned = serializers.BooleanField()
    ban_reason = serializers.CharField()
    terms_version = serializers.IntegerField(help_text="The version that you have accepted.")
    may_send = serializers.BooleanField(
        help_text=(
            "Whether you have accepted the terms of now, are in a team that is admitted and not banned, "
            "and no member of the project."
        )
    )
    left_today = serializers.IntegerField()
    left_this_month = serializers.IntegerField()
    scores_left = serializers.IntegerField(
        help_text="About how many more scores your team can be told in this version."
    )


class TermsSerializer(serializers.Serializer[Any]):
    terms = serializers.CharField()
    terms_version = serializers.IntegerField()
    per_day = serializers.IntegerField()
    per_month = serializers.IntegerField()
    accepts_dictionaries = serializers.BooleanField()
    accepts_endpoints = serializers.BooleanField(
        help_text="A team's server then sees the questions of the hidden part."
    )
    first_contact = serializers.IntegerField(
        help_text="Questions of a closed part that an endpoint must answer before the others, or 0."
    )
    is_taking = serializers.BooleanField(help_text="Whether this version takes submissions now.")
    latest = serializers.CharField(help_text="The version that takes submissions now, or empty.")
    participation = ParticipationSerializer(
        allow_null=True, help_text="Your place in a team, null before you have joined one."
    )


SENDING = {**REFUSALS, 413: ErrorSerializer, 422: ErrorSerializer, 429: ErrorSerializer}


class NewestSubmissionPagination(KeysetPagination):
    order = ("-pk",)


class SubmissionListView(GenericAPIView[Submission]):
    parser_classes = (PairsParser,)
    pagination_class = NewestSubmissionPagination
    serializer_class = SubmissionSerializer
    queryset = Submission.objects.none()

    @extend_schema(responses={200: SubmissionSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return the submissions of the caller's team to the release, the newest first.

        Those sent stay readable after a newer version, after closing and after yanking.
        """
        user = caller(request)
        found = part_for(user, project, version)
        place = participant_of(found.release.project, user)
        if place is None:
            raise TermsNotAccepted(version=found.policy.terms_version)
        rows = self.paginate_queryset(submissions_of(place.team, found.release)) or []
        return self.get_paginated_response(all_as_json(rows))

    @extend_schema(request=SubmissionInput, responses={202: SentSerializer, **SENDING})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Send a model's answers to be scored.

        All of them are checked first: with 422 nothing is scored and no quota is used, and
        `current` lists the ids that are unknown, missing, doubled, have answers that are no option,
        or have another number of answers than the others. 503 with `too_many_at_once` means that
        other teams are sending too and nothing of yours was read: send the same again after the
        seconds of `Retry-After`.
        """
        release, policy = taking_release(project, version)
        sender = sender_for(caller(request), release, policy)
        with turn_for(size=_read_body(request), items=hidden_count(release)):
            return self._send(request, release, sender)

    def _send(self, request: Request, release: Release, sender: Participant) -> Response:
        data = SubmissionInput(data=request.data)
        data.is_valid(raise_exception=True)
        values = dict(data.validated_data)
        pairs = values.pop("answers")
        try:
            sent = send_submission(
                release=release,
                sender=sender,
                declared=Declared(**values),
                pairs=pairs,
                now=timezone.now(),
            )
        except AnswersInvalid as error:
            return Response(error.as_json(), status=error.status)
        return Response({"submission": sent.pk}, status=status.HTTP_202_ACCEPTED)


def _read_body(request: Request) -> int:
    """Read the body before its turn, because it may come slowly; return how long it is."""
    data = request.stream.read() if request.stream else b""
    request._stream = BytesIO(data)  # noqa: SLF001 - as the framework sets a body that was read
    return len(data)


class EndpointView(APIView):
    @extend_schema(request=TeamEndpointInput, responses={202: SentSerializer, **SENDING})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Have this server ask a model at the team's endpoint, with the standard prompt, and score it.

        The key is stored encrypted, used for this submission alone, deleted when it ends, and
        never returned. The endpoint sees the questions of the hidden part.
        """
        release, policy = taking_release(project, version)
        sender = sender_for(caller(request), release, policy)
        data = TeamEndpointInput(data=request.data)
        data.is_valid(raise_exception=True)
        values = dict(data.validated_data)
        endpoint = {name: values.pop(name) for name in ("base_url", "key", "parameters", "seed")}
        sent = send_endpoint(
            release=release,
            sender=sender,
            declared=Declared(**values),
            endpoint=TeamEndpoint(**endpoint),
            now=timezone.now(),
        )
        return Response({"submission": sent.pk}, status=status.HTTP_202_ACCEPTED)


class ParticipationView(APIView):
    @extend_schema(responses={200: TermsSerializer, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return the terms to accept, the quota, and the caller's place in a team."""
        user = caller(request)
        found = part_for(user, project, version)
        release, policy = found.release, found.policy
        place = participant_of(release.project, user)
        names = (
            "terms",
            "terms_version",
            "per_day",
            "per_month",
            "accepts_endpoints",
            "first_contact",
        )
        told = {name: getattr(policy, name) for name in names}
        told |= {
            "accepts_dictionaries": takes_dictionaries(release, policy),
            "is_taking": found.is_taking,
            "latest": found.latest,
            "participation": _participation_json(user, place, release, policy) if place else None,
        }
        return Response(told)

    @extend_schema(request=ParticipationInput, responses={200: ParticipationSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Accept the terms, in a new team or in the one that the code opens."""
        user = caller(request)
        release, policy = taking_release(project, version)
        data = ParticipationInput(data=request.data)
        data.is_valid(raise_exception=True)
        now = timezone.now()
        found = join_team(project=release.project, user=user, now=now, **data.validated_data)
        return Response(_participation_json(user, found, release, policy))


def _participation_json(
    user: User, place: Participant, release: Release, policy: SubmissionPolicy
) -> dict[str, Any]:
    left = quota_left(place.team, policy, now=timezone.now())
    return {
        "team": place.team.name,
        "code": place.team.code,
        "affiliation": place.affiliation,
        "is_admitted": place.team.admitted_at is not None,
        "is_banned": place.team.banned_at is not None,
        "ban_reason": place.team.ban_reason,
        "terms_version": place.terms_version,
        "may_send": may_send(user, place, policy),
        "left_today": left.today,
        "left_this_month": left.month,
        "scores_left": scores_left(place.team, release),
    }


class TextsView(APIView):
    @extend_schema(responses={(200, "application/jsonl"): str, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> HttpResponseBase:
        """Return the items whose answers are withheld, one JSON object a line."""
        release, policy = taking_release(project, version)
        sender_for(caller(request), release, policy)
        if release.hidden_part != HiddenPart.WITHHELD:
            raise Http404
        return send_artifact(request._request, release, TEXTS_NAME)  # noqa: SLF001


class SubmissionView(APIView):
    @extend_schema(responses={200: SubmissionSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return state, place in the queue and aggregates of a submission of the caller's team."""
        return Response(as_json(submission_for(caller(request), pk)))


class CancelView(APIView):
    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a submission that is not scored yet.

        It takes nothing of the quota. Four of a month whose endpoint was asked anything count as one.
        """
        user = caller(request)
        cancel_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class WithdrawView(APIView):
    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take a submission's figures off the leaderboard, which lists it as withdrawn.

        It takes its quota all the same, and the same answers cannot be sent again. The team can have
        it listed again.
        """
        user = caller(request)
        withdraw_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreView(APIView):
    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """List a submission on the leaderboard again that the team has withdrawn."""
        user = caller(request)
        restore_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
